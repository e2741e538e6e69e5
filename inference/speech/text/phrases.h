/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Phrases that a stream expects, as a prefix tree over the ids of a vocabulary:
 * while what is decoded follows a phrase, each id scores a bonus; where it
 * leaves the phrase before its end, the bonus of the part that is not the
 * beginning of another phrase is taken back.
 *
 * Immutable; any thread.  A state is valid for these phrases only. */

#pragma once

#include "inference/speech/text/vocabulary.h"

typedef struct _InferPhrases InferPhrases;

typedef guint InferPhraseState; /* 0: the beginning */

/* @text: a phrase per line, "words" or "words:weight"; without it @weight,
 * which is the bonus per id in natural logarithms.  Errors name the line.
 * (transfer full) */
InferPhrases *infer_phrases_new (const InferVocabulary *vocabulary,
    const char *text, double weight, GError **error);
InferPhrases *infer_phrases_ref (InferPhrases *phrases);
void infer_phrases_unref (InferPhrases *phrases); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferPhrases, infer_phrases_unref)

/* The state after @id, and what it adds to the score in *@bonus. */
InferPhraseState infer_phrases_step (const InferPhrases *phrases,
    InferPhraseState state, guint id, float *bonus);
/* The bonus of the end of the text in @state: it takes back the bonus of a
 * phrase that is not complete. */
float infer_phrases_end (const InferPhrases *phrases, InferPhraseState state);
/* Of @scores [@n], in natural logarithms, the id that is best with what it adds
 * in @state; @end ends the text. */
guint infer_phrases_best (const InferPhrases *phrases, InferPhraseState state,
    const float *scores, guint n, guint end);
/* The largest bonus of a step. */
float infer_phrases_most (const InferPhrases *phrases);
