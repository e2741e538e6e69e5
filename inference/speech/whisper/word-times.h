/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Times of words that an alignment gives, made plausible. */

#pragma once

#include <glib.h>

typedef struct
{
  double start, end; /* frames */
  gboolean sentence; /* it ends one */
} WhisperWordTime;

/* Shortens words that last far longer than the others, as those before and
 * after pauses do, and keeps all in [@from, @to], in order. */
void whisper_word_times_trim (
    WhisperWordTime *words, guint n, double from, double to);
