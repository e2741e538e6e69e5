/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The networks' files of a Whisper export. */

#pragma once

#include "inference/speech/folder.h"

typedef struct
{
  const char *encoder;
  const char *decoder; /* stateful, or merged, or for the first tokens */
  const char *past;    /* nullable: for later tokens */
  gboolean stacked;    /* sherpa-onnx's names: *-encoder.onnx, *-decoder.onnx */
} WhisperFiles;

/* FALSE: one is missing; those that are there are set. */
gboolean whisper_files_find (const SpeechFolder *folder, WhisperFiles *files);
