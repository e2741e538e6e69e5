/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whisper as sherpa-onnx exports OpenAI's networks (make-stacked.py). */

#include "tests/check/inference/speech/files.h"
#include "tests/check/inference/speech/whisper-session.h"

#include <math.h>
#include <string.h>

#include "inference/speech/whisper/mel.h"
#include "tests/check/inference/speech/whisper-networks.h"
#include "tests/check/support/folder.h"

#define NOISE SOURCE_ROOT "/tests/speech/transducer/noise.wav"
#define BANDS 80
#define FRAMES 400

/* --- a model --- */

static const float *
step (Networks *n, const gint64 *tokens, guint count)
{
  g_autoptr (GError) error = NULL;
  const float *logits;
  gsize stride;

  whisper_session_step (
      &n->session, tokens, 1, count, NULL, &logits, &stride, &error);
  g_assert_no_error (error);
  return logits;
}

/* --- logits --- */

static void
encode_rows (Networks *n)
{
  g_autofree float *rows = g_new (float, BANDS *FRAMES);
  g_autoptr (GError) error = NULL;

  for (guint64 i = 0; i < BANDS * FRAMES; i++)
    rows[i] = (float) ((guint32) (i * 2654435761) >> 16) / 32768 - 1;
  whisper_session_encode (&n->session, rows, FRAMES, 0, FRAMES / 2, &error);
  g_assert_no_error (error);
}

static void
check_logits (const float *logits, const float *expected, guint size)
{
  for (guint i = 0; i < size; i++)
    g_assert_cmpfloat_with_epsilon (
        (double) logits[i], (double) expected[i], 1e-3);
}

/* Those that ONNX Runtime computes of the files' networks, one after the other.
 */
static void
test_logits (void)
{
  static const gint64 prompt[] = { 56, 57, 60 }, later[] = { 7, 20, 9, 31, 40 };
  g_autofree char *data = NULL;
  gsize bytes;
  Networks n;

  g_assert_true (
      g_file_get_contents (STACKED "/logits.f32", &data, &bytes, NULL));
  networks_open (&n, STACKED);
  const guint size = (guint) n.model->config.vocabulary;
  const float *expected = (const float *) (gpointer) data;
  g_assert_cmpuint (bytes, ==, 6 * size * sizeof (float));
  g_assert_true (n.model->networks.graphs.any_context);
  g_assert_nonnull (n.model->networks.aligner);
  encode_rows (&n);
  /* Twice: a new text begins without tokens. */
  for (guint again = 0; again < 2; again++) {
    whisper_session_restart (&n.session);
    check_logits (step (&n, prompt, 3), expected, size);
    for (guint i = 0; i < G_N_ELEMENTS (later); i++)
      check_logits (step (&n, later + i, 1), expected + (i + 1) * size, size);
  }
  /* Several tokens at once are those one after the other. */
  whisper_session_restart (&n.session);
  step (&n, prompt, 3);
  check_logits (step (&n, later, 5), expected + 5 * size, size);
  networks_close (&n);
}

/* --- sherpa-onnx --- */

/* sherpa-onnx pads features, after they are normalised, with 100 frames of 0.
 */
static void
encode_noise (Networks *n)
{
  g_autoptr (GError) error = NULL;
  gsize count;
  g_autofree float *samples = test_read_wav (NOISE, &count);
  WhisperMel mel;

  g_assert_true (whisper_mel_open (&mel, RATE, BANDS, 160, &error));
  whisper_mel_push (&mel, samples, count);
  whisper_mel_finish (&mel);
  const gsize frames = whisper_mel_frames (&mel);
  g_autofree float *rows = g_new (float, frames *BANDS);
  whisper_mel_read (&mel, 0, frames, rows);
  whisper_session_encode (
      &n->session, rows, frames, 0, (gint64) (frames + 100) / 2, &error);
  g_assert_no_error (error);
  whisper_mel_close (&mel);
}

static guint
best_of (const float *logits, guint size)
{
  guint best = 0;

  for (guint i = 1; i < size; i++)
    best = logits[i] > logits[best] ? i : best;
  return best;
}

/* Its tokens, of a greedy search without timestamps. */
static void
test_sherpa (void)
{
  g_autofree char *expected = NULL;
  g_autoptr (GString) heard = g_string_new (NULL);
  Networks n;

  g_assert_true (
      g_file_get_contents (STACKED "/sherpa-onnx.txt", &expected, NULL, NULL));
  networks_open (&n, STACKED);
  const WhisperConfig *c = &n.model->config;
  const guint size = (guint) c->vocabulary;
  const gint64 prompt[] = { c->start, whisper_config_language (c, "en")->id,
    c->transcribe, c->no_timestamps };
  encode_noise (&n);
  whisper_session_restart (&n.session);
  gint64 token = best_of (step (&n, prompt, 4), size);
  /* At most 6 tokens for each second. */
  for (guint i = 0; i < 19 && token != c->end; i++) {
    const guint id = (guint) token;
    g_autofree char *text =
        infer_vocabulary_text (c->vocabulary_file, &id, 1, FALSE);

    g_string_append_printf (heard, "%s\n", text);
    token = best_of (step (&n, &token, 1), size);
  }
  g_assert_cmpstr (heard->str, ==, expected);
  networks_close (&n);
}

/* --- streams --- */

/* The same in any pieces, with partial results; languages. */
static void
test_hear (void)
{
  g_autofree float *samples = whisper_test_noise ();
  Session s;

  whisper_test_open_at (&s, STACKED);
  whisper_test_believe_all (&s);
  const InferSpeechInfo *info = infer_speech_model_get_info (s.model);
  g_assert_cmpstr (info->kind, ==, "whisper");
  g_assert_cmpstr (info->languages[0], ==, "en");
  g_assert_cmpstr (info->languages[1], ==, "de");
  g_assert_null (info->languages[2]);
  g_autofree char *heard = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_autofree char *pieces = whisper_test_hear (&s, 0, samples, N, 8000, TRUE);
  g_assert_cmpuint (strlen (heard), >, 100);
  g_assert_cmpstr (pieces, ==, heard);
  whisper_test_set (&s, "language", "de");
  g_autofree char *german = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_nonnull (strstr (german, " de\n"));
  whisper_test_set (&s, "initial-prompt", "the other");
  g_autofree char *prompted = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpstr (prompted, !=, german);
  whisper_test_close (&s);
}

/* --- tokens --- */

/* A word that is a piece is one; else pairs are joined by their ids: " e"
 * before "er". */
static void
test_tokens (void)
{
  static const struct
  {
    const char *text;
    guint n, ids[8];
  } cases[] = {
    { " the", 1, { 50 } },
    { " th", 1, { 49 } },
    { "the", 3, { 20, 8, 5 } },
    { " her", 1, { 52 } },
    { "er er", 3, { 51, 37, 18 } },
    { "a\xc3\xa4", 3, { 1, 53, 54 } },
    { "", 0, { 0 } },
  };
  g_auto (SpeechFolder) folder = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_true (speech_folder_open (&folder, STACKED, &error));
  g_autoptr (InferVocabulary) v = infer_vocabulary_load (&folder, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (infer_vocabulary_size (v), ==, 55);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint));

    infer_vocabulary_encode (v, cases[i].text, ids, &error);
    g_assert_no_error (error);
    g_assert_cmpmem (ids->data, ids->len * sizeof (guint), cases[i].ids,
        cases[i].n * sizeof (guint));
    g_autofree char *text = infer_vocabulary_text (
        v, (const guint *) (gpointer) ids->data, ids->len, FALSE);
    g_assert_cmpstr (text, ==, cases[i].text);
  }
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint));
  g_assert_false (infer_vocabulary_encode (v, "a?b", ids, &error));
  g_assert_nonnull (strstr (error->message, "'?'"));
  g_assert_cmpuint (ids->len, ==, 0);
}

/* --- broken folders --- */

static char *
copy_folder (const char *without)
{
  static const char *const names[] = { "tiny-encoder.onnx", "tiny-decoder.onnx",
    "tiny-tokens.txt" };
  char *folder = g_dir_make_tmp ("infer-whisper-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *from = g_build_filename (STACKED, names[i], NULL);
    g_autofree char *to = g_build_filename (folder, names[i], NULL);
    g_autofree char *data = NULL;
    gsize size;

    if (g_strcmp0 (names[i], without) == 0)
      continue;
    g_assert_true (g_file_get_contents (from, &data, &size, NULL));
    g_assert_true (g_file_set_contents (to, data, (gssize) size, NULL));
  }
  return folder;
}

static void
test_broken (void)
{
  static const struct
  {
    const char *file, *from, *to, *part;
  } cases[] = {
    { "tiny-encoder.onnx", NULL, NULL,
        "there is no *encoder.onnx beside tiny-decoder.onnx" },
    { "tiny-decoder.onnx", NULL, NULL,
        "there is no *decoder.onnx beside tiny-encoder.onnx" },
    { "tiny-tokens.txt", NULL, NULL, "there is no *tokens.txt" },
    { "tiny-encoder.onnx", "n_text_ctx", "n_toxt_ctx", "n_text_ctx" },
    { "tiny-encoder.onnx", "no_timestamps", "no_tomestamps",
        "which token is 'no_timestamps'" },
    { "tiny-encoder.onnx", "57,58", "57;58", "all_language_tokens = '57;58'" },
    { "tiny-encoder.onnx", "en,de", "en;de",
        "2 all_language_tokens and 1 all_language_codes" },
    { "tiny-encoder.onnx", "n_layer_cross_k", "n_layer_crass_k",
        "does not give 'n_layer_cross_k'" },
    { "tiny-encoder.onnx", "n_layer_cross_v", "n_layer_crass_v",
        "tiny-encoder.onnx" },
    { "tiny-decoder.onnx", "n_layer_cross_k", "n_layer_crass_k",
        "tiny-decoder.onnx" },
    { "tiny-decoder.onnx", "tokens", "tikens", "no inputs 'tokens'" },
    { "tiny-decoder.onnx", "offset", "uffset", "no inputs 'tokens'" },
    { "tiny-decoder.onnx", "in_n_layer_self_v_cache", "in_n_layer_self_v_cuche",
        "in_n_layer_self_v_cache" },
    { "tiny-encoder.onnx", "mel", "mol", "no input 'mel'" },
    { "tiny-tokens.txt", "IA== 0", "IA== 1", "id 1 is given to two pieces" },
  };
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gboolean missing = cases[i].to == NULL;
    g_autofree char *folder = copy_folder (missing ? cases[i].file : NULL);
    g_autoptr (GError) error = NULL;

    if (!missing)
      change_bytes (folder, cases[i].file, cases[i].from, cases[i].to);
    g_assert_null (
        infer_speech_model_load (folder, "whisper", runtime, &error));
    g_assert_nonnull (error);
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, cases[i].part));
    test_remove_folder (folder);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/whisper/stacked/logits", test_logits);
  g_test_add_func ("/whisper/stacked/sherpa", test_sherpa);
  g_test_add_func ("/whisper/stacked/hear", test_hear);
  g_test_add_func ("/whisper/stacked/tokens", test_tokens);
  g_test_add_func ("/whisper/stacked/broken", test_broken);
  return g_test_run ();
}
