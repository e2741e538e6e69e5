/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Transducers: the folders of tests/speech/transducer, whose tokens
 * and times sherpa-onnx wrote down (make-transducer.py). */

#include <math.h>
#include <string.h>

#include "infer/speech.h"
#include "tests/check/inference/speech/allocations.h"
#include "tests/check/inference/speech/session.h"
#include "tests/check/support/folder.h"

#define DATA SOURCE_ROOT "/tests/speech/transducer/"
#define FRAME 640 /* samples of a token: 40 ms */

/* --- support --- */

static void
open_folder (Session *s, const char *name)
{
  g_autofree char *path = g_strconcat (DATA, name, NULL);

  session_open (s, path, NULL);
}

static void
set (InferSpeechStream *stream, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;

  infer_speech_stream_set (stream, key, value, &error);
  g_assert_no_error (error);
}

static void
append (GString *text, const InferTranscript *transcript)
{
  for (guint i = 0; i < transcript->n_words; i++) {
    const InferWord *word = &transcript->words[i];

    g_string_append_printf (text,
        "%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n", word->text,
        word->start, word->end);
    g_assert_cmpuint (word->start, <, word->end);
    if (i > 0)
      g_assert_cmpuint (word[-1].end, <=, word->start);
    g_assert_cmpfloat (word->probability, >, 0);
    g_assert_cmpfloat (word->probability, <=, 1);
  }
}

static void
pop_all (InferSpeechStream *stream, GString *text)
{
  InferTranscript *final;

  while ((final = infer_speech_stream_pop (stream)) != NULL) {
    append (text, final);
    infer_transcript_free (final);
  }
}

/* @samples in pieces of up to @most; "word start end" per line.  @partials:
 * asks for them meanwhile.  (transfer full) */
static char *
hear (InferSpeechStream *stream, const float *samples, gsize n, gsize most,
    gboolean partials)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  GString *text = g_string_new (NULL);

  infer_speech_stream_begin (stream, 0, &error);
  for (gsize i = 0; i < n && error == NULL;) {
    gsize piece =
        most >= n ? n : (gsize) g_rand_int_range (random, 1, (int) most);

    piece = MIN (piece, n - i);
    infer_speech_stream_push (stream, samples + i, piece, &error);
    i += piece;
    if (partials && error == NULL)
      infer_transcript_free (infer_speech_stream_partial (stream, &error));
  }
  g_assert_no_error (error);
  infer_speech_stream_end (stream, &error);
  g_assert_no_error (error);
  pop_all (stream, text);
  return g_string_free (text, FALSE);
}

/* --- sherpa-onnx --- */

static void
add_token (GString *text, const char *token, guint64 frame, guint64 *end)
{
  if (text->len == 0 || *token == ' ') {
    if (text->len > 0)
      g_string_append_printf (text, " %" G_GUINT64_FORMAT "\n", *end);
    g_string_append_printf (
        text, "%s|%" G_GUINT64_FORMAT, token + (*token == ' '), frame * FRAME);
  } else {
    char *bar = strrchr (text->str, '|');

    g_string_insert (text, bar - text->str, token);
  }
  *end = (frame + 1) * FRAME;
}

/* What it heard, as `hear` writes it.  (transfer full) */
static char *
read_expected (const char *kind, const char *method)
{
  g_autofree char *all = NULL;
  GString *text = g_string_new (NULL);
  guint64 end = 0;

  g_assert_true (
      g_file_get_contents (DATA "sherpa-onnx.tsv", &all, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (all, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) fields = g_strsplit (lines[i], "\t", 4);

    if (g_strv_length (fields) == 4 && strcmp (fields[0], kind) == 0
        && strcmp (fields[1], method) == 0)
      add_token (text, fields[3],
          (guint64) lround (g_ascii_strtod (fields[2], NULL) * 25), &end);
  }
  g_assert_cmpuint (text->len, >, 0);
  g_string_append_printf (text, " %" G_GUINT64_FORMAT "\n", end);
  return g_strdelimit (g_string_free (text, FALSE), "|", ' ');
}

static void
test_sherpa (gconstpointer kind)
{
  gsize n;
  g_autofree float *samples = test_read_wav (DATA "noise.wav", &n);
  g_autofree char *greedy = read_expected (kind, "greedy_search");
  g_autofree char *beam = read_expected (kind, "modified_beam_search");
  Session s;

  open_folder (&s, kind);
  set (s.stream, "trailing-silence", "0");
  g_autofree char *heard = hear (s.stream, samples, n, n, FALSE);
  g_assert_cmpstr (heard, ==, greedy);
  set (s.stream, "beam", "4");
  g_autofree char *searched = hear (s.stream, samples, n, n, FALSE);
  g_assert_cmpstr (searched, ==, beam);
  g_assert_cmpstr (heard, !=, searched);
  session_close (&s);
}

/* --- the same for any pieces --- */

static void
test_pieces (gconstpointer kind)
{
  static const gsize most[] = { 2, 161, 1000, 7000 };
  gsize n;
  g_autofree float *samples = test_read_wav (DATA "noise.wav", &n);
  Session s;

  open_folder (&s, kind);
  for (guint beam = 0; beam < 2; beam++) {
    set (s.stream, "beam", beam ? "3" : NULL);
    g_autofree char *whole = hear (s.stream, samples, n, n, FALSE);
    for (guint i = 0; i < G_N_ELEMENTS (most); i++) {
      g_autofree char *heard = hear (s.stream, samples, n, most[i], i % 2 == 1);

      g_assert_cmpstr (heard, ==, whole);
    }
  }
  session_close (&s);
}

/* Two streams of a model in turns, the second one later in time. */
static void
test_streams (void)
{
  g_autoptr (GError) error = NULL;
  gsize n;
  g_autofree float *samples = test_read_wav (DATA "noise.wav", &n);
  g_autoptr (GString) first = g_string_new (NULL);
  Session s;

  open_folder (&s, "zipformer");
  g_autofree char *alone = hear (s.stream, samples, n, n, FALSE);
  InferSpeechStream *other = infer_speech_stream_new (s.model, &error);
  g_assert_no_error (error);
  infer_speech_stream_begin (s.stream, 0, &error);
  infer_speech_stream_begin (other, 1000000, &error);
  for (gsize i = 0; i < n; i += 1600) {
    infer_speech_stream_push (s.stream, samples + i, 1600, &error);
    infer_speech_stream_push (other, samples + n - 1600 - i, 1600, &error);
    g_assert_no_error (error);
  }
  infer_speech_stream_end (s.stream, &error);
  infer_speech_stream_end (other, &error);
  g_assert_no_error (error);
  pop_all (s.stream, first);
  g_assert_cmpstr (first->str, ==, alone);
  g_autoptr (InferTranscript) late = infer_speech_stream_pop (other);
  g_assert_nonnull (late);
  g_assert_cmpuint (late->start, >=, 1000000);
  g_assert_cmpuint (late->end, <=, 1000000 + n);
  infer_speech_stream_free (other);
  session_close (&s);
}

/* --- finals and partials --- */

/* Silence ends transcripts; their words are the same. */
static void
test_silence (void)
{
  g_autoptr (GError) error = NULL;
  gsize n;
  g_autofree float *samples = test_read_wav (DATA "noise.wav", &n);
  g_autoptr (GString) text = g_string_new (NULL);
  guint finals = 0;
  Session s;

  open_folder (&s, "conformer");
  set (s.stream, "trailing-silence", "0");
  g_autofree char *whole = hear (s.stream, samples, n, n, FALSE);
  set (s.stream, "trailing-silence", "800");
  infer_speech_stream_begin (s.stream, 0, &error);
  for (gsize i = 0; i < n; i += 800) {
    g_autoptr (InferTranscript) final = NULL;

    infer_speech_stream_push (s.stream, samples + i, 800, &error);
    g_assert_no_error (error);
    final = infer_speech_stream_pop (s.stream);
    if (final == NULL)
      continue;
    finals++;
    append (text, final);
    /* After 0.8 s of silence, and the window that the encoder looks ahead. */
    g_assert_cmpuint (i + 800 - final->end, >=, 12800);
    g_assert_cmpuint (i + 800 - final->end, <=, 12800 + 7000);
    g_autoptr (InferTranscript) rest =
        infer_speech_stream_partial (s.stream, &error);
    g_assert_null (rest);
  }
  g_assert_cmpuint (finals, ==, 2);
  infer_speech_stream_end (s.stream, &error);
  g_assert_no_error (error);
  pop_all (s.stream, text);
  g_assert_cmpstr (text->str, ==, whole);
  session_close (&s);
}

/* With one path, what a partial had stays. */
static void
test_partials (void)
{
  g_autoptr (GError) error = NULL;
  gsize n;
  g_autofree float *samples = test_read_wav (DATA "noise.wav", &n);
  g_autofree char *before = g_strdup ("");
  guint grown = 0;
  Session s;

  open_folder (&s, "conformer");
  set (s.stream, "trailing-silence", "0");
  infer_speech_stream_begin (s.stream, 0, &error);
  for (gsize i = 0; i < n; i += 800) {
    infer_speech_stream_push (s.stream, samples + i, 800, &error);
    g_autoptr (InferTranscript) partial =
        infer_speech_stream_partial (s.stream, &error);
    g_assert_no_error (error);
    if (partial == NULL)
      continue;
    g_assert_true (g_str_has_prefix (partial->text, before));
    g_assert_true (isnan (partial->no_speech));
    g_assert_null (infer_speech_stream_pop (s.stream));
    grown += strcmp (partial->text, before) != 0;
    g_free (before);
    before = g_strdup (partial->text);
  }
  g_assert_cmpuint (grown, >, 3);
  infer_speech_stream_end (s.stream, &error);
  g_autoptr (InferTranscript) final = infer_speech_stream_pop (s.stream);
  g_assert_nonnull (final);
  g_assert_true (g_str_has_prefix (final->text, before));
  session_close (&s);
}

/* Once all numbers of paths were there, only transcripts are allocated. */
static void
test_allocations (void)
{
  g_autoptr (GError) error = NULL;
  gsize n;
  g_autofree float *samples = test_read_wav (DATA "noise.wav", &n);
  Session s;

  if (!TEST_COUNTS_ALLOCATIONS) {
    g_test_skip ("a sanitizer counts allocations itself");
    return;
  }
  open_folder (&s, "zipformer");
  set (s.stream, "trailing-silence", "0");
  for (guint beam = 0; beam < 2; beam++) {
    set (s.stream, "beam", beam ? "4" : "1");
    g_free (hear (s.stream, samples, n, n, FALSE));
    infer_speech_stream_begin (s.stream, 0, &error);
    gint allocations = g_atomic_int_get (&test_n_allocations);

    g_assert_cmpint (allocations, >, 0);
    for (gsize i = 0; i < n; i += 160)
      infer_speech_stream_push (s.stream, samples + i, 160, &error);
    g_assert_cmpint (g_atomic_int_get (&test_n_allocations), ==, allocations);
    g_assert_no_error (error);
    infer_speech_stream_end (s.stream, &error);
    infer_transcript_free (infer_speech_stream_pop (s.stream));
  }
  session_close (&s);
}

/* A phrase that is nearly as likely as what is heard without it. */
static void
test_phrases (void)
{
  g_autoptr (GError) error = NULL;
  gsize n;
  g_autofree float *samples = test_read_wav (DATA "noise.wav", &n);
  Session s;

  open_folder (&s, "conformer");
  set (s.stream, "trailing-silence", "0");
  set (s.stream, "beam", "4");
  g_autofree char *plain = hear (s.stream, samples, n, n, FALSE);
  set (s.stream, "phrases", "hdo:2");
  g_autofree char *wanted = hear (s.stream, samples, n, n, FALSE);
  g_assert_null (strstr (plain, "\nhdo "));
  g_assert_nonnull (strstr (wanted, "\nhdo "));
  set (s.stream, "phrases", NULL);
  g_autofree char *again = hear (s.stream, samples, n, n, FALSE);
  g_assert_cmpstr (again, ==, plain);

  g_assert_false (
      infer_speech_stream_set (s.stream, "phrases", "\xe4\xb8\xad", &error));
  g_assert_nonnull (error);
  session_close (&s);
}

/* An encoder of whole utterances: short ones, and longer ones than it takes. */
static void
test_whole (void)
{
  g_autoptr (GError) error = NULL;
  gsize n, many = 65 * 16000;
  g_autofree float *samples = test_read_wav (DATA "noise.wav", &n);
  g_autofree float *minute = g_new (float, many);
  guint64 end = 0;
  guint finals = 0;
  Session s;

  open_folder (&s, "whole");
  const InferSpeechInfo *info = infer_speech_model_get_info (s.model);
  g_assert_false (info->streaming);
  g_assert_cmpuint (info->longest, ==, 30 * 16000);
  g_assert_cmpuint (info->delay, ==, 0);
  g_autofree char *none = hear (s.stream, samples, 0, 1, FALSE);
  g_assert_cmpstr (none, ==, "");
  for (gsize part = 1; part < 4000; part *= 3)
    g_free (hear (s.stream, samples, part, part, TRUE));
  for (gsize i = 0; i < many; i++)
    minute[i] = samples[i % n];
  infer_speech_stream_begin (s.stream, 0, &error);
  infer_speech_stream_push (s.stream, minute, many, &error);
  infer_speech_stream_end (s.stream, &error);
  g_assert_no_error (error);
  for (InferTranscript *final;
       (final = infer_speech_stream_pop (s.stream)) != NULL; finals++) {
    g_assert_cmpuint (final->start, >=, end);
    g_assert_cmpuint (final->start, >=, finals * 29 * 16000);
    end = final->end;
    infer_transcript_free (final);
  }
  g_assert_cmpuint (finals, ==, 3);
  g_assert_cmpuint (end, >, 62 * 16000);
  g_assert_cmpuint (end, <=, many);
  session_close (&s);
}

static void
test_settings (void)
{
  static const char *const wrong[][3] = {
    { "beam", "0", "beam = '0' is not a number from 1 to 16" },
    { "beam", "17", "from 1 to 16" },
    { "trailing-silence", "soon", "'soon' is not a number from 0 to 60000" },
    { "language", "en", "no setting 'language', only phrases, beam and" },
  };
  Session s;

  open_folder (&s, "zipformer");
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (
        infer_speech_stream_set (s.stream, wrong[i][0], wrong[i][1], &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
    g_assert_nonnull (strstr (error->message, wrong[i][2]));
  }
  const InferSpeechInfo *info = infer_speech_model_get_info (s.model);
  g_assert_cmpstr (info->kind, ==, "transducer");
  g_assert_cmpuint (info->rate, ==, 16000);
  g_assert_true (info->streaming);
  g_assert_cmpuint (info->longest, ==, 0);
  /* The encoder's window of 45 frames of 10 ms, and the half of one of 25 ms
   * after the last. */
  g_assert_cmpuint (info->delay, ==, 44 * 160 + 280);
  session_close (&s);
}

/* --- cancelling --- */

static gpointer
cancel_soon (gpointer stream)
{
  g_usleep (30000);
  infer_speech_stream_set_cancelled (stream, TRUE);
  return NULL;
}

static void
test_cancel (void)
{
  gsize n;
  g_autofree float *samples = test_read_wav (DATA "noise.wav", &n);
  gsize many = n * 200; /* 11 minutes */
  g_autofree float *minutes = g_new0 (float, many);
  g_autoptr (GError) error = NULL;
  Session s;

  for (gsize i = 0; i < many; i++)
    minutes[i] = samples[i % n];
  open_folder (&s, "zipformer");
  g_autofree char *before = hear (s.stream, samples, n, n, FALSE);
  infer_speech_stream_begin (s.stream, 0, &error);
  GThread *thread = g_thread_new ("cancel", cancel_soon, s.stream);
  g_assert_false (infer_speech_stream_push (s.stream, minutes, many, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_thread_join (thread);
  g_clear_error (&error);
  g_assert_false (infer_speech_stream_end (s.stream, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  infer_speech_stream_set_cancelled (s.stream, FALSE);
  infer_speech_stream_reset (s.stream);
  g_autofree char *after = hear (s.stream, samples, n, n, FALSE);
  g_assert_cmpstr (after, ==, before);
  session_close (&s);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func (
      "/transducer/zipformer/sherpa", "zipformer", test_sherpa);
  g_test_add_data_func (
      "/transducer/conformer/sherpa", "conformer", test_sherpa);
  g_test_add_data_func (
      "/transducer/zipformer/pieces", "zipformer", test_pieces);
  g_test_add_data_func (
      "/transducer/conformer/pieces", "conformer", test_pieces);
  g_test_add_data_func ("/transducer/whole/sherpa", "whole", test_sherpa);
  g_test_add_data_func ("/transducer/whole/pieces", "whole", test_pieces);
  g_test_add_func ("/transducer/whole/long", test_whole);
  g_test_add_func ("/transducer/streams", test_streams);
  g_test_add_func ("/transducer/silence", test_silence);
  g_test_add_func ("/transducer/partials", test_partials);
  g_test_add_func ("/transducer/allocations", test_allocations);
  g_test_add_func ("/transducer/phrases", test_phrases);
  g_test_add_func ("/transducer/settings", test_settings);
  g_test_add_func ("/transducer/cancel", test_cancel);
  return g_test_run ();
}
