/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Within this folder: the inside of a shared model.  Immutable, any thread. */

#pragma once

#include "infer/voice.h"
#include "inference/speech/voice/kind.h"

struct _InferVoiceModel
{
  int refs; /* guarded by the table's lock */
  char *key, *path;
  const InferVoiceKind *kind;
  InferExecutable *executable; /* NULL: the kind needs none */
};
