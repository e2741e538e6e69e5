/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sticky events where buffers cannot leave: during a flush, with an unlinked
 * source pad, after EOS from downstream.  And what batches wait for then. */

#include <string.h>

#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"
#include "tests/check/support/striped.h"

/* The next result's sum. */
static float
pull (GstHarness *h, gboolean discont)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

  fail_unless (buffer != NULL);
  fail_unless_equals_int (
      GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), discont);
  return test_first_value (buffer);
}

static void
send_caps (GstHarness *h, const char *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  fail_unless (gst_harness_push_event (h, gst_event_new_caps (caps)));
}

static void
send_segment (GstHarness *h, GstClockTime begin)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = begin;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

static void
send_title (GstHarness *h, const char *title)
{
  fail_unless (gst_harness_push_event (
      h, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, title, NULL))));
}

/* The frame rate of the caps downstream. */
static void
assert_rate (GstHarness *h, int want)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  int n = 0, d = 0;

  fail_unless (caps != NULL, "no caps");
  gst_structure_get_fraction (
      gst_caps_get_structure (caps, 0), "framerate", &n, &d);
  fail_unless_equals_int (n, want);
}

static void
assert_segment (GstHarness *h, GstClockTime begin)
{
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (h->sinkpad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;

  fail_unless (event != NULL, "no segment");
  gst_event_parse_segment (event, &segment);
  fail_unless_equals_uint64 (segment->start, begin);
}

static void
assert_title (GstHarness *h, const char *want)
{
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (h->sinkpad, GST_EVENT_TAG, 0);
  g_autofree char *title = NULL;
  GstTagList *tags;

  fail_unless (event != NULL, "no tags");
  gst_event_parse_tag (event, &tags);
  gst_tag_list_get_string (tags, GST_TAG_TITLE, &title);
  fail_unless_equals_string (title, want);
}

/* --- flush --- */

/* The streaming thread has negotiated and is about to send the caps on. */
static void
flush_at_caps (GstDebugCategory *category, GstDebugLevel level,
    const char *file, const char *function, int line, GObject *object,
    GstDebugMessage *message, gpointer data)
{
  GstHarness *h = data;

  if (strcmp (gst_debug_category_get_name (category), "inferfilter") == 0
      && g_str_has_prefix (gst_debug_message_get (message), "negotiated "))
    gst_harness_push_event (h, gst_event_new_flush_start ());
}

static void
begin_flushing_at_caps (GstHarness *h)
{
  gst_debug_set_active (TRUE);
  gst_debug_set_threshold_for_name ("inferfilter", GST_LEVEL_INFO);
  (gst_debug_add_log_function) (flush_at_caps, h, NULL);
}

static void
end_flushing_at_caps (GstHarness *h)
{
  gst_debug_remove_log_function_by_data (h);
  gst_debug_unset_threshold_for_name ("inferfilter");
}

/* A flush that begins while CAPS is handled: the output's caps are not lost,
 * for the first caps as for later ones. */
GST_START_TEST (test_flush_at_caps)
{
  for (guint i = 0; i < 2; i++) {
    g_autofree char *description = test_filter ("summator.xml", "");
    g_autoptr (TestHarness) h =
        i == 0 ? test_harness (description) : test_summator ("");
    g_autoptr (GstCaps) caps = gst_caps_from_string (TEST_SUMMATOR_CAPS ("20"));

    if (i == 0)
      gst_harness_push_event (h, gst_event_new_stream_start ("first"));
    else
      test_push_ones (h, 0);
    begin_flushing_at_caps (h);
    gst_harness_push_event (h, gst_event_new_caps (caps));
    end_flushing_at_caps (h);
    fail_unless (GST_PAD_IS_FLUSHING (h->sinkpad));
    fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
    while (gst_harness_buffers_in_queue (h) > 0)
      gst_buffer_unref (gst_harness_pull (h));
    send_segment (h, GST_SECOND);
    fail_unless_equals_int (test_push_ones (h, GST_SECOND), GST_FLOW_OK);
    fail_unless_equals_float (pull (h, TRUE), 1);
    assert_rate (h, 20);
    assert_segment (h, GST_SECOND);
  }
}
GST_END_TEST

/* --- an unlinked source pad --- */

static GstPad *
unlink_source (GstHarness *h)
{
  GstPad *src = gst_element_get_static_pad (h->element, "src");
  GstFlowReturn flow = GST_FLOW_OK;

  gst_pad_unlink (src, h->sinkpad);
  while (flow == GST_FLOW_OK)
    flow = test_push_ones (h, 0);
  fail_unless_equals_int (flow, GST_FLOW_NOT_LINKED);
  return src;
}

/* Waits until all has left, and drops it. */
static void
settle (GstHarness *h)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  gst_pad_peer_query (h->srcpad, query);
  while (gst_harness_buffers_in_queue (h) > 0)
    gst_buffer_unref (gst_harness_pull (h));
}

/* Events that come while the pad is unlinked arrive once it is linked. */
GST_START_TEST (test_events_while_unlinked)
{
  g_autoptr (TestHarness) h = test_summator ("nireq=1");

  test_push_ones (h, 0);
  fail_unless_equals_float (pull (h, TRUE), 1);
  g_autoptr (GstPad) src = unlink_source (h);
  fail_unless (
      gst_harness_push_event (h, gst_event_new_stream_start ("another")));
  send_caps (h, TEST_SUMMATOR_CAPS ("15"));
  send_caps (h, TEST_SUMMATOR_CAPS ("20"));
  send_segment (h, GST_SECOND);
  send_title (h, "new");
  fail_if (gst_harness_push_event (h, gst_event_new_gap (0, GST_SECOND)));
  fail_unless_equals_int (test_push_ones (h, GST_SECOND), GST_FLOW_NOT_LINKED);
  fail_unless_equals_int (gst_pad_link (src, h->sinkpad), GST_PAD_LINK_OK);
  settle (h);
  fail_unless_equals_int (test_push_ones (h, GST_SECOND), GST_FLOW_OK);
  fail_unless_equals_float (pull (h, TRUE), 1); /* data was lost: a reset */
  assert_rate (h, 20);
  assert_segment (h, GST_SECOND);
  assert_title (h, "new");
  test_push_ones (h, GST_SECOND + 100 * GST_MSECOND);
  fail_unless_equals_float (pull (h, FALSE), 2);
}
GST_END_TEST

/* Also over a flush that comes before it is linked. */
GST_START_TEST (test_flush_while_unlinked)
{
  g_autoptr (TestHarness) h = test_summator ("nireq=1");

  test_push_ones (h, 0);
  fail_unless_equals_float (pull (h, TRUE), 1);
  g_autoptr (GstPad) src = unlink_source (h);
  send_caps (h, TEST_SUMMATOR_CAPS ("20"));
  send_title (h, "new");
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  send_segment (h, 0);
  fail_unless_equals_int (gst_pad_link (src, h->sinkpad), GST_PAD_LINK_OK);
  fail_unless_equals_int (test_push_ones (h, 0), GST_FLOW_OK);
  fail_unless_equals_float (pull (h, TRUE), 1);
  assert_rate (h, 20);
  assert_title (h, "new");
}
GST_END_TEST

/* EOS is not kept.  Where no buffer follows it that could return that nothing
 * is linked, there is an error; upstream that knows posts its own. */
GST_START_TEST (test_eos_while_unlinked)
{
  g_autoptr (TestHarness) h = test_summator ("nireq=1");
  g_autoptr (GstPad) src = gst_element_get_static_pad (h->element, "src");

  gst_pad_unlink (src, h->sinkpad);
  fail_unless_equals_int (test_push_ones (h, 0), GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_eos ());
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      test_bus (h), 20 * GST_SECOND, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  fail_unless (test_pop_error (h) == NULL);
}
GST_END_TEST

GST_START_TEST (test_eos_after_not_linked)
{
  g_autoptr (TestHarness) h = test_summator ("nireq=1");
  g_autoptr (GstPad) src G_GNUC_UNUSED = unlink_source (h);

  fail_if (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless (test_pop_error (h) == NULL);
}
GST_END_TEST

static GstPadChainFunction take; /* the harness's own */

static GstFlowReturn
relink (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  g_autoptr (GstPad) src = gst_pad_get_peer (pad);

  gst_buffer_unref (buffer);
  gst_pad_set_chain_function_full (pad, take, NULL, NULL);
  gst_pad_unlink (src, pad);
  gst_pad_link (src, pad);
  return GST_FLOW_NOT_LINKED;
}

/* Linked again before the element has seen that it was not. */
GST_START_TEST (test_linked_in_time)
{
  g_autoptr (TestHarness) h = test_summator ("nireq=1");
  test_push_ones (h, 0);
  fail_unless_equals_float (pull (h, TRUE), 1);
  take = GST_PAD_CHAINFUNC (h->sinkpad);
  gst_pad_set_chain_function (h->sinkpad, relink);
  test_push_ones (h, GST_SECOND);
  settle (h);
  fail_unless_equals_int (test_push_ones (h, 2 * GST_SECOND), GST_FLOW_OK);
  fail_unless_equals_float (pull (h, TRUE), 3);
}
GST_END_TEST

/* --- EOS from downstream --- */

static GstFlowReturn
refuse (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_EOS;
}

static guint
count_events (GstHarness *h, GstEventType type)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_event (h)) != NULL) {
    n += GST_EVENT_TYPE (event) == type;
    gst_event_unref (event);
  }
  return n;
}

/* Upstream gets the flow and sends EOS, which passes. */
GST_START_TEST (test_eos_after_eos)
{
  g_autoptr (TestHarness) h = test_summator ("nireq=1");
  GstFlowReturn flow = GST_FLOW_OK;

  gst_pad_set_chain_function (h->sinkpad, refuse);
  while (flow == GST_FLOW_OK)
    flow = test_push_ones (h, 0);
  fail_unless_equals_int (flow, GST_FLOW_EOS);
  send_title (h, "new");
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  g_autoptr (GstEvent) event = NULL;
  do {
    g_clear_pointer (&event, gst_event_unref);
    event = gst_harness_pull_event (h);
    fail_unless (event != NULL);
  } while (GST_EVENT_TYPE (event) != GST_EVENT_EOS);
  fail_unless_equals_int (count_events (h, GST_EVENT_EOS), 0);
  assert_title (h, "new");
  fail_unless (test_pop_error (h) == NULL);
}
GST_END_TEST

/* A segment, or another stream, begins after it. */
GST_START_TEST (test_segment_after_eos)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (TestHarness) h = test_summator ("nireq=1");
    GstFlowReturn flow = GST_FLOW_OK;

    take = GST_PAD_CHAINFUNC (h->sinkpad);
    gst_pad_set_chain_function (h->sinkpad, refuse);
    while (flow == GST_FLOW_OK)
      flow = test_push_ones (h, 0);
    gst_pad_set_chain_function_full (h->sinkpad, take, NULL, NULL);
    send_caps (h, TEST_SUMMATOR_CAPS ("20"));
    fail_unless_equals_int (test_push_ones (h, 0), GST_FLOW_EOS);
    if (i == 1)
      gst_harness_push_event (h, gst_event_new_stream_start ("another"));
    send_segment (h, GST_SECOND);
    fail_unless_equals_int (test_push_ones (h, GST_SECOND), GST_FLOW_OK);
    fail_unless_equals_float (pull (h, TRUE), 1);
    assert_rate (h, 20);
    assert_segment (h, GST_SECOND);
    fail_unless_equals_int (count_events (h, GST_EVENT_EOS), 0);
  }
}
GST_END_TEST

/* --- batches --- */

/* A query that passes through the queue is answered although the batch before
 * it is not full. */
GST_START_TEST (test_query_and_batch)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autoptr (TestHarness) h =
      striped_harness (model, "batch-size=2 batch-timeout=-1");
  g_autoptr (GstCaps) caps = gst_caps_from_string (STRIPED_CAPS);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);

  fail_unless_equals_int (gst_harness_push (h, striped_frame (0)), GST_FLOW_OK);
  gst_pad_peer_query (h->srcpad, query);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 1);
}
GST_END_TEST

/* Batches do not wait for rows of a stream that cannot leave; they do once it
 * is linked again and its events have left. */
GST_START_TEST (test_unlinked_and_batch)
{
#define FOR_EVER "batch-size=2 batch-timeout=-1"
  g_autoptr (TestHarness) a = test_summator (FOR_EVER);
  g_autoptr (TestHarness) b = test_summator (FOR_EVER);

  test_push_ones (b, 0);
  fail_unless_equals_float (pull (b, TRUE), 1);
  g_autoptr (GstPad) src = unlink_source (b);
  send_caps (b, TEST_SUMMATOR_CAPS ("20"));
  for (guint i = 0; i < 5; i++) {
    test_push_ones (a, i * GST_SECOND);
    fail_unless_equals_float (pull (a, i == 0), (float) (i + 1));
  }
  gst_pad_link (src, b->sinkpad);
  settle (b);
  test_push_ones (b, GST_SECOND);
  test_push_ones (a, 5 * GST_SECOND);
  fail_unless_equals_float (pull (b, TRUE), 1);
  fail_unless_equals_float (pull (a, FALSE), 6);
  test_push_ones (a, 6 * GST_SECOND);
  fail_unless (gst_harness_try_pull (a) == NULL);
  test_push_ones (b, 2 * GST_SECOND);
  fail_unless_equals_float (pull (a, FALSE), 7);
}
GST_END_TEST

/* … nor for rows of one that is paused, though some still come. */
GST_START_TEST (test_paused_and_batch)
{
  g_autoptr (TestHarness) a = test_summator (FOR_EVER);
  g_autoptr (TestHarness) b = test_summator (FOR_EVER);

  test_push_ones (b, 0);
  fail_unless_equals_float (pull (b, TRUE), 1);
  gst_element_set_state (b->element, GST_STATE_PAUSED);
  test_push_ones (b, GST_SECOND);
  fail_unless_equals_float (pull (b, FALSE), 2);
  for (guint i = 0; i < 3; i++) {
    test_push_ones (a, i * GST_SECOND);
    fail_unless_equals_float (pull (a, i == 0), (float) (i + 1));
  }
  gst_element_set_state (b->element, GST_STATE_PLAYING);
  test_push_ones (b, 2 * GST_SECOND);
  test_push_ones (a, 3 * GST_SECOND);
  fail_unless_equals_float (pull (b, FALSE), 3);
  test_push_ones (a, 4 * GST_SECOND);
  fail_unless_equals_float (pull (a, FALSE), 4);
  fail_unless (gst_harness_try_pull (a) == NULL);
  test_push_ones (b, 3 * GST_SECOND);
  fail_unless_equals_float (pull (a, FALSE), 5);
}
GST_END_TEST

/* Nor does one that is paused before the first row wait for a whole batch. */
GST_START_TEST (test_paused_before_data)
{
  g_autoptr (TestHarness) h = test_summator (FOR_EVER);

  gst_element_set_state (h->element, GST_STATE_PAUSED);
  for (guint i = 0; i < 3; i++) {
    test_push_ones (h, i * GST_SECOND);
    fail_unless_equals_float (pull (h, i == 0), (float) (i + 1));
  }
}
GST_END_TEST

static Suite *
inferfilter_links_suite (void)
{
  return test_suite ("inferfilter-links", NULL, picture_folder_clear,
      test_flush_at_caps, test_events_while_unlinked, test_flush_while_unlinked,
      test_eos_while_unlinked, test_eos_after_not_linked, test_linked_in_time,
      test_eos_after_eos, test_segment_after_eos, test_query_and_batch,
      test_unlinked_and_batch, test_paused_and_batch, test_paused_before_data,
      NULL);
}

GST_CHECK_MAIN (inferfilter_links)
