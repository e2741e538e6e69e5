/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/inference/speech/whisper-session.h"

#include <math.h>

#include "inference/ir/writer.h"

/* Written as IR under the name that OpenVINO's exports have. */
static void
whisper_write_ir (const char *folder, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *from = g_strconcat (ONNX, "/", name, ".onnx", NULL);
  g_autofree char *to = g_strconcat (folder, "/openvino_", name, ".xml", NULL);
  g_autoptr (InferModel) model = infer_model_load (from, NULL, &error);

  g_assert_no_error (error);
  infer_ir_write (model, to, &error);
  g_assert_no_error (error);
}

void
whisper_test_copy (const char *from, const char *folder, const char *name)
{
  g_autofree char *source = g_build_filename (from, name, NULL);
  g_autofree char *to = g_build_filename (folder, name, NULL);
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (source, &data, &size, NULL));
  g_assert_true (g_file_set_contents (to, data, (gssize) size, NULL));
}

char *
whisper_test_folder (WhisperForm form, const char *without)
{
  static const char *const texts[] = { "config.json", "generation_config.json",
    "preprocessor_config.json", "tokenizer.json", NULL };
  static const char *const stateful[] = { "openvino_encoder_model.xml",
    "openvino_encoder_model.bin", "openvino_decoder_model.xml",
    "openvino_decoder_model.bin", NULL };
  static const char *const past[] = { "encoder_model.onnx",
    "decoder_model.onnx", "decoder_with_past_model.onnx", NULL };
  static const char *const merged[] = { "encoder_model.onnx",
    "decoder_model_merged.onnx", NULL };
  const char *const *networks = form == WHISPER_STATEFUL ? stateful
                                : form == WHISPER_PAST   ? past
                                                         : merged;
  char *folder = g_dir_make_tmp ("infer-whisper-XXXXXX", NULL);

  for (guint i = 0; texts[i] != NULL; i++)
    if (g_strcmp0 (texts[i], without) != 0)
      whisper_test_copy (TINY, folder, texts[i]);
  if (form == WHISPER_IR_PAST) {
    whisper_write_ir (folder, "encoder_model");
    whisper_write_ir (folder, "decoder_model");
    whisper_write_ir (folder, "decoder_with_past_model");
    return folder;
  }
  for (guint i = 0; networks[i] != NULL; i++)
    if (g_strcmp0 (networks[i], without) != 0)
      whisper_test_copy (
          form == WHISPER_STATEFUL ? TINY : ONNX, folder, networks[i]);
  return folder;
}

void
whisper_test_open_at (Session *s, const char *path)
{
  g_autoptr (GError) error = NULL;

  s->runtime = infer_runtime_new ("CPU", NULL, &error);
  g_assert_no_error (error);
  s->model = infer_speech_model_load (path, NULL, s->runtime, &error);
  g_assert_no_error (error);
  s->stream = infer_speech_stream_new (s->model, &error);
  g_assert_no_error (error);
}

void
whisper_test_set (Session *s, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;

  infer_speech_stream_set (s->stream, key, value, &error);
  g_assert_no_error (error);
}

void
whisper_test_believe_all (Session *s)
{
  whisper_test_set (s, "log-probability-threshold", "-100");
  whisper_test_set (s, "compression-threshold", "1000");
  whisper_test_set (s, "temperature", "1");
}

void
whisper_test_open (Session *s)
{
  whisper_test_open_at (s, TINY);
  whisper_test_believe_all (s);
}

void
whisper_test_close (Session *s)
{
  infer_speech_stream_free (s->stream);
  infer_speech_model_unref (s->model);
  infer_runtime_unref (s->runtime);
}

float *
whisper_test_noise (void)
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

/* Between two pieces. */
static void
guess (Session *s, gboolean partials, gboolean prepares, GError **error)
{
  gboolean prepared;

  if (prepares)
    infer_speech_stream_prepare_end (s->stream, &prepared, error);
  if (partials && *error == NULL)
    infer_transcript_free (infer_speech_stream_partial (s->stream, error));
}

static char *
hear (Session *s, guint64 first, const float *samples, gsize n, gsize piece,
    gboolean partials, gboolean prepares)
{
  g_autoptr (GError) error = NULL;
  GString *text = g_string_new (NULL);

  infer_speech_stream_begin (s->stream, first, &error);
  for (gsize at = 0; at < n && error == NULL; at += MIN (piece, n - at)) {
    infer_speech_stream_push (
        s->stream, samples + at, MIN (piece, n - at), &error);
    if (error == NULL)
      guess (s, partials, prepares, &error);
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

char *
whisper_test_hear (Session *s, guint64 first, const float *samples, gsize n,
    gsize piece, gboolean partials)
{
  return hear (s, first, samples, n, piece, partials, FALSE);
}

char *
whisper_test_hear_prepared (
    Session *s, const float *samples, gsize n, gsize piece, gboolean partials)
{
  return hear (s, 0, samples, n, piece, partials, TRUE);
}
