/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sched_setaffinity() */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/live/live.h"
#include "bench/percentile.h"
#include "gst/filter/gstinferfilter.h"
#include "tests/check/support/pads.h"
#include "tools/usage.h"

#define RECENT 64 /* windows that may be under way in a stream */

typedef struct
{
  const LiveCase *c;
  guint window_us;
  TestPads pads;
  GstMemory *part;       /* the content of every buffer */
  gint64 start;          /* monotonic µs of sample 0 */
  gint64 end;            /* as fast as possible: until then */
  gint64 pushed[RECENT]; /* monotonic µs of the last buffers of windows */
  guint blocked, n;      /* results */
  GArray *delays, *own;  /* (element-type double) ms, from the end of a window
                            and from the push */
} Stream;

/* (transfer full) (nullable) */
static char *
full_path (const char *shared, const char *path)
{
  return path == NULL || g_path_is_absolute (path)
             ? g_strdup (path)
             : g_build_filename (shared, path, NULL);
}

static void
add (GArray *times, gint64 us)
{
  double ms = (double) us / 1000;

  g_array_append_val (times, ms);
}

/* The last sample of a window arrives with its buffer. */
static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stream *stream = gst_pad_get_element_private (pad);
  gint64 now = g_get_monotonic_time ();
  gint64 end =
      (gint64) ((GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer))
                / GST_USECOND);
  guint64 window = (guint64) end / stream->window_us;

  if (!stream->c->fast) {
    add (stream->delays, now - stream->start - end);
    add (stream->own, now - stream->pushed[window % RECENT]);
  }
  if (!stream->c->fast || now <= stream->end)
    stream->n++;
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* Also sets *@window_us where they say how long a window is. */
static void
set_properties (GstElement *filter, char *const *properties, guint *window_us)
{
  guint window;

  for (; properties != NULL && *properties != NULL; properties++) {
    g_auto (GStrv) pair = g_strsplit (*properties, "=", 2);

    if (pair[0] == NULL || pair[1] == NULL)
      continue;
    gst_util_set_object_arg (G_OBJECT (filter), pair[0], pair[1]);
    g_object_get (filter, "window", &window, NULL);
    if (g_str_equal (pair[0], "window"))
      *window_us = window * 1000;
  }
}

static GstElement *
new_filter (const LiveCase *c, guint *window_us)
{
  g_autofree char *model = full_path (c->shared, c->model->model);
  g_autofree char *weights = full_path (c->shared, c->model->weights);
  g_auto (GStrv) own = g_strsplit (
      c->model->properties != NULL ? c->model->properties : "", " ", -1);
  GstElement *filter = g_object_new (
      GST_TYPE_INFER_FILTER, "model", model, "weights", weights, NULL);

  *window_us = c->model->window_us;
  set_properties (filter, own, window_us);
  set_properties (filter, c->properties, window_us);
  return filter;
}

/* Small noise: no model computes with denormal numbers then. */
static GstMemory *
make_part (gsize size)
{
  gsize n = size / sizeof (float);
  float *values = g_new (float, n);
  guint32 noise = 1;

  for (gsize i = 0; i < n; i++) {
    noise = noise * 1664525 + 1013904223;
    values[i] = (float) (gint32) noise * 0x1p-36f;
  }
  return gst_memory_new_wrapped (0, values, size, 0, size, values, g_free);
}

static gboolean
stream_begin (Stream *stream, const LiveCase *c)
{
  gsize most = c->fast ? 0 : c->seconds * 1000000u / c->model->window_us;

  stream->c = c;
  GstElement *filter = new_filter (c, &stream->window_us);
  stream->part = make_part (c->model->part_size);
  stream->delays =
      g_array_sized_new (FALSE, FALSE, sizeof (double), (guint) most);
  stream->own = g_array_sized_new (FALSE, FALSE, sizeof (double), (guint) most);
  if (!test_pads_begin (&stream->pads, filter, take, stream)) {
    g_printerr ("%s does not start: GST_DEBUG=2\n", c->model->name);
    return FALSE;
  }
  test_pads_send_beginning (&stream->pads, "live", c->model->caps);
  return TRUE;
}

static void
stream_end (Stream *stream)
{
  test_pads_end (&stream->pads);
  gst_memory_unref (stream->part);
  g_array_unref (stream->delays);
  g_array_unref (stream->own);
}

static GstFlowReturn
push (Stream *stream, guint i)
{
  const guint part_us = stream->c->model->part_us;
  const guint64 end = (guint64) (i + 1) * part_us;
  /* Memory of its own, as a source's. */
  GstMemory *memory = gst_memory_copy (stream->part, 0, -1);
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_append_memory (buffer, memory);
  GST_BUFFER_PTS (buffer) = i * (GstClockTime) part_us * GST_USECOND;
  GST_BUFFER_DURATION (buffer) = part_us * GST_USECOND;
  if (end % stream->window_us == 0)
    stream->pushed[end / stream->window_us % RECENT] = g_get_monotonic_time ();
  return gst_pad_push (stream->pads.src, buffer);
}

static void
push_at_pace (Stream *stream)
{
  const guint part_us = stream->c->model->part_us;
  const guint n = (guint) ((guint64) stream->c->seconds * 1000000 / part_us);

  for (guint i = 0; i < n; i++) {
    gint64 due = stream->start + (gint64) (i + 1) * part_us;
    gint64 now = g_get_monotonic_time ();

    if (now < due)
      g_usleep ((gulong) (due - now));
    now = g_get_monotonic_time ();
    push (stream, i);
    stream->blocked += g_get_monotonic_time () - now > part_us;
  }
}

static gpointer
play (gpointer data)
{
  Stream *stream = data;
  g_autoptr (GstQuery) drain = gst_query_new_drain ();
  GstFlowReturn flow = GST_FLOW_OK;

  if (!stream->c->fast)
    push_at_pace (stream);
  else
    for (guint i = 0;
         flow == GST_FLOW_OK && g_get_monotonic_time () < stream->end; i++)
      flow = push (stream, i);
  gst_pad_peer_query (stream->pads.src, drain);
  return NULL;
}

static void
play_all (Stream *streams, const LiveCase *c)
{
  g_autofree GThread **threads = g_new (GThread *, c->n_streams);
  gint64 begin = g_get_monotonic_time ();
  guint window_ms = streams[0].window_us / 1000;

  for (guint i = 0; i < c->n_streams; i++) {
    /* Start times are staggered. */
    streams[i].start =
        g_get_monotonic_time () + 1000 * (gint64) (7 * i % window_ms);
    streams[i].end = begin + (gint64) c->seconds * G_USEC_PER_SEC;
    threads[i] = g_thread_new ("source", play, &streams[i]);
  }
  for (guint i = 0; i < c->n_streams; i++)
    g_thread_join (threads[i]);
}

static void
sum_up (Stream *streams, const LiveCase *c, LiveFigures *figures)
{
  g_autoptr (GArray) delays = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (double));

  figures->window_us = streams[0].window_us;
  if (!c->fast)
    figures->wanted =
        c->n_streams
        * (guint) ((guint64) c->seconds * 1000000 / streams[0].window_us);
  for (guint i = 0; i < c->n_streams; i++) {
    const Stream *stream = &streams[i];

    g_array_append_vals (delays, stream->delays->data, stream->delays->len);
    g_array_append_vals (own, stream->own->data, stream->own->len);
    figures->results += stream->n;
    figures->blocked += stream->blocked;
  }
  g_array_sort (delays, bench_compare_doubles);
  g_array_sort (own, bench_compare_doubles);
  figures->p50 = bench_percentile (delays, 50);
  figures->p95 = bench_percentile (delays, 95);
  figures->p99 = bench_percentile (delays, 99);
  figures->max = bench_percentile (delays, 100);
  figures->pushed_p99 = bench_percentile (own, 99);
}

static gboolean
run_here (const LiveCase *c, LiveFigures *figures)
{
  g_autofree Stream *streams = g_new0 (Stream, c->n_streams);
  gboolean ok = TRUE;

  gst_init (NULL, NULL);
  for (guint i = 0; i < c->n_streams && ok; i++)
    ok = stream_begin (&streams[i], c);
  if (!ok)
    return FALSE;
  const double before = tool_processor_seconds ();
  const gint64 begin = g_get_monotonic_time ();
  play_all (streams, c);
  figures->seconds = (double) (g_get_monotonic_time () - begin) / 1e6;
  figures->processors = (tool_processor_seconds () - before) / figures->seconds;
  figures->megabytes = tool_resident_megabytes ();
  sum_up (streams, c, figures);
  for (guint i = 0; i < c->n_streams; i++)
    stream_end (&streams[i]);
  return TRUE;
}

/* On the processor that it is on. */
static void
stay_on_one_core (void)
{
  cpu_set_t set;

  CPU_ZERO (&set);
  CPU_SET (MAX (sched_getcpu (), 0), &set);
  sched_setaffinity (0, sizeof set, &set);
}

gboolean
live_run (const LiveCase *c, LiveFigures *figures)
{
  int ends[2], status;

  if (pipe (ends) != 0)
    return FALSE;
  *figures = (LiveFigures){ 0 };
  pid_t child = fork ();
  if (child == 0) {
    if (c->one_core)
      stay_on_one_core ();
    gboolean ok = run_here (c, figures)
                  && write (ends[1], figures, sizeof *figures)
                         == (ssize_t) sizeof *figures;
    _exit (!ok);
  }
  close (ends[1]);
  gboolean ok =
      child > 0
      && read (ends[0], figures, sizeof *figures) == (ssize_t) sizeof *figures;
  close (ends[0]);
  return child > 0 && waitpid (child, &status, 0) == child && ok && status == 0;
}
