/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whisper's way through a stream, with the random weights of
 * tests/speech/whisper/tiny (make-whisper.py). */

#include <math.h>
#include <string.h>

#include "infer/speech.h"
#include "inference/speech/whisper/decode.h"
#include "inference/speech/whisper/model.h"
#include "tests/check/support/folder.h"

#define TINY SOURCE_ROOT "/tests/speech/whisper/tiny"
#define RATE 16000
#define N (11 * RATE)

/* --- support --- */

typedef struct
{
  InferRuntime *runtime;
  InferSpeechModel *model;
  InferSpeechStream *stream;
} Session;

static void
session_open_at (Session *s, const char *path)
{
  g_autoptr (GError) error = NULL;

  s->runtime = infer_runtime_new ("CPU", NULL, &error);
  g_assert_no_error (error);
  s->model = infer_speech_model_load (path, NULL, s->runtime, &error);
  g_assert_no_error (error);
  s->stream = infer_speech_stream_new (s->model, &error);
  g_assert_no_error (error);
}

static void
set (Session *s, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;

  infer_speech_stream_set (s->stream, key, value, &error);
  g_assert_no_error (error);
}

/* Random weights say little that is likely; drawn tokens do not loop. */
static void
believe_all (Session *s)
{
  set (s, "log-probability-threshold", "-100");
  set (s, "compression-threshold", "1000");
  set (s, "temperature", "1");
}

static void
session_open (Session *s)
{
  session_open_at (s, TINY);
  believe_all (s);
}

static void
session_close (Session *s)
{
  infer_speech_stream_free (s->stream);
  infer_speech_model_unref (s->model);
  infer_runtime_unref (s->runtime);
}

/* (transfer full) */
static float *
noise (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  float *samples = g_new (float, N);

  for (guint i = 0; i < N; i++)
    samples[i] = (float) (g_rand_double_range (random, -0.4, 0.4)
                          * (1 + sin (i * 0.0007)));
  return samples;
}

static void
append (GString *text, const InferTranscript *t)
{
  g_string_append_printf (text,
      "%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT " %s %.4f %.4f %s\n", t->start,
      t->end, t->text, (double) t->log_probability, (double) t->no_speech,
      t->language);
  for (guint i = 0; i < t->n_words; i++)
    g_string_append_printf (text,
        " %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT " %s%s %.4f\n",
        t->words[i].start, t->words[i].end, t->words[i].joined ? "+" : "",
        t->words[i].text, (double) t->words[i].probability);
}

/* All that is final, in pieces of @piece. (transfer full) */
static char *
hear (Session *s, guint64 first, const float *samples, gsize n, gsize piece,
    gboolean partials)
{
  g_autoptr (GError) error = NULL;
  GString *text = g_string_new (NULL);

  infer_speech_stream_begin (s->stream, first, &error);
  for (gsize at = 0; at < n && error == NULL; at += MIN (piece, n - at)) {
    infer_speech_stream_push (
        s->stream, samples + at, MIN (piece, n - at), &error);
    if (partials && error == NULL)
      infer_transcript_free (infer_speech_stream_partial (s->stream, &error));
  }
  g_assert_no_error (error);
  infer_speech_stream_end (s->stream, &error);
  g_assert_no_error (error);
  for (InferTranscript *t; (t = infer_speech_stream_pop (s->stream)) != NULL;) {
    append (text, t);
    infer_transcript_free (t);
  }
  return g_string_free (text, FALSE);
}

/* --- streams --- */

static void
test_pieces (void)
{
  g_autofree float *samples = noise ();
  Session s;

  session_open (&s);
  g_autofree char *whole = hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpuint (strlen (whole), >, 100);
  const gsize pieces[] = { 160, 777, 16000, 70001 };
  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++) {
    g_autofree char *again = hear (&s, 0, samples, N, pieces[i], FALSE);

    g_assert_cmpstr (again, ==, whole);
  }
  session_close (&s);
}

static void
test_partials (void)
{
  g_autofree float *samples = noise ();
  Session s;

  session_open (&s);
  g_autofree char *whole = hear (&s, 0, samples, N, N, FALSE);
  g_autofree char *again = hear (&s, 0, samples, N, 8000, TRUE);
  g_assert_cmpstr (again, ==, whole);
  /* What comes before a text is one of those that do not change, too. */
  set (&s, "condition-on-previous-text", "true");
  infer_speech_stream_reset (s.stream);
  g_autofree char *follows = hear (&s, 0, samples, N, N, FALSE);
  infer_speech_stream_reset (s.stream);
  g_autofree char *both = hear (&s, 0, samples, N, 8000, TRUE);
  g_assert_cmpstr (follows, !=, whole);
  g_assert_cmpstr (both, ==, follows);
  session_close (&s);
}

/* Words lie in order within their segment and the utterance. */
static void
check_times (Session *s, guint64 first, guint64 end)
{
  guint n = 0;

  for (InferTranscript *t; (t = infer_speech_stream_pop (s->stream)) != NULL;
       n++) {
    guint64 before = t->start;

    g_assert_cmpuint (t->start, >=, first);
    g_assert_cmpuint (t->end, <=, end);
    g_assert_cmpuint (t->n_words, >, 0);
    for (guint i = 0; i < t->n_words; i++) {
      g_assert_cmpuint (t->words[i].start, >=, before);
      g_assert_cmpuint (t->words[i].end, >=, t->words[i].start);
      g_assert_cmpuint (t->words[i].end, <=, t->end);
      g_assert_cmpfloat (t->words[i].probability, >, 0);
      g_assert_cmpfloat (t->words[i].probability, <=, 1);
      before = t->words[i].end;
    }
    infer_transcript_free (t);
  }
  g_assert_cmpuint (n, >, 1);
}

static void
test_times (void)
{
  g_autofree float *samples = noise ();
  g_autoptr (GError) error = NULL;
  Session s;

  session_open (&s);
  for (guint i = 0; i < 2; i++) {
    set (&s, "word-times", i == 0 ? "true" : "false");
    infer_speech_stream_begin (s.stream, 1000, &error);
    infer_speech_stream_push (s.stream, samples, N, &error);
    infer_speech_stream_end (s.stream, &error);
    g_assert_no_error (error);
    check_times (&s, 1000, 1000 + N);
  }
  session_close (&s);
}

static void
test_silence (void)
{
  g_autofree float *silence = g_new0 (float, N);
  Session s;

  session_open (&s);
  g_autofree char *text = hear (&s, 0, silence, N, 4000, TRUE);
  g_assert_cmpstr (text, ==, "");
  g_autofree char *short_text = hear (&s, 0, silence, 100, 100, TRUE);
  g_assert_cmpstr (short_text, ==, "");
  g_autofree char *none = hear (&s, 0, silence, 0, 1, FALSE);
  g_assert_cmpstr (none, ==, "");
  session_close (&s);
}

/* --- guards --- */

static guint64
first_start (const char *text)
{
  return g_ascii_strtoull (text, NULL, 10);
}

/* At temperature 0 the random weights repeat themselves in the first window,
 * which is then dropped, unless another attempt finds something. */
static void
test_loops (void)
{
  g_autofree float *samples = noise ();
  Session s;

  session_open (&s);
  set (&s, "temperature", "0");
  g_autofree char *text = hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpuint (first_start (text), >=, 4 * RATE);
  set (&s, "temperature", "0,1");
  g_autofree char *more = hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpuint (first_start (more), <, 4 * RATE);
  session_close (&s);
}

/* --- cancelling --- */

static gpointer
cancel_soon (gpointer data)
{
  Session *s = data;

  g_usleep (20000);
  infer_speech_stream_set_cancelled (s->stream, TRUE);
  return GINT_TO_POINTER ((int) (g_get_monotonic_time () / 1000));
}

static void
test_cancel (void)
{
  g_autofree float *samples = noise ();
  g_autoptr (GError) error = NULL;
  Session s;

  session_open (&s);
  g_autofree char *whole = hear (&s, 0, samples, N, N, FALSE);
  GThread *thread = g_thread_new ("cancel", cancel_soon, &s);
  infer_speech_stream_begin (s.stream, 0, &error);
  while (error == NULL)
    infer_speech_stream_push (s.stream, samples, N, &error);
  int end = (int) (g_get_monotonic_time () / 1000);
  int begin = GPOINTER_TO_INT (g_thread_join (thread));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_test_message ("cancelled within %d ms", end - begin);
  g_assert_cmpint (end - begin, <, 2000); /* beside any load */
  infer_speech_stream_set_cancelled (s.stream, FALSE);
  infer_speech_stream_reset (s.stream);
  g_autofree char *again = hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpstr (again, ==, whole);
  session_close (&s);
}

/* --- settings --- */

static void
test_settings (void)
{
  static const struct
  {
    const char *key, *value, *part;
  } bad[] = {
    { "language", "de", "English alone" },
    { "task", "translate", "English alone" },
    { "task", "sing", "'transcribe' or" },
    { "beam", "0", "from 1 to 16" },
    { "beam", "2.5", "from 1 to 16" },
    { "temperature", "0,hot", "numbers from 0 to 2" },
    { "temperature", "", "numbers from 0 to 2" },
    { "length-penalty", "2", "'none'" },
    { "context-margin", "-1", "seconds from 0 to 30" },
    { "word-times", "yes", "'true' or 'false'" },
    { "condition-on-previous-text", "1", "'true' or 'false'" },
    { "volume", "1", "no setting 'volume', only language" },
  };
  Session s;

  session_open (&s);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (
        infer_speech_stream_set (s.stream, bad[i].key, bad[i].value, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
    g_assert_nonnull (strstr (error->message, bad[i].part));
    if (strcmp (bad[i].key, "volume") != 0)
      set (&s, bad[i].key, NULL);
  }
  session_close (&s);
}

/* Prompts of any length, and phrases, change the text. */
static void
test_prompts (void)
{
  g_autofree float *samples = noise ();
  g_autofree char *many = g_strnfill (3000, 'x');
  Session s;

  session_open (&s);
  g_autofree char *plain = hear (&s, 0, samples, N, N, FALSE);
  set (&s, "initial-prompt", "some words");
  g_autofree char *prompted = hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpstr (prompted, !=, plain);
  set (&s, "initial-prompt", many);
  g_autofree char *filled = hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpstr (filled, !=, plain);
  set (&s, "initial-prompt", NULL);
  g_autofree char *again = hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpstr (again, ==, plain);
  session_close (&s);
}

static void
test_phrases (void)
{
  g_autofree float *samples = noise ();
  Session s;

  session_open (&s);
  set (&s, "temperature", "0,0.3,1");
  set (&s, "phrases", "zebra:15");
  g_autofree char *text = hear (&s, 0, samples, N, N, FALSE);
  set (&s, "phrases", NULL);
  g_autofree char *plain = hear (&s, 0, samples, N, N, FALSE);
  g_assert_null (strstr (plain, "zebra"));
  g_assert_cmpstr (text, !=, plain);
  session_close (&s);
}

/* --- networks --- */

typedef struct
{
  InferRuntime *runtime;
  WhisperModel *model;
  WhisperSession session;
  float *rows;
} Networks;

static void
networks_open (Networks *n, gint64 context)
{
  g_autoptr (GError) error = NULL;
  g_auto (SpeechFolder) folder = { 0 };
  g_autoptr (GRand) random = g_rand_new_with_seed (9);

  n->runtime = infer_runtime_new ("CPU", NULL, &error);
  g_assert_true (speech_folder_open (&folder, TINY, &error));
  n->model = whisper_model_load (&folder, n->runtime, &error);
  g_assert_no_error (error);
  whisper_session_open (&n->session, &n->model->networks, &error);
  g_assert_no_error (error);
  n->rows = g_new (float, 400 * 8);
  for (guint i = 0; i < 400 * 8; i++)
    n->rows[i] = (float) g_rand_double_range (random, -1, 1);
  whisper_session_encode (&n->session, n->rows, 400, 0, context, &error);
  g_assert_no_error (error);
}

static void
networks_close (Networks *n)
{
  whisper_session_close (&n->session);
  whisper_model_free (n->model);
  infer_runtime_unref (n->runtime);
  g_free (n->rows);
}

static InferRequest *
request_of (InferRuntime *runtime, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (TINY, name, NULL);
  g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);

  g_assert_no_error (error);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  return infer_request_new (executable, &error);
}

static InferTensor *
input_of (InferRequest *request, const char *name, int rank, gint64 a, gint64 b)
{
  g_autoptr (GError) error = NULL;
  InferShape shape =
      rank == 1 ? infer_shape_make (1, a) : infer_shape_make (2, a, b);
  int index = infer_model_find_input (
      infer_executable_get_model (infer_request_get_executable (request)), name,
      &error);
  InferTensor *tensor =
      infer_request_set_input_shape (request, (guint) index, &shape, &error);

  g_assert_no_error (error);
  return tensor;
}

/* What the rewritten networks compute is what those of the files do. */
static void
test_same_logits (void)
{
  g_autoptr (GError) error = NULL;
  Networks n;

  networks_open (&n, 200);
  g_autoptr (InferRequest) encoder =
      request_of (n.runtime, "openvino_encoder_model.xml");
  g_autoptr (InferRequest) decoder =
      request_of (n.runtime, "openvino_decoder_model.xml");
  InferShape shape = infer_shape_make (3, (gint64) 1, (gint64) 8, (gint64) 400);
  InferTensor *in = infer_request_set_input_shape (encoder, 0, &shape, &error);
  for (guint b = 0; b < 8; b++)
    for (guint t = 0; t < 400; t++)
      ((float *) in->data)[b * 400 + t] = n.rows[t * 8 + b];
  infer_request_infer (encoder, &error);
  g_assert_no_error (error);
  int hidden = infer_model_find_input (
      infer_executable_get_model (infer_request_get_executable (decoder)),
      "encoder_hidden_states", &error);
  infer_request_set_input (decoder, (guint) hidden,
      infer_request_get_output (encoder, 0, NULL), &error);
  g_assert_no_error (error);
  *(gint32 *) input_of (decoder, "beam_idx", 1, 1, 0)->data = 0;
  whisper_session_restart (&n.session);
  for (guint step = 0; step < 5; step++) {
    const gint64 ids[3] = { 54, 7 + step, 20 };
    guint many = step == 0 ? 3 : 1;
    const float *logits;
    gsize stride;

    memcpy (input_of (decoder, "input_ids", 2, 1, many)->data, ids,
        many * sizeof *ids);
    infer_request_infer (decoder, &error);
    g_assert_no_error (error);
    whisper_session_step (
        &n.session, ids, 1, many, NULL, &logits, &stride, &error);
    g_assert_no_error (error);
    const InferTensor *out = infer_request_get_output (decoder, 0, NULL);
    gsize size = (gsize) out->shape.dims[2];
    const float *expected = (const float *) out->data + (many - 1) * size;
    for (gsize i = 0; i < size; i++)
      g_assert_cmpfloat_with_epsilon (
          (double) logits[i], (double) expected[i], 1e-4);
  }
  networks_close (&n);
}

/* The probabilities of what a beam search finds are those that its tokens have
 * one after the other. */
static void
test_beams (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (WhisperHypothesis) found = { 0 };
  g_autoptr (GArray) scratch = g_array_new (FALSE, FALSE, sizeof (float));
  Networks n;

  for (gint64 context = 100; context <= 200; context += 50) {
    networks_open (&n, context);
    const gint64 start = n.model->config.start;
    WhisperDecoding d = { .session = &n.session,
      .config = &n.model->config,
      .prompt = &start,
      .n_prompt = 1,
      .most = 9,
      .beams = 4,
      .length_penalty = NAN,
      .scratch = scratch };
    const guint size = (guint) n.model->config.vocabulary;
    double sum = 0;
    const float *logits;
    gsize stride;

    whisper_hypothesis_clear (&found);
    whisper_hypothesis_init (&found);
    whisper_decode (&d, &found, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (found.tokens->len, >, 0);
    whisper_session_restart (&n.session);
    whisper_session_step (
        &n.session, &start, 1, 1, NULL, &logits, &stride, &error);
    for (guint i = 0; i < found.tokens->len; i++) {
      guint token = g_array_index (found.tokens, guint, i);
      gint64 next = token;
      const float *allowed = whisper_decode_allowed (
          &d, logits, (const guint *) (gpointer) found.tokens->data, i);
      double total = 0;

      for (guint k = 0; k < size; k++)
        total += exp ((double) allowed[k]);
      double p = (double) allowed[token] - log (total);
      g_assert_cmpfloat_with_epsilon (
          p, (double) g_array_index (found.log_probabilities, float, i), 1e-3);
      sum += p;
      whisper_session_step (
          &n.session, &next, 1, 1, NULL, &logits, &stride, &error);
      g_assert_no_error (error);
    }
    g_assert_cmpfloat (found.sum, <=, sum + 1e-3);
    networks_close (&n);
  }
}

/* --- folders --- */

static char *
copy_folder (const char *without)
{
  static const char *const names[] = { "config.json", "generation_config.json",
    "preprocessor_config.json", "tokenizer.json", "openvino_encoder_model.xml",
    "openvino_encoder_model.bin", "openvino_decoder_model.xml",
    "openvino_decoder_model.bin" };
  char *folder = g_dir_make_tmp ("infer-whisper-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *from = g_build_filename (TINY, names[i], NULL);
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
    g_autofree char *folder = copy_folder (missing ? cases[i].file : NULL);
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

/* --- languages --- */

static void
test_languages (void)
{
  g_autofree char *folder = copy_folder (NULL);
  g_autofree float *samples = noise ();
  Session s;

  change (folder, "generation_config.json", "\"is_multilingual\": false",
      "\"is_multilingual\": true");
  session_open_at (&s, folder);
  believe_all (&s);
  const InferSpeechInfo *info = infer_speech_model_get_info (s.model);
  g_assert_cmpstr (info->languages[0], ==, "en");
  g_assert_cmpstr (info->languages[1], ==, "de");
  g_assert_null (info->languages[2]);
  g_autofree char *heard = hear (&s, 0, samples, N, N, FALSE);
  g_autofree char *with_partials = hear (&s, 0, samples, N, 9000, TRUE);
  g_assert_cmpstr (with_partials, ==, heard);
  g_assert_true (
      strstr (heard, " en\n") != NULL || strstr (heard, " de\n") != NULL);
  set (&s, "language", "de");
  g_autofree char *german = hear (&s, 0, samples, N, N, FALSE);
  g_assert_nonnull (strstr (german, " de\n"));
  g_assert_null (strstr (german, " en\n"));
  set (&s, "task", "translate");
  g_autofree char *translated = hear (&s, 0, samples, N, N, FALSE);
  g_assert_cmpstr (translated, !=, german);
  session_close (&s);
  test_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/whisper/pieces", test_pieces);
  g_test_add_func ("/whisper/partials", test_partials);
  g_test_add_func ("/whisper/times", test_times);
  g_test_add_func ("/whisper/silence", test_silence);
  g_test_add_func ("/whisper/guards/loops", test_loops);
  g_test_add_func ("/whisper/cancel", test_cancel);
  g_test_add_func ("/whisper/settings", test_settings);
  g_test_add_func ("/whisper/prompts", test_prompts);
  g_test_add_func ("/whisper/phrases", test_phrases);
  g_test_add_func ("/whisper/same-logits", test_same_logits);
  g_test_add_func ("/whisper/beams", test_beams);
  g_test_add_func ("/whisper/folders", test_folders);
  g_test_add_func ("/whisper/languages", test_languages);
  return g_test_run ();
}
