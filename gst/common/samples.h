/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Raw audio of any format and layout as floats from -1 to 1, channel after
 * channel within each frame. */

#pragma once

#include <gst/audio/audio.h>

typedef struct
{
  const GstAudioInfo *info; /* (transfer none) */
  GstBuffer *buffer;        /* (transfer none) */
  gsize n;                  /* frames */
  GstMapInfo map;           /* interleaved */
  GstAudioBuffer planes;    /* planar */
  gboolean planar;
} GstInferSamples;

/* Returns the frames of @buffer, without mapping it. */
gsize gst_infer_samples_count (const GstAudioInfo *info, GstBuffer *buffer);
/* Maps @buffer for reading.  FALSE with @error: planar samples without a
 * GstAudioMeta or with one of another format, or memory that cannot be mapped.
 */
gboolean gst_infer_samples_map (GstInferSamples *samples,
    const GstAudioInfo *info, GstBuffer *buffer, GError **error);
/* Writes frames @first to @first + @n, `channels` floats each. */
void gst_infer_samples_read (
    const GstInferSamples *samples, gsize first, gsize n, float *to);
void gst_infer_samples_unmap (GstInferSamples *samples);
