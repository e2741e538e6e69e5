/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* When tokens were said: the path through the cross-attention of the heads that
 * follow the speech, as OpenAI's timing.py finds it (MIT). */

#pragma once

#include "inference/speech/whisper/config.h"
#include "inference/speech/whisper/networks/networks.h"

/* The way of least cost from the first to the last element of @cost [@rows,
 * @columns], down, right or both at a time: the column in which each row begins
 * is written to @begins [@rows]. */
void whisper_align_path (
    const float *cost, guint rows, guint columns, guint *begins);

/* Medians of 7 neighbours along each of @rows, mirrored at the ends. */
void whisper_align_smooth (float *values, guint rows, guint columns);

/* @begins [@n + 1]: the positions at which @text [@n], tokens without
 * timestamps, and the end after them begin.  @prompt: the tokens that start a
 * text; @positions of audio.  INFER_ERROR_UNSUPPORTED: the model has no such
 * heads. */
gboolean whisper_align (WhisperSession *session, const WhisperConfig *config,
    const gint64 *prompt, guint n_prompt, const guint *text, guint n,
    guint positions, guint *begins, GError **error);
