/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Live pipelines that share a model: a source of 10 ms buffers paced by the
 * clock, a sink that drops buffers later than the pipeline's latency allows.
 * All results arrive, in order and in time.  A queue takes the results, so that
 * the time for which the sink holds them, the latency, is no part of the delay.
 * bench/live measures the same for longer and with more streams. */

#include <gst/gst.h>

#include "gst/filter/gstinferfilter.h"

#define N_STREAMS 4
#define SECONDS 3
#define WINDOW_MS 100
#define N_RESULTS (SECONDS * 1000u / WINDOW_MS)
/* Generous, for busy machines. */
#define LATENESS "500000000"
#define MAX_DELAY_MS 1000

typedef struct
{
  GstElement *pipeline, *sink;
  guint n;          /* number of results */
  GstClockTime due; /* of the next window's last sample */
  gboolean wrong;
  GArray *delays; /* (element-type gint64) ns from the complete window to its
                     result */
} Stream;

/* fakesrc pushes a buffer when its first sample is due. */
static GstPadProbeReturn
note (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Stream *stream = data;
  GstClockTime end = GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);
  GstClockTime now = gst_element_get_current_running_time (stream->pipeline);
  gint64 delay = GST_CLOCK_DIFF (end, now + 10 * GST_MSECOND);

  stream->wrong |= stream->n > 0 && GST_BUFFER_PTS (buffer) != stream->due;
  stream->due = end;
  stream->n++;
  g_array_append_val (stream->delays, delay);
  return GST_PAD_PROBE_OK;
}

static void
stream_begin (Stream *stream)
{
  g_autofree char *text = g_strdup_printf (
      "fakesrc is-live=true sync=true format=time do-timestamp=false "
      "datarate=64000 sizetype=fixed sizemax=640 filltype=zero num-buffers=%d "
      "! audio/x-raw,format=F32LE,layout=interleaved,rate=16000,channels=1 "
      "! inferfilter name=filter tail=drop window=%d model=" SOURCE_ROOT
      "/pipelines/models/digits/digits-wave.xml "
      "! queue ! fakesink name=sink sync=true qos=true max-lateness=" LATENESS,
      SECONDS * 100, WINDOW_MS);
  g_autoptr (GError) error = NULL;

  stream->pipeline = gst_object_ref_sink (gst_parse_launch (text, &error));
  g_assert_no_error (error);
  stream->sink = gst_bin_get_by_name (GST_BIN (stream->pipeline), "sink");
  g_autoptr (GstElement) filter =
      gst_bin_get_by_name (GST_BIN (stream->pipeline), "filter");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (filter, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note, stream, NULL);
  stream->delays = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_assert_true (gst_element_set_state (stream->pipeline, GST_STATE_PLAYING)
                 != GST_STATE_CHANGE_FAILURE);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

/* Recalculates latency when an element asks for it, as applications do. */
static void
await_end (Stream *stream)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (stream->pipeline);
  gboolean over = FALSE;

  while (!over) {
    g_autoptr (GstMessage) message =
        gst_bus_timed_pop_filtered (bus, 30 * GST_SECOND,
            GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_LATENCY);

    g_assert_nonnull (message);
    g_assert_cmpint (GST_MESSAGE_TYPE (message), !=, GST_MESSAGE_ERROR);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY)
      gst_bin_recalculate_latency (GST_BIN (stream->pipeline));
    over = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  }
}

static void
stream_end (Stream *stream)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 dropped = 1, rendered = 0;

  await_end (stream);
  g_object_get (stream->sink, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "dropped", &dropped);
  gst_structure_get_uint64 (stats, "rendered", &rendered);
  gst_element_set_state (stream->pipeline, GST_STATE_NULL);
  g_assert_cmpuint (stream->n, ==, N_RESULTS);
  g_assert_false (stream->wrong);
  g_assert_cmpuint (dropped, ==, 0);
  g_assert_cmpuint (rendered, ==, N_RESULTS);
  g_array_sort (stream->delays, compare);
  gint64 median = g_array_index (stream->delays, gint64, N_RESULTS / 2);
  gint64 worst = g_array_index (stream->delays, gint64, N_RESULTS - 1);
  g_test_message ("delay %.2f ms, at most %.2f ms", (double) median / 1e6,
      (double) worst / 1e6);
#if !defined __SANITIZE_THREAD__ && !defined __SANITIZE_ADDRESS__
  g_assert_cmpint (median, <, WINDOW_MS * (gint64) GST_MSECOND);
#endif
  g_assert_cmpint (worst, <, MAX_DELAY_MS * (gint64) GST_MSECOND);
  g_array_unref (stream->delays);
  gst_object_unref (stream->sink);
  gst_object_unref (stream->pipeline);
}

static void
test_live (void)
{
  Stream streams[N_STREAMS] = { 0 };

  for (guint i = 0; i < N_STREAMS; i++)
    stream_begin (&streams[i]);
  for (guint i = 0; i < N_STREAMS; i++)
    stream_end (&streams[i]);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_autoptr (GstPlugin) plugin = gst_plugin_load_file (CORE_ELEMENTS, NULL);
  if (plugin == NULL)
    return 77; /* plugin not installed: skip */
  GST_ELEMENT_REGISTER (inferfilter, NULL);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/streams", test_live);
  return g_test_run ();
}
