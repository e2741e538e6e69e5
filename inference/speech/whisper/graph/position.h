/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decoders that want to be told where in the text their tokens are. */

#pragma once

#include "inference/graph/model-private.h"

/* The variable: tokens of the text so far, i64 [1]. */
#define WHISPER_COUNT "token_count"

/* Whether @model has an input "cache_position", [tokens]: the positions of the
 * tokens, or "offset", [1]: the position of the first of them. */
gboolean whisper_wants_position (const InferModel *model);

/* Replaces this input, where there is one, by what @model counts itself: in
 * the variable WHISPER_COUNT, or, where @first, from 0. */
gboolean whisper_take_position (
    InferModel *model, gboolean first, GError **error);

/* The number of the tokens of a call, i64 [1]. */
gboolean whisper_add_count (
    InferModel *model, InferPort *count, GError **error);
