/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The level detector (media/speech/level.h): no model. */

#include "inference/media/speech/level.h"
#include "inference/speech/voice/kind.h"

static gpointer
open_stream (InferExecutable *executable, GError **error)
{
  InferLevel *level = infer_level_new ();

  if (level == NULL)
    infer_fail (
        error, INFER_ERROR_NO_MEMORY, "no memory for the detector of levels");
  return level;
}

static void
close_stream (gpointer stream)
{
  infer_level_free (stream);
}

static void
reset (gpointer stream)
{
  infer_level_reset (stream);
}

static gboolean
judge (
    gpointer stream, const float *samples, float *probability, GError **error)
{
  *probability = infer_level_push (stream, samples);
  return TRUE;
}

const InferVoiceKind infer_voice_level = {
  .name = "level",
  .rate = INFER_LEVEL_RATE,
  .window = INFER_LEVEL_WINDOW,
  .open = open_stream,
  .close = close_stream,
  .reset = reset,
  .judge = judge,
};
