/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Audio that elements can take. */

#pragma once

#include <gst/audio/audio.h>

/* Those that cost least come first. */
#define GST_INFER_AUDIO_FORMATS                                                                                                                                                                  \
  GST_AUDIO_NE (F32)                                                                                                                                                                             \
  ", " GST_AUDIO_NE (S16) ", " GST_AUDIO_NE (S32) ", " GST_AUDIO_NE (F64) ", " GST_AUDIO_NE (S24) ", " GST_AUDIO_NE (S24_32) ", " GST_AUDIO_NE (U16) ", " GST_AUDIO_NE (U24) ", " GST_AUDIO_NE ( \
      U24_32) ", " GST_AUDIO_NE (U32) ", U8, S8, " GST_AUDIO_OE (F32) ", " GST_AUDIO_OE (S16) ", " GST_AUDIO_OE (S32) ", " GST_AUDIO_OE (F64) ", " GST_AUDIO_OE (S24) ", " GST_AUDIO_OE (S24_32)

/* All but the rate and the channels, which are to be appended. */
#define GST_INFER_AUDIO_CAPS                                                   \
  "audio/x-raw, format = (string) { " GST_INFER_AUDIO_FORMATS                  \
  " }, layout = (string) { interleaved, non-interleaved }, "
