/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which words two transcripts of the same sound agree on.  Words are equal
 * where they are so without case and punctuation. */

#pragma once

#include "infer/transcript.h"

gboolean infer_words_equal (const char *a, const char *b);

/* Models place words up to some 200 ms off, most of all at the edges of what
 * they hear: words of the left side that end after this may be some of the
 * right side. */
guint64 infer_words_reach (guint64 begin, guint64 cut);

/* Joins the words of two utterances that were cut from one
 * (media/speech/segmenter.h): those of @left before *@n_left, then those of
 * @right from *@first on, so that each word of the samples that both have heard
 * is there once.  @begin, @cut, @end: of the INFER_SEGMENT_CUT, in the unit of
 * the words' times; both lists ascend in time.
 *
 * Words of @left after infer_words_reach and of @right until as long after @end
 * are aligned: equal ones
 * at nearly the same time, or different ones that lie at the same time.  The
 * transition lies where the fewest words that only one side has are dropped, of
 * those near the cut, and nearest to the cut; a word at the edge of the samples
 * that only one side has counts as a part of a word. */
void infer_words_join (const InferWord *left, guint n_left_words,
    const InferWord *right, guint n_right_words, guint64 begin, guint64 cut,
    guint64 end, guint *n_left, guint *first);

/* Words of successive hypotheses about a growing utterance: how many at the
 * beginning will probably stay.  Two hypotheses that agree on a word show it
 * (LocalAgreement-2: Macháček and others, "Turning Whisper into Real-Time
 * Transcription System", 2023), unless the model doubts it, three always; one
 * is enough for a word that the model is sure of, that ended a while ago, and
 * that is followed by another one. */
typedef struct _InferAgreement InferAgreement;

/* (transfer full) */
InferAgreement *infer_agreement_new (void);
void infer_agreement_free (InferAgreement *agreement); /* NULL is fine */
/* An utterance begins; times of its words are in units of 1 / @rate s. */
void infer_agreement_begin (InferAgreement *agreement, guint rate);
/* The hypothesis about what was heard before @heard.  Returns how many of its
 * words, from the first on, will probably stay. */
guint infer_agreement_push (
    InferAgreement *agreement, const InferWord *words, guint n, guint64 heard);
