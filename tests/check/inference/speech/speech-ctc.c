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

#include "infer/request.h"
#include "infer/speech.h"
#include "inference/base/npy.h"
#include "inference/media/ctc.h"
#include "inference/media/features/features.h"
#include "inference/media/features/kind.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/onnx.h"

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

#define TOKENS                                                                 \
  "<blk> 0\n\xe2\x96\x81"                                                      \
  "a 1\nb 2\n\xe2\x96\x81"                                                     \
  "c 3\nd 4\n. 5\n"

static const char *const pieces[] = { "", " a", "b", " c", "d", "." };

static char *
make_folder (const char *model, const char *tokens)
{
  char *folder = g_dir_make_tmp ("infer-ctc-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "model.onnx", NULL);
  g_autofree char *list = g_build_filename (folder, "tokens.txt", NULL);
  g_autoptr (GBytes) bytes = onnx_text_bytes (model);

  g_assert_true (g_file_set_contents (file, g_bytes_get_data (bytes, NULL),
      (gssize) g_bytes_get_size (bytes), NULL));
  g_assert_true (g_file_set_contents (list, tokens, -1, NULL));
  return folder;
}

/* --- sessions --- */

typedef struct
{
  InferRuntime *runtime;
  InferSpeechModel *model;
  InferSpeechStream *stream;
} Session;

static void
session_open (Session *s, const char *path)
{
  g_autoptr (GError) error = NULL;

  s->runtime = infer_runtime_new ("CPU", NULL, &error);
  g_assert_no_error (error);
  s->model = infer_speech_model_load (path, "ctc", s->runtime, &error);
  g_assert_no_error (error);
  s->stream = infer_speech_stream_new (s->model, &error);
  g_assert_no_error (error);
}

static void
session_close (Session *s)
{
  infer_speech_stream_free (s->stream);
  infer_speech_model_unref (s->model);
  infer_runtime_unref (s->runtime);
}

static void
set (Session *s, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;

  infer_speech_stream_set (s->stream, key, value, &error);
  g_assert_no_error (error);
}

static void
print_words (GString *text, const InferTranscript *transcript, gboolean times)
{
  g_assert_cmpuint (transcript->n_words, >, 0);
  g_assert_cmpuint (transcript->start, ==, transcript->words[0].start);
  for (guint i = 0; i < transcript->n_words; i++) {
    const InferWord *word = &transcript->words[i];

    g_string_append_printf (text, "%s%s%s", text->len > 0 ? " " : "",
        word->joined ? "+" : "", word->text);
    if (times)
      g_string_append_printf (text, "@%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT,
          word->start, word->end);
    g_assert_cmpfloat (word->probability, >, 0);
    g_assert_cmpfloat (word->probability, <=, 1.00001);
    g_assert_cmpuint (word->start, <=, word->end);
  }
}

static void
pop_all (Session *s, GString *text, gboolean times)
{
  InferTranscript *final;

  while ((final = infer_speech_stream_pop (s->stream)) != NULL) {
    print_words (text, final, times);
    infer_transcript_free (final);
  }
}

/* @most: samples of a push, whose sizes are random below that.  @partials: asks
 * for them in between.  (transfer full) */
static char *
hear (Session *s, const float *samples, gsize n, gsize most, gboolean partials,
    gboolean times)
{
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) most);
  g_autoptr (GError) error = NULL;
  GString *text = g_string_new (NULL);

  g_assert_true (infer_speech_stream_begin (s->stream, 1000, &error));
  for (gsize at = 0, size; at < n; at += size) {
    size = (gsize) g_rand_int_range (random, 1, (int) most + 1);
    size = MIN (size, n - at);
    infer_speech_stream_push (s->stream, samples + at, size, &error);
    g_assert_no_error (error);
    /* The first model needs whole steps. */
    if (partials && (at + size) % 6 == 0) {
      g_autoptr (InferTranscript) guess =
          infer_speech_stream_partial (s->stream, &error);
      g_assert_no_error (error);
    }
    pop_all (s, text, times);
  }
  infer_speech_stream_end (s->stream, &error);
  g_assert_no_error (error);
  pop_all (s, text, times);
  return g_string_free (text, FALSE);
}

static void
assert_hears (Session *s, const float *samples, gsize n, const char *expected,
    gboolean times)
{
  static const gsize sizes[] = { 1000000, 7, 160, 1601, 5000 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const gboolean partials = i % 2 == 1 && n < 20000;
    g_autofree char *text = hear (s, samples, n, sizes[i], partials, times);

    g_assert_cmpstr (text, ==, expected);
  }
}

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
  g_autofree char *folder = make_folder (ECHO (6), TOKENS);
  /* Less than 8 steps: a step has 6 samples; "5" is a point. */
  static const char *const cases[][2] = { { "000", "" },
    { "0112003", "ab@1006-1024 c@1036-1042" }, { "0250000", "b.@1006-1018" },
    { "1103000", "a@1000-1012 c@1018-1024" },
    { "3411020", "cd@1000-1012 ab@1012-1036" } };
  Session s;

  session_open (&s, folder);
  g_assert_false (infer_speech_model_get_info (s.model)->streaming);
  g_assert_cmpuint (infer_speech_model_get_info (s.model)->rate, ==, 16000);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gsize n;
    g_autofree float *samples = loud (cases[i][0], &n);

    assert_hears (&s, samples, n, cases[i][1], TRUE);
    set (&s, "beam", "4");
    assert_hears (&s, samples, n, cases[i][1], TRUE);
    set (&s, "beam", NULL);
  }
  session_close (&s);
  test_remove_folder (folder);
}

static void
test_partial (void)
{
  g_autofree char *folder = make_folder (ECHO (6), TOKENS);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  Session s;
  gsize n;
  g_autofree float *samples = loud ("01020030", &n);

  session_open (&s, folder);
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
  pop_all (&s, text, FALSE);
  g_assert_cmpstr (text->str, ==, "");
  session_close (&s);
  test_remove_folder (folder);
}

/* "d" is a little less likely than "b"; a phrase with it makes up for that, and
 * one that is not complete does not. */
static void
test_phrases (void)
{
  g_autofree char *folder = make_folder (ECHO (6), TOKENS);
  Session s;
  gsize n;
  g_autofree float *samples = loud ("0102000", &n);

  samples[3 * 6 + 4] = 0.9f; /* 2 below "b" */
  session_open (&s, folder);
  assert_hears (&s, samples, n, "ab", FALSE);
  set (&s, "phrases", "ad");
  assert_hears (&s, samples, n, "ad", FALSE);
  set (&s, "phrases", "ad:0.5\ncd");
  assert_hears (&s, samples, n, "ab", FALSE);
  set (&s, "phrases", "add:5");
  assert_hears (&s, samples, n, "ab", FALSE);
  set (&s, "phrases", NULL);
  assert_hears (&s, samples, n, "ab", FALSE);
  session_close (&s);
  test_remove_folder (folder);
}

/* Longer than an utterance may be: decoded in pieces, nothing lost. */
static void
test_longest (void)
{
  g_autofree char *folder = make_folder (ECHO (6), TOKENS);
  const gsize n = 600000; /* 100000 steps; 30 s are 480000 samples */
  g_autofree float *samples = g_new0 (float, n);
  Session s;

  for (gsize i = 0; i < n; i += 6)
    samples[i + (i == 6 * 50000 ? 1 : i == 6 * 99000 ? 3 : 0)] = 1;
  session_open (&s, folder);
  g_assert_cmpuint (infer_speech_model_get_info (s.model)->longest, ==, 480000);
  g_autofree char *text = hear (&s, samples, n, 100000, FALSE, FALSE);
  g_assert_cmpstr (text, ==, "a c");
  session_close (&s);
  test_remove_folder (folder);
}

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
                              ONNX_F32, ONNX_D (1) ONNX_D (1) ONNX_D (6)))     \
  ONNX_META ("model_type", "zipformer2")                                       \
  ONNX_META ("T", "9") ONNX_META ("decode_chunk_len", "8")

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
        text, pieces[g_array_index (tokens, InferCtcToken, i).class_index]);
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
test_zipformer (void)
{
  g_autofree char *folder = make_folder (ZIPFORMER, TOKENS);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  Session s;

  session_open (&s, folder);
  g_assert_true (infer_speech_model_get_info (s.model)->streaming);
  g_assert_cmpuint (infer_speech_model_get_info (s.model)->delay, ==, 4800);
  for (guint round = 0; round < 6; round++) {
    const gsize n = (gsize) g_rand_int_range (random, 0, 30000);
    g_autofree float *samples = g_new (float, MAX (n, 1));

    for (gsize i = 0; i < n; i++)
      samples[i] = (float) g_rand_double_range (random, -0.5, 0.5);
    g_autofree char *expected = zipformer_loop (samples, n);
    g_autofree char *first = hear (&s, samples, n, 1000, FALSE, FALSE);
    g_autofree char *plain = without_joins (first);
    g_assert_cmpstr (plain, ==, g_strstrip (expected));
    g_autofree char *timed = hear (&s, samples, n, 1000, TRUE, TRUE);
    assert_hears (&s, samples, n, timed, TRUE);
  }
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
  g_autofree char *folder = make_folder (MASKED, "");
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
    session_open (&s, folder);
    g_assert_cmpuint (infer_speech_model_get_info (s.model)->rate, ==, 8000);
    assert_hears (&s, samples, n, "ab ac", FALSE);
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
        text, pieces[g_array_index (tokens, InferCtcToken, i).class_index]);
  return g_string_free (text, FALSE);
}

static void
test_nemo (void)
{
  g_autofree char *folder = make_folder (NEMO, TOKENS);
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  Session s;

  session_open (&s, folder);
  g_assert_false (infer_speech_model_get_info (s.model)->streaming);
  for (guint round = 0; round < 4; round++) {
    const gsize n = (gsize) g_rand_int_range (random, 2000, 12000);
    g_autofree float *samples = g_new (float, n);

    for (gsize i = 0; i < n; i++)
      samples[i] = (float) g_rand_double_range (random, -0.5, 0.5);
    g_autofree char *expected = nemo_loop (samples, n);
    g_autofree char *first = hear (&s, samples, n, 1000, FALSE, FALSE);
    g_assert_cmpstr (first, ==, g_strstrip (expected));
    g_autofree char *timed = hear (&s, samples, n, 1000, FALSE, TRUE);
    assert_hears (&s, samples, n, timed, TRUE);
  }
  session_close (&s);
  test_remove_folder (folder);
}

/* --- the digits --- */

/* (transfer full) */
static float *
read_wave (const char *path, gsize *n)
{
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  *n = (size - 44) / 2;
  float *samples = g_new (float, *n);
  for (gsize i = 0; i < *n; i++) {
    gint16 value;

    memcpy (&value, data + 44 + 2 * i, 2);
    samples[i] = (float) value / 32768;
  }
  return samples;
}

static void
check_digits (const char *model, const char *recording, const char *expected)
{
  Session s;
  gsize n;
  g_autofree float *samples = read_wave (recording, &n);

  session_open (&s, model);
  g_assert_true (infer_speech_model_get_info (s.model)->streaming);
  assert_hears (&s, samples, n, expected, FALSE);
  g_autofree char *timed = hear (&s, samples, n, 1600, TRUE, TRUE);
  assert_hears (&s, samples, n, timed, TRUE);
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
      read_wave (PIPELINES "recordings/af_kore-0-clean.wav", &n);
  session_open (&s, PIPELINES "models/digits/digits-wave.xml");
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
  g_autofree float *samples = read_wave (DATA "transducer/noise.wav", &n);
  Session s;

  g_assert_cmpuint (strlen (expected), >, 80);
  session_open (&s, DATA "ctc/zipformer");
  g_autofree char *heard = hear_steps (&s, samples, n);
  if (!g_str_has_prefix (heard, expected))
    g_assert_cmpstr (heard, ==, expected);
  session_close (&s);
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
  session_open (&s, folder);
  g_autofree char *text = hear (
      &s, samples->data, (gsize) samples->shape.dims[1], 3000, FALSE, FALSE);
  g_assert_cmpstr (text, ==, g_strstrip (expected->str));
  session_close (&s);
  test_remove_folder (folder);
}

/* A cancelled utterance is discarded, and the next one is as any. */
static void
test_cancel (void)
{
  static const char *const models[] = { "digits.xml", "digits-wave.xml" };
  gsize n;
  g_autofree float *samples =
      read_wave (PIPELINES "recordings/af_kore-0-clean.wav", &n);

  for (guint i = 0; i < G_N_ELEMENTS (models); i++) {
    g_autofree char *path =
        g_strconcat (PIPELINES "models/digits/", models[i], NULL);
    g_autoptr (GError) error = NULL;
    Session s;

    session_open (&s, path);
    g_assert_true (infer_speech_stream_begin (s.stream, 0, &error));
    g_assert_true (infer_speech_stream_push (s.stream, samples, 20000, &error));
    infer_speech_stream_set_cancelled (s.stream, TRUE);
    g_assert_false (
        infer_speech_stream_push (s.stream, samples, 20000, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
    infer_speech_stream_set_cancelled (s.stream, FALSE);
    infer_speech_stream_reset (s.stream);
    assert_hears (&s, samples, n, "six seven zero one three seven zero", FALSE);
    session_close (&s);
  }
}

/* --- what does not fit --- */

static void
assert_refused (const char *model, const char *tokens, const char *config,
    const char *const *parts)
{
  g_autofree char *folder = make_folder (model, tokens);
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
  assert_refused (ECHO (7), TOKENS, NULL,
      (const char *const[]){ "/model.onnx: output 'scores' has 7 scores per "
                             "step, but ",
          "/tokens.txt has 6 tokens", NULL });
  assert_refused (ECHO (2), "a 0\nb 1\n", NULL,
      (const char *const[]){ "/tokens.txt: none of its 2 tokens is CTC's blank",
          "/model.onnx does not say which is", NULL });
  assert_refused (ECHO (6) ONNX_META ("sample_rate", "8000"), TOKENS,
      "{\"sampling_rate\":16000}",
      (const char *const[]){ "/model.onnx is for 8000 Hz, but ",
          "/preprocessor_config.json says 16000", NULL });
  assert_refused (ECHO (6) ONNX_META ("subsampling_factor", "x"), TOKENS, NULL,
      (const char *const[]){
          "'subsampling_factor' is 'x', not a number from 1 to 1000", NULL });
}

static void
test_settings (void)
{
  g_autofree char *folder = make_folder (ECHO (6), TOKENS);
  g_autoptr (GError) error = NULL;
  Session s;

  session_open (&s, folder);
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
  g_test_add_func ("/ctc/zipformer", test_zipformer);
  g_test_add_func ("/ctc/wav2vec2", test_wav2vec2);
  g_test_add_func ("/ctc/nemo", test_nemo);
  g_test_add_func ("/ctc/digits", test_digits);
  g_test_add_func ("/ctc/early", test_early);
  g_test_add_func ("/ctc/sherpa", test_sherpa);
  g_test_add_func ("/ctc/cancel", test_cancel);
  g_test_add_func ("/ctc/phonemes", test_phonemes);
  g_test_add_func ("/ctc/refused", test_refused);
  g_test_add_func ("/ctc/settings", test_settings);
  return g_test_run ();
}
