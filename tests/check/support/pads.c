/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/pads.h"

static GstStaticPadTemplate any_sink = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static gboolean
swallow (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

gboolean
test_pads_begin (TestPads *pads, GstElement *element, GstPadChainFunction take,
    gpointer data)
{
  g_autoptr (GstPad) in = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstPad) out = gst_element_get_static_pad (element, "src");

  pads->element = gst_object_ref_sink (element);
  pads->src = gst_pad_new ("src", GST_PAD_SRC);
  pads->sink = gst_pad_new_from_static_template (&any_sink, "sink");
  gst_pad_set_element_private (pads->sink, data);
  gst_pad_set_chain_function (pads->sink, take);
  gst_pad_set_event_function (pads->sink, swallow);
  gst_pad_set_active (pads->src, TRUE);
  gst_pad_set_active (pads->sink, TRUE);
  gst_pad_link (pads->src, in);
  gst_pad_link (out, pads->sink);
  return gst_element_set_state (element, GST_STATE_PLAYING)
         != GST_STATE_CHANGE_FAILURE;
}

void
test_pads_send_segment (TestPads *pads)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pads->src, gst_event_new_segment (&segment));
}

void
test_pads_send_beginning (
    TestPads *pads, const char *stream_id, const char *caps_text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);

  gst_pad_push_event (pads->src, gst_event_new_stream_start (stream_id));
  gst_pad_push_event (pads->src, gst_event_new_caps (caps));
  test_pads_send_segment (pads);
}

void
test_pads_end (TestPads *pads)
{
  gst_element_set_state (pads->element, GST_STATE_NULL);
  gst_pad_set_active (pads->src, FALSE);
  gst_pad_set_active (pads->sink, FALSE);
  gst_clear_object (&pads->element);
  gst_clear_object (&pads->src);
  gst_clear_object (&pads->sink);
}
