/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "inference/graph/operation.h"

typedef struct
{
  char *address;
  InferDesc *outputs; /* [n_outputs] */
  guint n_outputs;
} InferModelCallAttrs;

/* Of a ModelCall: where its model is, as its backend understands it. */
const char *infer_op_model_call_address (const InferOperation *op);
