/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CTC tokens of an utterance → transcripts.  A word is final as soon as no
 * token that may follow can be part of it. */

#pragma once

#include "infer/transcript.h"
#include "inference/media/ctc.h"
#include "inference/speech/text/vocabulary.h"

typedef struct
{
  const InferVocabulary *vocabulary;
  gboolean whole_words;
  guint64 gap;    /* steps without a token after which a word is over */
  double step;    /* samples */
  guint64 first;  /* sample of step 0 */
  guint64 last;   /* no word ends after this sample */
  gboolean given; /* of this utterance there are words already */
  GArray *tokens; /* (element-type InferCtcToken) of no word yet */
} CtcWords;

void ctc_words_init (CtcWords *words, const InferVocabulary *vocabulary);
void ctc_words_clear (CtcWords *words);
void ctc_words_reset (CtcWords *words, guint64 first);

/* Takes the words out of words->tokens that are final: @decided is the first
 * step at which another token may begin; G_MAXUINT64: none follows.  NULL:
 * none. (transfer full) */
InferTranscript *ctc_words_take (CtcWords *words, guint64 decided);
/* The words of words->tokens and @more, which remain there.  (transfer full) */
InferTranscript *ctc_words_peek (const CtcWords *words, const GArray *more);
