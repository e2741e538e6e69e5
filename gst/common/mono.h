/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Raw audio of any format, channels and rate as mono floats at one rate: the
 * mean of the channels, resampled.  The same samples for any size of buffers;
 * output k lies k / rate seconds after the first input.  One thread at a time.
 */

#pragma once

#include "gst/common/samples.h"

typedef struct _GstInferMono GstInferMono;

/* NULL with @error: it cannot be resampled.  (transfer full) */
GstInferMono *gst_infer_mono_new (
    const GstAudioInfo *info, guint rate, GError **error);
void gst_infer_mono_free (GstInferMono *mono); /* NULL is fine */
/* The next samples begin a stream. */
void gst_infer_mono_reset (GstInferMono *mono);

/* Frames of one call, at most. */
#define GST_INFER_MONO_BLOCK 1024
/* Appends what frames @first to @first + @n complete to @to (element-type
 * float). */
void gst_infer_mono_read (GstInferMono *mono, const GstInferSamples *samples,
    gsize first, gsize n, GArray *to);
/* The stream ends: appends the rest, so that as long a time was given out as
 * came in.  Resets. */
void gst_infer_mono_finish (GstInferMono *mono, GArray *to);

/* Input frames that it waits for after a sample before it is given out. */
guint gst_infer_mono_delay (const GstInferMono *mono);
