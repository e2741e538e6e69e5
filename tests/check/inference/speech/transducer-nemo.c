/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Transducers of NeMo's form, in three files and in two: the folders of
 * tests/speech/nemo, whose tokens make-nemo.py wrote down, of a plain loop over
 * ONNX Runtime. */

#include <math.h>
#include <string.h>

#include "infer/speech.h"
#include "inference/media/features/kind.h"
#include "inference/speech/transducer/encoder.h"
#include "inference/speech/transducer/search.h"
#include "tests/check/inference/speech/files.h"
#include "tests/check/inference/speech/session.h"
#include "tests/check/support/folder.h"

#define DATA SOURCE_ROOT "/tests/speech/nemo/"
#define NOISE SOURCE_ROOT "/tests/speech/transducer/noise.wav"
#define BANDS 80
#define FRAMES 300
#define WINDOW 41
#define SHIFT 32

/* --- the loop --- */

typedef struct
{
  InferRuntime *runtime;
  InferVocabulary *vocabulary;
  TransducerNetworks net;
  TransducerEncoder encoder;
  TransducerSearch *search;
} Parts;

static void
parts_open (Parts *p, const char *kind)
{
  g_autofree char *path = g_strconcat (DATA, kind, NULL);
  g_autoptr (GError) error = NULL;
  g_auto (SpeechFolder) folder = { 0 };
  InferFeaturesConfig config = infer_features_unset ();

  *p = (Parts){ .runtime = infer_runtime_new ("CPU", NULL, NULL) };
  g_assert_true (speech_folder_open (&folder, path, NULL));
  p->vocabulary = infer_vocabulary_load (&folder, &error);
  g_assert_no_error (error);
  transducer_networks_load (
      &p->net, &folder, p->vocabulary, p->runtime, &error);
  g_assert_no_error (error);
  config.sample_rate = p->net.rate;
  config.bands = p->net.bands;
  infer_features_fill (&infer_features_nemo, &config);
  transducer_encoder_init (
      &p->encoder, &p->net, &infer_features_nemo, &config, &error);
  g_assert_no_error (error);
  p->search = transducer_search_new (&p->net, -1, &error);
  g_assert_no_error (error);
}

static void
parts_close (Parts *p)
{
  transducer_search_free (p->search);
  transducer_encoder_clear (&p->encoder);
  transducer_networks_clear (&p->net);
  infer_vocabulary_unref (p->vocabulary);
  infer_runtime_unref (p->runtime);
}

/* The features of make-nemo.py. */
static float *
make_rows (void)
{
  float *rows = g_new (float, BANDS *FRAMES);

  for (guint64 i = 0; i < BANDS * FRAMES; i++)
    rows[i] = (float) (((double) ((guint32) (i * 2654435761) >> 16) / 32768 - 1)
                       * sin ((double) (i / BANDS) / 7));
  return rows;
}

static void
run_rows (Parts *p, const float *rows, guint n)
{
  g_autoptr (GError) error = NULL;

  memcpy (p->encoder.rows, rows, (gsize) n * BANDS * sizeof *rows);
  p->encoder.filled = n;
  transducer_encoder_run (&p->encoder, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < p->encoder.n_frames; i++) {
    transducer_search_push (
        p->search, p->encoder.frames + (gsize) i * p->net.width, &error);
    g_assert_no_error (error);
  }
}

/* "frame id" per line.  (transfer full) */
static char *
find_tokens (Parts *p)
{
  g_autofree float *rows = make_rows ();
  g_autoptr (GError) error = NULL;
  GString *text = g_string_new (NULL);
  guint n;

  transducer_encoder_reset (&p->encoder);
  transducer_search_reset (p->search, &error);
  g_assert_no_error (error);
  if (p->net.whole)
    run_rows (p, rows, FRAMES);
  for (guint at = 0; !p->net.whole && at + WINDOW <= FRAMES; at += SHIFT)
    run_rows (p, rows + (gsize) at * BANDS, WINDOW);
  const TransducerToken *tokens = transducer_search_best (p->search, &n);
  for (guint i = 0; i < n; i++) {
    g_string_append_printf (
        text, "%u\t%u\n", (guint) tokens[i].frame, tokens[i].id);
    g_assert_cmpfloat (tokens[i].log_probability, <=, 0);
  }
  return g_string_free (text, FALSE);
}

static char *
read_expected (const char *kind)
{
  g_autofree char *all = NULL;
  GString *text = g_string_new (NULL);

  g_assert_true (g_file_get_contents (DATA "expected.tsv", &all, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (all, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], kind) && lines[i][strlen (kind)] == '\t')
      g_string_append_printf (text, "%s\n", lines[i] + strlen (kind) + 1);
  g_assert_cmpuint (text->len, >, 20);
  return g_string_free (text, FALSE);
}

static void
test_expected (gconstpointer kind)
{
  g_autofree char *expected = read_expected (kind);
  Parts p;

  parts_open (&p, kind);
  for (guint again = 0; again < 2; again++) {
    g_autofree char *found = find_tokens (&p);

    g_assert_cmpstr (found, ==, expected);
  }
  parts_close (&p);
}

/* --- streams --- */

static void
open_path (Session *s, const char *path)
{
  session_open (s, path, NULL);
  g_assert_cmpstr (
      infer_speech_model_get_info (s->model)->kind, ==, "transducer");
}

/* "word start end" per line, in pieces of @piece.  (transfer full) */
static char *
hear (Session *s, gsize piece, gboolean partials)
{
  gsize n;
  g_autofree float *samples = test_read_wav (NOISE, &n);
  g_autoptr (GError) error = NULL;
  GString *text = g_string_new (NULL);

  infer_speech_stream_begin (s->stream, 0, &error);
  for (gsize i = 0; i < n && error == NULL; i += piece) {
    infer_speech_stream_push (
        s->stream, samples + i, MIN (piece, n - i), &error);
    if (partials && error == NULL)
      infer_transcript_free (infer_speech_stream_partial (s->stream, &error));
  }
  g_assert_no_error (error);
  infer_speech_stream_end (s->stream, &error);
  g_assert_no_error (error);
  for (InferTranscript *t; (t = infer_speech_stream_pop (s->stream)) != NULL;) {
    for (guint i = 0; i < t->n_words; i++) {
      const InferWord *word = &t->words[i];

      g_assert_cmpuint (word->start, <=, word->end);
      g_assert_cmpuint (word->end, <=, n);
      g_string_append_printf (text,
          "%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n", word->text,
          word->start, word->end);
    }
    infer_transcript_free (t);
  }
  return g_string_free (text, FALSE);
}

static void
test_pieces (gconstpointer kind)
{
  g_autofree char *path = g_strconcat (DATA, kind, NULL);
  Session s;

  open_path (&s, path);
  g_autofree char *whole = hear (&s, G_MAXINT32, FALSE);
  g_autofree char *pieces = hear (&s, 777, FALSE);
  g_autofree char *partials = hear (&s, 8000, TRUE);
  g_test_message ("%s", whole);
  g_assert_cmpuint (strlen (whole), >, 0);
  g_assert_cmpstr (pieces, ==, whole);
  g_assert_cmpstr (partials, ==, whole);
  session_close (&s);
}

/* Phrases with one path; no other search is known for these. */
static void
test_settings (void)
{
  g_autoptr (GError) error = NULL;
  Session s;

  open_path (&s, DATA "tdt");
  g_autofree char *plain = hear (&s, 8000, FALSE);
  infer_speech_stream_set (s.stream, "phrases", "bbebe:20", &error);
  g_assert_no_error (error);
  g_autofree char *led = hear (&s, 8000, FALSE);
  g_assert_null (strstr (plain, "bbebe"));
  g_assert_nonnull (strstr (led, "bbebe"));
  g_assert_cmpstr (led, !=, plain);
  infer_speech_stream_set (s.stream, "phrases", NULL, &error);
  infer_speech_stream_set (s.stream, "beam", "1", &error);
  g_assert_no_error (error);
  g_autofree char *again = hear (&s, 8000, FALSE);
  g_assert_cmpstr (again, ==, plain);
  g_assert_false (infer_speech_stream_set (s.stream, "beam", "4", &error));
  g_assert_nonnull (strstr (error->message, "from 1 to 1"));
  session_close (&s);
}

/* --- broken folders --- */

static void
copy_file (const char *from, const char *folder, const char *name)
{
  g_autofree char *path = g_strconcat (DATA, from, NULL);
  g_autofree char *to = g_build_filename (folder, name, NULL);
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_true (g_file_set_contents (to, data, (gssize) size, NULL));
}

static char *
copy_folder (const char *kind)
{
  g_autofree char *path = g_strconcat (DATA, kind, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  char *folder = g_dir_make_tmp ("infer-nemo-XXXXXX", NULL);

  g_assert_nonnull (dir);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *from = g_build_filename (kind, name, NULL);

    copy_file (from, folder, name);
  }
  return folder;
}

/* Loading @folder, then removing it: the error says all of @words. */
static void
assert_refused (const char *folder, const char *const *words)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (infer_speech_model_load (folder, NULL, runtime, &error));
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  for (guint i = 0; words[i] != NULL; i++)
    g_assert_nonnull (strstr (error->message, words[i]));
  g_assert_null (strchr (error->message, '\n'));
  test_remove_folder (folder);
}

#define JOINT "decoder_joint-model.onnx"

static void
test_broken (void)
{
  static const struct
  {
    const char *kind, *file, *from, *to, *words[3];
  } cases[] = {
    { "rnnt", "encoder.onnx", "vocab_size", "vocab_sise", { "vocab_size" } },
    { "rnnt", "encoder.onnx", "per_feature", "all_feature",
        { "normalised 'all_feature'" } },
    { "streaming", "encoder.onnx", "window_size", "window_sise",
        { "window_size" } },
    { "streaming", "encoder.onnx", "chunk_shift", "chunk_shoft",
        { "chunk_shift" } },
    { "rnnt", "tokens.txt", "<blk> 39", "<blk> 38", { "id 38 is given" } },
    { "tdt", "tokens.txt", "<blk> 39\n", "        \n", { "tokens, but" } },
    { "joint-rnnt", "vocab.txt", "<blk> 39", "<blx> 39",
        { "vocab.txt: its last token should be '<blk>'", JOINT } },
    { "joint-rnnt", "vocab.txt", "so 38\n<blk> 39\n", "<blk> 38\n     \n",
        { JOINT ": it gives 40 scores", "vocab.txt has 38 tokens" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *folder = copy_folder (cases[i].kind);

    change_bytes (folder, cases[i].file, cases[i].from, cases[i].to);
    assert_refused (folder, cases[i].words);
  }
}

/* Another network in the place of @name. */
static void
test_swapped (void)
{
  static const struct
  {
    const char *kind, *name, *from, *words[3];
  } cases[] = {
    { "joint-rnnt", JOINT, "joint-two.onnx",
        { JOINT ": 2 values of its decoder meet", "'encoder_outputs'" } },
    { "joint-rnnt", JOINT, "rnnt/decoder.onnx",
        { JOINT ": it has 4 inputs and 4 outputs",
            "decoder with its joiner" } },
    { "joint-rnnt", JOINT, "streaming/encoder.onnx",
        { JOINT ": it should take [batch, width, frames]" } },
    { "joint-rnnt", "encoder-model.onnx", "joint-tdt/" JOINT,
        { "encoder-model.onnx: it should take [batch, bands, frames]" } },
    { "joint-rnnt", JOINT, "other-width.onnx",
        { JOINT ": its input 'encoder_outputs' takes 12 values",
            "encoder-model.onnx gives 16" } },
    { "joint-rnnt", "decoder_joint-b.onnx", "joint-tdt/" JOINT, { NULL } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *folder = copy_folder (cases[i].kind);

    copy_file (cases[i].from, folder, cases[i].name);
    if (cases[i].words[0] != NULL) {
      assert_refused (folder, cases[i].words);
      continue;
    }
    /* The one of the encoder's name. */
    Session s;
    open_path (&s, folder);
    session_close (&s);
    test_remove_folder (folder);
  }
}

int
main (int argc, char **argv)
{
  static const char *const kinds[] = { "rnnt", "tdt", "streaming", "joint-rnnt",
    "joint-tdt" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree char *expected = g_strdup_printf ("/nemo/%s/expected", kinds[i]);
    g_autofree char *pieces = g_strdup_printf ("/nemo/%s/pieces", kinds[i]);

    g_test_add_data_func (expected, kinds[i], test_expected);
    g_test_add_data_func (pieces, kinds[i], test_pieces);
  }
  g_test_add_func ("/nemo/settings", test_settings);
  g_test_add_func ("/nemo/broken", test_broken);
  g_test_add_func ("/nemo/swapped", test_swapped);
  return g_test_run ();
}
