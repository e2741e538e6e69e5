/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs a pipeline to its end and prints a line of JSON: the element messages,
 * the buffers of the appsink "out", and of the element "it" the states and
 * `stats`.
 *
 *   tell PIPELINE */

#include <gst/app/gstappsink.h>
#include <gst/gst.h>

#include "tests/python/told.h"

static GstFlowReturn
keep (GstAppSink *sink, gpointer data)
{
  GstSample *sample = gst_app_sink_pull_sample (sink);

  g_ptr_array_add (data, sample);
  return GST_FLOW_OK;
}

static void
tell_samples (GString *line, const GPtrArray *samples)
{
  gst_infer_json_begin (line, "buffers", '[');
  for (guint i = 0; i < samples->len; i++) {
    GstBuffer *buffer = gst_sample_get_buffer (samples->pdata[i]);
    GstMapInfo map;

    gst_infer_json_begin_item (line, '{');
    gst_infer_json_key (line, "pts");
    gst_infer_json_time (line, GST_BUFFER_PTS (buffer));
    gst_infer_json_key (line, "duration");
    gst_infer_json_time (line, GST_BUFFER_DURATION (buffer));
    g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
    told_bytes (line, "data", map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    g_string_append_c (line, '}');
  }
  g_string_append_c (line, ']');
}

static void
tell_states (GString *line, GstElement *it)
{
  g_auto (GStrv) names = NULL;

  gst_infer_json_begin (line, "states", '{');
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (it), "state-names"))
    g_object_get (it, "state-names", &names, NULL);
  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
    g_autoptr (GstSample) sample = NULL;
    GstMapInfo map;

    g_signal_emit_by_name (it, "get-state", names[i], &sample);
    g_assert_nonnull (sample);
    g_assert_true (
        gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ));
    told_bytes (line, names[i], map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
  }
  g_string_append_c (line, '}');
}

/* Returns at the end of the stream; FALSE after an error. */
static gboolean
tell_messages (GString *line, GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gboolean going = TRUE, ok = TRUE;

  gst_infer_json_begin (line, "messages", '[');
  while (going) {
    g_autoptr (GstMessage) message =
        gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
            GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);
    const GstStructure *s = gst_message_get_structure (message);

    ok = ok && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR;
    going = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT;
    if (!going)
      continue;
    gst_infer_json_begin_item (line, '{');
    told_structure (line, gst_structure_get_name (s), s);
    g_string_append_c (line, '}');
  }
  g_string_append_c (line, ']');
  return ok;
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (argv[1], &error);
  g_assert_no_error (error);
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  g_autoptr (GstElement) it = gst_bin_get_by_name (GST_BIN (pipeline), "it");
  g_autoptr (GPtrArray) samples =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_sample_unref);
  g_autoptr (GString) line = g_string_new ("{");
  g_autoptr (GstStructure) stats = NULL;
  GstAppSinkCallbacks callbacks = { .new_sample = keep };

  gst_app_sink_set_callbacks (GST_APP_SINK (out), &callbacks, samples, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gboolean ok = tell_messages (line, pipeline);
  tell_samples (line, samples);
  tell_states (line, it);
  g_object_get (it, "stats", &stats, NULL);
  told_structure (line, "stats", stats);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_string_append_c (line, '}');
  g_print ("%s\n", line->str);
  return ok ? 0 : 1;
}
