/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Settings of a Whisper model, from the metadata of its encoder, where
 * sherpa-onnx writes them instead of files of JSON. */

#pragma once

#include "infer/model.h"
#include "inference/speech/whisper/config.h"

/* As whisper_config_read; errors name the encoder and the key. */
gboolean whisper_metadata_read (WhisperConfig *config,
    const InferModel *encoder, const SpeechFolder *folder, GError **error);
