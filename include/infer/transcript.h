/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A transcript: the words of a piece of speech with their times. */

#pragma once

#include <glib.h>

#include "infer/api.h"

G_BEGIN_DECLS

/* Times are in samples at the rate of the speech model, counted from the first
 * sample of the stream. */
typedef struct
{
  char *text;      /* UTF-8, with its punctuation, without spaces around it */
  gboolean joined; /* no space between it and the word before it */
  guint64 start, end;
  float probability; /* 0 … 1: mean of its tokens */
} InferWord;

typedef struct
{
  char *text; /* UTF-8: the words as they are written together */
  InferWord *words;
  guint n_words;
  guint64 start, end;
  char *language;        /* e.g. "en"; NULL: unknown */
  float log_probability; /* mean of the tokens, natural logarithm */
  float no_speech;       /* probability; NAN: the model does not say */
  /* Of infer_speech_stream_pop_dropped: why it is no text, e.g. "no-speech";
   * a static string.  NULL: it is a text.  Since: 0.2 */
  const char *dropped;
} InferTranscript;

/* (nullable) Since: 0.2 */
INFER_API void infer_transcript_free (InferTranscript *transcript);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferTranscript, infer_transcript_free)

/* (transfer full) Since: 0.2 */
INFER_API InferTranscript *infer_transcript_copy (
    const InferTranscript *transcript);

G_END_DECLS
