/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Buffers skipped by qos or inference-interval, and an unlinked source pad. */

#include "tests/check/support/picture.h"
#include "tests/check/support/process.h"
#include "tests/check/support/stream.h"
#include "tests/check/support/striped.h"

/* The next result's sum; its timestamp must be @pts. */
static float
pull (GstHarness *h, GstClockTime pts, gboolean discont)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  float value;

  fail_unless (buffer != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), pts);
  fail_unless_equals_int (
      GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), discont);
  gst_buffer_extract (buffer, 0, &value, sizeof value);
  return value;
}

static guint64
count (GstHarness *h, const char *name)
{
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  g_autoptr (GstStructure) stats = NULL;
  guint64 n = G_MAXUINT64;

  g_object_get (filter, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, name, &n);
  return n;
}

static void
assert_qos_message (GstHarness *h)
{
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_QOS);
  guint64 running, stream, pts, duration, processed, dropped;
  gint64 jitter;
  double proportion;
  GstFormat format;
  gboolean live;
  int quality;

  fail_unless (message != NULL);
  gst_message_parse_qos (message, &live, &running, &stream, &pts, &duration);
  gst_message_parse_qos_values (message, &jitter, &proportion, &quality);
  gst_message_parse_qos_stats (message, &format, &processed, &dropped);
  fail_unless_equals_uint64 (pts, GST_SECOND);
  fail_unless_equals_uint64 (running, GST_SECOND);
  fail_unless_equals_int64 (jitter, 200 * GST_MSECOND);
  fail_unless_equals_float (proportion, 2.0);
  fail_unless_equals_uint64 (processed, 1);
  fail_unless_equals_uint64 (dropped, 1);
}

static void
send_qos (GstHarness *h)
{
  gst_harness_push_upstream_event (h, gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW,
                                          2.0, 100 * GST_MSECOND, GST_SECOND));
}

GST_START_TEST (test_qos)
{
  g_autoptr (TestHarness) h = test_summator ("qos=true");

  test_push_ones (h, 0);
  fail_unless_equals_float (pull (h, 0, TRUE), 1);
  send_qos (h);
  fail_unless_equals_int (test_push_ones (h, GST_SECOND), GST_FLOW_OK);
  assert_qos_message (h);
  test_push_ones (h, 13 * GST_SECOND / 10);
  fail_unless_equals_float (pull (h, 13 * GST_SECOND / 10, TRUE), 1);
  test_push_ones (h, 14 * GST_SECOND / 10);
  fail_unless_equals_float (pull (h, 14 * GST_SECOND / 10, FALSE), 2);
  fail_unless_equals_uint64 (count (h, "dropped"), 1);
  /* A flush resets qos. */
  send_qos (h);
  test_flush (h);
  test_push_ones (h, 0);
  fail_unless_equals_float (pull (h, 0, TRUE), 1);
  fail_unless_equals_uint64 (count (h, "dropped"), 1);
}
GST_END_TEST

/* A frame that leaves untouched has DISCONT if some before it were dropped. */
GST_START_TEST (test_qos_of_frames)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autoptr (TestHarness) h = striped_harness (model, "qos=true");

  for (guint i = 0; i < 5; i++) {
    if (i == 1)
      gst_harness_push_upstream_event (
          h, gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.0, GST_SECOND / 25,
                 GST_SECOND / 25)); /* frames before number 3 are late */
    fail_unless_equals_int (
        gst_harness_push (h, striped_frame (i)), GST_FLOW_OK);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 2);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless_equals_uint64 (
        GST_BUFFER_PTS (buffer), (i == 0 ? 0 : 4) * GST_SECOND / 25);
    fail_unless_equals_int (
        GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), i == 1);
  }
}
GST_END_TEST

/* No buffer is dropped without `qos`. */
GST_START_TEST (test_no_qos)
{
  g_autoptr (TestHarness) h = test_summator ("");

  send_qos (h);
  for (guint i = 0; i < 10; i++) {
    test_push_ones (h, i * GST_MSECOND);
    fail_unless_equals_float (
        pull (h, i * GST_MSECOND, i == 0), (float) (i + 1));
  }
  fail_unless (gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_QOS) == NULL);
  fail_unless_equals_uint64 (count (h, "dropped"), 0);
}
GST_END_TEST

GST_START_TEST (test_interval)
{
  g_autoptr (TestHarness) h = test_summator ("inference-interval=3");

  for (guint i = 0; i < 8; i++)
    fail_unless_equals_int (test_push_ones (h, i * GST_SECOND), GST_FLOW_OK);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_float (
        pull (h, 3 * i * GST_SECOND, i == 0), (float) (i + 1));
  test_flush (h); /* a new sequence */
  test_push_ones (h, 0);
  fail_unless_equals_float (pull (h, 0, TRUE), 1);
  fail_unless_equals_uint64 (count (h, "skipped"), 5);
  fail_unless_equals_uint64 (count (h, "inferences"), 4);
}
GST_END_TEST

/* Unlinked: upstream gets NOT_LINKED; linked again after a flush, the stream
 * continues with its sticky events. */
GST_START_TEST (test_relinked)
{
  g_autoptr (TestHarness) h = test_summator ("nireq=2");
  g_autoptr (GstElement) filter G_GNUC_UNUSED =
      gst_harness_find_element (h, "inferfilter");
  g_autoptr (GstPad) src = gst_element_get_static_pad (h->element, "src");
  GstFlowReturn flow = GST_FLOW_OK;

  test_push_ones (h, 0);
  fail_unless_equals_float (pull (h, 0, TRUE), 1);
  gst_pad_unlink (src, h->sinkpad);
  for (guint i = 0; i < 100 && flow == GST_FLOW_OK; i++)
    flow = test_push_ones (h, GST_SECOND);
  fail_unless_equals_int (flow, GST_FLOW_NOT_LINKED);
  fail_unless_equals_int (gst_pad_link (src, h->sinkpad), GST_PAD_LINK_OK);
  test_flush (h);
  fail_unless_equals_int (test_push_ones (h, 2 * GST_SECOND), GST_FLOW_OK);
  fail_unless_equals_float (pull (h, 2 * GST_SECOND, TRUE), 1);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  g_autoptr (GstEvent) segment =
      gst_pad_get_sticky_event (h->sinkpad, GST_EVENT_SEGMENT, 0);
  fail_unless (caps != NULL && segment != NULL);
}
GST_END_TEST

/* The same without a flush: RECONFIGURE is enough, and the state continues. */
GST_START_TEST (test_relinked_without_flush)
{
  g_autoptr (TestHarness) h = test_summator ("nireq=1");
  g_autoptr (GstPad) src = gst_element_get_static_pad (h->element, "src");
  GstFlowReturn flow = GST_FLOW_OK;

  test_push_ones (h, 0);
  fail_unless_equals_float (pull (h, 0, TRUE), 1);
  gst_pad_unlink (src, h->sinkpad);
  while (flow == GST_FLOW_OK)
    flow = test_push_ones (h, GST_SECOND);
  gst_pad_link (src, h->sinkpad);
  fail_unless_equals_int (test_push_ones (h, 2 * GST_SECOND), GST_FLOW_OK);
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  fail_unless (buffer != NULL);
}
GST_END_TEST

GST_START_TEST (test_max_delay)
{
  g_autoptr (TestHarness) h = test_summator ("");
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  guint64 delay = 1;

  g_object_get (filter, "max-observed-delay", &delay, NULL);
  fail_unless_equals_uint64 (delay, 0);
  test_push_ones (h, 0);
  pull (h, 0, TRUE);
  g_object_get (filter, "max-observed-delay", &delay, NULL);
  fail_unless (delay > 0 && delay < GST_SECOND);
  g_object_set (filter, "stats", NULL, NULL);
  g_object_get (filter, "max-observed-delay", &delay, NULL);
  fail_unless_equals_uint64 (delay, 0);
}
GST_END_TEST

/* Much longer than the machine may let a thread wait. */
#define SLOW_US (TEST_IS_SANITIZED ? 500000 : 150000)

static GstFlowReturn
take_slowly (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  g_usleep (SLOW_US);
  return GST_FLOW_OK;
}

/* How long downstream takes for a buffer is not the element's latency. */
GST_START_TEST (test_slow_downstream)
{
  static const char *const more[] = { "nireq=3", "nireq=1" };

  for (guint i = 0; i < G_N_ELEMENTS (more); i++) {
    g_autoptr (TestHarness) h = test_summator (more[i]);
    g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
    g_autoptr (GstStructure) stats = NULL;
    g_autoptr (GstStructure) total = NULL;
    guint64 delay, mean;

    gst_pad_set_chain_function (h->sinkpad, take_slowly);
    for (guint k = 0; k < 10; k++) {
      fail_unless_equals_int (test_push_ones (h, k * GST_SECOND), GST_FLOW_OK);
      fail_unless (gst_harness_query_latency (h) < SLOW_US * GST_USECOND / 2);
    }
    gst_harness_push_event (h, gst_event_new_eos ());
    test_wait_eos (h);
    g_object_get (filter, "stats", &stats, "max-observed-delay", &delay, NULL);
    gst_structure_get (stats, "total", GST_TYPE_STRUCTURE, &total, NULL);
    gst_structure_get_uint64 (total, "mean", &mean);
    fail_unless (
        mean < SLOW_US * GST_USECOND / 2, "mean %" G_GUINT64_FORMAT, mean);
    fail_unless (
        delay < SLOW_US * GST_USECOND, "delay %" G_GUINT64_FORMAT, delay);
  }
}
GST_END_TEST

GST_START_TEST (test_stats_messages)
{
  g_autoptr (TestHarness) h = test_summator ("stats-interval=20");
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;
  guint64 n = 0;

  for (guint i = 0; i < 10; i++) {
    test_push_ones (h, i * GST_SECOND);
    pull (h, i * GST_SECOND, i == 0);
    g_usleep (10000);
  }
  for (guint i = 0; i < 3; i++) {
    guint64 before = n;

    g_clear_pointer (&message, gst_message_unref);
    message = gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_ELEMENT);
    fail_unless (message != NULL);
    s = gst_message_get_structure (message);
    fail_unless (gst_structure_has_name (s, "inferfilter-stats"));
    fail_unless (gst_structure_get_uint64 (s, "inferences", &n));
    fail_unless (n > before && n <= 10);
  }
}
GST_END_TEST

static Suite *
inferfilter_timing_suite (void)
{
  return test_suite ("inferfilter-timing", NULL, picture_folder_clear, test_qos,
      test_qos_of_frames, test_no_qos, test_interval, test_relinked,
      test_relinked_without_flush, test_max_delay, test_slow_downstream,
      test_stats_messages, NULL);
}

GST_CHECK_MAIN (inferfilter_timing)
