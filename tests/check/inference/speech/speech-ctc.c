/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CTC models: one that gives its samples as scores, one with states and
 * features like a streaming zipformer, the bundled digits, a recogniser of
 * phonemes where
 * ../shared has it; always against a plain loop over the same scores. */

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "inference/base/npy.h"
#include "inference/media/ctc.h"
#include "inference/media/features/features.h"
#include "inference/media/features/kind.h"
#include "tests/check/inference/speech/ctc-session.h"

/* --- folders --- */

/* Its scores are its samples, 6 per step, times 20; a second input is their
 * number. */
#define ECHO(width)                                                            \
  ONNX_MODEL (ONNX_NODE ("Reshape", ONNX_I ("x") ONNX_I ("s"), ONNX_O ("r"),   \
      "") ONNX_NODE ("Mul", ONNX_I ("r") ONNX_I ("f"), ONNX_O ("scores"), "")  \
          ONNX_INITIALIZER ("s", ONNX_I64, "1=3 7=1 7=-1 7=" #width)           \
              ONNX_INITIALIZER ("f", ONNX_F32, "1=1 4~20")                     \
                  ONNX_INPUT ("x", ONNX_F32, ONNX_D (1) ONNX_NAMED ("N"))      \
                      ONNX_OUTPUT ("scores", ONNX_F32,                         \
                          ONNX_D (1) ONNX_NAMED ("T") ONNX_D (width)))

/* --- scores as samples --- */

/* One clearly best token per step. */
static float *
loud (const char *tokens, gsize *n)
{
  *n = strlen (tokens) * 6;
  float *samples = g_new0 (float, *n);
  for (gsize i = 0; tokens[i] != '\0'; i++)
    samples[6 * i + (gsize) (tokens[i] - '0')] = 1;
  return samples;
}

static void
test_words (void)
{
  g_autofree char *folder = ctc_folder (ECHO (6), CTC_TOKENS);
  /* Less than 8 steps: a step has 6 samples; "5" is a point. */
  static const char *const cases[][2] = { { "000", "" },
    { "0112003", "ab@1006-1024 c@1036-1042" }, { "0250000", "b.@1006-1018" },
    { "1103000", "a@1000-1012 c@1018-1024" },
    { "3411020", "cd@1000-1012 ab@1012-1036" } };
  Session s;

  session_open (&s, folder, "ctc");
  g_assert_false (infer_speech_model_get_info (s.model)->streaming);
  g_assert_cmpuint (infer_speech_model_get_info (s.model)->rate, ==, 16000);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gsize n;
    g_autofree float *samples = loud (cases[i][0], &n);

    ctc_assert_hears (&s, samples, n, cases[i][1], TRUE);
    ctc_set (&s, "beam", "4");
    ctc_assert_hears (&s, samples, n, cases[i][1], TRUE);
    ctc_set (&s, "beam", NULL);
  }
  session_close (&s);
  test_remove_folder (folder);
}

static void
test_partial (void)
{
  g_autofree char *folder = ctc_folder (ECHO (6), CTC_TOKENS);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  Session s;
  gsize n;
  g_autofree float *samples = loud ("01020030", &n);

  session_open (&s, folder, "ctc");
  g_assert_true (infer_speech_stream_begin (s.stream, 0, &error));
  g_assert_null (infer_speech_stream_partial (s.stream, &error));
  g_assert_true (infer_speech_stream_push (s.stream, samples, 24, &error));
  g_autoptr (InferTranscript) first =
      infer_speech_stream_partial (s.stream, &error);
  g_assert_cmpstr (first->text, ==, "ab");
  g_assert_true (
      infer_speech_stream_push (s.stream, samples + 24, n - 24, &error));
  g_autoptr (InferTranscript) second =
      infer_speech_stream_partial (s.stream, &error);
  g_assert_cmpstr (second->text, ==, "ab c");
  g_assert_null (infer_speech_stream_pop (s.stream));
  /* What is discarded leaves nothing. */
  infer_speech_stream_reset (s.stream);
  g_assert_true (infer_speech_stream_begin (s.stream, 0, &error));
  g_assert_true (infer_speech_stream_end (s.stream, &error));
  ctc_pop_all (&s, text, FALSE);
  g_assert_cmpstr (text->str, ==, "");
  session_close (&s);
  test_remove_folder (folder);
}

/* "d" is a little less likely than "b"; a phrase with it makes up for that, and
 * one that is not complete does not. */
static void
test_phrases (void)
{
  g_autofree char *folder = ctc_folder (ECHO (6), CTC_TOKENS);
  Session s;
  gsize n;
  g_autofree float *samples = loud ("0102000", &n);

  samples[3 * 6 + 4] = 0.9f; /* 2 below "b" */
  session_open (&s, folder, "ctc");
  ctc_assert_hears (&s, samples, n, "ab", FALSE);
  ctc_set (&s, "phrases", "ad");
  ctc_assert_hears (&s, samples, n, "ad", FALSE);
  ctc_set (&s, "phrases", "ad:0.5\ncd");
  ctc_assert_hears (&s, samples, n, "ab", FALSE);
  ctc_set (&s, "phrases", "add:5");
  ctc_assert_hears (&s, samples, n, "ab", FALSE);
  ctc_set (&s, "phrases", NULL);
  ctc_assert_hears (&s, samples, n, "ab", FALSE);
  session_close (&s);
  test_remove_folder (folder);
}

/* Longer than an utterance may be: decoded in pieces, nothing lost. */
static void
test_longest (void)
{
  g_autofree char *folder = ctc_folder (ECHO (6), CTC_TOKENS);
  const gsize n = 600000; /* 100000 steps; 30 s are 480000 samples */
  g_autofree float *samples = g_new0 (float, n);
  Session s;

  for (gsize i = 0; i < n; i += 6)
    samples[i + (i == 6 * 50000 ? 1 : i == 6 * 99000 ? 3 : 0)] = 1;
  session_open (&s, folder, "ctc");
  g_assert_cmpuint (infer_speech_model_get_info (s.model)->longest, ==, 480000);
  g_autofree char *text = ctc_hear (&s, samples, n, 100000, FALSE, FALSE);
  g_assert_cmpstr (text, ==, "a c");
  session_close (&s);
  test_remove_folder (folder);
}

/* --- wav2vec2 --- */

/* As ECHO, after its mask. */
#define MASKED                                                                 \
  ONNX_MODEL (ONNX_NODE ("Cast", ONNX_I ("attention_mask"), ONNX_O ("m"),      \
      ONNX_INT ("to", 1)) ONNX_NODE ("Mul",                                    \
      ONNX_I ("input_values") ONNX_I ("m"), ONNX_O ("x"),                      \
      "") ONNX_NODE ("Reshape", ONNX_I ("x") ONNX_I ("s"), ONNX_O ("r"),       \
      "") ONNX_NODE ("Mul", ONNX_I ("r") ONNX_I ("f"), ONNX_O ("logits"),      \
      "") ONNX_INITIALIZER ("s", ONNX_I64, "1=3 7=1 7=-1 7=6")                 \
          ONNX_INITIALIZER ("f", ONNX_F32, "1=1 4~20") ONNX_INPUT (            \
              "input_values", ONNX_F32, ONNX_NAMED ("B") ONNX_NAMED ("N"))     \
              ONNX_INPUT ("attention_mask", ONNX_I64,                          \
                  ONNX_NAMED ("B") ONNX_NAMED ("N")) ONNX_OUTPUT ("logits",    \
                  ONNX_F32, ONNX_D (1) ONNX_NAMED ("T") ONNX_D (6)))

/* Quiet samples: only after normalisation is a token much likelier than the
 * others. */
static void
test_wav2vec2 (void)
{
  g_autofree char *folder = ctc_folder (MASKED, "");
  g_autofree char *tokens = g_build_filename (folder, "tokens.txt", NULL);
  g_autofree char *vocab = g_build_filename (folder, "vocab.json", NULL);
  g_autofree char *config =
      g_build_filename (folder, "preprocessor_config.json", NULL);
  g_autoptr (GError) error = NULL;

  g_remove (tokens);
  g_assert_true (g_file_set_contents (vocab,
      "{\"<pad>\":0,\"|\":1,\"a\":2,\"b\":3,\"c\":4,\"<unk>\":5}", -1, NULL));
  for (guint normal = 0; normal < 2; normal++) {
    Session s;
    gsize n;
    g_autofree float *samples = loud ("0230112040", &n);

    for (gsize i = 0; i < n; i++)
      samples[i] *= 0.001f;
    g_assert_true (g_file_set_contents (config,
        normal ? "{\"sampling_rate\":8000,\"do_normalize\":true}"
               : "{\"sampling_rate\":8000,\"do_normalize\":false}",
        -1, NULL));
    session_open (&s, folder, "ctc");
    g_assert_cmpuint (infer_speech_model_get_info (s.model)->rate, ==, 8000);
    ctc_assert_hears (&s, samples, n, "ab ac", FALSE);
    g_assert_true (infer_speech_stream_begin (s.stream, 0, &error));
    g_assert_true (infer_speech_stream_push (s.stream, samples, n, &error));
    g_assert_true (infer_speech_stream_end (s.stream, &error));
    g_autoptr (InferTranscript) final = infer_speech_stream_pop (s.stream);
    g_assert_cmpint (final->words[0].probability > 0.9, ==, normal);
    session_close (&s);
  }
  test_remove_folder (folder);
}

/* --- NeMo --- */

/* Bands first, with a length: scores are the first 6 bands of every fourth
 * frame, less how many frames there are by the length. */
#define NEMO                                                                   \
  ONNX_MODEL (ONNX_NODE ("Slice",                                              \
      ONNX_I ("audio_signal") ONNX_I ("from") ONNX_I ("to") ONNX_I ("axes")    \
          ONNX_I ("by"),                                                       \
      ONNX_O ("part"), "") ONNX_NODE ("Transpose", ONNX_I ("part"),            \
      ONNX_O ("rows"), "5{1'perm' 8=0 8=2 8=1 20=7}") ONNX_NODE ("Cast",       \
      ONNX_I ("length"), ONNX_O ("n"), ONNX_INT ("to", 1)) ONNX_NODE ("Sub",   \
      ONNX_I ("rows") ONNX_I ("n"), ONNX_O ("logprobs"),                       \
      "") ONNX_INITIALIZER ("from", ONNX_I64,                                  \
      "1=2 7=0 7=0") ONNX_INITIALIZER ("to", ONNX_I64, "1=2 7=6 7=100000")     \
          ONNX_INITIALIZER ("axes", ONNX_I64, "1=2 7=1 7=2")                   \
              ONNX_INITIALIZER ("by", ONNX_I64, "1=2 7=1 7=4")                 \
                  ONNX_INPUT ("audio_signal", ONNX_F32,                        \
                      ONNX_NAMED ("B") ONNX_D (80) ONNX_NAMED ("T"))           \
                      ONNX_INPUT ("length", ONNX_I64, ONNX_NAMED ("B"))        \
                          ONNX_OUTPUT ("logprobs", ONNX_F32,                   \
                              ONNX_NAMED ("B") ONNX_NAMED ("S") ONNX_D (6)))   \
  ONNX_META ("model_type", "EncDecCTCModelBPE")                                \
  ONNX_META ("normalize_type", "per_feature")                                  \
  ONNX_META ("subsampling_factor", "4")

static char *
nemo_loop (const float *samples, gsize n)
{
  InferFeaturesConfig config = infer_features_unset ();
  g_autoptr (GArray) frames = g_array_new (FALSE, FALSE, 80 * sizeof (float));
  g_autoptr (GArray) tokens =
      g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
  g_autoptr (InferCtc) ctc = infer_ctc_new (6, 0, 1, NULL);
  GString *text = g_string_new (NULL);
  double mean[6] = { 0 }, variance[6] = { 0 };
  float frame[80], scores[6];
  gboolean complete;

  infer_features_fill (&infer_features_nemo, &config);
  g_autoptr (InferFeatures) features =
      infer_features_new (&infer_features_nemo, &config, NULL);
  for (gsize at = 0; at < n;) {
    at +=
        infer_features_push (features, samples + at, n - at, frame, &complete);
    if (complete)
      g_array_append_val (frames, frame);
  }
  while (infer_features_finish (features, frame))
    g_array_append_val (frames, frame);
  const float *rows = (const float *) (gpointer) frames->data;
  for (guint c = 0; c < 6; c++) {
    for (guint i = 0; i < frames->len; i++)
      mean[c] += (double) rows[i * 80 + c] / frames->len;
    for (guint i = 0; i < frames->len; i++)
      variance[c] += pow (rows[i * 80 + c] - mean[c], 2) / (frames->len - 1);
  }
  for (guint i = 0; i < frames->len; i += 4) {
    for (guint c = 0; c < 6; c++)
      scores[c] =
          (float) ((rows[i * 80 + c] - mean[c]) / (sqrt (variance[c]) + 1e-5));
    infer_ctc_push (ctc, scores, 1, tokens);
  }
  infer_ctc_finish (ctc, tokens);
  for (guint i = 0; i < tokens->len; i++)
    g_string_append (
        text, ctc_pieces[g_array_index (tokens, InferCtcToken, i).class_index]);
  return g_string_free (text, FALSE);
}

static void
test_nemo (void)
{
  g_autofree char *folder = ctc_folder (NEMO, CTC_TOKENS);
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  Session s;

  session_open (&s, folder, "ctc");
  g_assert_false (infer_speech_model_get_info (s.model)->streaming);
  for (guint round = 0; round < 4; round++) {
    const gsize n = (gsize) g_rand_int_range (random, 2000, 12000);
    g_autofree float *samples = g_new (float, n);

    for (gsize i = 0; i < n; i++)
      samples[i] = (float) g_rand_double_range (random, -0.5, 0.5);
    g_autofree char *expected = nemo_loop (samples, n);
    g_autofree char *first = ctc_hear (&s, samples, n, 1000, FALSE, FALSE);
    g_assert_cmpstr (first, ==, g_strstrip (expected));
    g_autofree char *timed = ctc_hear (&s, samples, n, 1000, FALSE, TRUE);
    ctc_assert_hears (&s, samples, n, timed, TRUE);
  }
  session_close (&s);
  test_remove_folder (folder);
}

/* --- a recogniser of phonemes --- */

static void
test_phonemes (void)
{
  static const char *const files[] = { "model.xml", "model.bin", "tokens.txt" };
  const char *shared = g_getenv ("INFER_SHARED");
  g_autofree char *from =
      g_build_filename (shared != NULL ? shared : SOURCE_ROOT "/../shared",
          "models", "hama_phoneme_asr", NULL);
  g_autofree char *folder = g_dir_make_tmp ("infer-ctc-XXXXXX", NULL);
  g_autofree char *wave =
      g_build_filename (from, "inputs", "waveform_0.npy", NULL);
  g_autofree char *reference =
      g_build_filename (from, "outputs", "log_probs_0.npy", NULL);
  g_autoptr (GArray) tokens =
      g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
  Session s;

  if (!g_file_test (wave, G_FILE_TEST_EXISTS)) {
    g_test_skip ("no hama_phoneme_asr in the shared models");
    g_rmdir (folder);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *a = g_build_filename (from, files[i], NULL);
    g_autofree char *b = g_build_filename (folder, files[i], NULL);

    g_assert_cmpint (symlink (a, b), ==, 0);
  }
  g_autoptr (InferTensor) samples = infer_npy_read (wave, NULL);
  g_autoptr (InferTensor) scores = infer_npy_read (reference, NULL);
  g_autofree char *list = g_build_filename (folder, "tokens.txt", NULL);
  g_autofree char *content = NULL;
  g_assert_true (g_file_get_contents (list, &content, NULL, NULL));
  g_auto (GStrv) labels = g_strsplit (content, "\n", -1);
  guint blank = 0;
  while (strcmp (labels[blank], "<blank>") != 0)
    blank++;
  g_autoptr (InferCtc) ctc = infer_ctc_new (191, blank, 1, NULL);
  infer_ctc_push (ctc, scores->data, (gsize) scores->shape.dims[1], tokens);
  infer_ctc_finish (ctc, tokens);
  g_autoptr (GString) expected = g_string_new (NULL);
  for (guint i = 0; i < tokens->len; i++) {
    const char *label =
        labels[g_array_index (tokens, InferCtcToken, i).class_index];

    if (strcmp (label, "<wb>") == 0)
      g_string_append_c (expected, ' ');
    else if (label[0] != '<')
      g_string_append (expected, label);
  }
  session_open (&s, folder, "ctc");
  g_autofree char *text = ctc_hear (
      &s, samples->data, (gsize) samples->shape.dims[1], 3000, FALSE, FALSE);
  g_assert_cmpstr (text, ==, g_strstrip (expected->str));
  session_close (&s);
  test_remove_folder (folder);
}

/* --- what does not fit --- */

static void
assert_refused (const char *model, const char *tokens, const char *config,
    const char *const *parts)
{
  g_autofree char *folder = ctc_folder (model, tokens);
  g_autofree char *file =
      g_build_filename (folder, "preprocessor_config.json", NULL);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  g_autoptr (GError) error = NULL;

  if (config != NULL)
    g_assert_true (g_file_set_contents (file, config, -1, NULL));
  g_assert_null (infer_speech_model_load (folder, "ctc", runtime, &error));
  for (guint i = 0; parts[i] != NULL; i++)
    if (strstr (error->message, parts[i]) == NULL)
      g_error ("'%s' lacks '%s'", error->message, parts[i]);
  test_remove_folder (folder);
}

static void
test_refused (void)
{
  assert_refused (ECHO (7), CTC_TOKENS, NULL,
      (const char *const[]){ "/model.onnx: output 'scores' has 7 scores per "
                             "step, but ",
          "/tokens.txt has 6 tokens", NULL });
  assert_refused (ECHO (2), "a 0\nb 1\n", NULL,
      (const char *const[]){ "/tokens.txt: none of its 2 tokens is CTC's blank",
          "/model.onnx does not say which is", NULL });
  assert_refused (ECHO (6) ONNX_META ("sample_rate", "8000"), CTC_TOKENS,
      "{\"sampling_rate\":16000}",
      (const char *const[]){ "/model.onnx is for 8000 Hz, but ",
          "/preprocessor_config.json says 16000", NULL });
  assert_refused (ECHO (6) ONNX_META ("subsampling_factor", "x"), CTC_TOKENS,
      NULL,
      (const char *const[]){
          "'subsampling_factor' is 'x', not a number from 1 to 1000", NULL });
}

static void
test_settings (void)
{
  g_autofree char *folder = ctc_folder (ECHO (6), CTC_TOKENS);
  g_autoptr (GError) error = NULL;
  Session s;

  session_open (&s, folder, "ctc");
  g_assert_false (infer_speech_stream_set (s.stream, "tempo", "1", &error));
  g_assert_cmpstr (error->message, ==,
      "CTC models have the settings phrases and beam, not 'tempo'");
  g_clear_error (&error);
  g_assert_false (infer_speech_stream_set (s.stream, "beam", "0", &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (infer_speech_stream_set (s.stream, "phrases", "xyz", &error));
  g_assert_nonnull (
      strstr (error->message, "phrases, line 1: ' x' cannot be written"));
  session_close (&s);
  test_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ctc/words", test_words);
  g_test_add_func ("/ctc/partial", test_partial);
  g_test_add_func ("/ctc/phrases", test_phrases);
  g_test_add_func ("/ctc/longest", test_longest);
  g_test_add_func ("/ctc/wav2vec2", test_wav2vec2);
  g_test_add_func ("/ctc/nemo", test_nemo);
  g_test_add_func ("/ctc/phonemes", test_phonemes);
  g_test_add_func ("/ctc/refused", test_refused);
  g_test_add_func ("/ctc/settings", test_settings);
  return g_test_run ();
}
