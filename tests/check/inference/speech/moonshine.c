/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Moonshine models of both layouts: the folders of tests/speech/moonshine,
 * whose tokens sherpa-onnx and a loop over ONNX Runtime wrote down
 * (make-moonshine.py). */

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "infer/speech.h"
#include "tests/check/inference/speech/session.h"
#include "tests/check/support/folder.h"

#define DATA SOURCE_ROOT "/tests/speech/moonshine/"
#define LOOP "ci do eu" /* what the decoders of looping say again and again */
#define NOISE SOURCE_ROOT "/tests/speech/transducer/noise.wav"

/* sherpa-onnx allows 6 tokens for 16000 samples of whole frames, optimum 6.5
 * for all. */
static const struct
{
  const char *name, *tokens_per_second;
} layouts[] = { { "separate", "5.8" }, { "merged", "6.5" } };

/* --- support --- */

static void
open_folder (Session *s, const char *name)
{
  g_autofree char *path = g_strconcat (DATA, name, NULL);

  session_open (s, path, NULL);
}

static void
guess (InferSpeechStream *stream, gboolean prepares, GError **error)
{
  gboolean prepared = TRUE;

  if (prepares)
    infer_speech_stream_prepare_end (stream, &prepared, error);
  g_assert_true (prepared);
  if (*error == NULL)
    infer_transcript_free (infer_speech_stream_partial (stream, error));
}

/* In pieces of @piece; @partials: asks for them meanwhile, and prepares every
 * second end.  (transfer full) */
static InferTranscript *
hear (InferSpeechStream *stream, guint64 first, const float *samples, gsize n,
    gsize piece, gboolean partials)
{
  g_autoptr (GError) error = NULL;

  infer_speech_stream_begin (stream, first, &error);
  for (gsize i = 0; i < n && error == NULL; i += piece) {
    infer_speech_stream_push (stream, samples + i, MIN (piece, n - i), &error);
    if (partials && error == NULL)
      guess (stream, i / piece % 2 == 1, &error);
  }
  g_assert_no_error (error);
  infer_speech_stream_end (stream, &error);
  g_assert_no_error (error);
  return infer_speech_stream_pop (stream);
}

/* --- tokens --- */

static void
test_expected (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), found = 0;
  g_autofree char *all = NULL;
  g_autoptr (GError) error = NULL;
  gsize n;
  g_autofree float *samples = test_read_wav (NOISE, &n);
  Session s;

  open_folder (&s, layouts[i].name);
  infer_speech_stream_set (
      s.stream, "tokens-per-second", layouts[i].tokens_per_second, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (DATA "expected.tsv", &all, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (all, "\n", -1);
  for (guint k = 0; lines[k] != NULL; k++) {
    g_auto (GStrv) fields = g_strsplit (lines[k], "\t", 3);

    if (fields[0] == NULL || strcmp (fields[0], layouts[i].name) != 0)
      continue;
    gsize part = (gsize) g_ascii_strtoull (fields[1], NULL, 10);
    /* Longer ones before shorter ones, and each twice: nothing is left of the
     * utterance before. */
    for (guint time = 0; time < 2; time++) {
      g_autoptr (InferTranscript) heard =
          hear (s.stream, 0, samples, part, time == 0 ? part : 777, time == 1);

      g_assert_nonnull (heard);
      g_assert_cmpstr (heard->text, ==, fields[2]);
    }
    found++;
  }
  g_assert_cmpuint (found, ==, 3);
  session_close (&s);
}

/* --- transcripts --- */

/* Words lie one after the other in the loud part. */
static void
test_times (void)
{
  gsize n;
  g_autofree float *samples = test_read_wav (NOISE, &n);
  g_autofree float *quiet = g_new0 (float, n + 32000);
  guint64 before = 0;
  Session s;

  for (gsize i = 0; i < n; i++)
    quiet[16000 + i] = samples[i];
  open_folder (&s, "merged");
  g_autoptr (InferTranscript) heard =
      hear (s.stream, 5000, quiet, n + 32000, 4096, FALSE);
  g_assert_nonnull (heard);
  g_assert_cmpuint (heard->start, >=, 5000 + 16000 - 160);
  g_assert_cmpuint (heard->end, <=, 5000 + 16000 + n + 160);
  g_assert_cmpuint (heard->n_words, >, 2);
  for (guint i = 0; i < heard->n_words; i++) {
    const InferWord *word = &heard->words[i];

    g_assert_cmpuint (word->start, >=, before);
    g_assert_cmpuint (word->end, >, word->start);
    g_assert_cmpfloat (word->probability, >, 0);
    g_assert_cmpfloat (word->probability, <=, 1);
    before = word->end;
  }
  g_assert_cmpuint (before, ==, heard->end);
  g_assert_true (isnan (heard->no_speech));
  g_assert_cmpfloat (heard->log_probability, <, 0);
  session_close (&s);
}

/* Utterances beyond the longest one are cut where it is quiet. */
static void
test_long (void)
{
  g_autoptr (GError) error = NULL;
  gsize n, many = 75 * 16000;
  g_autofree float *samples = test_read_wav (NOISE, &n);
  g_autofree float *sound = g_new (float, many);
  guint64 end = 0;
  guint finals = 0;
  Session s;

  for (gsize i = 0; i < many; i++)
    sound[i] = i >= 26 * 16000 && i < 26 * 16000 + 8000
                   ? 0
                   : samples[i % n] + 0.001f * (float) (i % 7);
  open_folder (&s, "separate");
  g_assert_cmpuint (
      infer_speech_model_get_info (s.model)->longest, ==, 30 * 16000);
  g_assert_false (infer_speech_model_get_info (s.model)->streaming);
  infer_speech_stream_begin (s.stream, 0, &error);
  infer_speech_stream_push (s.stream, sound, many, &error);
  infer_speech_stream_end (s.stream, &error);
  g_assert_no_error (error);
  for (InferTranscript *final;
       (final = infer_speech_stream_pop (s.stream)) != NULL; finals++) {
    if (finals == 0) {
      g_assert_cmpuint (final->end, >=, 26 * 16000 - 160);
      g_assert_cmpuint (final->end, <=, 26 * 16000 + 8000);
    }
    g_assert_cmpuint (final->start, >=, end);
    end = final->end;
    infer_transcript_free (final);
  }
  g_assert_cmpuint (finals, >=, 3);
  g_assert_cmpuint (end, >, many - 32000);
  session_close (&s);
}

/* Too short for a token, and nothing at all. */
static void
test_short (void)
{
  gsize n;
  g_autofree float *samples = test_read_wav (NOISE, &n);
  Session s;

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++) {
    open_folder (&s, layouts[i].name);
    g_autoptr (InferTranscript) none = hear (s.stream, 0, samples, 0, 1, FALSE);
    g_autoptr (InferTranscript) few =
        hear (s.stream, 0, samples, 1000, 1000, TRUE);
    g_autoptr (InferTranscript) some =
        hear (s.stream, 0, samples, 3000, 500, FALSE);
    g_assert_null (none);
    g_assert_null (few);
    g_assert_nonnull (some);
    g_assert_cmpuint (some->end, <=, 3000);
    session_close (&s);
  }
}

/* A decoder that never ends says it once: three tokens, a word. */
static void
test_loop (void)
{
  static const char *const files[][2] = { { "preprocess.onnx", "separate/" },
    { "encode.onnx", "separate/" }, { "tokens.txt", "separate/" },
    { "uncached_decode.onnx", "looping/" },
    { "cached_decode.onnx", "looping/" } };
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("moonshine-XXXXXX", NULL);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  gsize n;
  g_autofree float *samples = test_read_wav (NOISE, &n);

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *from = g_build_filename (folder, files[i][0], NULL);
    g_autofree char *to = g_strconcat (DATA, files[i][1], files[i][0], NULL);

    g_assert_cmpint (symlink (to, from), ==, 0);
  }
  g_autoptr (InferSpeechModel) model =
      infer_speech_model_load (folder, NULL, runtime, &error);
  g_assert_no_error (error);
  g_autoptr (InferSpeechStream) stream =
      infer_speech_stream_new (model, &error);
  g_assert_no_error (error);
  g_autoptr (InferTranscript) heard = hear (stream, 0, samples, n, n, FALSE);
  g_assert_nonnull (heard);
  g_assert_cmpstr (heard->text, ==, LOOP);
  test_remove_folder (folder);
}

static void
test_settings (void)
{
  static const char *const wrong[][3] = {
    { "tokens-per-second", "0", "is not a number from 1 to 50" },
    { "tokens-per-second", "6x", "'6x' is not" },
    { "tokens-per-second", "nan", "is not" },
    { "phrases", "qq\x01", "line 1" },
    { "beam", "2", "no setting 'beam', only phrases and tokens-per-second" },
  };
  Session s;

  open_folder (&s, "separate");
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (
        infer_speech_stream_set (s.stream, wrong[i][0], wrong[i][1], &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
    g_assert_nonnull (strstr (error->message, wrong[i][2]));
  }
  g_assert_true (
      infer_speech_stream_set (s.stream, "tokens-per-second", NULL, NULL));
  session_close (&s);
}

/* A phrase is preferred while it is set, to its end; a weak one changes
 * nothing.
 */
static void
test_phrases (void)
{
  gsize n;
  g_autofree float *samples = test_read_wav (NOISE, &n);
  g_autoptr (GError) error = NULL;
  Session s;

  open_folder (&s, "separate");
  g_autoptr (InferTranscript) plain =
      hear (s.stream, 0, samples, 20000, 20000, FALSE);
  g_assert_null (strstr (plain->text, "hibo"));
  infer_speech_stream_set (s.stream, "phrases", "hibo:20", &error);
  g_assert_no_error (error);
  g_autoptr (InferTranscript) led =
      hear (s.stream, 0, samples, 20000, 20000, FALSE);
  g_autoptr (InferTranscript) partials =
      hear (s.stream, 0, samples, 20000, 4000, TRUE);
  g_test_message ("%s: %s", plain->text, led->text);
  g_assert_nonnull (strstr (led->text, "hibo"));
  g_assert_cmpstr (partials->text, ==, led->text);
  for (guint i = 0; i < led->n_words; i++)
    g_assert_cmpfloat (led->words[i].probability, <=, 1);
  infer_speech_stream_set (s.stream, "phrases", "hibo:0.001", &error);
  g_autoptr (InferTranscript) weak =
      hear (s.stream, 0, samples, 20000, 20000, FALSE);
  g_assert_cmpstr (weak->text, ==, plain->text);
  infer_speech_stream_set (s.stream, "phrases", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (InferTranscript) again =
      hear (s.stream, 0, samples, 20000, 20000, FALSE);
  g_assert_cmpstr (again->text, ==, plain->text);
  session_close (&s);
}

/* --- cancelling --- */

static gpointer
cancel_soon (gpointer stream)
{
  g_usleep (20000);
  infer_speech_stream_set_cancelled (stream, TRUE);
  return NULL;
}

static void
test_cancel (void)
{
  g_autoptr (GError) error = NULL;
  gsize n;
  g_autofree float *samples = test_read_wav (NOISE, &n);
  Session s;

  open_folder (&s, "merged");
  g_autoptr (InferTranscript) before = hear (s.stream, 0, samples, n, n, FALSE);
  infer_speech_stream_begin (s.stream, 0, &error);
  GThread *thread = g_thread_new ("cancel", cancel_soon, s.stream);
  while (infer_speech_stream_push (s.stream, samples, n, &error)) {
    infer_transcript_free (infer_speech_stream_partial (s.stream, &error));
    if (error != NULL)
      break;
  }
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_thread_join (thread);
  infer_speech_stream_set_cancelled (s.stream, FALSE);
  infer_speech_stream_reset (s.stream);
  g_autoptr (InferTranscript) after = hear (s.stream, 0, samples, n, n, FALSE);
  g_assert_cmpstr (after->text, ==, before->text);
  session_close (&s);
}

/* --- folders that do not fit together --- */

typedef struct
{
  const char *name;
  const char *files[10]; /* name, file, … */
  const char *words[4];
} Broken;

#define SEPARATE(file) file, "separate/" file

static const Broken broken[] = {
  { "no-cached",
      { SEPARATE ("preprocess.onnx"), SEPARATE ("encode.onnx"),
          SEPARATE ("uncached_decode.onnx"), SEPARATE ("tokens.txt") },
      { "there is no cached_decode.onnx" } },
  { "no-tokens",
      { SEPARATE ("preprocess.onnx"), SEPARATE ("encode.onnx"),
          SEPARATE ("uncached_decode.onnx"), SEPARATE ("cached_decode.onnx") },
      { "tokens.txt" } },
  { "swapped",
      { SEPARATE ("preprocess.onnx"), SEPARATE ("encode.onnx"),
          "uncached_decode.onnx", "separate/cached_decode.onnx",
          "cached_decode.onnx", "separate/uncached_decode.onnx",
          SEPARATE ("tokens.txt") },
      { "cached_decode.onnx", "it has 3 inputs" } },
  { "encoder",
      { "preprocess.onnx", "separate/encode.onnx", "encode.onnx",
          "../transducer/other-joiner.onnx", SEPARATE ("uncached_decode.onnx"),
          SEPARATE ("cached_decode.onnx"), SEPARATE ("tokens.txt") },
      { "encode.onnx: its input 'encoder_out' takes 32 values",
          "preprocess.onnx gives 16" } },
  { "vocabulary",
      { "encoder_model.onnx", "merged/encoder_model.onnx",
          "decoder_model_merged.onnx", "merged/decoder_model_merged.onnx",
          "config.json", "merged/config.json", "tokens.txt",
          "more-tokens.txt" },
      { "tokens.txt", "65 tokens", "gives scores of 64" } },
  { "decoder",
      { "encoder_model.onnx", "merged/encoder_model.onnx",
          "decoder_model_merged.onnx", "separate/cached_decode.onnx",
          "config.json", "merged/config.json", "tokens.txt",
          "merged/tokens.txt" },
      { "decoder_model_merged.onnx", "input_ids" } },
  { "config",
      { "encoder_model.onnx", "merged/encoder_model.onnx",
          "decoder_model_merged.onnx", "merged/decoder_model_merged.onnx",
          "config.json", "merged/tokens.txt", "tokens.txt",
          "merged/tokens.txt" },
      { "config.json" } },
};

static void
test_broken (gconstpointer data)
{
  const Broken *b = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("moonshine-XXXXXX", NULL);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);

  g_assert_nonnull (folder);
  for (guint i = 0; i < G_N_ELEMENTS (b->files) && b->files[i] != NULL;
       i += 2) {
    g_autofree char *from = g_build_filename (folder, b->files[i], NULL);
    g_autofree char *to = g_strconcat (DATA, b->files[i + 1], NULL);

    g_assert_cmpint (symlink (to, from), ==, 0);
  }
  g_autoptr (InferSpeechModel) model =
      infer_speech_model_load (folder, "moonshine", runtime, &error);
  g_assert_null (model);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  for (guint i = 0; b->words[i] != NULL; i++)
    g_assert_nonnull (strstr (error->message, b->words[i]));
  g_assert_null (strchr (error->message, '\n'));
  test_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func (
      "/moonshine/separate/expected", GUINT_TO_POINTER (0), test_expected);
  g_test_add_data_func (
      "/moonshine/merged/expected", GUINT_TO_POINTER (1), test_expected);
  g_test_add_func ("/moonshine/times", test_times);
  g_test_add_func ("/moonshine/long", test_long);
  g_test_add_func ("/moonshine/short", test_short);
  g_test_add_func ("/moonshine/loop", test_loop);
  g_test_add_func ("/moonshine/settings", test_settings);
  g_test_add_func ("/moonshine/phrases", test_phrases);
  g_test_add_func ("/moonshine/cancel", test_cancel);
  for (guint i = 0; i < G_N_ELEMENTS (broken); i++) {
    g_autofree char *path =
        g_strconcat ("/moonshine/broken/", broken[i].name, NULL);

    g_test_add_data_func (path, &broken[i], test_broken);
  }
  return g_test_run ();
}
