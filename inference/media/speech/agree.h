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
 * beginning the last two agree on (LocalAgreement-2: Macháček and others,
 * "Turning Whisper into Real-Time Transcription System", 2023). */
typedef struct _InferAgreement InferAgreement;

/* (transfer full) */
InferAgreement *infer_agreement_new (void);
void infer_agreement_free (InferAgreement *agreement); /* NULL is fine */
/* An utterance begins. */
void infer_agreement_reset (InferAgreement *agreement);
/* Returns the number of words of this hypothesis that the one before had at the
 * same place; 0 for the first. */
guint infer_agreement_push (
    InferAgreement *agreement, const InferWord *words, guint n);
