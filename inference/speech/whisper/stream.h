/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A stream of utterances, heard in windows of 30 s. */

#pragma once

#include "infer/transcript.h"
#include "inference/speech/kind.h"
#include "inference/speech/whisper/decode.h"
#include "inference/speech/whisper/mel.h"
#include "inference/speech/whisper/model.h"
#include "inference/speech/whisper/settings.h"

/* The result of a window. */
typedef struct
{
  WhisperHypothesis hypothesis;
  const WhisperLanguage *language;
  gboolean dropped;   /* no text: nobody spoke, or it was none */
  const char *reason; /* of that, or "time"; NULL: silence, or nothing */
  gsize frames;       /* of audio in it */
} WhisperWindow;

/* All that follows from a window. */
typedef struct
{
  WhisperWindow window;
  GQueue found; /* (element-type InferTranscript) */
  gsize advance;
} WhisperHeard;

typedef struct
{
  WhisperModel *model;
  WhisperSession session;
  gint64 encoded; /* context of what the session has; 0: of another window */
  float padding;  /* features behind the audio */
  WhisperMel mel;
  WhisperSettings settings;
  GRand *random;
  GArray *scratch, *rows; /* (element-type float) */
  GArray *prompt;         /* (element-type gint64): of the next decode */
  guint start;            /* place of the start token in it */
  GArray *previous;       /* (element-type guint): tokens of the text before */
  const WhisperLanguage *heard; /* NULL: not yet */
  guint64 first;                /* sample of the utterance's beginning */
  gsize seek;                   /* frame: the next window begins */
  gint64 deadline;              /* of the window: monotonic time in µs */
  GArray *guess; /* (element-type guint): tokens of the last partial result */
  gboolean prepared;
  /* If prepared: the window in which the utterance ends, and `heard` then. */
  WhisperHeard last;
  const WhisperLanguage *last_heard;
} WhisperStream;

void whisper_window_init (WhisperWindow *window);
void whisper_window_clear (WhisperWindow *window);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WhisperWindow, whisper_window_clear)

/* window.c: hears frames [@from, @from + @n).  @quick: one attempt, and nothing
 * of the stream changes. */
gboolean whisper_window_decode (WhisperStream *stream, gsize from, gsize n,
    gboolean quick, WhisperWindow *window, GError **error);

/* transcripts.c: the segments of @window, which begins at frame @from, as
 * transcripts (element-type InferTranscript, transfer full) at the end of
 * @transcripts.  @timed: words get exact times.  *@advance: frames until the
 * next window. */
gboolean whisper_window_transcripts (WhisperStream *stream,
    const WhisperWindow *window, gsize from, gboolean timed,
    GQueue *transcripts, gsize *advance, GError **error);
/* A transcript saying that @window, which begins at frame @from, was dropped or
 * cut.
 * (transfer full) */
InferTranscript *whisper_window_dropped (
    const WhisperStream *stream, const WhisperWindow *window, gsize from);
