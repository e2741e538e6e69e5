/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A folder with a Whisper model, loaded. */

#pragma once

#include "inference/speech/whisper/config.h"
#include "inference/speech/whisper/networks/networks.h"

typedef struct
{
  WhisperConfig config;
  WhisperNetworks networks;
  char **languages; /* NULL-terminated */
} WhisperModel;

/* Whether the networks are there. */
gboolean whisper_model_probe (const SpeechFolder *folder);
/* Errors name the files. (transfer full) */
WhisperModel *whisper_model_load (
    const SpeechFolder *folder, InferRuntime *runtime, GError **error);
void whisper_model_free (WhisperModel *model); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WhisperModel, whisper_model_free)
