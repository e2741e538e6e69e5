/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A model in parts, each a model of its own for one place; and how tensors go
 * between them. */

#pragma once

#include "inference/runtime/devices/partition.h"

G_BEGIN_DECLS

/* Where an input of a part comes from, or an output goes to. */
typedef struct
{
  gboolean outer; /* the model's own input or output, else a tensor between */
  guint index;
} InferPartPort;

typedef struct
{
  guint place;
  gboolean initial; /* of use only while a variable is reset */
  InferModel *model;
  GArray *inputs, *outputs; /* (element-type InferPartPort) */
  GArray *variables; /* (element-type guint) the model's, for each of its */
} InferPart;

typedef struct
{
  GPtrArray *parts; /* (element-type InferPart) in the order of running */
  GArray *between;  /* (element-type InferDesc) */
} InferSplitModel;

/* @model as given to backends: after the passes.  INFER_ERROR_UNSUPPORTED where
 * no place can run an operation, listing all of these. */
InferSplitModel *infer_split_model_new (const InferModel *model,
    const InferPlace *places, guint n_places, GError **error);
void infer_split_model_free (InferSplitModel *split); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferSplitModel, infer_split_model_free)

G_END_DECLS
