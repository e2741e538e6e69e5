/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds the tokens of the frames of an encoder.  At most one token per frame:
 * greedy with one path; with more, the modified beam search of icefall: paths
 * of the same tokens are one, their probabilities added.  NeMo's: greedy,
 * several tokens per frame. */

#pragma once

#include "inference/speech/text/phrases.h"
#include "inference/speech/transducer/steps.h"

#define TRANSDUCER_MOST_PATHS 16
#define TRANSDUCER_MOST_TOKENS 512 /* of a path that were not taken */

typedef struct
{
  guint id;
  guint64 frame;         /* of the encoder, counted from the reset */
  float log_probability; /* natural logarithm */
} TransducerToken;

typedef struct _TransducerSearch TransducerSearch;

/* @unknown: the id of <unk>, which is never given out; -1: none. */
TransducerSearch *transducer_search_new (
    const TransducerNetworks *net, int unknown, GError **error);
void transducer_search_free (TransducerSearch *search); /* NULL is fine */

/* From the next reset on.  @paths: 1 … TRANSDUCER_MOST_PATHS, NeMo's 1; phrases
 * (nullable) of others need more than one. */
void transducer_search_set_paths (TransducerSearch *search, guint paths);
void transducer_search_set_phrases (
    TransducerSearch *search, InferPhrases *phrases);

gboolean transducer_search_reset (TransducerSearch *search, GError **error);
/* The next frame, [width]. */
gboolean transducer_search_push (
    TransducerSearch *search, const float *frame, GError **error);
/* No frame follows: phrases that are not complete lose their bonus. */
void transducer_search_finish (TransducerSearch *search);

/* The tokens of the best path; valid until the next call. */
const TransducerToken *transducer_search_best (
    TransducerSearch *search, guint *n);
/* Frames since the last token of the best path, or since the reset. */
guint64 transducer_search_silence (TransducerSearch *search);
/* Only the best path remains, without its first @n tokens. */
void transducer_search_take (TransducerSearch *search, guint n);
