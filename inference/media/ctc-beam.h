/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Prefix beam search, for ctc.c. */

#pragma once

#include "inference/media/ctc.h"

typedef struct _CtcBeam CtcBeam;

CtcBeam *ctc_beam_new (guint classes, guint blank, guint width);
void ctc_beam_free (CtcBeam *beam);
void ctc_beam_reset (CtcBeam *beam);

/* Takes one step; appends the tokens that all prefixes now agree on. */
void ctc_beam_push (
    CtcBeam *beam, const float *scores, guint64 step, GArray *tokens);
/* Appends the rest of the best prefix. */
void ctc_beam_finish (CtcBeam *beam, GArray *tokens);
/* The same, and nothing changes. */
void ctc_beam_peek (const CtcBeam *beam, GArray *tokens);
/* Resets. */
void ctc_beam_set_bias (CtcBeam *beam, const InferCtcBias *bias);
/* Returns the first step at which a token yet to be given out may start, @now
 * if no token is pending. */
guint64 ctc_beam_decided (const CtcBeam *beam, guint64 now);
