/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of a speech model's folder beside its networks: nothing is
 * compiled, so that millions of executions are cheap.  The first byte says
 * which part is read; texts follow, each up to a NUL. */

#include "tests/fuzz/support/bytes.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/temp-file.h"

#include <glib/gstdio.h>

#include <math.h>

#include "infer/voice.h"
#include "inference/speech/ctc/describe.h"
#include "inference/speech/kind.h"
#include "inference/speech/transducer/files.h"
#include "inference/speech/whisper/folder/files.h"
#include "inference/speech/whisper/folder/metadata.h"
#include "inference/speech/whisper/settings.h"

/* Enough of a tokenizer that the configuration is looked at. */
#define TOKENIZER                                                              \
  "{\"added_tokens\":[{\"id\":2,\"content\":\"<|endoftext|>\",\"special\":"    \
  "true},{\"id\":3,\"content\":\"<|startoftranscript|>\",\"special\":true},{"  \
  "\"id\":4,\"content\":\"<|en|>\",\"special\":true},{\"id\":5,\"content\":"   \
  "\"<|transcribe|>\",\"special\":true},{\"id\":6,\"content\":"                \
  "\"<|notimestamps|>\",\"special\":true}],\"model\":{\"type\":\"BPE\","       \
  "\"vocab\":{\"a\":0,\"b\":1},\"merges\":[]}}"
#define TOKENS                                                                 \
  "IA== 0\nYQ== 1\nYg== 2\nYw== 3\nZA== 4\nZQ== 5\nZg== 6\nZw== 7\n"
#define MOST_TEXT 20000
#define MOST_NAMES 20

/* Whatever a call says: no error where it succeeds, one where it fails. */
static gboolean
check (gboolean done, GError **error)
{
  g_assert_true (done == (*error == NULL));
  if (*error != NULL)
    g_assert_true (g_utf8_validate ((*error)->message, -1, NULL));
  g_clear_error (error);
  return done;
}

static void
write_text (const char *name, const char *text)
{
  g_free (fuzz_file (name, text, strlen (text)));
}

static void
remove_file (const char *name)
{
  g_autofree char *path = g_build_filename (fuzz_folder (), name, NULL);

  g_unlink (path);
}

/* --- Whisper --- */

static void
check_config (const WhisperConfig *c)
{
  g_assert_cmpuint (c->context, >=, 16);
  g_assert_cmpuint (c->timestamps, >, c->end);
  g_assert_cmpuint (c->timestamps, >, c->start);
  g_assert_cmpuint (c->rate, >=, 1000);
  g_assert_cmpuint (c->hop, >=, 1);
  for (guint i = 0; i < c->languages->len; i++)
    g_assert_true (g_utf8_validate (
        g_array_index (c->languages, WhisperLanguage, i).code, -1, NULL));
}

static void
set_all (const WhisperConfig *config, FuzzBytes *bytes)
{
  static const char *const keys[] = { "language", "task", "beam",
    "length-penalty", "temperature", "initial-prompt", "phrases",
    "condition-on-previous-text", "context-margin", "word-times", "time-limit",
    "no-speech-threshold", "log-probability-threshold", "compression-threshold",
    "another" };
  WhisperSettings settings;

  whisper_settings_init (&settings);
  for (guint i = 0; i < 4 && bytes->left > 0; i++) {
    const char *key = keys[fuzz_below (bytes, G_N_ELEMENTS (keys))];
    g_autofree char *value = fuzz_text (bytes, 100);
    g_autoptr (GError) error = NULL;

    check (whisper_settings_set (&settings, config, key,
               g_utf8_validate (value, -1, NULL) ? value : NULL, &error),
        &error);
  }
  g_assert_cmpuint (settings.beams, >=, 1);
  g_assert_cmpuint (settings.n_temperatures, >=, 1);
  g_assert_false (isnan (settings.margin));
  whisper_settings_clear (&settings);
}

static void
read_json (FuzzBytes *bytes)
{
  static const char *const names[] = { "config.json", "generation_config.json",
    "preprocessor_config.json" };
  g_auto (SpeechFolder) folder = { 0 };
  g_auto (WhisperConfig) config = { 0 };
  g_autoptr (GError) error = NULL;

  write_text ("tokenizer.json", TOKENIZER);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *text = fuzz_text (bytes, MOST_TEXT);

    if (*text != '\0' || i == 0)
      write_text (names[i], text);
  }
  g_assert_true (speech_folder_open (&folder, fuzz_folder (), NULL));
  if (check (whisper_config_read (&config, &folder, &error), &error)) {
    check_config (&config);
    set_all (&config, bytes);
  }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    remove_file (names[i]);
  remove_file ("tokenizer.json");
}

/* --- metadata --- */

static void
append_text (GByteArray *file, guint8 tag, const char *text)
{
  const gsize n = MIN (strlen (text), 127);
  const guint8 head[2] = { tag, (guint8) n };

  g_byte_array_append (file, head, 2);
  g_byte_array_append (file, (const guint8 *) text, (guint) n);
}

/* An ONNX model that gives its input, with these metadata.  *@valid: all are
 * UTF-8, so that it can be read. */
static GBytes *
make_model (FuzzBytes *bytes, gboolean *valid)
{
  static const guint8 net[] = { 0x08, 8, 0x42, 2, 0x10, 13, /* versions */
    0x3a, 55, 0x0a, 16, 0x0a, 1, 'x', 0x12, 1, 'y', 0x22, 8, 'I', 'd', 'e', 'n',
    't', 'i', 't', 'y', /* node */
    0x12, 1, 'g',       /* name */
    0x5a, 15, 0x0a, 1, 'x', 0x12, 10, 0x0a, 8, 0x08, 1, 0x12, 4, 0x0a, 2, 0x08,
    1, /* input */
    0x62, 15, 0x0a, 1, 'y', 0x12, 10, 0x0a, 8, 0x08, 1, 0x12, 4, 0x0a, 2, 0x08,
    1 /* output */ };
  GByteArray *file = g_byte_array_new ();

  g_byte_array_append (file, net, sizeof net);
  for (guint i = 0; i < MOST_NAMES && bytes->left > 0; i++) {
    g_autofree char *key = fuzz_text (bytes, 127);
    g_autofree char *value = fuzz_text (bytes, 127);
    g_autoptr (GByteArray) entry = g_byte_array_new ();

    append_text (entry, 0x0a, key);
    append_text (entry, 0x12, value);
    *valid &=
        g_utf8_validate (key, -1, NULL) && g_utf8_validate (value, -1, NULL);
    const guint8 head[] = { 0x72, (guint8) (entry->len | 0x80),
      (guint8) (entry->len >> 7) };
    g_byte_array_append (file, head, sizeof head);
    g_byte_array_append (file, entry->data, entry->len);
  }
  return g_byte_array_free_to_bytes (file);
}

static void
describe (const InferModel *model, const SpeechFolder *folder)
{
  g_autoptr (GError) error = NULL;
  const InferFeaturesKind *kind = NULL;
  InferFeaturesConfig config;
  gint64 rate = 16000;
  gboolean unit;

  if (check (ctc_describe_rate (model, folder, "a file", &rate, &unit, &error),
          &error)) {
    g_assert_cmpint (rate, >=, 1);
    if (check (ctc_describe_features (
                   model, "a file", (guint) rate, &kind, &config, &error),
            &error))
      g_assert_nonnull (kind);
  }
  ctc_describe_per_feature (model);
}

static void
read_metadata (FuzzBytes *bytes)
{
  g_autofree char *preprocessor = fuzz_text (bytes, MOST_TEXT);
  gboolean valid = TRUE;
  g_autoptr (GBytes) file = make_model (bytes, &valid);
  g_auto (SpeechFolder) folder = { 0 };
  g_auto (WhisperConfig) config = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model =
      infer_model_load_bytes (file, NULL, "a.onnx", &error);

  if (!check (model != NULL, &error)) {
    g_assert_false (valid);
    return;
  }
  write_text ("tokens.txt", TOKENS);
  if (*preprocessor != '\0')
    write_text ("preprocessor_config.json", preprocessor);
  g_assert_true (speech_folder_open (&folder, fuzz_folder (), NULL));
  describe (model, &folder);
  if (check (whisper_metadata_read (&config, model, &folder, &error), &error))
    check_config (&config);
  remove_file ("tokens.txt");
  remove_file ("preprocessor_config.json");
}

/* --- names --- */

/* Plain names, so that the files are in the folder. */
static gboolean
is_plain (const char *name)
{
  return *name != '\0' && *name != '.' && strchr (name, '/') == NULL
         && strlen (name) < 100;
}

static void
find_all (const SpeechFolder *folder)
{
  TransducerFiles transducer = { .encoder = NULL };
  g_autoptr (GError) error = NULL;
  WhisperFiles whisper;

  if (whisper_files_find (folder, &whisper)) {
    g_assert_true (speech_folder_has (folder, whisper.encoder));
    g_assert_true (speech_folder_has (folder, whisper.decoder));
  }
  transducer_files_probe (folder);
  if (check (transducer_files_find (&transducer, folder, &error), &error)) {
    g_assert_true (speech_folder_has (folder, transducer.encoder));
    g_assert_true ((transducer.joint == NULL) == (transducer.joiner != NULL));
    g_assert_true (speech_folder_has (folder,
        transducer.joint != NULL ? transducer.joint : transducer.decoder));
    g_assert_true (transducer.joint != NULL
                   || speech_folder_has (folder, transducer.joiner));
  }
  infer_vocabulary_probe (folder);
  infer_speech_whisper.probe (folder);
  infer_speech_transducer.probe (folder);
  infer_speech_moonshine.probe (folder);
  g_autofree char *voice = infer_voice_model_find (folder->folder);
  g_assert_true (voice == NULL || g_file_test (voice, G_FILE_TEST_IS_REGULAR));
}

static void
read_names (FuzzBytes *bytes)
{
  g_autofree char *content = fuzz_text (bytes, 300);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_auto (SpeechFolder) folder = { 0 };

  for (guint i = 0; i < MOST_NAMES && bytes->left > 0; i++) {
    char *name = fuzz_text (bytes, 100);

    g_ptr_array_add (names, name);
    if (is_plain (name))
      write_text (name, content);
  }
  g_assert_true (speech_folder_open (&folder, fuzz_folder (), NULL));
  find_all (&folder);
  for (guint i = 0; i < names->len; i++)
    if (is_plain (names->pdata[i]))
      remove_file (names->pdata[i]);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes bytes = { data, size };

  switch (fuzz_below (&bytes, 3)) {
    case 0:
      read_json (&bytes);
      break;
    case 1:
      read_metadata (&bytes);
      break;
    default:
      read_names (&bytes);
  }
  return 0;
}
