/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whisper tiny.en on recordings of people (../shared/speech): the text and the
 * times of segments that a reference decoder gives, and the times of words. */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "infer/speech.h"
#include "inference/base/json.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/process.h"

#define RATE 16000
/* Of 41 recordings. */
#define MOST_DIFFERENT 1
/* ms */
#define MOST_MEDIAN 100
#define MOST_P90 220

typedef struct
{
  char *shared, *folder;
  InferRuntime *runtime;
  InferSpeechModel *model;
  InferSpeechStream *stream;
} Session;

static void
add_link (const Session *s, const char *to, const char *name)
{
  g_autofree char *target = g_build_filename (s->shared, "models", to, NULL);
  g_autofree char *path = g_build_filename (s->folder, name, NULL);

  g_assert_cmpint (symlink (target, path), ==, 0);
}

/* FALSE: the test is skipped, e.g. as there are no shared models. */
static gboolean
session_open (Session *s)
{
  const char *shared = g_getenv ("INFER_SHARED");
  g_autoptr (GError) error = NULL;

  *s = (Session){ 0 };
  if (TEST_IS_SANITIZED) {
    g_test_skip ("minutes with a sanitizer; whisper.c runs the same code");
    return FALSE;
  }
  s->shared = g_strdup (shared != NULL ? shared : SOURCE_ROOT "/../shared");
  g_autofree char *speech =
      g_build_filename (s->shared, "speech", "whisper-reference.json", NULL);
  if (!g_file_test (speech, G_FILE_TEST_EXISTS)) {
    g_clear_pointer (&s->shared, g_free);
    g_test_skip ("no recordings in the shared models");
    return FALSE;
  }
  s->folder = g_dir_make_tmp ("infer-whisper-XXXXXX", NULL);
  add_link (s, "whisper_tiny_en/config.json", "config.json");
  add_link (s, "whisper_tiny_en/tokenizer.json", "tokenizer.json");
  add_link (
      s, "whisper_tiny_en/generation_config.json", "generation_config.json");
  add_link (s, "whisper_tiny_en/preprocessor_config.json",
      "preprocessor_config.json");
  add_link (
      s, "whisper_tiny_en_encoder/model.xml", "openvino_encoder_model.xml");
  add_link (
      s, "whisper_tiny_en_encoder/model.bin", "openvino_encoder_model.bin");
  add_link (
      s, "whisper_tiny_en_decoder_w8/model.xml", "openvino_decoder_model.xml");
  add_link (
      s, "whisper_tiny_en_decoder_w8/model.bin", "openvino_decoder_model.bin");
  s->runtime = infer_runtime_new ("CPU", NULL, &error);
  g_assert_no_error (error);
  s->model = infer_speech_model_load (s->folder, NULL, s->runtime, &error);
  g_assert_no_error (error);
  s->stream = infer_speech_stream_new (s->model, &error);
  g_assert_no_error (error);
  return TRUE;
}

static void
session_close (Session *s)
{
  infer_speech_stream_free (s->stream);
  infer_speech_model_unref (s->model);
  infer_runtime_unref (s->runtime);
  test_remove_folder (s->folder);
  g_free (s->folder);
  g_free (s->shared);
}

static void
set (Session *s, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;

  infer_speech_stream_set (s->stream, key, value, &error);
  g_assert_no_error (error);
}

/* 16-bit samples behind a header of 44 bytes. */
static float *
read_recording (const Session *s, const char *name, gsize *n)
{
  g_autofree char *file = g_strconcat (name, ".wav", NULL);
  g_autofree char *path =
      g_build_filename (s->shared, "speech", "wav", file, NULL);
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  *n = (size - 44) / 2;
  float *samples = g_new (float, *n + 1);
  for (gsize i = 0; i < *n; i++) {
    gint16 value;

    memcpy (&value, data + 44 + 2 * i, 2);
    samples[i] = (float) value / 32768;
  }
  return samples;
}

/* Returns its length in seconds. */
static double
hear (Session *s, const char *name)
{
  g_autoptr (GError) error = NULL;
  gsize n;
  g_autofree float *samples = read_recording (s, name, &n);

  infer_speech_stream_reset (s->stream);
  infer_speech_stream_begin (s->stream, 0, &error);
  for (gsize at = 0; at < n && error == NULL; at += MIN (4000, n - at))
    infer_speech_stream_push (
        s->stream, samples + at, MIN (4000, n - at), &error);
  g_assert_no_error (error);
  infer_speech_stream_end (s->stream, &error);
  g_assert_no_error (error);
  return (double) n / RATE;
}

static InferJson *
read_json (const Session *s, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (s->shared, "speech", name, NULL);
  InferJson *json = infer_json_read (path, &error);

  g_assert_no_error (error);
  return json;
}

/* --- segments --- */

/* The reference's times may lie beyond the recording. */
static gboolean
same_segment (const InferTranscript *t, InferJsonValue segment, double length)
{
  const char *text;
  double start, end;

  g_assert_true (infer_json_get_string (segment, "text", &text, NULL)
                 && infer_json_get_number (segment, "start", &start, NULL)
                 && infer_json_get_number (segment, "end", &end, NULL));
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  return strcmp (t->text, stripped) == 0
         && fabs ((double) t->start / RATE - start) < 0.005
         && fabs ((double) t->end / RATE - MIN (end, length)) < 0.025;
}

/* What is left of the recording's transcripts is freed. */
static gboolean
same_segments (Session *s, InferJsonValue segments, double length)
{
  gboolean same = TRUE;
  guint i = 0;

  for (InferTranscript *t; (t = infer_speech_stream_pop (s->stream)) != NULL;
       i++) {
    same = same && i < infer_json_length (segments)
           && same_segment (t, infer_json_at (segments, i), length);
    infer_transcript_free (t);
  }
  return same && i == infer_json_length (segments);
}

static void
test_segments (void)
{
  guint different = 0;
  Session s;

  if (!session_open (&s))
    return;
  set (&s, "context-margin", "30");
  set (&s, "temperature", "0");
  set (&s, "word-times", "false");
  g_autoptr (InferJson) json = read_json (&s, "whisper-reference.json");
  InferJsonValue root = infer_json_root (json);
  for (guint i = 0; i < infer_json_length (root); i++) {
    const char *name = infer_json_key (root, i, NULL);

    double length = hear (&s, name);
    if (!same_segments (&s, infer_json_at (root, i), length)) {
      different++;
      g_test_message ("%s differs", name);
    }
  }
  g_assert_cmpuint (infer_json_length (root), >=, 41);
  g_assert_cmpuint (different, <=, MOST_DIFFERENT);
  session_close (&s);
}

/* --- words --- */

/* Lower case, without what is no letter; numbers and "Mr." are spelled
 * otherwise in the list and match no word. */
static char *
plain (const char *word)
{
  GString *out = g_string_new (NULL);

  for (; *word != '\0'; word++)
    if (g_ascii_isalpha (*word))
      g_string_append_c (out, g_ascii_tolower (*word));
  return g_string_free (out, FALSE);
}

static void
compare_words (const GPtrArray *heard, InferJsonValue expected, GArray *errors)
{
  guint k = 0;

  for (guint i = 0; i < heard->len; i++) {
    const InferWord *word = heard->pdata[i];
    g_autofree char *text = plain (word->text);

    for (guint j = k; j < MIN (k + 4, infer_json_length (expected)); j++) {
      InferJsonValue one = infer_json_at (expected, j);
      const char *name;
      double start;

      g_assert_true (
          infer_json_to_string (infer_json_at (one, 0), &name, NULL, NULL)
          && infer_json_to_number (infer_json_at (one, 1), &start, NULL));
      g_autofree char *wanted = plain (name);
      if (strcmp (text, wanted) != 0)
        continue;
      double ms = fabs ((double) word->start / RATE - start) * 1000;
      g_array_append_val (errors, ms);
      k = j + 1;
      break;
    }
  }
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y ? 1 : 0;
}

static void
test_words (void)
{
  g_autoptr (GArray) errors = g_array_new (FALSE, FALSE, sizeof (double));
  Session s;

  if (!session_open (&s))
    return;
  g_autoptr (InferJson) json = read_json (&s, "word-times.json");
  InferJsonValue root = infer_json_root (json);
  for (guint i = 0; i < infer_json_length (root); i++) {
    g_autoptr (GPtrArray) heard = g_ptr_array_new ();
    g_autoptr (GPtrArray) all =
        g_ptr_array_new_with_free_func ((GDestroyNotify) infer_transcript_free);

    hear (&s, infer_json_key (root, i, NULL));
    for (InferTranscript *t;
         (t = infer_speech_stream_pop (s.stream)) != NULL;) {
      g_ptr_array_add (all, t);
      for (guint w = 0; w < t->n_words; w++)
        g_ptr_array_add (heard, &t->words[w]);
    }
    compare_words (heard, infer_json_at (root, i), errors);
  }
  g_array_sort (errors, compare_doubles);
  g_assert_cmpuint (errors->len, >, 50);
  double median = g_array_index (errors, double, errors->len / 2);
  double p90 = g_array_index (errors, double, errors->len * 9 / 10);
  g_test_message (
      "%u words: median %.0f ms, p90 %.0f ms", errors->len, median, p90);
  g_assert_cmpfloat (median, <=, MOST_MEDIAN);
  g_assert_cmpfloat (p90, <=, MOST_P90);
  session_close (&s);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/whisper/reference/segments", test_segments);
  g_test_add_func ("/whisper/reference/words", test_words);
  return g_test_run ();
}
