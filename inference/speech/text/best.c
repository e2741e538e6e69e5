/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pieces of a word whose scores have the highest sum; without scores the
 * fewest pieces, and of these the longest first. */

#include <math.h>
#include <string.h>

#include "inference/speech/text/vocabulary-private.h"

/* Less than that of any piece, as SentencePiece has it. */
#define UNKNOWN_PENALTY 10.0

/* From a character of the word on: the best sum to its end, and the first piece
 * of that, @length bytes; id -1: a character without a piece. */
typedef struct
{
  double score;
  guint length;
  int id;
} Step;

static double
score_of (const InferVocabulary *vocabulary, guint id)
{
  const GArray *scores = vocabulary->encoder.scores;

  return scores == NULL     ? -1
         : id < scores->len ? g_array_index (scores, double, id)
                            : vocabulary->encoder.unknown_score;
}

/* Fills steps[at]; those after it are known. */
static void
find_step (const InferVocabulary *vocabulary, const char *word, gsize length,
    gsize at, Step *steps)
{
  const gsize first =
      at + vocabulary_skip (word + at); /* of the next character */
  const gsize most = MIN (length, at + vocabulary->longest);
  Step *step = &steps[at];
  gboolean single = FALSE;

  *step = (Step){ .score = -INFINITY, .id = -1 };
  for (gsize end = first; end <= most; end += vocabulary_skip (word + end)) {
    int id = vocabulary_find_text (vocabulary, word + at, end - at);

    if (id >= 0) {
      const double score = score_of (vocabulary, (guint) id) + steps[end].score;

      single |= end == first;
      if (score >= step->score)
        *step = (Step){ score, (guint) (end - at), id };
    }
    if (end == length)
      break;
  }
  const double unknown =
      vocabulary->encoder.unknown_score - UNKNOWN_PENALTY + steps[first].score;
  if (!single && unknown > step->score)
    *step = (Step){ unknown, (guint) (first - at), -1 };
}

gboolean
vocabulary_encode_best (const InferVocabulary *vocabulary, const char *word,
    gsize length, GArray *ids, GError **error)
{
  g_autofree Step *steps = g_new (Step, length + 1);
  gboolean unknown = FALSE;

  steps[length] = (Step){ 0 };
  for (const char *at = word + length; at > word;) {
    at = g_utf8_prev_char (at);
    find_step (vocabulary, word, length, (gsize) (at - word), steps);
  }
  for (gsize i = 0; i < length; i += steps[i].length) {
    const guint id = (guint) steps[i].id;

    if (steps[i].id >= 0)
      g_array_append_val (ids, id);
    else if (!vocabulary_encode_unknown (
                 vocabulary, word + i, steps[i].length, unknown, ids, error))
      return FALSE;
    unknown = steps[i].id < 0;
  }
  return TRUE;
}
