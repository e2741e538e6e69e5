/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The parts of infertranscriber: timestamps of samples, samples that are kept,
 * what passes from thread to thread. */

#include <string.h>

#include "gst/speech/history.h"
#include "gst/speech/queue.h"
#include "gst/speech/sample-clock.h"

#define RATE 16000
#define DAY (24ull * 3600)

/* --- timestamps --- */

/* Without a jump, times are those of the first one for a day. */
static void
exact (void)
{
  GstInferSampleClock clock = { 0 };

  gst_infer_sample_clock_init (&clock);
  gst_infer_sample_clock_reset (&clock, 44100);
  g_assert_false (
      GST_CLOCK_TIME_IS_VALID (gst_infer_sample_clock_at (&clock, 0)));
  for (guint64 sample = 0; sample < DAY * 44100; sample += 44100 * 7 + 13) {
    /* As containers round them. */
    GstClockTime pts =
        gst_util_uint64_scale (sample, 1000, 44100) * GST_MSECOND;

    gst_infer_sample_clock_note (&clock, sample, pts);
    g_assert_cmpuint (gst_infer_sample_clock_at (&clock, sample), ==,
        gst_util_uint64_scale (sample, GST_SECOND, 44100));
  }
  g_assert_cmpuint (clock.anchors->len, ==, 1);
  gst_infer_sample_clock_clear (&clock);
}

/* A source whose clock is off by 100 ppm: followed within 40 ms, and nothing
 * grows. */
static void
drift (void)
{
  GstInferSampleClock clock = { 0 };
  GstClockTime last = 0;

  gst_infer_sample_clock_init (&clock);
  gst_infer_sample_clock_reset (&clock, RATE);
  for (guint64 sample = 0; sample < DAY * RATE; sample += RATE / 5) {
    GstClockTime pts =
        gst_util_uint64_scale (sample, GST_SECOND * 10001 / 10000, RATE);

    gst_infer_sample_clock_note (&clock, sample, pts);
    GstClockTime now = gst_infer_sample_clock_at (&clock, sample);
    g_assert_cmpuint (
        (guint64) ABS (GST_CLOCK_DIFF (now, pts)), <=, 40 * GST_MSECOND);
    g_assert_cmpuint (now, >=, last);
    last = now;
    gst_infer_sample_clock_prune (&clock, sample - MIN (sample, 30 * RATE));
    g_assert_cmpuint (clock.anchors->len, <=, 2);
  }
  gst_infer_sample_clock_clear (&clock);
}

/* Samples before a jump keep their times. */
static void
jump (void)
{
  GstInferSampleClock clock = { 0 };

  gst_infer_sample_clock_init (&clock);
  gst_infer_sample_clock_reset (&clock, RATE);
  gst_infer_sample_clock_note (&clock, 0, 5 * GST_SECOND);
  gst_infer_sample_clock_note (
      &clock, RATE, 6 * GST_SECOND + 500 * GST_MSECOND);
  g_assert_cmpuint (gst_infer_sample_clock_at (&clock, RATE - 1600), ==,
      6 * GST_SECOND - 100 * GST_MSECOND);
  g_assert_cmpuint (gst_infer_sample_clock_at (&clock, RATE + 1600), ==,
      6 * GST_SECOND + 600 * GST_MSECOND);
  gst_infer_sample_clock_clear (&clock);
}

/* --- samples --- */

static void
history (void)
{
  GstInferHistory history = { 0 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  float samples[500];

  gst_infer_history_init (&history);
  for (guint round = 0; round < 20000; round++) {
    guint64 first = history.end, begin;
    gsize n = (gsize) g_rand_int_range (rand, 1, G_N_ELEMENTS (samples));

    for (gsize i = 0; i < n; i++)
      samples[i] = (float) ((first + i) % 65536);
    gst_infer_history_append (&history, samples, n);
    begin = gst_infer_history_begin (&history);
    if (history.end - begin > 3000)
      gst_infer_history_drop (
          &history, begin + (guint64) g_rand_int_range (rand, 1, 3000));
    begin = gst_infer_history_begin (&history);
    const float *all = gst_infer_history_at (&history, begin);
    for (guint64 i = begin; i < history.end; i++)
      g_assert_cmpfloat (all[i - begin], ==, (float) (i % 65536));
    g_assert_cmpuint (history.samples->len, <, 8000); /* memory stays flat */
  }
  guint64 silence = history.end;
  gst_infer_history_append (&history, NULL, 100);
  for (guint i = 0; i < 100; i++)
    g_assert_cmpfloat (*gst_infer_history_at (&history, silence + i), ==, 0);
  gst_infer_history_reset (&history);
  g_assert_cmpuint (gst_infer_history_begin (&history), ==, 0);
  gst_infer_history_clear (&history);
}

/* --- the queue --- */

static gpointer
take_all (gpointer data)
{
  GstInferSpeechQueue *queue = data;
  GstInferSpeechItem item;
  guint n = 0;

  while (gst_infer_speech_queue_take (queue, &item, 0)) {
    gboolean eos = item.kind == GST_INFER_SPEECH_EVENT;

    gst_infer_speech_item_clear (&item);
    g_assert_cmpuint (gst_infer_speech_queue_get_weight (queue), <=, 15);
    if (eos)
      break;
    n++;
  }
  return GUINT_TO_POINTER (n);
}

/* Putting waits for room; what is stopped ends every wait; events stay. */
static void
queue (void)
{
  GstInferSpeechQueue *queue = gst_infer_speech_queue_new ();
  GQueue events = G_QUEUE_INIT;

  g_assert_cmpint (gst_infer_speech_queue_put (
                       queue, GST_INFER_SPEECH_BUFFER, gst_buffer_new (), 1, 0),
      ==, GST_FLOW_FLUSHING);
  gst_infer_speech_queue_set_flow (queue, GST_FLOW_OK);
  GThread *thread = g_thread_new ("take", take_all, queue);
  for (guint i = 0; i < 10000; i++)
    g_assert_cmpint (gst_infer_speech_queue_put (queue, GST_INFER_SPEECH_BUFFER,
                         gst_buffer_new (), 5, 10),
        ==, GST_FLOW_OK);
  gst_infer_speech_queue_put (
      queue, GST_INFER_SPEECH_EVENT, gst_event_new_eos (), 0, 0);
  g_assert_cmpuint (GPOINTER_TO_UINT (g_thread_join (thread)), ==, 10000);

  thread = g_thread_new ("take", take_all, queue);
  g_usleep (1000);
  gst_infer_speech_queue_set_flow (queue, GST_FLOW_FLUSHING);
  g_assert_cmpuint (GPOINTER_TO_UINT (g_thread_join (thread)), ==, 0);
  gst_infer_speech_queue_set_flow (queue, GST_FLOW_NOT_LINKED);
  g_assert_cmpint (
      gst_infer_speech_queue_get_flow (queue), ==, GST_FLOW_FLUSHING);
  gst_infer_speech_queue_put (
      queue, GST_INFER_SPEECH_EVENT, gst_event_new_eos (), 0, 0);
  g_assert_true (gst_infer_speech_queue_has_eos (queue));
  gst_infer_speech_queue_clear (queue, &events);
  g_assert_cmpuint (g_queue_get_length (&events), ==, 1);
  g_queue_clear_full (&events, (GDestroyNotify) gst_event_unref);
  gst_infer_speech_queue_free (queue);
}

static gpointer
take_thirties (gpointer data)
{
  GstInferSpeechQueue *queue = data;
  GstInferSpeechItem item;
  guint n = 0;

  while (gst_infer_speech_queue_take (queue, &item, 30)
         && item.kind == GST_INFER_SPEECH_AUDIO) {
    gst_infer_speech_item_clear (&item);
    n++;
  }
  gst_infer_speech_item_clear (&item);
  return GUINT_TO_POINTER (n);
}

static void
put_audio (GstInferSpeechQueue *queue, gboolean discont)
{
  GstInferAudio *audio = g_new0 (GstInferAudio, 1);

  audio->discont = discont;
  g_assert_cmpint (
      gst_infer_speech_queue_put (queue, GST_INFER_SPEECH_AUDIO, audio, 10, 0),
      ==, GST_FLOW_OK);
}

static void
wait_for_weight (GstInferSpeechQueue *queue, guint64 weight)
{
  while (gst_infer_speech_queue_get_weight (queue) != weight)
    g_usleep (100);
}

/* Samples that go on wait until there are as many as are wanted; a sequence's
 * first ones, events and the end of the flow do not. */
static void
wanted (void)
{
  GstInferSpeechQueue *queue = gst_infer_speech_queue_new ();

  gst_infer_speech_queue_set_flow (queue, GST_FLOW_OK);
  GThread *thread = g_thread_new ("take", take_thirties, queue);
  for (guint i = 0; i < 2; i++)
    put_audio (queue, FALSE);
  g_usleep (20000);
  g_assert_cmpuint (gst_infer_speech_queue_get_weight (queue), ==, 20);
  put_audio (queue, FALSE);
  wait_for_weight (queue, 20);
  g_usleep (20000);
  g_assert_cmpuint (gst_infer_speech_queue_get_weight (queue), ==, 20);
  put_audio (queue, TRUE);
  wait_for_weight (queue, 0);
  put_audio (queue, FALSE);
  gst_infer_speech_queue_put (
      queue, GST_INFER_SPEECH_EVENT, gst_event_new_eos (), 0, 0);
  g_assert_cmpuint (GPOINTER_TO_UINT (g_thread_join (thread)), ==, 5);
  put_audio (queue, FALSE);
  gst_infer_speech_queue_set_flow (queue, GST_FLOW_EOS);
  GstInferSpeechItem item;
  g_assert_true (gst_infer_speech_queue_take (queue, &item, 30));
  gst_infer_speech_item_clear (&item);
  gst_infer_speech_queue_free (queue);
}

static gpointer
answer (gpointer data)
{
  GstInferSpeechQueue *queue = data;
  GstInferSpeechItem item;

  while (gst_infer_speech_queue_take (queue, &item, 0)) {
    g_assert_cmpint (
        gst_infer_speech_queue_peek (queue, item.object), ==, GST_QUERY_DRAIN);
    GstQuery *query = gst_infer_speech_queue_begin_answer (queue, item.object);
    g_assert_nonnull (query);
    gst_infer_speech_queue_answer (queue, TRUE);
  }
  return NULL;
}

/* A query waits for its answer, or until the queue is stopped. */
static void
query (void)
{
  GstInferSpeechQueue *queue = gst_infer_speech_queue_new ();
  g_autoptr (GstQuery) drain = gst_query_new_drain ();

  g_assert_false (gst_infer_speech_queue_ask (queue, drain));
  gst_infer_speech_queue_set_flow (queue, GST_FLOW_OK);
  GThread *thread = g_thread_new ("answer", answer, queue);
  for (guint i = 0; i < 1000; i++)
    g_assert_true (gst_infer_speech_queue_ask (queue, drain));
  gst_infer_speech_queue_set_flow (queue, GST_FLOW_FLUSHING);
  g_thread_join (thread);
  g_assert_null (
      gst_infer_speech_queue_begin_answer (queue, GUINT_TO_POINTER (1000)));
  gst_infer_speech_queue_free (queue);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/speech/clock/exact", exact);
  g_test_add_func ("/speech/clock/drift", drift);
  g_test_add_func ("/speech/clock/jump", jump);
  g_test_add_func ("/speech/history", history);
  g_test_add_func ("/speech/queue", queue);
  g_test_add_func ("/speech/queue/wanted", wanted);
  g_test_add_func ("/speech/query", query);
  return g_test_run ();
}
