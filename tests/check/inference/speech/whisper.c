/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whisper's way through a stream, with the random weights of
 * tests/speech/whisper/tiny (make-whisper.py). */

#include "tests/check/inference/speech/whisper-session.h"

#include <math.h>
#include <string.h>

/* --- streams --- */

static void
test_pieces (void)
{
  g_autofree float *samples = whisper_test_noise ();
  Session s;

  whisper_test_open (&s);
  g_autofree char *whole = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpuint (strlen (whole), >, 100);
  const gsize pieces[] = { 160, 777, 16000, 70001 };
  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++) {
    g_autofree char *again =
        whisper_test_hear (&s, 0, samples, N, pieces[i], FALSE);

    g_assert_cmpstr (again, ==, whole);
  }
  whisper_test_close (&s);
}

static void
test_partials (void)
{
  g_autofree float *samples = whisper_test_noise ();
  Session s;

  whisper_test_open (&s);
  g_autofree char *whole = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_autofree char *again = whisper_test_hear (&s, 0, samples, N, 8000, TRUE);
  g_assert_cmpstr (again, ==, whole);
  /* What comes before a text is one of those that do not change, too. */
  whisper_test_set (&s, "condition-on-previous-text", "true");
  infer_speech_stream_reset (s.stream);
  g_autofree char *follows = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  infer_speech_stream_reset (s.stream);
  g_autofree char *both = whisper_test_hear (&s, 0, samples, N, 8000, TRUE);
  g_assert_cmpstr (follows, !=, whole);
  g_assert_cmpstr (both, ==, follows);
  whisper_test_close (&s);
}

/* An end that is prepared, whether it comes or not, changes nothing: in one
 * window, in several, with what was said before. */
static void
test_prepared (void)
{
  g_autofree float *samples = g_new (float, 4 * N);
  g_autofree float *noise = whisper_test_noise ();
  Session s;

  for (guint i = 0; i < 4; i++)
    memcpy (samples + i * N, noise, N * sizeof (float));
  whisper_test_open (&s);
  whisper_test_set (&s, "condition-on-previous-text", "true");
  const gsize lengths[] = { N, 4 * N }, pieces[] = { N, 50001, 100160 };
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    infer_speech_stream_reset (s.stream);
    g_autofree char *whole =
        whisper_test_hear (&s, 0, samples, lengths[i], 4 * N, FALSE);
    for (guint k = 0; k < G_N_ELEMENTS (pieces); k++) {
      infer_speech_stream_reset (s.stream);
      g_autofree char *again = whisper_test_hear_prepared (
          &s, samples, lengths[i], pieces[k], k > 0);
      g_assert_cmpstr (again, ==, whole);
    }
  }
  whisper_test_close (&s);
}

static InferTranscript *
partial_of (Session *s)
{
  g_autoptr (GError) error = NULL;
  InferTranscript *partial = infer_speech_stream_partial (s->stream, &error);

  g_assert_no_error (error);
  g_assert_nonnull (partial);
  return partial;
}

/* The decode is made once: a partial result and the final text have its words
 * and times, although only finals are decoded as thoroughly. */
static void
test_prepared_once (void)
{
  g_autofree float *samples = whisper_test_noise ();
  g_autoptr (GError) error = NULL;
  gboolean prepared = FALSE;
  Session s;

  whisper_test_open (&s);
  infer_speech_stream_begin (s.stream, 0, &error);
  infer_speech_stream_push (s.stream, samples, N, &error);
  g_autoptr (InferTranscript) quick = partial_of (&s);
  infer_speech_stream_prepare_end (s.stream, &prepared, &error);
  g_assert_no_error (error);
  g_assert_true (prepared);
  g_autoptr (InferTranscript) partial = partial_of (&s);
  infer_speech_stream_end (s.stream, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (partial->text, !=, quick->text);
  /* The windows before are final, and what the last one leaves is decoded. */
  InferTranscript *final = infer_speech_stream_pop (s.stream);
  while (final != NULL && final->start < partial->start) {
    infer_transcript_free (final);
    final = infer_speech_stream_pop (s.stream);
  }
  g_assert_nonnull (final);
  g_assert_cmpuint (final->n_words, >, 0);
  for (guint k = 0; k < final->n_words; k++) {
    g_assert_cmpstr (final->words[k].text, ==, partial->words[k].text);
    g_assert_cmpuint (final->words[k].start, ==, partial->words[k].start);
  }
  infer_transcript_free (final);

  infer_speech_stream_set_cancelled (s.stream, TRUE);
  g_assert_false (
      infer_speech_stream_prepare_end (s.stream, &prepared, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_assert_false (prepared);
  whisper_test_close (&s);
}

/* Words lie in order within their segment and the utterance. */
static void
check_times (Session *s, guint64 first, guint64 end)
{
  guint n = 0;

  for (InferTranscript *t; (t = infer_speech_stream_pop (s->stream)) != NULL;
       n++) {
    guint64 before = t->start;

    g_assert_cmpuint (t->start, >=, first);
    g_assert_cmpuint (t->end, <=, end);
    g_assert_cmpuint (t->n_words, >, 0);
    for (guint i = 0; i < t->n_words; i++) {
      g_assert_cmpuint (t->words[i].start, >=, before);
      g_assert_cmpuint (t->words[i].end, >=, t->words[i].start);
      g_assert_cmpuint (t->words[i].end, <=, t->end);
      g_assert_cmpfloat (t->words[i].probability, >, 0);
      g_assert_cmpfloat (t->words[i].probability, <=, 1);
      before = t->words[i].end;
    }
    infer_transcript_free (t);
  }
  g_assert_cmpuint (n, >, 1);
}

static void
test_times (void)
{
  g_autofree float *samples = whisper_test_noise ();
  g_autoptr (GError) error = NULL;
  Session s;

  whisper_test_open (&s);
  for (guint i = 0; i < 2; i++) {
    whisper_test_set (&s, "word-times", i == 0 ? "true" : "false");
    infer_speech_stream_begin (s.stream, 1000, &error);
    infer_speech_stream_push (s.stream, samples, N, &error);
    infer_speech_stream_end (s.stream, &error);
    g_assert_no_error (error);
    check_times (&s, 1000, 1000 + N);
  }
  whisper_test_close (&s);
}

static void
test_silence (void)
{
  g_autofree float *silence = g_new0 (float, N);
  Session s;

  whisper_test_open (&s);
  g_autofree char *text = whisper_test_hear (&s, 0, silence, N, 4000, TRUE);
  g_assert_cmpstr (text, ==, "");
  g_autofree char *short_text =
      whisper_test_hear (&s, 0, silence, 100, 100, TRUE);
  g_assert_cmpstr (short_text, ==, "");
  g_autofree char *none = whisper_test_hear (&s, 0, silence, 0, 1, FALSE);
  g_assert_cmpstr (none, ==, "");
  whisper_test_close (&s);
}

/* --- guards --- */

static guint64
first_start (const char *text)
{
  return g_ascii_strtoull (text, NULL, 10);
}

/* At temperature 0 the random weights repeat themselves in the first window,
 * which is then dropped, unless another attempt finds something. */
static void
test_loops (void)
{
  g_autofree float *samples = whisper_test_noise ();
  Session s;

  whisper_test_open (&s);
  whisper_test_set (&s, "temperature", "0");
  g_autofree char *text = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpuint (first_start (text), >=, 4 * RATE);
  whisper_test_set (&s, "temperature", "0,1");
  g_autofree char *more = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpuint (first_start (more), <, 4 * RATE);
  whisper_test_close (&s);
}

/* What is dropped says why, and where. */
static void
test_dropped (void)
{
  g_autofree float *samples = whisper_test_noise ();
  Session s;

  whisper_test_open (&s);
  whisper_test_set (&s, "temperature", "0");
  g_autofree char *text = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_autoptr (InferTranscript) loop = infer_speech_stream_pop_dropped (s.stream);
  g_assert_nonnull (loop);
  g_assert_cmpstr (loop->dropped, ==, "loop");
  g_assert_cmpuint (loop->start, ==, 0);
  g_assert_cmpuint (loop->end, ==, 4 * RATE);
  g_assert_cmpstr (loop->text, !=, "");
  infer_speech_stream_reset (s.stream);
  g_assert_null (infer_speech_stream_pop_dropped (s.stream));
  whisper_test_set (&s, "temperature", "1");
  whisper_test_set (&s, "compression-threshold", "1");
  g_autofree char *none = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_autoptr (InferTranscript) packs =
      infer_speech_stream_pop_dropped (s.stream);
  g_assert_nonnull (packs);
  g_assert_cmpstr (packs->dropped, ==, "compression");
  whisper_test_close (&s);
}

/* A decode ends in time, with what it has until then. */
static void
test_time_limit (void)
{
  g_autofree float *samples = whisper_test_noise ();
  Session s;

  whisper_test_open (&s);
  g_autofree char *whole = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  infer_speech_stream_reset (s.stream);
  whisper_test_set (&s, "time-limit", "0.000001");
  g_test_expect_message ("infer", G_LOG_LEVEL_MESSAGE, "*time-limit*");
  g_autofree char *cut = whisper_test_hear (&s, 0, samples, 4 * RATE, N, FALSE);
  g_test_assert_expected_messages ();
  g_autoptr (InferTranscript) late = infer_speech_stream_pop_dropped (s.stream);
  g_assert_nonnull (late);
  g_assert_cmpstr (late->dropped, ==, "time");
  g_assert_cmpuint (strlen (cut), <, strlen (whole));
  whisper_test_set (&s, "time-limit", "0");
  g_autofree char *again = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpstr (again, ==, whole);
  whisper_test_close (&s);
}

/* --- cancelling --- */

static gpointer
cancel_soon (gpointer data)
{
  Session *s = data;

  g_usleep (20000);
  infer_speech_stream_set_cancelled (s->stream, TRUE);
  return GINT_TO_POINTER ((int) (g_get_monotonic_time () / 1000));
}

static void
test_cancel (void)
{
  g_autofree float *samples = whisper_test_noise ();
  g_autoptr (GError) error = NULL;
  Session s;

  whisper_test_open (&s);
  g_autofree char *whole = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  GThread *thread = g_thread_new ("cancel", cancel_soon, &s);
  infer_speech_stream_begin (s.stream, 0, &error);
  while (error == NULL)
    infer_speech_stream_push (s.stream, samples, N, &error);
  int end = (int) (g_get_monotonic_time () / 1000);
  int begin = GPOINTER_TO_INT (g_thread_join (thread));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_test_message ("cancelled within %d ms", end - begin);
  g_assert_cmpint (end - begin, <, 2000); /* beside any load */
  infer_speech_stream_set_cancelled (s.stream, FALSE);
  infer_speech_stream_reset (s.stream);
  g_autofree char *again = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpstr (again, ==, whole);
  whisper_test_close (&s);
}

/* --- settings --- */

static void
test_settings (void)
{
  static const struct
  {
    const char *key, *value, *part;
  } bad[] = {
    { "language", "de", "English alone" },
    { "task", "translate", "English alone" },
    { "task", "sing", "'transcribe' or" },
    { "beam", "0", "from 1 to 16" },
    { "beam", "2.5", "from 1 to 16" },
    { "temperature", "0,hot", "numbers from 0 to 2" },
    { "temperature", "", "numbers from 0 to 2" },
    { "length-penalty", "2", "'none'" },
    { "context-margin", "-1", "seconds from 0 to 30" },
    { "word-times", "yes", "'true' or 'false'" },
    { "condition-on-previous-text", "1", "'true' or 'false'" },
    { "volume", "1", "no setting 'volume', only language" },
  };
  Session s;

  whisper_test_open (&s);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (
        infer_speech_stream_set (s.stream, bad[i].key, bad[i].value, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
    g_assert_nonnull (strstr (error->message, bad[i].part));
    if (strcmp (bad[i].key, "volume") != 0)
      whisper_test_set (&s, bad[i].key, NULL);
  }
  whisper_test_close (&s);
}

/* Prompts of any length, and phrases, change the text. */
static void
test_prompts (void)
{
  g_autofree float *samples = whisper_test_noise ();
  g_autofree char *many = g_strnfill (3000, 'x');
  Session s;

  whisper_test_open (&s);
  g_autofree char *plain = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  whisper_test_set (&s, "initial-prompt", "some words");
  g_autofree char *prompted = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpstr (prompted, !=, plain);
  whisper_test_set (&s, "initial-prompt", many);
  g_autofree char *filled = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpstr (filled, !=, plain);
  whisper_test_set (&s, "initial-prompt", NULL);
  g_autofree char *again = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpstr (again, ==, plain);
  whisper_test_close (&s);
}

static void
test_phrases (void)
{
  g_autofree float *samples = whisper_test_noise ();
  Session s;

  whisper_test_open (&s);
  whisper_test_set (&s, "temperature", "0,0.3,1");
  whisper_test_set (&s, "phrases", "zebra:15");
  g_autofree char *text = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  whisper_test_set (&s, "phrases", NULL);
  g_autofree char *plain = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_null (strstr (plain, "zebra"));
  g_assert_cmpstr (text, !=, plain);
  whisper_test_close (&s);
}

/* --- several streams --- */

#define STREAMS 4

typedef struct
{
  Session session;
  const float *samples;
  gsize n;
  char *text;
} Listener;

static gpointer
listen (gpointer data)
{
  Listener *l = data;

  l->text =
      whisper_test_hear (&l->session, 0, l->samples, l->n, 4000, l->n % 2 == 1);
  return NULL;
}

/* Streams that share a model find what each finds alone, with partial results
 * or without, while others begin and end. */
static void
test_streams (void)
{
  g_autofree float *samples = whisper_test_noise ();
  Listener listeners[STREAMS];
  GThread *threads[STREAMS];
  Session s;

  whisper_test_open (&s);
  for (guint i = 0; i < STREAMS; i++) {
    g_autoptr (GError) error = NULL;

    listeners[i] = (Listener){ s, samples + 3000 * i,
      N - 3000 * STREAMS - 30001 * i, NULL };
    listeners[i].session.stream = infer_speech_stream_new (s.model, &error);
    g_assert_no_error (error);
    whisper_test_believe_all (&listeners[i].session);
  }
  for (guint i = 0; i < STREAMS; i++)
    threads[i] = g_thread_new ("listener", listen, &listeners[i]);
  for (guint i = 0; i < STREAMS; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < STREAMS; i++) {
    g_autofree char *alone = whisper_test_hear (
        &s, 0, listeners[i].samples, listeners[i].n, N, FALSE);

    g_assert_cmpuint (strlen (alone), >, 100);
    g_assert_cmpstr (listeners[i].text, ==, alone);
    g_free (listeners[i].text);
    infer_speech_stream_free (listeners[i].session.stream);
  }
  whisper_test_close (&s);
}

/* Hears until it is cancelled. */
static gpointer
listen_for_ever (gpointer data)
{
  Listener *l = data;
  InferSpeechStream *stream = l->session.stream;
  GError *error = NULL;

  while (error == NULL)
    if (!infer_speech_stream_begin (stream, 0, &error)
        || !infer_speech_stream_push (stream, l->samples, l->n, &error)
        || !infer_speech_stream_end (stream, &error))
      break;
  return error;
}

/* One of several streams is cancelled wherever it is, and hears again; the
 * others find what they find alone. */
static void
test_streams_cancelled (void)
{
  g_autofree float *samples = whisper_test_noise ();
  Listener one, other;
  Session s;

  whisper_test_open (&s);
  one = (Listener){ s, samples, N / 4, NULL };
  other = (Listener){ s, samples, N / 2, NULL };
  one.session.stream = infer_speech_stream_new (s.model, NULL);
  other.session.stream = infer_speech_stream_new (s.model, NULL);
  whisper_test_believe_all (&one.session);
  whisper_test_believe_all (&other.session);
  g_autofree char *expected =
      whisper_test_hear (&s, 0, samples, N / 2, N, FALSE);
  for (guint i = 0; i < 5; i++) {
    g_autoptr (GError) error = NULL;
    GThread *ending = g_thread_new ("one", listen_for_ever, &one);
    GThread *going = g_thread_new ("other", listen, &other);

    g_usleep (1000 + 3700 * i);
    infer_speech_stream_set_cancelled (one.session.stream, TRUE);
    error = g_thread_join (ending);
    g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
    g_thread_join (going);
    g_assert_cmpstr (other.text, ==, expected);
    g_clear_pointer (&other.text, g_free);
    infer_speech_stream_set_cancelled (one.session.stream, FALSE);
    infer_speech_stream_reset (one.session.stream);
  }
  g_autofree char *alone = whisper_test_hear (&s, 0, samples, N / 4, N, FALSE);
  g_autofree char *again =
      whisper_test_hear (&one.session, 0, samples, N / 4, N, FALSE);
  g_assert_cmpstr (again, ==, alone);
  infer_speech_stream_free (one.session.stream);
  infer_speech_stream_free (other.session.stream);
  whisper_test_close (&s);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/whisper/pieces", test_pieces);
  g_test_add_func ("/whisper/partials", test_partials);
  g_test_add_func ("/whisper/prepared", test_prepared);
  g_test_add_func ("/whisper/prepared/once", test_prepared_once);
  g_test_add_func ("/whisper/times", test_times);
  g_test_add_func ("/whisper/silence", test_silence);
  g_test_add_func ("/whisper/guards/loops", test_loops);
  g_test_add_func ("/whisper/guards/dropped", test_dropped);
  g_test_add_func ("/whisper/guards/time", test_time_limit);
  g_test_add_func ("/whisper/cancel", test_cancel);
  g_test_add_func ("/whisper/settings", test_settings);
  g_test_add_func ("/whisper/prompts", test_prompts);
  g_test_add_func ("/whisper/phrases", test_phrases);
  g_test_add_func ("/whisper/streams/alone", test_streams);
  g_test_add_func ("/whisper/streams/cancelled", test_streams_cancelled);
  return g_test_run ();
}
