/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The samples of a live stream, recordings one after the other, and where
 * silero finds speech in them. */

#pragma once

#include <glib.h>

#define SOUND_RATE 16000

typedef struct
{
  guint64 begin, end; /* samples: the first and the last window of speech */
} Utterance;

typedef struct
{
  GArray *samples;    /* (element-type float) */
  GArray *utterances; /* (element-type Utterance), in order */
} Sound;

/* Recordings of @folder (the shared folder of speech) that are scored, from the
 * @first on, each followed by a pause, until there are @seconds of them.
 * Utterances are separated by @min_silence ms at least. */
void sound_init (Sound *sound, const char *folder, const char *vad_model,
    guint first, guint seconds, guint min_silence);
/* Faint white noise, in which nobody speaks. */
void sound_init_quiet (Sound *sound, guint seconds);
void sound_clear (Sound *sound);
