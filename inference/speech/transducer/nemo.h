/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The transducers of NeMo.  In three files, as sherpa-onnx has them: encoder
 * (NeMo's features, bands first, and their number → frames, values first),
 * decoder (a token and two LSTM states → a row, states), joiner (a frame and a
 * row → scores of the tokens, the last of which is the blank; and of durations,
 * where it is a token-and-duration transducer).  In two, as NeMo's own export
 * has them: the encoder, which says nothing of itself, and the others in one
 * (joint.h). */

#pragma once

#include "inference/speech/text/vocabulary.h"
#include "inference/speech/transducer/networks.h"

/* By the encoder's metadata. */
gboolean transducer_nemo_is_encoder (const InferModel *encoder);

/* Each reads what @model says, and compiles it; after the one before.
 * @joint: the decoder is in one file with the joiner. */
gboolean transducer_nemo_take_encoder (TransducerNetworks *networks,
    const InferModel *model, gboolean joint, InferRuntime *runtime,
    GError **error);
gboolean transducer_nemo_take_decoder (TransducerNetworks *networks,
    const InferModel *model, InferRuntime *runtime, GError **error);
gboolean transducer_nemo_take_joiner (TransducerNetworks *networks,
    InferModel *model, InferRuntime *runtime, GError **error);
/* Decoder and joiner.  @vocabulary: has the tokens, the blank last. */
gboolean transducer_nemo_take_joint (TransducerNetworks *networks,
    const InferModel *model, const InferVocabulary *vocabulary,
    InferRuntime *runtime, GError **error);
