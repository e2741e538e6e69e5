/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A speech model on the CPU, and one stream of it. */

#pragma once

#include "infer/speech.h"

typedef struct
{
  InferRuntime *runtime;
  InferSpeechModel *model;
  InferSpeechStream *stream;
} Session;

/* @kind: nullable: what the folder says. */
static inline void
session_open (Session *s, const char *path, const char *kind)
{
  g_autoptr (GError) error = NULL;

  s->runtime = infer_runtime_new ("CPU", NULL, &error);
  g_assert_no_error (error);
  s->model = infer_speech_model_load (path, kind, s->runtime, &error);
  g_assert_no_error (error);
  s->stream = infer_speech_stream_new (s->model, &error);
  g_assert_no_error (error);
}

static inline void
session_close (Session *s)
{
  infer_speech_stream_free (s->stream);
  infer_speech_model_unref (s->model);
  infer_runtime_unref (s->runtime);
}
