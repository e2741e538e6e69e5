/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A stop and a flush cancel the detector, which then drops the samples that the
 * gate holds: no event may leave behind them.  Both tests act in the middle of
 * the change, as a streaming thread would. */

#include <gst/audio/audio.h>

#include "tests/check/support/stream.h"

static GString *seen; /* GAP and custom events */

static GstPadProbeReturn
watch (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (GST_EVENT_TYPE (event) == GST_EVENT_GAP)
    g_string_append (seen, "gap ");
  else if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM)
    g_string_append (seen, "custom ");
  return GST_PAD_PROBE_OK;
}

/* An infervad that holds 10 ms of silence. */
static GstHarness *
start_with_silence (void)
{
  const float samples[160] = { 0 };
  GstHarness *h = test_harness ("infervad gate=gap");
  GstBuffer *buffer = gst_buffer_new_memdup (samples, sizeof samples);

  seen = g_string_new (NULL);
  gst_pad_add_probe (
      h->sinkpad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch, NULL, NULL);
  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = 10 * GST_MSECOND;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless_equals_string (seen->str, "");
  return h;
}

/* It ends the stream of samples. */
static GstEvent *
reset_event (void)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
      gst_structure_new_empty ("inferfilter/reset-state"));
}

/* All that was held leaves, in order; or nothing. */
static void
check_seen (void)
{
  fail_unless (g_str_equal (seen->str, "") || g_str_equal (seen->str, "gap ")
                   || g_str_equal (seen->str, "gap custom "),
      "left: %s", seen->str);
  g_string_free (g_steal_pointer (&seen), TRUE);
}

/* --- a stop --- */

static GstStateChangeReturn (*change_state) (
    GstElement *element, GstStateChange transition);
static GstHarness *harness;
static GstElement *vad;
static gboolean acted;

/* Of GstElement, which infervad calls to deactivate its pads. */
static GstStateChangeReturn
change_with_event (GstElement *element, GstStateChange transition)
{
  if (element == vad && transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    acted = TRUE;
    gst_harness_push_event (harness, reset_event ());
  }
  return change_state (element, transition);
}

GST_START_TEST (test_stop)
{
  g_autoptr (TestHarness) h = start_with_silence ();
  g_autoptr (GstElement) element = gst_harness_find_element (h, "infervad");
  GstElementClass *klass = g_type_class_peek (GST_TYPE_ELEMENT);

  harness = h;
  vad = element;
  acted = FALSE;
  change_state = klass->change_state;
  klass->change_state = change_with_event;
  gst_element_set_state (vad, GST_STATE_READY);
  klass->change_state = change_state;
  fail_unless (acted);
  check_seen ();
}
GST_END_TEST

/* --- a flush --- */

/* Called when the flush is forwarded: an event that came before it is still
 * being handled. */
static GstIterator *
handle_event (GstPad *pad, GstObject *parent)
{
  gst_pad_set_iterate_internal_links_function (
      pad, gst_pad_iterate_internal_links_default);
  acted = TRUE;
  GST_PAD_EVENTFUNC (pad) (pad, parent, reset_event ());
  return gst_pad_iterate_internal_links_default (pad, parent);
}

GST_START_TEST (test_flush_start)
{
  g_autoptr (TestHarness) h = start_with_silence ();
  g_autoptr (GstElement) element = gst_harness_find_element (h, "infervad");
  g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink");

  acted = FALSE;
  gst_pad_set_iterate_internal_links_function (sink, handle_event);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  fail_unless (acted);
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  check_seen ();
}
GST_END_TEST

static Suite *
infervad_cancel_suite (void)
{
  return test_suite (
      "infervad-cancel", NULL, NULL, test_stop, test_flush_start, NULL);
}

GST_CHECK_MAIN (infervad_cancel)
