/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Exports of OpenAI's own networks, as sherpa-onnx has them: the encoder gives
 * the keys and values of the cross-attention of all layers as two tensors
 * [layers, batch, positions, width]; the decoder takes these, the tokens, the
 * number of tokens before them and two caches of all layers, [layers, batch,
 * context, width], which it gives changed. */

#pragma once

#include "inference/graph/model-private.h"

gboolean whisper_stacked_is_encoder (const InferModel *encoder);

/* INFER_ERROR_INVALID_MODEL: @decoder is of another form or another model. */
gboolean whisper_stacked_check (
    const InferModel *encoder, const InferModel *decoder, GError **error);

/* @decoder with variables in place of the caches and the number of tokens, and
 * inputs WHISPER_TOKENS and WHISPER_BEAMS.  (transfer full) */
InferModel *whisper_stacked_decoder (const InferModel *decoder, GError **error);

/* The keys and values that it takes.  (transfer full) (element-type InferPort)
 */
GArray *whisper_stacked_cross (const InferModel *decoder);

/* @encoder, whose outputs are named as these.  (transfer full) */
InferModel *whisper_stacked_encoder (const InferModel *encoder, GError **error);
