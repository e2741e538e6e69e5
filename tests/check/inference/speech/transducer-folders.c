/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folders of transducers: what fits together, and what a model says of itself.
 * Their files are those of tests/speech/transducer. */

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "infer/speech.h"
#include "tests/check/support/folder.h"

#define DATA SOURCE_ROOT "/tests/speech/transducer/"

/* --- folders that do not fit together --- */

/* A link in @folder to @file of the data. */
static void
link_file (const char *folder, const char *name, const char *file)
{
  g_autofree char *from = g_build_filename (folder, name, NULL);
  g_autofree char *to = g_strconcat (DATA, file, NULL);

  g_assert_cmpint (symlink (to, from), ==, 0);
}

static char *
make_folder (void)
{
  char *folder = g_dir_make_tmp ("transducer-XXXXXX", NULL);

  g_assert_nonnull (folder);
  return folder;
}

/* Loading @folder, then removing it: the error says all of @words. */
static void
assert_refused (const char *folder, const char *const *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_autoptr (InferSpeechModel) model =
      infer_speech_model_load (folder, "transducer", runtime, &error);

  g_assert_null (model);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  for (guint i = 0; words[i] != NULL; i++)
    g_assert_nonnull (strstr (error->message, words[i]));
  g_assert_null (strchr (error->message, '\n'));
  test_remove_folder (folder);
}

typedef struct
{
  const char *name;
  const char *files[10]; /* name, file, … */
  const char *words[4];
} Broken;

#define ENCODER "conformer/encoder.onnx"
#define DECODER "conformer/decoder.onnx"
#define JOINER "conformer/joiner.onnx"
#define TOKENS "conformer/tokens.txt"

static const Broken broken[] = {
  { "no-decoder",
      { "encoder.onnx", ENCODER, "joiner.onnx", JOINER, "tokens.txt", TOKENS },
      { "there is no decoder*.onnx", "transducer-" } },
  { "no-tokens",
      { "encoder.onnx", ENCODER, "decoder.onnx", DECODER, "joiner.onnx",
          JOINER },
      { "tokens.txt" } },
  { "two-encoders",
      { "encoder-a.onnx", ENCODER, "encoder-b.onnx", ENCODER, "decoder.onnx",
          DECODER, "joiner.onnx", JOINER, "tokens.txt", TOKENS },
      { "encoder-a.onnx and encoder-b.onnx are both there" } },
  { "width",
      { "encoder.onnx", ENCODER, "decoder.onnx", DECODER, "joiner.onnx",
          "other-joiner.onnx", "tokens.txt", TOKENS },
      { "joiner.onnx", "'encoder_out' takes 32 values",
          "encoder.onnx gives 24" } },
  { "swapped",
      { "encoder.onnx", JOINER, "decoder.onnx", DECODER, "joiner.onnx", ENCODER,
          "tokens.txt", TOKENS },
      { "encoder.onnx", "has 2 inputs and 1 outputs" } },
  { "decoder-for-joiner",
      { "encoder.onnx", ENCODER, "decoder.onnx", DECODER, "joiner.onnx",
          DECODER, "tokens.txt", TOKENS },
      { "joiner.onnx", "it has 1 inputs" } },
  { "text-for-decoder",
      { "encoder.onnx", ENCODER, "decoder.onnx", TOKENS, "joiner.onnx", JOINER,
          "tokens.txt", TOKENS },
      { "decoder.onnx" } },
};

static void
test_broken (gconstpointer data)
{
  const Broken *b = data;
  g_autofree char *folder = make_folder ();

  for (guint i = 0; i < G_N_ELEMENTS (b->files) && b->files[i] != NULL; i += 2)
    link_file (folder, b->files[i], b->files[i + 1]);
  assert_refused (folder, b->words);
}

/* One token less, and one more, than there are scores. */
static void
test_tokens (void)
{
  for (int more = -1; more <= 1; more += 2) {
    g_autofree char *folder = make_folder ();
    g_autofree char *path = g_build_filename (folder, "tokens.txt", NULL);
    g_autoptr (GString) text = g_string_new (NULL);
    g_autofree char *size = g_strdup_printf ("has %d tokens", 40 + more);
    const char *words[] = { "tokens.txt", size,
      "joiner.onnx gives scores of 40", NULL };

    for (int i = 0; i < 40 + more; i++)
      g_string_append_printf (text, i == 0 ? "<blk> 0\n" : "t%d %d\n", i, i);
    g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
    link_file (folder, "encoder.onnx", ENCODER);
    link_file (folder, "decoder.onnx", DECODER);
    link_file (folder, "joiner.onnx", JOINER);
    assert_refused (folder, words);
  }
}

/* An encoder and its quantised version are one model; a folder of several
 * models is loaded by the path of an encoder. */
static void
test_choice (void)
{
  static const char *const parts[] = { "encoder", "decoder", "joiner" };
  static const char *const files[] = { ENCODER, DECODER, JOINER };
  static const char *const suffixes[] = { "-a.onnx", "-a.int8.onnx",
    "-b.onnx" };
  g_autofree char *folder = make_folder ();
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);

  link_file (folder, "tokens.txt", TOKENS);
  for (guint k = 0; k < 3; k++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *encoder = g_strconcat (folder, "/encoder-b.onnx", NULL);

    for (guint i = 0; i < 3; i++) {
      g_autofree char *name = g_strconcat (parts[i], suffixes[k], NULL);

      link_file (folder, name, files[i]);
    }
    g_autoptr (InferSpeechModel) model = infer_speech_model_load (
        k < 2 ? folder : encoder, NULL, runtime, &error);
    g_assert_no_error (error);
    g_assert_nonnull (model);
  }
  test_remove_folder (folder);
}

/* --- what a model says of itself --- */

/* Appends an entry of the metadata to the ONNX file @path: field 14 of
 * ModelProto, whose fields 1 and 2 are key and value. */
static void
add_metadata (const char *path, const char *key, const char *value)
{
  const char k = (char) strlen (key), v = (char) strlen (value);
  FILE *file = g_fopen (path, "ab");

  g_assert_nonnull (file);
  fprintf (file, "\x72%c\x0a%c%s\x12%c%s", k + v + 4, k, key, v, value);
  g_assert_cmpint (fclose (file), ==, 0);
}

/* A folder with a copy of the encoder that may be changed.  (transfer full) */
static char *
copy_encoder (char **encoder)
{
  char *folder = make_folder ();
  g_autofree char *data = NULL;
  gsize size;

  *encoder = g_build_filename (folder, "encoder.onnx", NULL);
  g_assert_true (g_file_get_contents (DATA ENCODER, &data, &size, NULL));
  g_assert_true (g_file_set_contents (*encoder, data, (gssize) size, NULL));
  link_file (folder, "decoder.onnx", DECODER);
  link_file (folder, "joiner.onnx", JOINER);
  link_file (folder, "tokens.txt", TOKENS);
  return folder;
}

/* model_info, which the user may write, comes before what the exporter says. */
static void
test_model_info (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  static const guint rates[] = { 12000, 24000 };
  static const char *const keys[] = { "sample_rate", "model_info sample_rate" };
  g_autofree char *encoder = NULL;
  g_autofree char *folder = copy_encoder (&encoder);

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    g_autofree char *rate = g_strdup_printf ("%u", rates[i]);

    add_metadata (encoder, keys[i], rate);
    g_autoptr (InferSpeechModel) model =
        infer_speech_model_load (folder, NULL, runtime, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (infer_speech_model_get_info (model)->rate, ==, rates[i]);
  }
  test_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (broken); i++) {
    g_autofree char *path =
        g_strconcat ("/transducer/broken/", broken[i].name, NULL);

    g_test_add_data_func (path, &broken[i], test_broken);
  }
  g_test_add_func ("/transducer/broken/tokens", test_tokens);
  g_test_add_func ("/transducer/choice", test_choice);
  g_test_add_func ("/transducer/model-info", test_model_info);
  return g_test_run ();
}
