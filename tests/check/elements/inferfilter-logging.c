/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The debug log tells what changes, and says nothing in the steady state. */

#include "tests/check/support/tracers/debug-log.h"
#include "tests/check/support/stream.h"

#define LENGTH 100

static void
set_up (void)
{
  test_log_begin ("inferfilter");
}

static void
assert_logged (const char *part)
{
  g_autofree char *text = test_log_await (part);

  fail_unless (text == NULL, "'%s' is not in:\n%s", part, text);
}

static void
push (GstHarness *h, guint number, GstBufferFlags flags)
{
  GstBuffer *buffer =
      gst_buffer_new_memdup ((float[LENGTH]){ 0 }, LENGTH * sizeof (float));

  GST_BUFFER_PTS (buffer) =
      gst_util_uint64_scale (number * LENGTH, GST_SECOND, TEST_RATE);
  GST_BUFFER_FLAG_SET (buffer, flags);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (h));
}

static void
send_segment (GstHarness *h, GstClockTime begin)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = begin;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
}

GST_START_TEST (test_steady_state)
{
  g_autofree char *description = test_filter ("summator-wave.xml", "");
  g_autoptr (TestHarness) h = test_harness (description);

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  push (h, 0, 0);
  g_free (test_log_take ());
  for (guint i = 1; i < 100; i++)
    push (h, i, 0);
  g_autofree char *text = test_log_take ();
  fail_unless_equals_string (text, "");
}
GST_END_TEST

GST_START_TEST (test_changes)
{
  g_autofree char *description = test_filter ("summator-wave.xml", "");
  g_autoptr (TestHarness) h = test_harness (description);

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  assert_logged ("negotiated audio/x-raw");
  push (h, 0, GST_BUFFER_FLAG_DISCONT);
  assert_logged ("flag DISCONT: the sequence ends, states start afresh");
  push (h, 1, GST_BUFFER_FLAG_RESYNC);
  assert_logged ("flag RESYNC: the sequence ends");
  push (h, 1000, 0);
  assert_logged ("a jump of the timestamps: the sequence ends");
  gst_harness_push_event (h, gst_event_new_gap (0, 2 * GST_SECOND));
  assert_logged ("a gap longer than max-gap: the sequence ends");
  send_segment (h, GST_SECOND);
  assert_logged ("a segment that does not continue: the sequence ends");
  gst_harness_push_event (h, gst_event_new_stream_start ("other"));
  assert_logged ("STREAM_START: the sequence ends");
  gst_harness_query_latency (h);
  assert_logged ("upstream, which is live");
  test_flush (h);
  assert_logged ("a flush begins");
  push (h, 0, 0);
  gst_harness_push_event (h, gst_event_new_eos ());
  assert_logged ("eos: the sequence ends");
}
GST_END_TEST

GST_START_TEST (test_drops)
{
  g_autofree char *description = test_filter ("summator-wave.xml", "qos=true");
  g_autoptr (TestHarness) h = test_harness (description);
  g_autoptr (GstPad) src = gst_element_get_static_pad (h->element, "src");
  GstFlowReturn flow = GST_FLOW_OK;

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  gst_harness_push_upstream_event (h,
      gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.0, GST_MSECOND, GST_SECOND));
  test_push_samples (h, (float[LENGTH]){ 0 }, LENGTH, LENGTH, 0);
  assert_logged ("dropped, as downstream would get it too late");
  gst_pad_unlink (src, h->sinkpad);
  while (flow == GST_FLOW_OK)
    flow = test_push_samples (
        h, (float[LENGTH]){ 0 }, LENGTH, LENGTH, 2 * GST_SECOND);
  assert_logged ("not-linked: data is lost");
  gst_pad_link (src, h->sinkpad);
  assert_logged ("linked again");
}
GST_END_TEST

static Suite *
inferfilter_logging_suite (void)
{
  return test_suite ("inferfilter-logging", set_up, test_log_end,
      test_steady_state, test_changes, test_drops, NULL);
}

GST_CHECK_MAIN (inferfilter_logging)
