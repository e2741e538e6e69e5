/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/sequence/timeline.h"

#define RATE 44100

static GstInferTimeline
make (void)
{
  GstInferTimeline timeline = { .num = GST_SECOND, .den = RATE };

  gst_infer_timeline_reset (&timeline);
  return timeline;
}

static void
test_unknown (void)
{
  GstInferTimeline timeline = make ();

  g_assert_false (
      GST_CLOCK_TIME_IS_VALID (gst_infer_timeline_at (&timeline, 7)));
  gst_infer_timeline_note (&timeline, 7, GST_CLOCK_TIME_NONE);
  g_assert_false (
      GST_CLOCK_TIME_IS_VALID (gst_infer_timeline_at (&timeline, 7)));
  g_assert_cmpuint (
      gst_infer_timeline_duration (&timeline, RATE), ==, GST_SECOND);
}

/* Buffers of 441 samples whose timestamps were rounded to milliseconds: after a
 * day, times are still those of a division from the first sample. */
static void
test_no_drift (void)
{
  GstInferTimeline timeline = make ();
  guint64 n = 24 * 3600 * (guint64) RATE;

  for (guint64 i = 0; i < n; i += 441) {
    GstClockTime exact = gst_util_uint64_scale (i, GST_SECOND, RATE);

    gst_infer_timeline_note (
        &timeline, i, GST_SECOND + exact / GST_MSECOND * GST_MSECOND);
  }
  g_assert_cmpuint (
      gst_infer_timeline_at (&timeline, n), ==, 86401 * GST_SECOND);
  g_assert_cmpuint (timeline.base_index, ==, 0);
}

/* 40 ms are tolerated, more is a jump; samples before it have times, too. */
static void
test_jump (void)
{
  GstInferTimeline timeline = make ();

  gst_infer_timeline_note (&timeline, 0, 10 * GST_SECOND);
  gst_infer_timeline_note (&timeline, RATE, 11 * GST_SECOND + 40 * GST_MSECOND);
  g_assert_cmpuint (
      gst_infer_timeline_at (&timeline, 2 * RATE), ==, 12 * GST_SECOND);
  gst_infer_timeline_note (
      &timeline, RATE, 11 * GST_SECOND + 40 * GST_MSECOND + 1);
  g_assert_cmpuint (gst_infer_timeline_at (&timeline, 2 * RATE), ==,
      12 * GST_SECOND + 40 * GST_MSECOND + 1);
  g_assert_cmpuint (gst_infer_timeline_at (&timeline, 0), ==,
      10 * GST_SECOND + 40 * GST_MSECOND + 1);
  gst_infer_timeline_note (&timeline, RATE, 0);
  g_assert_cmpuint (gst_infer_timeline_at (&timeline, RATE), ==, 0);
  g_assert_cmpuint (gst_infer_timeline_at (&timeline, 0), ==, 0);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/timeline/unknown", test_unknown);
  g_test_add_func ("/timeline/no-drift", test_no_drift);
  g_test_add_func ("/timeline/jump", test_jump);
  return g_test_run ();
}
