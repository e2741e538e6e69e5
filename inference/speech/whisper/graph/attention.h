/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cross-attention of a decoder whose keys and values are parameters. */

#pragma once

#include "inference/graph/model-private.h"

/* @scores: for each layer, in order, what the softmax of its cross-attention is
 * taken of [sequences, heads, tokens, positions]; an attention that is one
 * operation gets them beside it.  (transfer full) (element-type InferPort) */
gboolean whisper_find_scores (
    InferModel *model, GArray **scores, GError **error);
