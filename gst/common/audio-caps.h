/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Audio that elements can take. */

#pragma once

#include <gst/audio/audio.h>

/* All but the rate and the channels, which are to be appended. */
#define GST_INFER_AUDIO_CAPS                                                   \
  "audio/x-raw, format = (string) { " GST_AUDIO_NE (F32) ", " GST_AUDIO_NE (   \
      S16) " }, layout = (string) interleaved, "
