/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by state-pairs.c, state-shapes.c and tie-states.c. */

#pragma once

#include "inference/graph/model-private.h"

/* rt_info of a model with tied states: "h=hn,c=cn". */
#define INFER_INFO_STATE_PAIRS "state_pairs"

/* An input and an output that are one state. */
typedef struct
{
  guint input, output;
  InferShape initial; /* of its value before the first step: static */
} InferStatePair;

/* Appends the pairs that @model has by its names to those in @pairs. */
gboolean infer_state_pairs_find (
    const InferModel *model, GArray *pairs, GError **error);

/* Sets the initial shapes of @pairs.  A dim that is not given is 1 if the
 * output keeps it, as a batch, and 0 if it grows from step to step. */
void infer_state_pairs_set_shapes (const InferModel *model, GArray *pairs);

/* Whether a value of @output may be that of @input. */
gboolean infer_state_pair_fits (
    const InferDesc *input, const InferDesc *output);
