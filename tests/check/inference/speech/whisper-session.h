/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whisper with random weights (tests/speech/whisper), and the texts of a stream
 * with it. */

#pragma once

#include "infer/speech.h"

#define TINY SOURCE_ROOT "/tests/speech/whisper/tiny"
#define ONNX SOURCE_ROOT "/tests/speech/whisper/onnx"
/* As sherpa-onnx exports OpenAI's networks (make-stacked.py). */
#define STACKED SOURCE_ROOT "/tests/speech/whisper/stacked"
/* Decoders of TINY and ONNX that are told positions. */
#define POSITIONS SOURCE_ROOT "/tests/speech/whisper/positions"
#define RATE 16000
#define N (11 * RATE)

/* --- folders --- */

typedef enum
{
  WHISPER_STATEFUL,
  WHISPER_PAST,    /* decoders of the first and of later tokens */
  WHISPER_MERGED,  /* both in one file */
  WHISPER_IR_PAST, /* as WHISPER_PAST, but IR */
} WhisperForm;

/* A folder to be removed, without one of its files (nullable).
 * (transfer full) */
char *whisper_test_folder (WhisperForm form, const char *without);

/* Copies a file from one folder to another, over what is there. */
void whisper_test_copy (const char *from, const char *folder, const char *name);

/* --- streams --- */

typedef struct
{
  InferRuntime *runtime;
  InferSpeechModel *model;
  InferSpeechStream *stream;
} Session;

/* A stream with the folder @path. */
void whisper_test_open_at (Session *s, const char *path);
/* A stream with TINY whose texts are all believed. */
void whisper_test_open (Session *s);
void whisper_test_close (Session *s);
void whisper_test_set (Session *s, const char *key, const char *value);
/* Random weights say little that is likely; drawn tokens do not loop. */
void whisper_test_believe_all (Session *s);
/* N samples.  (transfer full) */
float *whisper_test_noise (void);
/* All that is final, in pieces of @piece.  (transfer full) */
char *whisper_test_hear (Session *s, guint64 first, const float *samples,
    gsize n, gsize piece, gboolean partials);
/* The same, and the end is prepared after each piece. */
char *whisper_test_hear_prepared (
    Session *s, const float *samples, gsize n, gsize piece, gboolean partials);
