/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From what the encoder heard to tokens. */

#pragma once

#include "inference/speech/text/phrases.h"
#include "inference/speech/whisper/config.h"
#include "inference/speech/whisper/networks/networks.h"

/* The result of a decode. */
typedef struct
{
  GArray *tokens; /* (element-type guint): timestamps too, without the end */
  GArray *log_probabilities; /* (element-type float): of each token */
  double sum;                /* of these and of the end's */
  float average;             /* of the same */
  float no_speech;           /* probability; NAN: the model has no such token */
  float temperature;
  gboolean looping; /* given up: it repeated itself */
  gboolean late;    /* given up: the time was over */
} WhisperHypothesis;

void whisper_hypothesis_init (WhisperHypothesis *hypothesis);
void whisper_hypothesis_clear (WhisperHypothesis *hypothesis);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WhisperHypothesis, whisper_hypothesis_clear)

/* The model, prompt and settings of a decode. */
typedef struct
{
  WhisperSession *session;
  const WhisperConfig *config;
  const InferPhrases *phrases; /* nullable */
  const gint64 *prompt;        /* ends with the tokens that start a text */
  guint n_prompt;
  guint start;          /* place of the start token in it */
  guint most;           /* tokens of text */
  gint64 deadline;      /* monotonic time in µs; no token is added after it */
  float temperature;    /* 0: the likeliest token */
  guint beams;          /* with temperature 0; at most 1: greedy */
  float length_penalty; /* NAN: mean of the log probabilities */
  GRand *random;
  GArray *scratch; /* (element-type float) */
  /* Nullable: tokens that the text probably begins with (element-type guint):
   * the same text is found, in less time where it does. */
  const GArray *draft;
} WhisperDecoding;

gboolean whisper_decode (const WhisperDecoding *decoding,
    WhisperHypothesis *hypothesis, GError **error);
/* The language that the model hears.  *@probability: nullable. */
gboolean whisper_detect_language (const WhisperDecoding *decoding,
    const WhisperLanguage **language, float *probability, GError **error);

/* Whether the last of @tokens, which may be timestamps, repeat themselves. */
gboolean whisper_is_looping (
    const WhisperConfig *config, const guint *tokens, guint n);

/* --- for decode.c and beam.c --- */

/* Runs the prompt.  @logits: of its last token. */
gboolean whisper_decode_prompt (const WhisperDecoding *decoding,
    WhisperHypothesis *hypothesis, const float **logits, GError **error);
/* A copy of @logits for the tokens that may follow @tokens [@n], in the
 * decoding's scratch. */
float *whisper_decode_allowed (const WhisperDecoding *decoding,
    const float *logits, const guint *tokens, guint n);
gboolean whisper_decode_is_late (const WhisperDecoding *decoding);
gboolean whisper_decode_beams (const WhisperDecoding *decoding,
    WhisperHypothesis *hypothesis, GError **error);
