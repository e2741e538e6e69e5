/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CTC models with states: one with features like a streaming zipformer, another
 * that sherpa-onnx heard (tests/speech/make-ctc.py), the bundled digits. */

#include <math.h>
#include <string.h>

#include "inference/media/ctc.h"
#include "inference/media/features/features.h"
#include "inference/media/features/kind.h"
#include "tests/check/inference/speech/ctc-session.h"
#include "tests/check/support/folder.h"

/* --- states and features --- */

/* Runs of 9 frames, 8 from one to the next: every second frame's first 6 bands
 * and a state, which is the last of them, times 0.5. */
#define ZIPFORMER                                                              \
  ONNX_MODEL (ONNX_NODE ("Slice",                                              \
      ONNX_I ("x") ONNX_I ("from") ONNX_I ("to") ONNX_I ("axes")               \
          ONNX_I ("by"),                                                       \
      ONNX_O ("part"), "") ONNX_NODE ("Add",                                   \
      ONNX_I ("part") ONNX_I ("cached_sum"), ONNX_O ("log_probs"),             \
      "") ONNX_NODE ("Slice",                                                  \
      ONNX_I ("log_probs") ONNX_I ("last") ONNX_I ("end") ONNX_I ("axis"),     \
      ONNX_O ("row"), "") ONNX_NODE ("Mul", ONNX_I ("row") ONNX_I ("half"),    \
      ONNX_O ("new_cached_sum"), "") ONNX_INITIALIZER ("from", ONNX_I64,       \
      "1=2 7=1 7=0") ONNX_INITIALIZER ("to", ONNX_I64,                         \
      "1=2 7=9 7=6") ONNX_INITIALIZER ("axes", ONNX_I64, "1=2 7=1 7=2")        \
          ONNX_INITIALIZER ("by", ONNX_I64, "1=2 7=2 7=1") ONNX_INITIALIZER (  \
              "last", ONNX_I64, "1=1 7=3") ONNX_INITIALIZER ("end", ONNX_I64,  \
              "1=1 7=4") ONNX_INITIALIZER ("axis", ONNX_I64, "1=1 7=1")        \
              ONNX_INITIALIZER ("half", ONNX_F32, "1=1 4~0.5") ONNX_INPUT (    \
                  "x", ONNX_F32, ONNX_D (1) ONNX_D (9) ONNX_D (80))            \
                  ONNX_INPUT ("cached_sum", ONNX_F32,                          \
                      ONNX_D (1) ONNX_D (1) ONNX_D (6))                        \
                      ONNX_OUTPUT ("log_probs", ONNX_F32,                      \
                          ONNX_D (1) ONNX_D (4) ONNX_D (6))                    \
                          ONNX_OUTPUT ("new_cached_"                           \
                                       "sum",                                  \
                              ONNX_F32, ONNX_D (1) ONNX_D (1) ONNX_D (6)))

/* As icefall names the lengths of a run, and NeMo; the user's own number of
 * frames beside a wrong one. */
static const char *const zipformers[] = {
  ZIPFORMER ONNX_META ("model_type", "zipformer2") ONNX_META ("T", "9")
      ONNX_META ("decode_chunk_len", "8"),
  ZIPFORMER ONNX_META ("model_type", "conformer") ONNX_META ("window_size", "9")
      ONNX_META ("chunk_shift", "8"),
  ZIPFORMER ONNX_META ("model_type", "zipformer2_ctc") ONNX_META ("T", "11")
      ONNX_META ("model_info T", "9") ONNX_META ("decode_chunk_len", "8"),
};

/* The same, by definition: frames of the samples and of 0.3 s of silence, then
 * runs until all frames were in one. */
static char *
zipformer_loop (const float *samples, gsize n)
{
  InferFeaturesConfig config = infer_features_unset ();
  g_autoptr (GArray) frames = g_array_new (FALSE, FALSE, 80 * sizeof (float));
  g_autoptr (GArray) tokens =
      g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
  g_autoptr (InferCtc) ctc = infer_ctc_new (6, 0, 1, NULL);
  g_autofree float *all = g_new0 (float, n + 4800);
  GString *text = g_string_new (NULL);
  float frame[80], state[6] = { 0 }, pad;
  gboolean complete;

  config.sample_rate = 16000;
  config.bands = 80;
  config.scale = 1;
  config.fmin = 20;
  config.fmax = 7600;
  config.snip_edges = FALSE;
  infer_features_fill (&infer_features_fbank, &config);
  g_autoptr (InferFeatures) features =
      infer_features_new (&infer_features_fbank, &config, NULL);
  memcpy (all, samples, n * sizeof (float));
  for (gsize at = 0; at < n + 4800;) {
    at += infer_features_push (
        features, all + at, n + 4800 - at, frame, &complete);
    if (complete)
      g_array_append_val (frames, frame);
  }
  while (infer_features_finish (features, frame))
    g_array_append_val (frames, frame);
  pad = (float) log (config.floor);
  for (guint i = 0; i < 80; i++)
    frame[i] = pad;
  for (guint first = 0; first + 1 < frames->len; first += 8) {
    float scores[4][6];

    while (frames->len < first + 9)
      g_array_append_val (frames, frame);
    for (guint t = 0; t < 4; t++)
      for (guint c = 0; c < 6; c++)
        scores[t][c] =
            ((float *) (gpointer) frames->data)[(first + 1 + 2 * t) * 80 + c]
            + state[c];
    for (guint c = 0; c < 6; c++)
      state[c] = 0.5f * scores[3][c];
    infer_ctc_push (ctc, scores[0], 4, tokens);
  }
  infer_ctc_finish (ctc, tokens);
  for (guint i = 0; i < tokens->len; i++) {
    g_string_append (
        text, ctc_pieces[g_array_index (tokens, InferCtcToken, i).class_index]);
  }
  return g_string_free (text, FALSE);
}

static char *
without_joins (const char *words)
{
  g_auto (GStrv) parts = g_strsplit (words, " +", -1);

  return g_strjoinv ("", parts);
}

static void
test_zipformer (gconstpointer model)
{
  g_autofree char *folder = ctc_folder (model, CTC_TOKENS);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  Session s;

  session_open (&s, folder, "ctc");
  g_assert_true (infer_speech_model_get_info (s.model)->streaming);
  g_assert_cmpuint (infer_speech_model_get_info (s.model)->delay, ==, 4800);
  for (guint round = 0; round < 6; round++) {
    const gsize n = (gsize) g_rand_int_range (random, 0, 30000);
    g_autofree float *samples = g_new (float, MAX (n, 1));

    for (gsize i = 0; i < n; i++)
      samples[i] = (float) g_rand_double_range (random, -0.5, 0.5);
    g_autofree char *expected = zipformer_loop (samples, n);
    g_autofree char *first = ctc_hear (&s, samples, n, 1000, FALSE, FALSE);
    g_autofree char *plain = without_joins (first);
    g_assert_cmpstr (plain, ==, g_strstrip (expected));
    g_autofree char *timed = ctc_hear (&s, samples, n, 1000, TRUE, TRUE);
    ctc_assert_hears (&s, samples, n, timed, TRUE);
  }
  session_close (&s);
  test_remove_folder (folder);
}

/* --- the digits --- */

static void
check_digits (const char *model, const char *recording, const char *expected)
{
  Session s;
  gsize n;
  g_autofree float *samples = test_read_wav (recording, &n);

  session_open (&s, model, "ctc");
  g_assert_true (infer_speech_model_get_info (s.model)->streaming);
  ctc_assert_hears (&s, samples, n, expected, FALSE);
  g_autofree char *timed = ctc_hear (&s, samples, n, 1600, TRUE, TRUE);
  ctc_assert_hears (&s, samples, n, timed, TRUE);
  session_close (&s);
}

#define PIPELINES SOURCE_ROOT "/pipelines/"

static void
test_digits (void)
{
  static const char *const models[] = { "digits.xml", "digits-wave.xml" };

  for (guint i = 0; i < G_N_ELEMENTS (models); i++) {
    g_autofree char *model =
        g_strconcat (PIPELINES "models/digits/", models[i], NULL);

    check_digits (model, PIPELINES "recordings/af_kore-0-clean.wav",
        "six seven zero one three seven zero");
    check_digits (model, PIPELINES "recordings/noise-pink.wav", "");
  }
}

/* A word leaves when it is over, not when the next one begins: within 0.4 s
 * after its last token. */
static void
test_early (void)
{
  g_autoptr (GError) error = NULL;
  guint words = 0;
  Session s;
  gsize n;

  g_autofree float *samples =
      test_read_wav (PIPELINES "recordings/af_kore-0-clean.wav", &n);
  session_open (&s, PIPELINES "models/digits/digits-wave.xml", "ctc");
  g_assert_true (infer_speech_stream_begin (s.stream, 0, &error));
  for (gsize at = 0; at + 1600 <= n; at += 1600) {
    g_autoptr (InferTranscript) final = NULL;

    infer_speech_stream_push (s.stream, samples + at, 1600, &error);
    g_assert_no_error (error);
    final = infer_speech_stream_pop (s.stream);
    if (final == NULL)
      continue;
    words += final->n_words;
    g_assert_cmpuint (at + 1600 - final->end, <, 6400);
  }
  g_assert_cmpuint (words, >=, 6);
  session_close (&s);
}

/* --- sherpa-onnx --- */

#define DATA SOURCE_ROOT "/tests/speech/"
#define FRAME 640 /* samples of a step */

static void
close_word (GString *words, GString *word, guint64 start)
{
  if (word->len > 0)
    g_string_append_printf (
        words, "%s@%" G_GUINT64_FORMAT " ", word->str, start);
  g_string_truncate (word, 0);
}

/* What it heard until @end, as "word@step …".  (transfer full) */
static char *
read_sherpa (double end)
{
  g_autofree char *content = NULL;
  g_autoptr (GString) word = g_string_new (NULL);
  GString *words = g_string_new (NULL);
  guint64 start = 0;

  g_assert_true (
      g_file_get_contents (DATA "ctc/sherpa-onnx.tsv", &content, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (content, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) fields = g_strsplit (lines[i], "\t", 2);

    if (g_strv_length (fields) < 2)
      continue;
    const double time = g_ascii_strtod (fields[0], NULL);
    if (time > end)
      break;
    if (fields[1][0] == ' ')
      close_word (words, word, start);
    if (word->len == 0)
      start = (guint64) (time * 16000 / FRAME + 0.5);
    g_string_append (word, g_strstrip (fields[1]));
  }
  close_word (words, word, start);
  return g_string_free (words, FALSE);
}

/* The same of ours. */
static char *
hear_steps (Session *s, const float *samples, gsize n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) word = g_string_new (NULL);
  GString *words = g_string_new (NULL);
  InferTranscript *final;
  guint64 start = 0;

  g_assert_true (infer_speech_stream_begin (s->stream, 0, &error));
  g_assert_true (infer_speech_stream_push (s->stream, samples, n, &error));
  g_assert_true (infer_speech_stream_end (s->stream, &error));
  while ((final = infer_speech_stream_pop (s->stream)) != NULL) {
    for (guint i = 0; i < final->n_words; i++) {
      if (!final->words[i].joined) {
        close_word (words, word, start);
        start = final->words[i].start / FRAME;
      }
      g_string_append (word, final->words[i].text);
    }
    infer_transcript_free (final);
  }
  close_word (words, word, start);
  return g_string_free (words, FALSE);
}

/* What the silence after the sound adds is not compared: sherpa-onnx was given
 * more of it. */
static void
test_sherpa (void)
{
  g_autofree char *expected = read_sherpa (3.2);
  gsize n;
  g_autofree float *samples = test_read_wav (DATA "transducer/noise.wav", &n);
  Session s;

  g_assert_cmpuint (strlen (expected), >, 80);
  session_open (&s, DATA "ctc/zipformer", "ctc");
  g_autofree char *heard = hear_steps (&s, samples, n);
  if (!g_str_has_prefix (heard, expected))
    g_assert_cmpstr (heard, ==, expected);
  session_close (&s);
}

/* A cancelled utterance is discarded, and the next one is as any. */
static void
test_cancel (void)
{
  static const char *const models[] = { "digits.xml", "digits-wave.xml" };
  gsize n;
  g_autofree float *samples =
      test_read_wav (PIPELINES "recordings/af_kore-0-clean.wav", &n);

  for (guint i = 0; i < G_N_ELEMENTS (models); i++) {
    g_autofree char *path =
        g_strconcat (PIPELINES "models/digits/", models[i], NULL);
    g_autoptr (GError) error = NULL;
    Session s;

    session_open (&s, path, "ctc");
    g_assert_true (infer_speech_stream_begin (s.stream, 0, &error));
    g_assert_true (infer_speech_stream_push (s.stream, samples, 20000, &error));
    infer_speech_stream_set_cancelled (s.stream, TRUE);
    g_assert_false (
        infer_speech_stream_push (s.stream, samples, 20000, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
    infer_speech_stream_set_cancelled (s.stream, FALSE);
    infer_speech_stream_reset (s.stream);
    ctc_assert_hears (
        &s, samples, n, "six seven zero one three seven zero", FALSE);
    session_close (&s);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/ctc-stream/zipformer", zipformers[0], test_zipformer);
  g_test_add_data_func ("/ctc-stream/keys", zipformers[1], test_zipformer);
  g_test_add_data_func (
      "/ctc-stream/model-info", zipformers[2], test_zipformer);
  g_test_add_func ("/ctc-stream/digits", test_digits);
  g_test_add_func ("/ctc-stream/early", test_early);
  g_test_add_func ("/ctc-stream/sherpa", test_sherpa);
  g_test_add_func ("/ctc-stream/cancel", test_cancel);
  return g_test_run ();
}
