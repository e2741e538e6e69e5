/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program of a stranger: reads what the installed plugin found on a frame. */

#include <gst/infer/infer.h>
#include <stdio.h>

static void
handoff (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  const GstInferTensorMeta *meta = gst_buffer_get_infer_tensor_meta (buffer);
  const guint8 *rgb = meta->tensors[0]->data;

  printf ("%s %s %u %u %u\n", gst_infer_tensor_meta_name (meta, 0),
      infer_type_name (meta->tensors[0]->type), rgb[0], rgb[1], rgb[2]);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_autofree char *text = g_strdup_printf (
      "videotestsrc num-buffers=1 pattern=solid-color "
      "foreground-color=0xff102030 ! video/x-raw,format=RGB,width=4,height=2 ! "
      "inferfilter model=%s output=media-with-meta ! fakesink name=sink signal-handoffs=true",
      argv[1]);
  g_autoptr (GstElement) pipeline = gst_parse_launch (text, NULL);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  g_signal_connect (sink, "handoff", G_CALLBACK (handoff), NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_autoptr (GstMessage) end = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return end == NULL || GST_MESSAGE_TYPE (end) != GST_MESSAGE_EOS;
}
