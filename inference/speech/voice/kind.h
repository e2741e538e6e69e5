/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of voice activity detectors: what a kind (voice-list.h)
 * provides.  detector.c cuts the stream into windows and guards against wrong
 * use. */

#pragma once

#include "infer/request.h"

typedef struct
{
  const char *name;
  guint rate, window;

  /* NULL: it needs no model; else TRUE if it can run @model. */
  gboolean (*fits) (const InferModel *model);
  /* File names that are this kind's wherever they lie, best first (nullable,
   * NULL-terminated). */
  const char *const *files;
  /* The form that the model must have, for messages. */
  const char *wants;

  /* The model that streams share: @model with its inputs, states and outputs
   * arranged (transfer full).  NULL without `fits`. */
  InferModel *(*arrange) (const InferModel *model, GError **error);

  /* A stream; @executable is NULL without `fits`.  NULL with @error. */
  gpointer (*open) (InferExecutable *executable, GError **error);
  void (*close) (gpointer stream);
  /* The next window begins a sequence. */
  void (*reset) (gpointer stream);
  /* @samples [window], finite. */
  gboolean (*judge) (gpointer stream, const float *samples, float *probability,
      GError **error);
} InferVoiceKind;

#define VOICE(name) extern const InferVoiceKind infer_voice_##name;
#include "inference/speech/voice/voice-list.h"
#undef VOICE
