/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The networks of a folder of Whisper on the CPU, and one session of them. */

#pragma once

#include "inference/speech/whisper/model.h"

typedef struct
{
  InferRuntime *runtime;
  WhisperModel *model;
  WhisperSession session;
} Networks;

static inline void
networks_open (Networks *n, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_auto (SpeechFolder) folder = { 0 };

  n->runtime = infer_runtime_new ("CPU", NULL, &error);
  g_assert_true (speech_folder_open (&folder, path, &error));
  n->model = whisper_model_load (&folder, n->runtime, &error);
  g_assert_no_error (error);
  whisper_session_open (&n->session, &n->model->networks, &error);
  g_assert_no_error (error);
}

static inline void
networks_close (Networks *n)
{
  whisper_session_close (&n->session);
  whisper_model_free (n->model);
  infer_runtime_unref (n->runtime);
}
