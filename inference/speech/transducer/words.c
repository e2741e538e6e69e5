/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/transducer/words.h"

#include <math.h>

static guint64
time_of (const TransducerTimes *t, guint64 frame)
{
  guint64 samples =
      frame / t->frames * t->shift + frame % t->frames * t->shift / t->frames;

  return MIN (t->first + samples, t->end);
}

static void
set_word (InferWord *word, const char *text, const InferWordSpan *span,
    const TransducerToken *tokens, const TransducerTimes *times)
{
  double sum = 0;

  for (guint i = span->first; i < span->end; i++)
    sum += exp (tokens[i].log_probability);
  word->text = g_strndup (text + span->at, span->length);
  word->joined = span->joined;
  word->start = time_of (times, tokens[span->first].frame);
  word->end = time_of (times, tokens[span->end - 1].frame + 1);
  word->probability = (float) (sum / (span->end - span->first));
}

/* Words that were heard in the silence after the end lie before it. */
static void
move_late (InferTranscript *transcript, const TransducerTimes *times)
{
  guint64 frame = MAX (times->shift / times->frames, 1), limit = times->end;

  for (guint i = transcript->n_words; i-- > 0;) {
    InferWord *word = &transcript->words[i];

    word->end = MIN (word->end, limit);
    if (word->start >= word->end)
      word->start = word->end - MIN (frame, word->end - times->first);
    limit = word->start;
  }
}

InferTranscript *
transducer_words (const InferVocabulary *vocabulary,
    const TransducerToken *tokens, guint n, const TransducerTimes *times)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (InferWordSpan));
  g_autofree guint *ids = g_new (guint, n);
  double sum = 0;

  for (guint i = 0; i < n; i++) {
    ids[i] = tokens[i].id;
    sum += tokens[i].log_probability;
  }
  g_autofree char *text = infer_vocabulary_words (vocabulary, ids, n, spans);
  if (spans->len == 0)
    return NULL;
  InferTranscript *transcript = g_new0 (InferTranscript, 1);
  transcript->n_words = spans->len;
  transcript->words = g_new0 (InferWord, spans->len);
  for (guint i = 0; i < spans->len; i++)
    set_word (&transcript->words[i], text,
        &g_array_index (spans, InferWordSpan, i), tokens, times);
  move_late (transcript, times);
  transcript->text = g_strstrip (g_steal_pointer (&text));
  transcript->start = transcript->words[0].start;
  transcript->end = transcript->words[spans->len - 1].end;
  transcript->log_probability = (float) (sum / n);
  transcript->no_speech = NAN;
  return transcript;
}

guint
transducer_last_word (
    const InferVocabulary *vocabulary, const TransducerToken *tokens, guint n)
{
  for (guint i = n; i > 1; i--)
    if ((infer_vocabulary_flags (vocabulary, tokens[i - 1].id)
            & INFER_PIECE_BEGINS_WORD)
        != 0)
      return i - 1;
  return n;
}
