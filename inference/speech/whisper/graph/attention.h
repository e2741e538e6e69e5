/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cross-attention of a decoder whose keys and values are parameters. */

#pragma once

#include "inference/graph/model-private.h"

typedef struct
{
  InferPort port; /* [sequences, heads, tokens, positions] */
  float scale;    /* the softmax is taken of the product with it */
} WhisperScores;

/* @scores: of the cross-attention of each layer, in order; an attention that is
 * one operation gets them beside it.  (transfer full) (element-type
 * WhisperScores) */
gboolean whisper_find_scores (
    InferModel *model, GArray **scores, GError **error);
