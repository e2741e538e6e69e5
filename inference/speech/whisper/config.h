/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Settings of a Whisper model, from the files beside its networks. */

#pragma once

#include "inference/speech/text/vocabulary.h"

typedef struct
{
  guint layer, head;
} WhisperHead;

typedef struct
{
  char *code; /* "en" */
  guint id;
} WhisperLanguage;

typedef struct
{
  char *path; /* of config.json, for messages */
  /* config.json; -1: it does not say */
  gint64 width, bands, positions, vocabulary, layers, heads;
  guint context;   /* tokens at most */
  guint rate, hop; /* preprocessor_config.json */
  /* Special tokens; G_MAXUINT: the model has none. */
  guint start, end, previous, no_timestamps, timestamps, no_speech, transcribe,
      translate, first_timestamp; /* the latest that text may begin at */
  gboolean multilingual, states_languages; /* the file says so */
  GArray *languages;                 /* (element-type WhisperLanguage), by id */
  GArray *suppress, *suppress_first; /* (element-type guint) */
  GArray *heads_of_words;            /* (element-type WhisperHead); may be 0 */
  InferVocabulary *vocabulary_file;
} WhisperConfig;

/* Nothing is known. */
void whisper_config_init (WhisperConfig *config);
/* Errors name the file. */
gboolean whisper_config_read (
    WhisperConfig *config, const SpeechFolder *folder, GError **error);
void whisper_config_clear (WhisperConfig *config);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WhisperConfig, whisper_config_clear)

/* NULL: there is no such language. */
const WhisperLanguage *whisper_config_language (
    const WhisperConfig *config, const char *code);

static inline gboolean
whisper_is_timestamp (const WhisperConfig *config, guint id)
{
  return id >= config->timestamps;
}
