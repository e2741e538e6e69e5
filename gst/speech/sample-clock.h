/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The timestamp of each sample: counted from those of the buffers, so that it
 * never drifts, and moved only where they are off by more than 40 ms.  One
 * thread. */

#pragma once

#include <gst/gst.h>

typedef struct
{
  guint rate;      /* Hz */
  GArray *anchors; /* samples whose timestamps are known, in order */
} GstInferSampleClock;

void gst_infer_sample_clock_init (GstInferSampleClock *clock);
void gst_infer_sample_clock_clear (GstInferSampleClock *clock);
/* Forgets all timestamps; @rate of the samples that follow. */
void gst_infer_sample_clock_reset (GstInferSampleClock *clock, guint rate);

/* NONE: no sample's is known. */
GstClockTime gst_infer_sample_clock_at (
    const GstInferSampleClock *clock, guint64 sample);
/* A buffer with @pts begins with @sample.  Samples before it keep their times.
 */
void gst_infer_sample_clock_note (
    GstInferSampleClock *clock, guint64 sample, GstClockTime pts);
/* Nobody asks for samples before @sample any more. */
void gst_infer_sample_clock_prune (GstInferSampleClock *clock, guint64 sample);
