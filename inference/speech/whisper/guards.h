/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a text is one that somebody said. */

#pragma once

#include "inference/speech/whisper/decode.h"
#include "inference/speech/whisper/settings.h"

typedef enum
{
  WHISPER_GOOD,
  WHISPER_SILENT,     /* nobody speaks: no text, and no other attempt */
  WHISPER_UNLIKELY,   /* the model does not believe it itself */
  WHISPER_REPETITIVE, /* it packs too well */
  WHISPER_LOOPING,    /* the same words again and again */
} WhisperVerdict;

/* Bytes of the text by bytes after zlib; 0 for no text. */
double whisper_compression_ratio (const char *text);

WhisperVerdict whisper_judge (const WhisperSettings *settings,
    const WhisperConfig *config, const WhisperHypothesis *hypothesis);
/* For messages. */
const char *whisper_verdict_reason (WhisperVerdict verdict);
/* For programs: as InferTranscript.dropped. */
const char *whisper_verdict_name (WhisperVerdict verdict);
