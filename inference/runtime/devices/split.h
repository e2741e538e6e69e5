/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A model split into parts, each a model for one place, and the tensors
 * between. */

#pragma once

#include "inference/runtime/devices/partition.h"

/* The source of a part's input, or the target of an output. */
typedef struct
{
  gboolean outer; /* the model's input or output, else a tensor between parts */
  guint index;
} InferPartPort;

typedef struct
{
  guint place;
  gboolean initial; /* needed only while a variable is reset */
  InferModel *model;
  GArray *inputs, *outputs; /* (element-type InferPartPort) */
  GArray *variables; /* (element-type guint) per variable: its index in the
                        whole model */
} InferPart;

typedef struct
{
  GPtrArray *parts; /* (element-type InferPart) in execution order */
  GArray *between;  /* (element-type InferDesc) */
} InferSplitModel;

/* @model: after the passes.  INFER_ERROR_UNSUPPORTED, listing all operations
 * that no place can run. */
InferSplitModel *infer_split_model_new (const InferModel *model,
    const InferPlace *places, guint n_places, GError **error);
void infer_split_model_free (InferSplitModel *split); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferSplitModel, infer_split_model_free)
