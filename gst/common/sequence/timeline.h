/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The timestamp of each sample (or row) of a stream by its number: counted from
 * the last known one, so that it never drifts.  One thread at a time. */

#pragma once

#include <gst/gst.h>

/* A timestamp that is further off moves the base; as the default of
 * GstAudioBaseSink and GstAudioStreamAlign. */
#define GST_INFER_TIMELINE_TOLERANCE ((GstClockTimeDiff) (40 * GST_MSECOND))

typedef struct
{
  guint64 num, den;   /* a sample lasts num / den ns; set by the owner */
  GstClockTime base;  /* of sample number base_index; NONE: not known */
  guint64 base_index; /* 0 without a base */
} GstInferTimeline;

/* Forgets the base: samples are counted from 0 again. */
void gst_infer_timeline_reset (GstInferTimeline *timeline);
/* How long @samples samples last. */
GstClockTime gst_infer_timeline_duration (
    const GstInferTimeline *timeline, guint64 samples);
/* NONE: not known. */
GstClockTime gst_infer_timeline_at (
    const GstInferTimeline *timeline, guint64 index);
/* A buffer with timestamp @pts (or NONE) begins with sample number @index. */
void gst_infer_timeline_note (
    GstInferTimeline *timeline, guint64 index, GstClockTime pts);
