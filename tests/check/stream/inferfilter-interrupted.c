/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Live streams that are interrupted: a seek right after PLAYING, a flush right
 * after CAPS, a pause. */

#include <gst/check/gsttestclock.h>

#include "tests/check/support/stream.h"

#define MODEL SOURCE_ROOT "/tests/data/summator-wave.xml" /* 100 samples */
#define PATIENCE (10 * GST_SECOND)

/* --- the clock of latencies --- */

static guint64 ahead; /* atomic, ns */

/* In place of GStreamer's: time may pass without a wait. */
GstClockTime
gst_util_get_timestamp (void)
{
  return (GstClockTime) g_get_monotonic_time () * GST_USECOND
         + __atomic_load_n (&ahead, __ATOMIC_SEQ_CST);
}

/* --- pipelines --- */

typedef struct
{
  GstElement *pipeline, *filter, *sink;
  guint n; /* atomic: results at the sink, in all or since a seek */
} Stream;

static GstPadProbeReturn
count (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Stream *stream = data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    g_atomic_int_inc (&stream->n);
  else if (GST_EVENT_TYPE (info->data) == GST_EVENT_FLUSH_STOP)
    g_atomic_int_set (&stream->n, 0);
  return GST_PAD_PROBE_OK;
}

static void
begin (Stream *stream, const char *description)
{
  g_autoptr (GError) error = NULL;

  *stream = (Stream){ .pipeline = gst_object_ref_sink (
                          gst_parse_launch (description, &error)) };
  fail_unless (error == NULL, "%s", error != NULL ? error->message : "");
  stream->filter = gst_bin_get_by_name (GST_BIN (stream->pipeline), "filter");
  stream->sink = gst_bin_get_by_name (GST_BIN (stream->pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (stream->sink, "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
          | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      count, stream, NULL);
}

static void
end (Stream *stream)
{
  gst_element_set_state (stream->pipeline, GST_STATE_NULL);
  gst_object_unref (stream->filter);
  gst_object_unref (stream->sink);
  gst_object_unref (stream->pipeline);
}

/* Waits until there are @n results. */
static void
await (Stream *stream, guint n, const char *when)
{
  const gint64 until =
      g_get_monotonic_time () + (gint64) (PATIENCE / GST_USECOND);
  g_autoptr (GstBus) bus = gst_element_get_bus (stream->pipeline);

  while ((guint) g_atomic_int_get (&stream->n) < n) {
    g_autoptr (GstMessage) message =
        gst_bus_timed_pop_filtered (bus, GST_MSECOND, GST_MESSAGE_ERROR);
    g_autoptr (GError) error = NULL;

    if (message != NULL)
      gst_message_parse_error (message, &error, NULL);
    fail_unless (
        message == NULL, "%s: %s", when, error != NULL ? error->message : "");
    fail_unless (g_get_monotonic_time () < until, "%s: %d of %u results", when,
        g_atomic_int_get (&stream->n), n);
  }
}

/* --- tests --- */

#ifdef __SANITIZE_THREAD__
/* A flushing seek takes the locks of states and pads in another order than data
 * does: the same is reported of audiotestsrc ! queue ! fakesink. */
const char *__tsan_default_options (void);
const char *
__tsan_default_options (void)
{
  return "detect_deadlocks=0";
}
#endif

#define N_SEEKS 60

/* 0 to 3 ms after PLAYING. */
GST_START_TEST (test_seek_at_start)
{
  if (!test_load_plugin ("coreelements") || !test_load_plugin ("audiotestsrc"))
    return;
  for (guint i = 0; i < N_SEEKS; i++) {
    g_autofree char *when = g_strdup_printf ("seek after %u us", i * 50);
    Stream stream;

    begin (&stream, "audiotestsrc is-live=true samplesperbuffer=100 "
                    "! audio/x-raw,format=F32LE,rate=16000,channels=1 "
                    "! inferfilter name=filter model=" MODEL
                    " ! fakesink name=sink sync=false");
    fail_unless (gst_element_set_state (stream.pipeline, GST_STATE_PLAYING)
                 != GST_STATE_CHANGE_FAILURE);
    g_usleep (i * 50);
    fail_unless (gst_element_seek_simple (
        stream.pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
    await (&stream, 2, when);
    end (&stream);
  }
}
GST_END_TEST

typedef struct
{
  GstHarness *h;
  gulong delay; /* us */
  gint begun;   /* atomic: CAPS is about to be sent */
} Flusher;

static gpointer
flush_soon (gpointer data)
{
  Flusher *flusher = data;

  while (!g_atomic_int_get (&flusher->begun))
    continue;
  g_usleep (flusher->delay);
  gst_harness_push_event (flusher->h, gst_event_new_flush_start ());
  gst_harness_push_event (flusher->h, gst_event_new_flush_stop (TRUE));
  return NULL;
}

#define N_FLUSHES 90

/* FLUSH_START 0.02 to 1.8 ms after CAPS, from another thread; nobody sends the
 * caps again. */
GST_START_TEST (test_flush_after_caps)
{
  for (guint i = 0; i < N_FLUSHES; i++) {
    g_autofree char *description =
        test_filter ("summator-wave.xml", "output=tensors");
    g_autoptr (TestHarness) h = test_harness (description);
    g_autoptr (GstCaps) caps = gst_caps_from_string (TEST_AUDIO_CAPS);
    Flusher flusher = { h, 20 + i * 20, FALSE };
    GstSegment segment;
    float ones[100];

    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (h, gst_event_new_stream_start ("stream"));
    GThread *thread = g_thread_new ("flusher", flush_soon, &flusher);
    g_atomic_int_set (&flusher.begun, TRUE);
    gst_harness_push_event (h, gst_event_new_caps (caps));
    g_thread_join (thread);
    if (!gst_pad_has_current_caps (h->srcpad)) /* the flush was first */
      gst_harness_push_event (h, gst_event_new_caps (caps));
    gst_harness_push_event (h, gst_event_new_segment (&segment));
    for (guint k = 0; k < G_N_ELEMENTS (ones); k++)
      ones[k] = 1;
    fail_unless_equals_int (
        test_push_samples (h, ones, G_N_ELEMENTS (ones), 100, 0), GST_FLOW_OK);
    g_autoptr (GstBuffer) result = gst_harness_pull (h);
    fail_unless (result != NULL && gst_pad_has_current_caps (h->sinkpad),
        "flush after %lu us: nothing is negotiated", flusher.delay);
    fail_unless_equals_float (test_first_value (result), 1);
  }
}
GST_END_TEST

#define PAUSE (15 * GST_SECOND)
#define N_BEFORE 10

typedef struct
{
  GstTestClock *clock;
  gint stop; /* atomic */
} Ticker;

/* Ten times as fast as time. */
static gpointer
tick (gpointer data)
{
  Ticker *ticker = data;
  GstClockID due;

  while (!g_atomic_int_get (&ticker->stop)) {
    gst_test_clock_advance_time (ticker->clock, 10 * GST_MSECOND);
    while ((due = gst_test_clock_process_next_clock_id (ticker->clock)) != NULL)
      gst_clock_id_unref (due);
    g_usleep (1000);
  }
  return NULL;
}

static void
play_until (Stream *stream, GstTestClock *clock, guint n, const char *when)
{
  Ticker ticker = { clock, FALSE };
  GThread *thread = g_thread_new ("ticker", tick, &ticker);

  fail_unless (gst_element_set_state (stream->pipeline, GST_STATE_PLAYING)
               != GST_STATE_CHANGE_FAILURE);
  await (stream, n, when);
  g_atomic_int_set (&ticker.stop, TRUE);
  g_thread_join (thread);
}

/* No more than it takes, of what the element says of its delay. */
static void
assert_short (Stream *stream)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  g_autoptr (GstStructure) stats = NULL;
  g_autoptr (GstStructure) total = NULL;
  GstClockTime min, max;
  guint64 delay, longest;
  gboolean live;

  g_object_get (
      stream->filter, "stats", &stats, "max-observed-delay", &delay, NULL);
  gst_structure_get (stats, "total", GST_TYPE_STRUCTURE, &total, NULL);
  fail_unless (gst_structure_get_uint64 (total, "max", &longest));
  fail_unless (gst_element_query (stream->pipeline, query));
  gst_query_parse_latency (query, &live, &min, &max);
  fail_unless (live);
  fail_unless (delay > 0 && delay < GST_SECOND,
      "max-observed-delay is %" G_GUINT64_FORMAT " ns", delay);
  fail_unless (longest > 0 && longest < GST_SECOND,
      "the longest total is %" G_GUINT64_FORMAT " ns", longest);
  fail_unless (min < GST_SECOND, "LATENCY is %" G_GUINT64_FORMAT " ns", min);
}

/* A pause of 15 s, by the pipeline's clock and by that of latencies, while
 * results wait in the element: it claims no delay, and goes on. */
GST_START_TEST (test_pause)
{
  if (!test_load_plugin ("coreelements"))
    return;
  g_autoptr (GstClock) clock = gst_test_clock_new ();
  Stream stream;

  /* Live, and faster than the sink: the element is always full. */
  begin (&stream,
      "fakesrc is-live=true format=time datarate=64000 sizetype=fixed "
      "sizemax=400 filltype=zero "
      "! audio/x-raw,format=F32LE,layout=interleaved,rate=16000,channels=1 "
      "! inferfilter name=filter nireq=4 model=" MODEL
      " ! fakesink name=sink sync=true");
  gst_pipeline_use_clock (GST_PIPELINE (stream.pipeline), clock);
  play_until (&stream, GST_TEST_CLOCK (clock), N_BEFORE, "before the pause");
  fail_unless (gst_element_set_state (stream.pipeline, GST_STATE_PAUSED)
               != GST_STATE_CHANGE_FAILURE);
  const guint n = (guint) g_atomic_int_get (&stream.n);
  gst_test_clock_advance_time (GST_TEST_CLOCK (clock), PAUSE);
  __atomic_add_fetch (&ahead, PAUSE, __ATOMIC_SEQ_CST);
  play_until (&stream, GST_TEST_CLOCK (clock), n + N_BEFORE, "after the pause");
  assert_short (&stream);
  end (&stream);
}
GST_END_TEST

static Suite *
interrupted_suite (void)
{
  return test_suite ("interrupted", NULL, NULL, test_seek_at_start,
      test_flush_after_caps, test_pause, NULL);
}

GST_CHECK_MAIN (interrupted)
