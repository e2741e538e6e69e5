/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/ctc/words.h"

#include <math.h>

void
ctc_words_init (CtcWords *words, const InferVocabulary *vocabulary)
{
  *words = (CtcWords){ .vocabulary = vocabulary };
  words->tokens = g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
}

void
ctc_words_clear (CtcWords *words)
{
  g_clear_pointer (&words->tokens, g_array_unref);
}

void
ctc_words_reset (CtcWords *words, guint64 first)
{
  g_array_set_size (words->tokens, 0);
  words->first = first;
  words->last = G_MAXUINT64;
  words->given = FALSE;
}

static const InferCtcToken *
token_at (const GArray *tokens, guint i)
{
  return &g_array_index (tokens, InferCtcToken, i);
}

static guint64
sample_of (const CtcWords *words, guint64 step)
{
  const guint64 sample =
      words->first + (guint64) ((double) step * words->step + 0.5);

  return MIN (sample, words->last);
}

/* Mean over its steps. */
static double
mean_of (const InferCtcToken *token)
{
  return token->log_probability / (double) MAX (token->end - token->start, 1);
}

static void
fill_word (const CtcWords *words, const GArray *tokens, const char *text,
    const InferWordSpan *span, InferWord *word)
{
  double sum = 0;

  for (guint i = span->first; i < span->end; i++)
    sum += exp (mean_of (token_at (tokens, i)));
  word->text = g_strndup (text + span->at, span->length);
  word->joined = span->joined;
  word->start = sample_of (words, token_at (tokens, span->first)->start);
  word->end = sample_of (words, token_at (tokens, span->end - 1)->end);
  word->probability = (float) (sum / (span->end - span->first));
}

static char *
join_words (const InferWord *words, guint n)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (
        text, "%s%s", i == 0 || words[i].joined ? "" : " ", words[i].text);
  return g_string_free (text, FALSE);
}

/* Of the first @n of @spans. */
static InferTranscript *
make_transcript (const CtcWords *words, const GArray *tokens, const char *text,
    const GArray *spans, guint n)
{
  InferTranscript *transcript = g_new0 (InferTranscript, 1);
  guint end = g_array_index (spans, InferWordSpan, n - 1).end;
  double sum = 0;

  transcript->words = g_new0 (InferWord, n);
  transcript->n_words = n;
  for (guint i = 0; i < n; i++)
    fill_word (words, tokens, text, &g_array_index (spans, InferWordSpan, i),
        &transcript->words[i]);
  /* A piece that goes on after the words that were given out. */
  if (words->given
      && (infer_vocabulary_flags (
              words->vocabulary, token_at (tokens, 0)->class_index)
             & INFER_PIECE_BEGINS_WORD)
             == 0)
    transcript->words[0].joined = TRUE;
  transcript->text = join_words (transcript->words, n);
  transcript->start = transcript->words[0].start;
  transcript->end = transcript->words[n - 1].end;
  for (guint i = 0; i < end; i++)
    sum += mean_of (token_at (tokens, i));
  transcript->log_probability = (float) (sum / end);
  transcript->no_speech = NAN;
  return transcript;
}

/* (transfer full) */
static char *
find_words (const CtcWords *words, const GArray *tokens, GArray *spans)
{
  g_autofree guint *ids = g_new (guint, MAX (tokens->len, 1));

  for (guint i = 0; i < tokens->len; i++)
    ids[i] = token_at (tokens, i)->class_index;
  return infer_vocabulary_words (words->vocabulary, ids, tokens->len, spans);
}

InferTranscript *
ctc_words_take (CtcWords *words, guint64 decided)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (InferWordSpan));
  const guint n_tokens = words->tokens->len;

  if (n_tokens == 0)
    return NULL;
  g_autofree char *text = find_words (words, words->tokens, spans);
  const guint64 last = token_at (words->tokens, n_tokens - 1)->end;
  const gboolean over =
      words->whole_words || (decided > last && decided - last >= words->gap);
  /* The last word may go on. */
  const guint n = spans->len - (spans->len > 0 && !over ? 1 : 0);
  if (n == 0) {
    if (over) /* special ones only */
      g_array_set_size (words->tokens, 0);
    return NULL;
  }
  InferTranscript *transcript =
      make_transcript (words, words->tokens, text, spans, n);
  words->given = TRUE;
  g_array_remove_range (words->tokens, 0,
      over ? n_tokens : g_array_index (spans, InferWordSpan, n - 1).end);
  return transcript;
}

InferTranscript *
ctc_words_peek (const CtcWords *words, const GArray *more)
{
  g_autoptr (GArray) tokens =
      g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (InferWordSpan));

  g_array_append_vals (tokens, words->tokens->data, words->tokens->len);
  g_array_append_vals (tokens, more->data, more->len);
  g_autofree char *text = find_words (words, tokens, spans);
  return spans->len > 0
             ? make_transcript (words, tokens, text, spans, spans->len)
             : NULL;
}
