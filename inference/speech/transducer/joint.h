/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decoder and joiner in one network, as NeMo's export writes them: the
 * encoder's frames, tokens, their number and states → scores, the number and
 * states. */

#pragma once

#include "infer/model.h"

/* @model takes one frame and one token.  It is cut where the decoder's row
 * meets the frame: *@decoder (tokens, their number, states → the row, the
 * number, states) runs once for a token, *@joiner (a frame and the row →
 * scores) once for a frame.  (out) (transfer full) */
gboolean transducer_joint_cut (const InferModel *model, InferModel **decoder,
    InferModel **joiner, GError **error);
