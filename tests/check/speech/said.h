/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streams through infertranscriber with a model that hears known words at known
 * samples, and a watch on what leaves. */

#pragma once

#include "tests/check/speech/fake-speech.h"
#include "tests/check/support/stream.h"

#define RATE FAKE_SPEECH_RATE
#define START (10 * GST_SECOND)
#define FAKE                                                                   \
  "infertranscriber name=t kind=fake model=" SOURCE_ROOT "/tests/data "

typedef struct
{
  guint64 begin, n;
  guint word;
} Said;

/* --- input --- */

/* Samples with what is @said, up to @n. */
float *said_samples (const Said *said, guint n_said, gsize n);

/* Three utterances of 3, 2 and 4 words within 8 s. */
#define N_WORDS 9
extern const Said said_words[N_WORDS];
#define N_SAMPLES (8 * RATE)

/* The timestamp of @sample. */
GstClockTime said_time (guint64 sample);
/* Sends STREAM_START, CAPS and SEGMENT. */
void said_begin_stream (GstHarness *h);
/* A harness of @description that is not live, whose stream has begun. */
GstHarness *said_begin (const char *description);
/* @n samples from number @first on. */
GstBuffer *said_buffer (const float *samples, gsize first, gsize n);
/* Buffers of @most samples; of random sizes up to it with @rand (nullable). */
void said_push_all (
    GstHarness *h, const float *samples, gsize n, gsize most, GRand *rand);

/* --- output --- */

typedef struct
{
  GMutex lock;
  GString *log;       /* texts and gaps, in order */
  GstClockTime until; /* they cover all up to here */
  gboolean torn;      /* one overlaps another, or leaves a hole */
  GstClockTime longest_gap;
  guint n_texts;
} Watch;

void said_watch_init (Watch *watch, GstHarness *h);
void said_watch_clear (Watch *watch);
typedef Watch TestWatch;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TestWatch, said_watch_clear)

/* The log of the words with @properties, in buffers of @most samples, or of
 * random sizes up to it with a @seed.  (transfer full) */
char *said_run (const char *properties, gsize most, guint32 seed);
