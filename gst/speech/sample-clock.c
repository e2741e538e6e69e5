/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/speech/sample-clock.h"

#include "gst/common/sequence/timeline.h"

typedef struct
{
  guint64 sample;
  GstClockTime pts;
} Anchor;

void
gst_infer_sample_clock_init (GstInferSampleClock *clock)
{
  clock->anchors = g_array_new (FALSE, FALSE, sizeof (Anchor));
}

void
gst_infer_sample_clock_clear (GstInferSampleClock *clock)
{
  g_clear_pointer (&clock->anchors, g_array_unref);
}

void
gst_infer_sample_clock_reset (GstInferSampleClock *clock, guint rate)
{
  clock->rate = rate;
  g_array_set_size (clock->anchors, 0);
}

GstClockTime
gst_infer_sample_clock_at (const GstInferSampleClock *clock, guint64 sample)
{
  guint i = clock->anchors->len;

  if (i == 0)
    return GST_CLOCK_TIME_NONE;
  while (i > 1 && g_array_index (clock->anchors, Anchor, i - 1).sample > sample)
    i--;
  const Anchor *anchor = &g_array_index (clock->anchors, Anchor, i - 1);
  return sample >= anchor->sample
             ? anchor->pts
                   + gst_util_uint64_scale (
                       sample - anchor->sample, GST_SECOND, clock->rate)
             : anchor->pts;
}

void
gst_infer_sample_clock_note (
    GstInferSampleClock *clock, guint64 sample, GstClockTime pts)
{
  GstClockTime expected = gst_infer_sample_clock_at (clock, sample);
  Anchor anchor = { sample, pts };

  if (!GST_CLOCK_TIME_IS_VALID (pts)
      || (GST_CLOCK_TIME_IS_VALID (expected)
          && ABS (GST_CLOCK_DIFF (expected, pts))
                 <= GST_INFER_TIMELINE_TOLERANCE))
    return;
  g_array_append_val (clock->anchors, anchor);
}

void
gst_infer_sample_clock_prune (GstInferSampleClock *clock, guint64 sample)
{
  guint n = 0;

  while (n + 1 < clock->anchors->len
         && g_array_index (clock->anchors, Anchor, n + 1).sample <= sample)
    n++;
  if (n > 0)
    g_array_remove_range (clock->anchors, 0, n);
}
