/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counters and times of the stages of an inference: property `stats` and the
 * element messages.  Any thread, unless stated. */

#pragma once

#include "gst/common/timing/durations.h"

typedef struct
{
  guint64 buffers, inferences, resets, errors;
  guint64 dropped, skipped; /* by qos, by inference-interval */
  GstClockTime max_delay;   /* from a window's first sample to its result */
  GstInferDurations preprocess, execute, postprocess, total, push;
} GstInferCounters;

typedef struct
{
  GMutex lock;
  GstInferCounters counters; /* guarded by the lock */
  gint64 last_report;        /* source-pad task only; monotonic µs */
} GstInferStats;

void gst_infer_stats_reset (GstInferStats *stats);

/* Adds one to @counter, a member of @stats. */
void gst_infer_stats_count (GstInferStats *stats, guint64 *counter);
/* Counts a buffer dropped by qos.  Returns how many were, and in @inferences
 * how many were inferred. */
guint64 gst_infer_stats_count_dropped (
    GstInferStats *stats, guint64 *inferences);
/* Nanoseconds; @delay: with the time that the window waited for its rows. */
void gst_infer_stats_add_inference (GstInferStats *stats, guint64 preprocess,
    guint64 execute, guint64 postprocess, guint64 total, GstClockTime delay);
void gst_infer_stats_add_push (GstInferStats *stats, guint64 ns);

GstClockTime gst_infer_stats_get_max_delay (GstInferStats *stats);
/* A structure @name with all of it.  (transfer full) */
GstStructure *gst_infer_stats_to_structure (
    GstInferStats *stats, const char *name, guint queue_depth, guint in_flight);
/* Source-pad task: TRUE once in @interval ms; never if that is 0. */
gboolean gst_infer_stats_is_due (GstInferStats *stats, guint interval);
