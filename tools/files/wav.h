/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* WAV files as mono samples. */

#pragma once

#include "infer/error.h"

typedef struct
{
  guint rate;
  gsize n;
  float *samples; /* [n], in [-1, 1]: the mean of the channels */
} ToolWav;

/* PCM of 8, 16, 24 or 32 bits, or floats of 32. */
gboolean tool_wav_read (ToolWav *wav, const char *path, GError **error);
void tool_wav_clear (ToolWav *wav);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolWav, tool_wav_clear)
