/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A kind of speech model that hears what test_say writes: each word is a square
 * wave whose loudness says which word it is, so that texts and times are known
 * to the sample.  It takes any folder with kind=fake. */

#pragma once

#include <glib.h>

#define FAKE_SPEECH_RATE 16000

/* How the models and streams of this kind behave; set before they are used. */
typedef struct
{
  gboolean streaming;
  guint64 longest;  /* samples; 0: any */
  gint end_us;      /* atomic: computing time of an end … */
  gint partial_us;  /* … and of a partial result; both can be cancelled */
  gint fails;       /* atomic: the next end fails */
  gint drops;       /* atomic: the next end drops what was said, as a loop */
  gint n_loaded;    /* atomic: models loaded */
  gint n_prepared;  /* atomic: ends that were prepared */
  gint n_cancelled; /* atomic: computations that were cancelled */
  gint computing;   /* atomic: an end or partial is being computed */
} FakeSpeech;

extern FakeSpeech fake_speech;

/* Once in a process. */
void fake_speech_register (void);

/* Writes word number @word (0 … 8: "one" … "nine") to @samples. */
void fake_speech_say (float *samples, gsize n, guint word);
const char *fake_speech_word (guint word);
