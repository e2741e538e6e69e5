/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/transcript.h"

void
infer_transcript_free (InferTranscript *transcript)
{
  if (transcript == NULL)
    return;
  for (guint i = 0; i < transcript->n_words; i++)
    g_free (transcript->words[i].text);
  g_free (transcript->words);
  g_free (transcript->text);
  g_free (transcript->language);
  g_free (transcript);
}

InferTranscript *
infer_transcript_copy (const InferTranscript *transcript)
{
  InferTranscript *copy = g_memdup2 (transcript, sizeof *transcript);

  copy->text = g_strdup (transcript->text);
  copy->language = g_strdup (transcript->language);
  copy->words = g_memdup2 (
      transcript->words, transcript->n_words * sizeof *transcript->words);
  for (guint i = 0; i < copy->n_words; i++)
    copy->words[i].text = g_strdup (transcript->words[i].text);
  return copy;
}
