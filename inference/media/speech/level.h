/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Voice activity without a model: how far each band of speech is above its
 * noise, which is the least that the band had within the last 2 s.  Whatever
 * comes and goes as syllables do counts as speech.  One thread at a time. */

#pragma once

#include <glib.h>

#define INFER_LEVEL_RATE 16000
#define INFER_LEVEL_WINDOW 512 /* samples */

typedef struct _InferLevel InferLevel;

/* NULL: memory is short.  (transfer full) */
InferLevel *infer_level_new (void);
void infer_level_free (InferLevel *level); /* NULL is fine */
/* The next window begins a stream. */
void infer_level_reset (InferLevel *level);
/* Takes the next window, @samples [INFER_LEVEL_WINDOW] from -1 to 1; returns
 * how probable speech is. */
float infer_level_push (InferLevel *level, const float *samples);
