/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inside of InferModel, for the reader, model edits and passes. */

#pragma once

#include "inference/base/cache.h"
#include "inference/graph/graph.h"

G_BEGIN_DECLS

struct _InferModel
{
  gatomicrefcount refs;
  char *name;
  char *path;
  guint ir_version;
  InferGraph *graph;
  GArray *variables;           /* (element-type InferVariable) */
  GHashTable *variable_places; /* name, of `variables` → its index + 1 */
  GHashTable *rt_info;         /* "a/b" → value */
};

/* infer_model_load that keeps what it reads in @cache (nullable). */
InferModel *infer_model_load_cached (const char *path, const char *weights_path,
    InferCache *cache, GError **error);

/* Empty but for the strings. */
InferModel *infer_model_new (
    const char *name, const char *path, guint ir_version);
/* A copy that its only owner may still change. */
InferModel *infer_model_copy (const InferModel *model);

/* Appends a copy of @variable. */
void infer_model_add_variable (
    InferModel *model, const InferVariable *variable);

/* After any change: sorts, infers types and shapes, collects the variables.
 * The error names the operation, not yet the file. */
gboolean infer_model_settle (InferModel *model, GError **error);

/* variables.c: finds variables that do not keep their initial value's shape
 * although the file does not say so; TRUE: types and shapes are to be inferred
 * again.  @all: takes every one of these to be so. */
gboolean infer_model_find_growing (InferModel *model, gboolean all);

/* variables.c: fills model->variables from the graph and its bodies. */
gboolean infer_model_collect_variables (InferModel *model, GError **error);

G_END_DECLS
