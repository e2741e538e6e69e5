/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The settings of a stream. */

#pragma once

#include "inference/speech/text/phrases.h"
#include "inference/speech/whisper/config.h"

#define WHISPER_MAX_TEMPERATURES 16
/* The whole window, as OpenAI has it. */
#define WHISPER_WHOLE_MARGIN 30.0

typedef struct
{
  const WhisperLanguage *language; /* NULL: what the model hears */
  gboolean translate;
  guint beams;
  double length_penalty; /* NAN: none */
  float temperatures[WHISPER_MAX_TEMPERATURES];
  guint n_temperatures;
  GArray *initial_prompt; /* (element-type guint): tokens */
  gboolean previous_text; /* of the window before, as a prompt */
  InferPhrases *phrases;  /* nullable */
  double margin;          /* seconds of context behind what is heard */
  gboolean word_times;
  double time_limit; /* seconds that a window may take; 0: any */
  double no_speech_threshold, log_probability_threshold, compression_threshold;
} WhisperSettings;

void whisper_settings_init (WhisperSettings *settings);
void whisper_settings_clear (WhisperSettings *settings);

/* @value NULL: the default. */
gboolean whisper_settings_set (WhisperSettings *settings,
    const WhisperConfig *config, const char *key, const char *value,
    GError **error);
