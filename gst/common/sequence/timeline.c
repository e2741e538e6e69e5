/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/sequence/timeline.h"

void
gst_infer_timeline_reset (GstInferTimeline *timeline)
{
  timeline->base = GST_CLOCK_TIME_NONE;
  timeline->base_index = 0;
}

GstClockTime
gst_infer_timeline_duration (const GstInferTimeline *timeline, guint64 samples)
{
  return gst_util_uint64_scale (samples, timeline->num, timeline->den);
}

GstClockTime
gst_infer_timeline_at (const GstInferTimeline *timeline, guint64 index)
{
  if (!GST_CLOCK_TIME_IS_VALID (timeline->base))
    return GST_CLOCK_TIME_NONE;
  if (index >= timeline->base_index)
    return timeline->base
           + gst_infer_timeline_duration (
               timeline, index - timeline->base_index);
  GstClockTime before =
      gst_infer_timeline_duration (timeline, timeline->base_index - index);
  return timeline->base > before ? timeline->base - before : 0;
}

void
gst_infer_timeline_note (
    GstInferTimeline *timeline, guint64 index, GstClockTime pts)
{
  GstClockTime expected = gst_infer_timeline_at (timeline, index);

  if (!GST_CLOCK_TIME_IS_VALID (pts))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (expected)
      || ABS (GST_CLOCK_DIFF (pts, expected)) > GST_INFER_TIMELINE_TOLERANCE) {
    timeline->base = pts;
    timeline->base_index = index;
  }
}
