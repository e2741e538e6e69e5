/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infertranscriber while other threads flush, change settings, read statistics,
 * ask for latency, and request and release the pad `partial`; two elements
 * share the model.  Between plain pads, so that ThreadSanitizer sees the
 * element alone. */

#include <stdlib.h>
#include <string.h>

#include "gst/speech/gstinfertranscriber.h"
#include "tests/check/speech/fake-speech.h"
#include "tests/check/support/pads.h"

#define RATE FAKE_SPEECH_RATE
#define CAPS                                                                   \
  "audio/x-raw, format=F32LE, layout=interleaved, rate=16000, channels=1"
#define PART 1600
#define N_PARTS 6000 /* ten minutes, at least */
#define EVERY 10     /* buffers: a word at the beginning of each second */
#define PATIENCE (200 * G_USEC_PER_SEC) /* for all that a storm must meet */
#define WORD (300 * RATE / 1000)

typedef struct
{
  TestPads pads;
  GThread *threads[3];
  guint n_parts;   /* at least */
  gint stop;       /* atomic: the other threads end */
  gint flushing;   /* atomic: a flush is in progress */
  gint number;     /* atomic: of the last flush */
  gint halted;     /* atomic: the last flush the pusher has seen */
  guint n_pushed;  /* the pusher's: buffers, with those that were skipped */
  guint n_flushes; /* the pusher's: that have refused a buffer */
  gint n_partials, n_changes; /* atomic */

  GMutex lock; /* guards the rest */
  GCond cond;
  gboolean ended; /* EOS has come */
  guint n_words;
  GstClockTime last; /* of the words since the last flush */
  char *wrong;       /* the first word that is not as it was said */
} Stream;

static guint
word_at (GstClockTime second)
{
  return (guint) (second % 9);
}

static guint
count_words (Stream *stream)
{
  g_mutex_lock (&stream->lock);
  const guint n_words = stream->n_words;
  g_mutex_unlock (&stream->lock);
  return n_words;
}

/* --- output --- */

/* Each word at its time, in order, whatever a flush has dropped. */
static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stream *stream = gst_pad_get_element_private (pad);
  const GstClockTime pts = GST_BUFFER_PTS (buffer);
  /* A newline, since this pad takes anything. */
  g_autofree char *text =
      g_strconcat (fake_speech_word (word_at (pts / GST_SECOND)), "\n", NULL);

  g_mutex_lock (&stream->lock);
  if (stream->wrong == NULL
      && (pts % GST_SECOND != 0 || gst_buffer_get_size (buffer) != strlen (text)
          || gst_buffer_memcmp (buffer, 0, text, strlen (text)) != 0
          || (GST_CLOCK_TIME_IS_VALID (stream->last) && pts <= stream->last)))
    stream->wrong = g_strdup_printf ("'%s' of %" G_GSIZE_FORMAT
                                     " bytes at %" G_GUINT64_FORMAT
                                     " after %" G_GUINT64_FORMAT,
        text, gst_buffer_get_size (buffer), pts, stream->last);
  stream->last = pts;
  stream->n_words++;
  g_mutex_unlock (&stream->lock);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static GstPadProbeReturn
watch_events (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Stream *stream = data;

  if (GST_EVENT_TYPE (info->data) == GST_EVENT_EOS) {
    g_mutex_lock (&stream->lock);
    stream->ended = TRUE;
    g_cond_broadcast (&stream->cond);
    g_mutex_unlock (&stream->lock);
  }
  return GST_PAD_PROBE_OK;
}

static GstFlowReturn
take_partial (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stream *stream = gst_pad_get_element_private (pad);

  g_atomic_int_inc (&stream->n_partials);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
swallow (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

/* --- other threads --- */

static void
pause_until (Stream *stream, gint *number, gint wanted)
{
  while (
      g_atomic_int_get (number) != wanted && !g_atomic_int_get (&stream->stop))
    g_usleep (10);
}

/* Where all is slow, as under valgrind, no word would come between two flushes.
 */
static void
await_word (Stream *stream)
{
  const guint n_words = count_words (stream);

  while (count_words (stream) == n_words && !g_atomic_int_get (&stream->stop))
    g_usleep (100);
}

static gpointer
keep_flushing (gpointer data)
{
  Stream *stream = data;
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  while (!g_atomic_int_get (&stream->stop)) {
    if (g_rand_boolean (random))
      await_word (stream);
    g_usleep ((gulong) g_rand_int_range (random, 200, 20000));
    const gint number = g_atomic_int_add (&stream->number, 1) + 1;
    g_atomic_int_set (&stream->flushing, TRUE);
    gst_pad_push_event (stream->pads.src, gst_event_new_flush_start ());
    pause_until (stream, &stream->halted, number);
    g_mutex_lock (&stream->lock);
    stream->last = GST_CLOCK_TIME_NONE;
    g_mutex_unlock (&stream->lock);
    gst_pad_push_event (stream->pads.src, gst_event_new_flush_stop (TRUE));
    g_atomic_int_set (&stream->flushing, FALSE);
  }
  return NULL;
}

static gpointer
keep_changing (gpointer data)
{
  Stream *stream = data;
  GstElement *element = stream->pads.element;

  for (guint i = 0; !g_atomic_int_get (&stream->stop); i++) {
    g_autoptr (GstQuery) query = gst_query_new_latency ();
    g_autoptr (GstStructure) stats = NULL;
    g_autofree char *phrases = NULL;
    guint delay;

    g_object_set (element, "phrases", "", "lateness", i % 2 * 100, NULL);
    g_object_get (element, "stats", &stats, "max-observed-delay", &delay,
        "phrases", &phrases, NULL);
    gst_pad_peer_query (stream->pads.sink, query);
    gst_pad_push_event (stream->pads.sink, gst_event_new_reconfigure ());
    g_atomic_int_inc (&stream->n_changes);
    g_usleep (1000);
  }
  return NULL;
}

static gpointer
keep_requesting (gpointer data)
{
  Stream *stream = data;

  while (!g_atomic_int_get (&stream->stop)) {
    GstPad *partial =
        gst_element_request_pad_simple (stream->pads.element, "partial");
    GstPad *sink = gst_pad_new ("sink", GST_PAD_SINK);

    gst_pad_set_element_private (sink, stream);
    gst_pad_set_chain_function (sink, take_partial);
    gst_pad_set_event_function (sink, swallow);
    gst_pad_set_active (sink, TRUE);
    g_assert_cmpint (gst_pad_link (partial, sink), ==, GST_PAD_LINK_OK);
    g_usleep (5000);
    gst_pad_unlink (partial, sink);
    gst_element_release_request_pad (stream->pads.element, partial);
    gst_object_unref (partial);
    gst_pad_set_active (sink, FALSE);
    gst_object_unref (sink);
  }
  return NULL;
}

/* --- input --- */

static GstBuffer *
make_part (guint i)
{
  float *samples = g_new0 (float, PART);
  const guint within = i % EVERY * PART;

  if (within < WORD)
    fake_speech_say (samples, PART, word_at (i / EVERY));
  GstBuffer *buffer = gst_buffer_new_wrapped (samples, PART * sizeof (float));
  GST_BUFFER_PTS (buffer) =
      gst_util_uint64_scale ((guint64) i * PART, GST_SECOND, RATE);
  return buffer;
}

/* A word whose beginning was dropped would be another one. */
static guint
next_second (guint i)
{
  return (i + EVERY - 1) / EVERY * EVERY;
}

static gboolean
has_met_all (Stream *stream)
{
  return count_words (stream) > 10 && stream->n_flushes > 10
         && g_atomic_int_get (&fake_speech.n_cancelled) > 0
         && g_atomic_int_get (&stream->n_partials) > 0
         && g_atomic_int_get (&stream->n_changes) > 10;
}

static char *
describe (Stream *stream)
{
  return g_strdup_printf ("%u buffers, %u words, %u flushes, %d partial "
                          "results, %d changes; %d cancelled in both streams",
      stream->n_pushed, count_words (stream), stream->n_flushes,
      g_atomic_int_get (&stream->n_partials),
      g_atomic_int_get (&stream->n_changes),
      g_atomic_int_get (&fake_speech.n_cancelled));
}

/* On a busy machine the other threads may do their part late. */
static gboolean
goes_on (Stream *stream, gint64 until)
{
  if (stream->n_pushed < stream->n_parts)
    return TRUE;
  if (has_met_all (stream))
    return FALSE;
  if (g_get_monotonic_time () > until) {
    g_autofree char *met = describe (stream);

    g_error ("after %d s the storm has met only %s",
        (int) (PATIENCE / G_USEC_PER_SEC), met);
  }
  return TRUE;
}

static gpointer
keep_pushing (gpointer data)
{
  Stream *stream = data;
  const gint64 until = g_get_monotonic_time () + PATIENCE;

  test_pads_send_beginning (&stream->pads, "storm", CAPS);
  stream->threads[0] = g_thread_new ("flusher", keep_flushing, stream);
  stream->threads[1] = g_thread_new ("changer", keep_changing, stream);
  stream->threads[2] = g_thread_new ("requester", keep_requesting, stream);
  for (; goes_on (stream, until); stream->n_pushed++) {
    GstFlowReturn flow =
        gst_pad_push (stream->pads.src, make_part (stream->n_pushed));

    if (flow == GST_FLOW_OK)
      continue;
    g_assert_cmpint (flow, ==, GST_FLOW_FLUSHING);
    stream->n_flushes++;
    do {
      g_atomic_int_set (&stream->halted, g_atomic_int_get (&stream->number));
      g_usleep (10);
    } while (g_atomic_int_get (&stream->flushing));
    test_pads_send_segment (&stream->pads);
    stream->n_pushed = next_second (stream->n_pushed + 1) - 1;
  }
  g_atomic_int_set (&stream->stop, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (stream->threads); i++)
    g_thread_join (stream->threads[i]);
  return NULL;
}

/* An utterance that no flush interrupts is there to its last word. */
static void
finish (Stream *stream)
{
  const guint second = stream->n_pushed / EVERY + 1;
  gboolean ended = TRUE;

  gst_pad_push_event (stream->pads.src, gst_event_new_flush_start ());
  gst_pad_push_event (stream->pads.src, gst_event_new_flush_stop (TRUE));
  g_mutex_lock (&stream->lock);
  stream->n_words = 0;
  stream->last = GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&stream->lock);
  test_pads_send_segment (&stream->pads);
  for (guint i = 0; i < 5 * EVERY; i++)
    g_assert_cmpint (
        gst_pad_push (stream->pads.src, make_part (second * EVERY + i)), ==,
        GST_FLOW_OK);
  gst_pad_push_event (stream->pads.src, gst_event_new_eos ());
  const gint64 until = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  g_mutex_lock (&stream->lock);
  while (!stream->ended && ended)
    ended = g_cond_wait_until (&stream->cond, &stream->lock, until);
  g_mutex_unlock (&stream->lock);
  g_assert_true (ended);
}

static void
stream_begin (Stream *stream, guint n_parts)
{
  *stream = (Stream){ .n_parts = n_parts, .last = GST_CLOCK_TIME_NONE };
  g_mutex_init (&stream->lock);
  g_cond_init (&stream->cond);
  GstElement *element =
      g_object_new (GST_TYPE_INFER_TRANSCRIBER, "kind", "fake", "model",
          SOURCE_ROOT "/tests/data", "partial-interval", 100, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "granularity", "word");
  gst_util_set_object_arg (G_OBJECT (element), "vad", "none");
  g_assert_true (test_pads_begin (&stream->pads, element, take, stream));
  gst_pad_add_probe (stream->pads.sink, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      watch_events, stream, NULL);
}

static void
test_storm (void)
{
  const char *wanted = g_getenv ("INFER_TEST_BUFFERS");
  guint n = wanted != NULL ? (guint) atoi (wanted) : N_PARTS;
  Stream streams[2];
  GThread *threads[2];

  g_atomic_int_set (&fake_speech.end_us, 1000);
  g_atomic_int_set (&fake_speech.partial_us, 1000);
  for (guint i = 0; i < 2; i++)
    stream_begin (&streams[i], n / 2);
  g_assert_cmpint (g_atomic_int_get (&fake_speech.n_loaded), ==, 1);
  for (guint i = 0; i < 2; i++)
    threads[i] = g_thread_new ("pusher", keep_pushing, &streams[i]);
  for (guint i = 0; i < 2; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < 2; i++) {
    Stream *s = &streams[i];
    g_autofree char *met = describe (s);

    finish (s);
    test_pads_end (&s->pads);
    g_test_message ("%s", met);
    g_assert_cmpstr (s->wrong, ==, NULL);
    g_assert_cmpuint (s->n_words, ==, 5);
    g_mutex_clear (&s->lock);
    g_cond_clear (&s->cond);
    g_free (s->wrong);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  fake_speech_register ();
  g_test_add_func ("/storm/transcribers", test_storm);
  return g_test_run ();
}
