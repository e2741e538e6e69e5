/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/samples.h"

#include <string.h>

#include "infer/error.h"

/* Values that are converted at a time. */
#define BLOCK 256

static gboolean
map_planes (GstInferSamples *samples, GstBuffer *buffer, GError **error)
{
  const GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);
  const GstAudioInfo *info = samples->info;
  gsize size = gst_buffer_get_size (buffer);

  if (meta == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a buffer of planar audio has no GstAudioMeta, so nobody knows where "
        "its channels begin");
  if (GST_AUDIO_INFO_FORMAT (&meta->info) != GST_AUDIO_INFO_FORMAT (info)
      || meta->info.layout != info->layout
      || meta->info.channels != info->channels)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the GstAudioMeta of a buffer says %d channels of %s, the caps %d of "
        "%s",
        meta->info.channels, GST_AUDIO_INFO_NAME (&meta->info), info->channels,
        GST_AUDIO_INFO_NAME (info));
  for (int c = 0; c < info->channels; c++)
    if (meta->offsets[c] > size
        || meta->samples > (size - meta->offsets[c])
                               / ((gsize) GST_AUDIO_INFO_WIDTH (info) / 8))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "a buffer of %" G_GSIZE_FORMAT
          " bytes is shorter than its GstAudioMeta says",
          size);
  if (!gst_audio_buffer_map (&samples->planes, info, buffer, GST_MAP_READ))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a buffer of audio cannot be mapped");
  samples->n = samples->planes.n_samples;
  return TRUE;
}

static gboolean
is_planar (const GstAudioInfo *info, const GstAudioMeta *meta)
{
  return info->layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED
         && (info->channels > 1 || meta != NULL);
}

gsize
gst_infer_samples_count (const GstAudioInfo *info, GstBuffer *buffer)
{
  const GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);
  const gsize fit = gst_buffer_get_size (buffer) / (gsize) info->bpf;

  if (meta == NULL)
    return fit;
  return is_planar (info, meta) ? meta->samples : MIN (meta->samples, fit);
}

gboolean
gst_infer_samples_map (GstInferSamples *samples, const GstAudioInfo *info,
    GstBuffer *buffer, GError **error)
{
  samples->info = info;
  samples->buffer = buffer;
  samples->planar = is_planar (info, gst_buffer_get_audio_meta (buffer));
  if (samples->planar)
    return map_planes (samples, buffer, error);
  if (!gst_buffer_map (buffer, &samples->map, GST_MAP_READ))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a buffer of audio cannot be mapped");
  samples->n = gst_infer_samples_count (info, buffer);
  return TRUE;
}

void
gst_infer_samples_unmap (GstInferSamples *samples)
{
  if (samples->planar)
    gst_audio_buffer_unmap (&samples->planes);
  else
    gst_buffer_unmap (samples->buffer, &samples->map);
}

/* --- conversion --- */

/* By GStreamer's own reader of the format, which gives s32 or f64. */
static void
unpack (const GstAudioFormatInfo *format, gpointer from, gsize n, gsize step,
    float *to)
{
  union
  {
    gint32 s32[BLOCK];
    double f64[BLOCK];
  } block;
  guint8 *bytes = from;
  gsize width = (gsize) format->width / 8;

  for (gsize at = 0; at < n; at += BLOCK) {
    gsize part = MIN (BLOCK, n - at);

    format->unpack_func (format, GST_AUDIO_PACK_FLAG_TRUNCATE_RANGE, &block,
        bytes + at * width, (int) part);
    if (format->unpack_format == GST_AUDIO_FORMAT_S32)
      for (gsize i = 0; i < part; i++)
        to[(at + i) * step] = (float) block.s32[i] / 2147483648.0f;
    else
      for (gsize i = 0; i < part; i++)
        to[(at + i) * step] = (float) block.f64[i];
  }
}

/* @n values at any address; those of @to are @step floats apart. */
static void
convert (const GstAudioFormatInfo *format, gpointer from, gsize n, gsize step,
    float *to)
{
  const guint8 *bytes = from;

  if (format->format == GST_AUDIO_FORMAT_F32 && step == 1) {
    memcpy (to, from, n * sizeof (float));
  } else if (format->format == GST_AUDIO_FORMAT_F32) {
    for (gsize i = 0; i < n; i++)
      memcpy (&to[i * step], bytes + i * sizeof (float), sizeof (float));
  } else if (format->format == GST_AUDIO_FORMAT_S16) {
    for (gsize i = 0; i < n; i++) {
      gint16 value;

      memcpy (&value, bytes + i * sizeof value, sizeof value);
      to[i * step] = (float) value / 32768.0f;
    }
  } else {
    unpack (format, from, n, step, to);
  }
}

void
gst_infer_samples_read (
    const GstInferSamples *samples, gsize first, gsize n, float *to)
{
  const GstAudioInfo *info = samples->info;
  gsize channels = (gsize) info->channels;

  if (!samples->planar) {
    convert (info->finfo,
        samples->map.data + first * (gsize) GST_AUDIO_INFO_BPF (info),
        n * channels, 1, to);
    return;
  }
  for (gsize c = 0; c < channels; c++)
    convert (info->finfo,
        (guint8 *) samples->planes.planes[c]
            + first * ((gsize) GST_AUDIO_INFO_WIDTH (info) / 8),
        n, channels, to + c);
}
