/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tokens of a window, cut at their timestamps. */

#pragma once

#include "inference/speech/whisper/config.h"

/* Positions of the encoder per second, and what a timestamp counts in. */
#define WHISPER_FRAMES_PER_POSITION 2

typedef struct
{
  guint first, end;       /* of the tokens */
  gsize start_at, end_at; /* frames from the beginning of the window */
} WhisperSegment;

/* Appends the segments (element-type WhisperSegment) of @tokens [@n], heard in
 * a window of @frames.  Returns after how many frames the next window begins:
 * where the last whole segment ends, else at the end of this one. */
gsize whisper_segments_cut (const WhisperConfig *config, const guint *tokens,
    guint n, gsize frames, GArray *segments);
