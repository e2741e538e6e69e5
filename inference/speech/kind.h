/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A kind of speech model, as speech.c calls it.  Whatever computes for long
 * runs requests, which are cancelled by the thread's flag (base/cancel.h), and
 * looks at that flag itself between tokens. */

#pragma once

#include "infer/runtime.h"
#include "infer/speech.h"
#include "inference/speech/folder.h"

/* One stream's transcripts that are final, and what was dropped (with
 * `dropped`) (element-type InferTranscript). */
typedef GQueue SpeechFinals;

typedef struct
{
  const char *name;
  /* One line for documentation. */
  const char *description;
  /* Whether the files are there; cheap, reads names only (or, for a single
   * file, what InferModel says of it). */
  gboolean (*probe) (const SpeechFolder *folder);

  /* Loads and compiles; fills @info.  The model is not changed afterwards. */
  gpointer (*load) (const SpeechFolder *folder, InferRuntime *runtime,
      InferSpeechInfo *info, GError **error);
  void (*unload) (gpointer model);

  /* A stream: its requests, states and settings.  The model outlives it. */
  gpointer (*open) (gpointer model, GError **error);
  void (*close) (gpointer stream);
  /* As the functions of infer/speech.h of these names; `set` is only called
   * between utterances.  Finals are appended to @finals by push and end. */
  gboolean (*set) (
      gpointer stream, const char *key, const char *value, GError **error);
  gboolean (*begin) (gpointer stream, guint64 first, GError **error);
  gboolean (*push) (gpointer stream, const float *samples, gsize n,
      SpeechFinals *finals, GError **error);
  gboolean (*partial) (
      gpointer stream, InferTranscript **transcript, GError **error);
  gboolean (*end) (gpointer stream, SpeechFinals *finals, GError **error);
  /* (nullable) */
  gboolean (*prepare_end) (gpointer stream, gboolean *prepared, GError **error);
  /* Also after any of the above failed or was cancelled. */
  void (*reset) (gpointer stream);
} InferSpeechKind;

/* Adds a kind that is probed before those of the list; not thread-safe, for
 * tests. */
void infer_speech_add_kind (const InferSpeechKind *kind);

#define SPEECH_KIND(name) extern const InferSpeechKind infer_speech_##name;
#include "inference/speech/kind-list.h"
#undef SPEECH_KIND
