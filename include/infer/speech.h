/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Speech recognition with models as they are published: a folder with the
 * networks, the tokenizer and the settings, or a single CTC model.
 *
 * InferSpeechModel: what is loaded; immutable, shared by streams, any thread.
 * InferSpeechStream: one stream of samples; one thread at a time, except
 * infer_speech_stream_set_cancelled.
 *
 *   begin, push, …, partial (any time), …, end     one utterance
 *   pop                                            its final transcripts */

#pragma once

#include "infer/runtime.h"
#include "infer/transcript.h"

G_BEGIN_DECLS

typedef struct _InferSpeechModel InferSpeechModel;
typedef struct _InferSpeechStream InferSpeechStream;

typedef struct
{
  const char *kind; /* e.g. "whisper" */
  guint rate;       /* Hz */
  /* Samples; 0: there is no limit.  Longer utterances are decoded in several
   * pieces, which costs accuracy where a word is cut. */
  guint64 longest;
  /* Samples that a word at the end of what was pushed may lack to be heard. */
  guint64 delay;
  /* TRUE: decodes while samples arrive, so that partials cost nothing more.
   * FALSE: each partial and the end decode the utterance from its start. */
  gboolean streaming;
  const char *const *languages; /* NULL: the model does not say */
} InferSpeechInfo;

/* Loads the folder or file @path as a model of @kind (nullable: the first whose
 * files are there), for executables on @runtime.
 * INFER_ERROR_NOT_FOUND: no such file, or no kind knows the files;
 * INFER_ERROR_INVALID_MODEL: they do not fit together.  Messages name the
 * files. (transfer full) Since: 0.2 */
INFER_API InferSpeechModel *infer_speech_model_load (
    const char *path, const char *kind, InferRuntime *runtime, GError **error);
/* Since: 0.2 */
INFER_API InferSpeechModel *infer_speech_model_ref (InferSpeechModel *model);
/* Since: 0.2 */
INFER_API void infer_speech_model_unref (InferSpeechModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferSpeechModel, infer_speech_model_unref)
/* (transfer none) Since: 0.2 */
INFER_API const InferSpeechInfo *infer_speech_model_get_info (
    const InferSpeechModel *model);

/* (transfer full) Since: 0.2 */
INFER_API InferSpeechStream *infer_speech_stream_new (
    InferSpeechModel *model, GError **error);
/* Since: 0.2 */
INFER_API void infer_speech_stream_free (InferSpeechStream *stream);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferSpeechStream, infer_speech_stream_free)

/* Changes a setting from the next utterance on.  All kinds know "phrases"
 * ("text:weight" per line) or refuse it; others depend on the kind
 * (docs/guides/speech.md).  @value NULL: back to the default.
 * INFER_ERROR_INVALID_ARGUMENT names the settings that there are.
 * Since: 0.2 */
INFER_API gboolean infer_speech_stream_set (InferSpeechStream *stream,
    const char *key, const char *value, GError **error);

/* An utterance begins with sample number @first of the stream. Since: 0.2 */
INFER_API gboolean infer_speech_stream_begin (
    InferSpeechStream *stream, guint64 first, GError **error);
/* Its next @n samples, mono, in [-1, 1].  Since: 0.2 */
INFER_API gboolean infer_speech_stream_push (
    InferSpeechStream *stream, const float *samples, gsize n, GError **error);
/* The best guess at what is not final yet; it may change until it is.  NULL
 * without error: no words yet.  Changes no final.
 * (transfer full) Since: 0.2 */
INFER_API InferTranscript *infer_speech_stream_partial (
    InferSpeechStream *stream, GError **error);
/* The utterance probably ends here: decodes what was pushed, so that
 * infer_speech_stream_end, and a partial, need no time if nothing else is
 * pushed before.  Changes no final.  *@prepared (out): FALSE: the kind cannot,
 * as those do that decode as samples arrive, or the end of the utterance needs
 * more than one piece. Since: 0.2 */
INFER_API gboolean infer_speech_stream_prepare_end (
    InferSpeechStream *stream, gboolean *prepared, GError **error);
/* The utterance ends: what was pushed becomes final.  Since: 0.2 */
INFER_API gboolean infer_speech_stream_end (
    InferSpeechStream *stream, GError **error);
/* The next final transcript that has words, in order; NULL: none.  Some may be
 * there before the utterance ends.  (transfer full) Since: 0.2 */
INFER_API InferTranscript *infer_speech_stream_pop (InferSpeechStream *stream);

/* The next piece of speech that gave no text although a text was decoded, or
 * less than was said, in order; NULL: none.  Its `text`, without words, is what
 * was decoded; `dropped` says why: "no-speech" (nobody speaks),
 * "log-probability" (it is unlikely), "compression" (it is repetitive), "loop"
 * (it repeats itself without end), "time" (decoding took too long, and what was
 * decoded until then is a transcript of its own).
 * (transfer full) Since: 0.2 */
INFER_API InferTranscript *infer_speech_stream_pop_dropped (
    InferSpeechStream *stream);

/* Discards the utterance, transcripts that nobody popped, and what earlier
 * utterances left (text before, detected language).  Since: 0.2 */
INFER_API void infer_speech_stream_reset (InferSpeechStream *stream);
/* Any thread.  TRUE: calls fail with INFER_ERROR_CANCELLED, one in progress
 * soon, until FALSE is set and the stream is reset.  Since: 0.2 */
INFER_API void infer_speech_stream_set_cancelled (
    InferSpeechStream *stream, gboolean cancelled);

G_END_DECLS
