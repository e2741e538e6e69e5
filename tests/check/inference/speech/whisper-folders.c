/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whisper's folders: what their files say, and those that are broken. */

#include "tests/check/inference/speech/files.h"
#include "tests/check/inference/speech/whisper-session.h"

#include <string.h>

#include "tests/check/support/folder.h"

/* --- folders --- */

/* Replaces @a by @b in a file; with @a NULL, the whole of it. */
static void
change (const char *folder, const char *name, const char *a, const char *b)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *data = NULL;

  if (a == NULL) {
    g_assert_true (g_file_set_contents (path, b, -1, NULL));
    return;
  }
  g_assert_true (g_file_get_contents (path, &data, NULL, NULL));
  g_assert_nonnull (strstr (data, a));
  g_auto (GStrv) parts = g_strsplit (data, a, -1);
  g_autofree char *changed = g_strjoinv (b, parts);
  g_assert_true (g_file_set_contents (path, changed, -1, NULL));
}

static void
test_folders (void)
{
  static const struct
  {
    const char *file, *from, *to, *part;
  } cases[] = {
    { "config.json", NULL, NULL, "there is no config.json" },
    { "tokenizer.json", NULL, NULL, "tokenizer.json" },
    { "openvino_encoder_model.bin", NULL, NULL, "openvino_encoder_model" },
    { "config.json", "\"whisper\"", "\"moon\"", "'moon', not 'whisper'" },
    { "config.json", "\"d_model\": 16", "\"d_model\": 17",
        "openvino_encoder_model.xml has 16" },
    { "config.json", "\"num_mel_bins\": 8", "\"num_mel_bins\": 80",
        "8 mel bands" },
    { "config.json", "\"vocab_size\": 263", "\"vocab_size\": 300",
        "openvino_decoder_model.xml has 263" },
    { "config.json", "\"max_source_positions\": 200",
        "\"max_source_positions\": 1500",
        "openvino_encoder_model.xml has 200" },
    { "config.json", "\"decoder_attention_heads\": 2",
        "\"decoder_attention_heads\": 1000000000000", "is not from" },
    { "config.json", "{", "[", "config.json" },
    { "generation_config.json", "1", "7", "layers" },
    { "tokenizer.json", "<|startoftranscript|>", "<|other|>",
        "no token '<|startoftranscript|>'" },
    { "tokenizer.json", "<|notimestamps|>", "<|other|>",
        "no token '<|notimestamps|>'" },
    { "preprocessor_config.json", "16000", "1", "sampling_rate" },
    { "openvino_encoder_model.xml", "input_features", "samples",
        "no input 'input_features'" },
    { "openvino_decoder_model.xml", "encoder_hidden_states", "states",
        "no input 'encoder_hidden_states'" },
    { "openvino_decoder_model.xml", "?,?,16", "?,?,17",
        "openvino_decoder_model.xml" },
  };
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gboolean missing = cases[i].to == NULL;
    g_autofree char *folder =
        whisper_test_folder (WHISPER_STATEFUL, missing ? cases[i].file : NULL);
    g_autoptr (GError) error = NULL;

    if (!missing)
      change (folder, cases[i].file, cases[i].from, cases[i].to);
    InferSpeechModel *model =
        infer_speech_model_load (folder, "whisper", runtime, &error);
    g_assert_null (model);
    g_assert_nonnull (error);
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, cases[i].part));
    test_remove_folder (folder);
  }
}

/* --- decoders without variables --- */

static void
test_broken_past (void)
{
  static const struct
  {
    WhisperForm form;
    const char *file, *from, *to, *part;
  } cases[] = {
    { WHISPER_PAST, "encoder_model.onnx", NULL, NULL,
        "there is no openvino_encoder_model.xml or encoder_model.onnx" },
    { WHISPER_PAST, "decoder_model.onnx", NULL, NULL,
        "there is no openvino_decoder_model.xml or decoder_model.onnx" },
    { WHISPER_PAST, "decoder_with_past_model.onnx", NULL, NULL,
        "decoder_model.onnx: the decoder keeps no variables" },
    { WHISPER_PAST, "decoder_with_past_model.onnx", "past_key_values.0",
        "pest_key_values.0", "no input 'past_key_values.0.decoder.key'" },
    { WHISPER_PAST, "decoder_with_past_model.onnx", "past_key_values.1.encoder",
        "pest_key_values.1.encoder", "decoder_with_past_model.onnx" },
    { WHISPER_PAST, "decoder_with_past_model.onnx", "past_key_values.1.decoder",
        "pest_key_values.1.decoder", "more than the 1 layers" },
    { WHISPER_PAST, "decoder_model.onnx", "present.1.encoder.key",
        "present.9.encoder.key", "decoder_model.onnx" },
    { WHISPER_PAST, "decoder_model.onnx", "encoder_hidden_states",
        "encoder_hodden_states", "no input 'encoder_hidden_states'" },
    { WHISPER_PAST, "encoder_model.onnx", "input_features", "input_fiatures",
        "no input 'input_features'" },
    { WHISPER_MERGED, "decoder_model_merged.onnx", NULL, NULL,
        "there is no openvino_decoder_model.xml or decoder_model.onnx" },
    { WHISPER_MERGED, "decoder_model_merged.onnx", "use_cache_branch",
        "use_cache_twig__", "decoder_model_merged.onnx" },
    { WHISPER_MERGED, "decoder_model_merged.onnx", "present.1.decoder.value",
        "present.9.decoder.value", "decoder_model_merged.onnx" },
  };
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gboolean missing = cases[i].to == NULL;
    g_autofree char *folder =
        whisper_test_folder (cases[i].form, missing ? cases[i].file : NULL);
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

/* One model in three forms is heard alike, by a search too. */
static void
test_forms (void)
{
  static const WhisperForm forms[] = { WHISPER_PAST, WHISPER_MERGED,
    WHISPER_IR_PAST };
  g_autofree float *samples = whisper_test_noise ();
  g_autofree char *greedy = NULL;
  g_autofree char *beams = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++) {
    g_autofree char *folder = whisper_test_folder (forms[i], NULL);
    Session s;

    whisper_test_open_at (&s, folder);
    whisper_test_believe_all (&s);
    g_autofree char *a = whisper_test_hear (&s, 0, samples, N, N, FALSE);
    g_autofree char *partials =
        whisper_test_hear (&s, 0, samples, N, 8000, TRUE);
    whisper_test_set (&s, "temperature", "0");
    whisper_test_set (&s, "beam", "3");
    g_autofree char *b = whisper_test_hear (&s, 0, samples, N, N, FALSE);

    whisper_test_close (&s);
    test_remove_folder (folder);
    g_assert_cmpuint (strlen (a), >, 100);
    g_assert_cmpstr (partials, ==, a);
    if (i == 0) {
      greedy = g_steal_pointer (&a);
      beams = g_steal_pointer (&b);
      continue;
    }
    g_assert_cmpstr (a, ==, greedy);
    g_assert_cmpstr (b, ==, beams);
  }
}

/* --- other tokenizers --- */

/* The pieces of TINY's tokenizer.json in vocab.json, merges.txt and
 * added_tokens.json. */
static void
split_tokenizer (const char *folder)
{
  static const char *const special[] = { "<|endoftext|>",
    "<|startoftranscript|>", "<|en|>", "<|de|>", "<|translate|>",
    "<|transcribe|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>" };
  g_autoptr (GString) pieces = g_string_new ("{\"\xc4\xa0\": 0");
  g_autoptr (GString) merges = g_string_new ("#version: 0.2\n");
  g_autoptr (GString) added = g_string_new ("{");

  for (guint i = 0; i < 26; i++)
    g_string_append_printf (pieces, ", \"%c\": %u", 'a' + (int) i, 1 + i);
  for (guint i = 0; i < 26; i++) {
    g_string_append_printf (
        pieces, ", \"\xc4\xa0%c\": %u", 'a' + (int) i, 27 + i);
    g_string_append_printf (merges, "\xc4\xa0 %c\n", 'a' + (int) i);
  }
  for (guint i = 0; i < G_N_ELEMENTS (special); i++)
    g_string_append_printf (
        added, "%s\"%s\": %u", i > 0 ? ", " : "", special[i], 53 + i);
  g_string_append_c (pieces, '}');
  g_string_append_c (added, '}');
  change (folder, "vocab.json", NULL, pieces->str);
  change (folder, "merges.txt", NULL, merges->str);
  change (folder, "added_tokens.json", NULL, added->str);
}

static void
test_vocabulary (void)
{
  g_autofree char *folder =
      whisper_test_folder (WHISPER_STATEFUL, "tokenizer.json");
  g_autofree float *samples = whisper_test_noise ();
  Session s;

  whisper_test_open (&s);
  whisper_test_set (&s, "initial-prompt", "a word");
  g_autofree char *expected = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  whisper_test_close (&s);
  split_tokenizer (folder);
  whisper_test_open_at (&s, folder);
  whisper_test_believe_all (&s);
  whisper_test_set (&s, "initial-prompt", "a word");
  g_autofree char *heard = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpuint (strlen (heard), >, 100);
  g_assert_cmpstr (heard, ==, expected);
  whisper_test_close (&s);
  test_remove_folder (folder);
}

/* --- languages --- */

static void
test_languages (void)
{
  g_autofree char *folder = whisper_test_folder (WHISPER_STATEFUL, NULL);
  g_autofree float *samples = whisper_test_noise ();
  Session s;

  change (folder, "generation_config.json", "\"is_multilingual\": false",
      "\"is_multilingual\": true");
  whisper_test_open_at (&s, folder);
  whisper_test_believe_all (&s);
  const InferSpeechInfo *info = infer_speech_model_get_info (s.model);
  g_assert_cmpstr (info->languages[0], ==, "en");
  g_assert_cmpstr (info->languages[1], ==, "de");
  g_assert_null (info->languages[2]);
  g_autofree char *heard = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_autofree char *with_partials =
      whisper_test_hear (&s, 0, samples, N, 9000, TRUE);
  g_assert_cmpstr (with_partials, ==, heard);
  g_assert_true (
      strstr (heard, " en\n") != NULL || strstr (heard, " de\n") != NULL);
  whisper_test_set (&s, "language", "de");
  g_autofree char *german = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_nonnull (strstr (german, " de\n"));
  g_assert_null (strstr (german, " en\n"));
  whisper_test_set (&s, "task", "translate");
  g_autofree char *translated = whisper_test_hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpstr (translated, !=, german);
  whisper_test_close (&s);
  test_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/whisper/folders", test_folders);
  g_test_add_func ("/whisper/folders/past", test_broken_past);
  g_test_add_func ("/whisper/forms", test_forms);
  g_test_add_func ("/whisper/vocabulary", test_vocabulary);
  g_test_add_func ("/whisper/languages", test_languages);
  return g_test_run ();
}
