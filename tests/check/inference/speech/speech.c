/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What all kinds of speech models have in common, with a kind that says what it
 * is told to say: order of calls, cancelling, and what counts as words. */

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "inference/base/cancel.h"
#include "inference/speech/kind.h"

static const char *says[] = { ".", "a.", " ♪ ", "1", "...", "б", NULL };

static InferTranscript *
make_transcript (const char *text)
{
  InferTranscript *transcript = g_new0 (InferTranscript, 1);

  transcript->text = g_strdup (text);
  transcript->no_speech = NAN;
  return transcript;
}

static gboolean
probe (const SpeechFolder *folder)
{
  return speech_folder_has (folder, "parrot");
}

static gpointer
load (const SpeechFolder *folder, InferRuntime *runtime, InferSpeechInfo *info,
    GError **error)
{
  info->rate = 16000;
  return g_strdup (folder->path);
}

static gpointer
open_stream (gpointer model, GError **error)
{
  return g_new0 (guint, 1);
}

static gboolean
set (gpointer stream, const char *key, const char *value, GError **error)
{
  return infer_fail (
      error, INFER_ERROR_INVALID_ARGUMENT, "there is no setting '%s'", key);
}

static gboolean
begin (gpointer stream, guint64 first, GError **error)
{
  return TRUE;
}

static gboolean
push (gpointer stream, const float *samples, gsize n, SpeechFinals *finals,
    GError **error)
{
  return infer_cancel_check (infer_cancel_flag (), error);
}

/* One text after the other. */
static gboolean
partial (gpointer stream, InferTranscript **transcript, GError **error)
{
  guint *next = stream;

  *transcript = make_transcript (says[(*next)++]);
  return TRUE;
}

static gboolean
end (gpointer stream, SpeechFinals *finals, GError **error)
{
  for (guint i = 0; says[i] != NULL; i++)
    g_queue_push_tail (finals, make_transcript (says[i]));
  return TRUE;
}

static void
reset (gpointer stream)
{
}

static const InferSpeechKind parrot = {
  .name = "parrot",
  .description = "says what it is told",
  .probe = probe,
  .load = load,
  .unload = g_free,
  .open = open_stream,
  .close = g_free,
  .set = set,
  .begin = begin,
  .push = push,
  .partial = partial,
  .end = end,
  .reset = reset,
};

/* --- tests --- */

typedef struct
{
  InferRuntime *runtime;
  char *folder, *file;
  InferSpeechModel *model;
  InferSpeechStream *stream;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  infer_speech_add_kind (&parrot);
  f->runtime = infer_runtime_new (NULL, NULL, &error);
  g_assert_no_error (error);
  f->folder = g_dir_make_tmp ("speech-XXXXXX", &error);
  g_assert_no_error (error);
  f->file = g_build_filename (f->folder, "parrot", NULL);
  g_assert_true (g_file_set_contents (f->file, "", 0, &error));
  f->model = infer_speech_model_load (f->folder, NULL, f->runtime, &error);
  g_assert_no_error (error);
  f->stream = infer_speech_stream_new (f->model, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  infer_speech_stream_free (f->stream);
  infer_speech_model_unref (f->model);
  infer_runtime_unref (f->runtime);
  g_assert_cmpint (g_remove (f->file), ==, 0);
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->file);
  g_free (f->folder);
}

static void
test_words (Fixture *f, gconstpointer data)
{
  static const char *const words[] = { "a.", "1", "б" };
  g_autoptr (GError) error = NULL;

  g_assert_true (infer_speech_stream_begin (f->stream, 0, &error));
  for (guint i = 0; says[i] != NULL; i++) {
    g_autoptr (InferTranscript) said =
        infer_speech_stream_partial (f->stream, &error);

    g_assert_no_error (error);
    g_assert_cmpstr (
        said != NULL ? said->text : NULL, ==, i % 2 == 1 ? words[i / 2] : NULL);
  }
  g_assert_true (infer_speech_stream_end (f->stream, &error));
  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    g_autoptr (InferTranscript) said = infer_speech_stream_pop (f->stream);

    g_assert_nonnull (said);
    g_assert_cmpstr (said->text, ==, words[i]);
  }
  g_assert_null (infer_speech_stream_pop (f->stream));
}

static void
test_order (Fixture *f, gconstpointer data)
{
  const float sample = 0;
  g_autoptr (GError) error = NULL;

  g_assert_false (infer_speech_stream_push (f->stream, &sample, 1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_true (infer_speech_stream_begin (f->stream, 0, &error));
  g_assert_false (infer_speech_stream_begin (f->stream, 0, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_BUSY);
  g_clear_error (&error);
  g_assert_false (infer_speech_stream_set (f->stream, "beam", "2", &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_BUSY);
  g_clear_error (&error);
  g_assert_true (infer_speech_stream_end (f->stream, &error));
  infer_speech_stream_reset (f->stream);
  g_assert_null (infer_speech_stream_pop (f->stream));
}

static void
test_cancel (Fixture *f, gconstpointer data)
{
  const float sample = 0;
  g_autoptr (GError) error = NULL;

  g_assert_true (infer_speech_stream_begin (f->stream, 0, &error));
  infer_speech_stream_set_cancelled (f->stream, TRUE);
  g_assert_false (infer_speech_stream_push (f->stream, &sample, 1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_clear_error (&error);
  infer_speech_stream_reset (f->stream);
  /* Neither begins nor goes on. */
  g_assert_false (infer_speech_stream_begin (f->stream, 0, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_false (infer_speech_stream_push (f->stream, &sample, 1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_clear_error (&error);
  infer_speech_stream_set_cancelled (f->stream, FALSE);
  g_assert_true (infer_speech_stream_begin (f->stream, 0, &error));
  g_assert_true (infer_speech_stream_push (f->stream, &sample, 1, &error));
}

static void
test_kinds (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (
      infer_speech_model_load (f->folder, "macaw", f->runtime, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "'macaw', only parrot, "));
  g_clear_error (&error);
  g_assert_null (
      infer_speech_model_load ("/nowhere", NULL, f->runtime, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "/nowhere"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(path, func)                                                       \
  g_test_add ("/speech/" path, Fixture, NULL, set_up, func, tear_down)
  TEST ("words", test_words);
  TEST ("order", test_order);
  TEST ("cancel", test_cancel);
  TEST ("kinds", test_kinds);
  return g_test_run ();
}
