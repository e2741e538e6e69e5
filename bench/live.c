/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Live streams of 10 ms buffers, paced by the clock, through inferfilters that
 * share the bundled digits model: the delay from a complete window to its
 * result, lost results, and pushes that block.
 *
 *   live [STREAMS [SECONDS [PROPERTY=VALUE…]]]     default 1 stream, 60 s
 *
 * Exit status 1 if results are missing. */

#include <gst/gst.h>
#include <stdlib.h>

#include "gst/filter/gstinferfilter.h"
#include "bench/percentile.h"
#include "tests/check/support/pads.h"

#define RATE 16000
#define PART 160 /* samples in a buffer */
#define PART_US 10000
#define CAPS                                                                   \
  "audio/x-raw, format=F32LE, layout=interleaved, rate=16000, channels=1"

typedef struct
{
  TestPads pads;
  guint n_buffers;
  gint64 start;   /* monotonic µs of sample 0 */
  guint blocked;  /* pushes that blocked beyond the time of the next */
  guint n;        /* results */
  GArray *delays; /* (element-type double) ms */
} Stream;

/* A window in ms; property `window` sets a multiple of 50. */
static guint window_ms = 100;

/* The last sample of a window arrives with its buffer. */
static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stream *stream = gst_pad_get_element_private (pad);
  gint64 end =
      (gint64) ((GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer))
                / GST_USECOND);
  double delay =
      (double) (g_get_monotonic_time () - stream->start - end) / 1000;

  g_array_append_val (stream->delays, delay);
  stream->n++;
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
stream_begin (Stream *stream, guint seconds, char **properties)
{
  GstElement *filter = g_object_new (GST_TYPE_INFER_FILTER, "model",
      BENCH_ROOT "/pipelines/models/digits/digits-wave.xml", "window",
      window_ms, "tail", 1, NULL);

  stream->n_buffers = seconds * 100;
  stream->delays = g_array_new (FALSE, FALSE, sizeof (double));
  for (; *properties != NULL; properties++) {
    g_auto (GStrv) pair = g_strsplit (*properties, "=", 2);

    gst_util_set_object_arg (G_OBJECT (filter), pair[0], pair[1]);
    g_object_get (filter, "window", &window_ms, NULL);
  }
  if (!test_pads_begin (&stream->pads, filter, take, stream))
    exit (1);
  test_pads_send_beginning (&stream->pads, "live", CAPS);
}

static void
stream_end (Stream *stream)
{
  test_pads_end (&stream->pads);
  g_array_unref (stream->delays);
}

static gpointer
play (gpointer data)
{
  Stream *stream = data;
  g_autoptr (GstQuery) drain = gst_query_new_drain ();

  for (guint i = 0; i < stream->n_buffers; i++) {
    gint64 due = stream->start + (gint64) (i + 1) * PART_US;
    gint64 now = g_get_monotonic_time ();
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, PART * 4, NULL);

    if (now < due)
      g_usleep ((gulong) (due - now));
    gst_buffer_memset (buffer, 0, 0, PART * 4);
    GST_BUFFER_PTS (buffer) = i * (GstClockTime) PART_US * GST_USECOND;
    GST_BUFFER_DURATION (buffer) = PART_US * GST_USECOND;
    now = g_get_monotonic_time ();
    gst_pad_push (stream->pads.src, buffer);
    stream->blocked += g_get_monotonic_time () - now > PART_US;
  }
  gst_pad_peer_query (stream->pads.src, drain);
  return NULL;
}

int
main (int argc, char **argv)
{
  guint n = argc > 1 ? (guint) atoi (argv[1]) : 1;
  guint seconds = argc > 2 ? (guint) atoi (argv[2]) : 60;
  guint wanted, results = 0, blocked = 0;
  g_autofree Stream *streams = g_new0 (Stream, n);
  g_autofree GThread **threads = g_new (GThread *, n);
  g_autoptr (GArray) delays = g_array_new (FALSE, FALSE, sizeof (double));

  gst_init (&argc, &argv);
  for (guint i = 0; i < n; i++)
    stream_begin (&streams[i], seconds, argv + MIN (argc, 3));
  wanted = seconds * 1000 / window_ms;
  for (guint i = 0; i < n; i++) {
    /* Start times are staggered. */
    streams[i].start =
        g_get_monotonic_time () + 1000 * (gint64) (7 * i % window_ms);
    threads[i] = g_thread_new ("source", play, &streams[i]);
  }
  for (guint i = 0; i < n; i++) {
    g_thread_join (threads[i]);
    g_array_append_vals (
        delays, streams[i].delays->data, streams[i].delays->len);
    results += streams[i].n;
    blocked += streams[i].blocked;
    stream_end (&streams[i]);
  }
  g_array_sort (delays, bench_compare_doubles);
  double p99 = bench_percentile (delays, 99);
  g_print (
      "%u streams, %u s: %u of %u results, %u pushes held up; delay p50 "
      "%.2f ms, p95 %.2f ms, p99 %.2f ms, max %.2f ms (%s one hop, %u ms)\n",
      n, seconds, results, n * wanted, blocked, bench_percentile (delays, 50),
      bench_percentile (delays, 95), p99, bench_percentile (delays, 100),
      p99 < window_ms ? "below" : "NOT below", window_ms);
  return results == n * wanted ? 0 : 1;
}
