/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* InferModel, opened for the reader, model edits and passes.  One thread, until
 * the model is handed out; immutable afterwards. */

#pragma once

#include "inference/base/cache.h"
#include "inference/graph/graph.h"

struct _InferModel
{
  gatomicrefcount refs;
  char *name;
  char *path;
  guint ir_version;
  InferGraph *graph;
  GArray *variables;           /* (element-type InferVariable) */
  GHashTable *variable_places; /* name in `variables` → index + 1 */
  GHashTable *rt_info;         /* "a/b" → value */
  GStrv external_files;        /* nullable */
};

/* infer_model_load with the parsed XML in @cache (nullable); @map FALSE: the
 * weights are read, never mapped. */
InferModel *infer_model_load_with (const char *path, const char *weights_path,
    InferCache *cache, gboolean map, GError **error);

/* The model's label in traces: the file name without ".xml" or ".onnx", or the
 * folder's name if the file is called "model", or the name given to a model in
 * memory.  (transfer full) */
char *infer_model_label (const InferModel *model);

/* A model with an empty graph. */
InferModel *infer_model_new (
    const char *name, const char *path, guint ir_version);
/* A copy that the caller may change. */
InferModel *infer_model_copy (const InferModel *model);

/* Names of dims in rt_info, of formats that have them: "input_dims/NAME" is
 * "batch,?,time". */
#define INFER_INFO_INPUT_DIMS "input_dims"
#define INFER_INFO_OUTPUT_DIMS "output_dims"

/* Sets a value of rt_info of a model that the caller may change. */
void infer_model_put_rt_info (
    InferModel *model, const char *key, const char *value);

/* Appends a copy of @variable. */
void infer_model_add_variable (
    InferModel *model, const InferVariable *variable);

/* To be called after changes: sorts, infers types and shapes, collects the
 * variables.  The error names the operation; the caller adds the file. */
gboolean infer_model_settle (InferModel *model, GError **error);
/* The same for a new model without variables whose operations were inferred as
 * they were added: where all shapes are whole, nothing is inferred again. */
gboolean infer_model_settle_inferred (InferModel *model, GError **error);

/* variables.c: opens the shape of variables that do not keep the shape of their
 * initial value although the file gives no shape; TRUE if types and shapes must
 * be inferred again.  @all: every variable without a shape in the file. */
gboolean infer_model_find_growing (InferModel *model, gboolean all);

/* variables.c: fills model->variables from the graph and its bodies. */
gboolean infer_model_collect_variables (InferModel *model, GError **error);
