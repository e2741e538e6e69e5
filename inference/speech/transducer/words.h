/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tokens of a transducer as a transcript. */

#pragma once

#include "infer/transcript.h"
#include "inference/speech/text/vocabulary.h"
#include "inference/speech/transducer/search.h"

/* Where the frames of the encoder lie in the stream. */
typedef struct
{
  guint64 first, end; /* samples of the utterance */
  guint64 shift;      /* samples that `frames` frames stand for */
  guint frames;
} TransducerTimes;

/* NULL: the tokens are no words.  (transfer full) */
InferTranscript *transducer_words (const InferVocabulary *vocabulary,
    const TransducerToken *tokens, guint n, const TransducerTimes *times);
/* The number of the token with which the last word begins. */
guint transducer_last_word (
    const InferVocabulary *vocabulary, const TransducerToken *tokens, guint n);
