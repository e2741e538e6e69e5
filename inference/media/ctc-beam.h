/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The prefix beam search behind inference/media/ctc.h. */

#pragma once

#include "inference/media/ctc.h"

G_BEGIN_DECLS

typedef struct _CtcBeam CtcBeam;

CtcBeam *ctc_beam_new (guint classes, guint blank, guint width);
void ctc_beam_free (CtcBeam *beam);
void ctc_beam_reset (CtcBeam *beam);

/* One step; appends the tokens that all prefixes now agree on. */
void ctc_beam_push (
    CtcBeam *beam, const float *scores, guint64 step, GArray *tokens);
/* Appends the rest of the best prefix. */
void ctc_beam_finish (CtcBeam *beam, GArray *tokens);
/* First step that a token still to come may start at; @now where none is
 * open. */
guint64 ctc_beam_decided (const CtcBeam *beam, guint64 now);

G_END_DECLS
