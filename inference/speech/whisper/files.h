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
} WhisperFiles;

/* FALSE: there are none of these names. */
gboolean whisper_files_find (const SpeechFolder *folder, WhisperFiles *files);
