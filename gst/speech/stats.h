/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counters and times for property `stats`.  Any thread. */

#pragma once

#include <gst/gst.h>

/* Times of one kind of work, in nanoseconds. */
typedef struct
{
  guint64 n, sum, max;
} GstInferWork;

/* Why speech gives no text (InferTranscript.dropped), and others. */
#define GST_INFER_SPEECH_REASONS 6

typedef struct
{
  guint64 buffers, utterances, words, finals, partials, partials_skipped,
      resets, gaps;
  guint64 dropped[GST_INFER_SPEECH_REASONS]; /* by reason */
  guint64 samples;                           /* of audio, heard */
  GstInferWork voice, push, partial, prepare, end;
} GstInferSpeechCounters;

typedef struct
{
  GMutex lock;
  GstInferSpeechCounters counters; /* guarded by the lock */
} GstInferSpeechStats;

void gst_infer_speech_stats_reset (GstInferSpeechStats *stats);
/* Adds @n to @counter, a member of @stats. */
void gst_infer_speech_stats_count (
    GstInferSpeechStats *stats, guint64 *counter, guint64 n);
/* Counts what was dropped for @reason. */
void gst_infer_speech_stats_dropped (
    GstInferSpeechStats *stats, const char *reason);
/* @begin: monotonic time in µs when the work began. */
void gst_infer_speech_stats_add (
    GstInferSpeechStats *stats, GstInferWork *work, gint64 begin);
/* @rate: of the samples; 0: not known.  (transfer full) */
GstStructure *gst_infer_speech_stats_to_structure (
    GstInferSpeechStats *stats, guint rate);
