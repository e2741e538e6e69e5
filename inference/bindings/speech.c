/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/bindings.h"

#include <string.h>

const char *
infer_speech_model_get_kind (const InferSpeechModel *model)
{
  return infer_speech_model_get_info (model)->kind;
}

guint
infer_speech_model_get_rate (const InferSpeechModel *model)
{
  return infer_speech_model_get_info (model)->rate;
}

GStrv
infer_speech_model_list_languages (const InferSpeechModel *model)
{
  const char *const *languages = infer_speech_model_get_info (model)->languages;

  return languages != NULL ? g_strdupv ((GStrv) (gsize) languages)
                           : g_new0 (char *, 1);
}

/* Returns the samples of @bytes, which need not be aligned. */
static float *
take_samples (GBytes *bytes, gsize *n, GError **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);

  if (size % sizeof (float) != 0) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%" G_GSIZE_FORMAT
        " bytes are not a whole number of samples (32-bit floats)",
        size);
    return NULL;
  }
  *n = size / sizeof (float);
  float *samples = g_malloc (MAX (size, sizeof (float)));
  if (size > 0)
    memcpy (samples, data, size);
  return samples;
}

gboolean
infer_speech_stream_push_bytes (
    InferSpeechStream *stream, GBytes *bytes, GError **error)
{
  gsize n;
  g_autofree float *samples = take_samples (bytes, &n, error);

  return samples != NULL
         && infer_speech_stream_push (stream, samples, n, error);
}

InferWord *
infer_transcript_get_word (const InferTranscript *transcript, guint index)
{
  return index < transcript->n_words
             ? g_boxed_copy (infer_word_get_type (), &transcript->words[index])
             : NULL;
}

float *
infer_voice_detector_detect (InferVoiceDetector *detector, GBytes *bytes,
    guint *n_windows, GError **error)
{
  gsize n = 0;
  g_autofree float *samples =
      bytes != NULL ? take_samples (bytes, &n, error) : NULL;
  g_autoptr (GArray) windows =
      g_array_new (FALSE, FALSE, sizeof (InferVoiceWindow));

  *n_windows = 0;
  if (bytes == NULL ? !infer_voice_detector_finish (detector, windows, error)
                    : samples == NULL
                          || !infer_voice_detector_push (
                              detector, samples, n, windows, error))
    return NULL;
  float *probabilities = g_new (float, windows->len + 1);
  for (guint i = 0; i < windows->len; i++)
    probabilities[i] = g_array_index (windows, InferVoiceWindow, i).probability;
  *n_windows = windows->len;
  return probabilities;
}
