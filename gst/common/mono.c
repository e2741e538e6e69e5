/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/mono.h"

#include "infer/error.h"

struct _GstInferMono
{
  guint channels, in_rate, rate;
  GstAudioResampler *resampler; /* NULL: the rates are equal */
  guint64 taken, given;         /* frames, outputs since the reset */
  float *frames;                /* [GST_INFER_MONO_BLOCK][channels] */
};

static GstAudioResampler *
make_resampler (guint in_rate, guint rate)
{
  return gst_audio_resampler_new (GST_AUDIO_RESAMPLER_METHOD_KAISER,
      GST_AUDIO_RESAMPLER_FLAG_NONE, GST_AUDIO_FORMAT_F32, 1, (int) in_rate,
      (int) rate, NULL);
}

GstInferMono *
gst_infer_mono_new (const GstAudioInfo *info, guint rate, GError **error)
{
  GstInferMono *self = g_new0 (GstInferMono, 1);

  self->channels = (guint) info->channels;
  self->in_rate = (guint) info->rate;
  self->rate = rate;
  self->frames = g_try_malloc_n (
      (gsize) GST_INFER_MONO_BLOCK * self->channels, sizeof (float));
  if (self->frames == NULL) {
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "there is no memory for audio of %u channels", self->channels);
    gst_infer_mono_free (self);
    return NULL;
  }
  if (self->in_rate != rate) {
    self->resampler = make_resampler (self->in_rate, rate);
    if (self->resampler == NULL) {
      infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "audio cannot be resampled from %d Hz to %u Hz", info->rate, rate);
      g_clear_pointer (&self, gst_infer_mono_free);
    }
  }
  return self;
}

void
gst_infer_mono_free (GstInferMono *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->resampler, gst_audio_resampler_free);
  g_free (self->frames);
  g_free (self);
}

/* GStreamer's own reset leaves the filter's phase as it is. */
void
gst_infer_mono_reset (GstInferMono *self)
{
  if (self->resampler != NULL && self->taken > 0) {
    gst_audio_resampler_free (self->resampler);
    self->resampler = make_resampler (self->in_rate, self->rate);
  }
  self->taken = self->given = 0;
}

/* Appends at most @most samples of what the next @n (NULL: zeros) complete. */
static void
resample (GstInferMono *self, float *mono, gsize n, gsize most, GArray *to)
{
  gsize m = gst_audio_resampler_get_out_frames (self->resampler, n);
  guint at = to->len;
  gpointer in[1] = { mono };

  g_array_set_size (to, at + (guint) m);
  gpointer out[1] = { &g_array_index (to, float, at) };
  gst_audio_resampler_resample (
      self->resampler, mono != NULL ? in : NULL, n, out, m);
  if (m > most)
    g_array_set_size (to, at + (guint) most);
  self->given += MIN (m, most);
}

void
gst_infer_mono_read (GstInferMono *self, const GstInferSamples *samples,
    gsize first, gsize n, GArray *to)
{
  float mono[GST_INFER_MONO_BLOCK];
  guint channels = self->channels;

  n = MIN (n, GST_INFER_MONO_BLOCK);
  gst_infer_samples_read (samples, first, n, self->frames);
  for (gsize i = 0; i < n; i++) {
    float sum = 0;

    for (guint c = 0; c < channels; c++)
      sum += self->frames[i * channels + c];
    mono[i] = sum / (float) channels;
  }
  self->taken += n;
  if (self->resampler != NULL)
    resample (self, mono, n, G_MAXSIZE, to);
  else
    g_array_append_vals (to, mono, (guint) n);
}

void
gst_infer_mono_finish (GstInferMono *self, GArray *to)
{
  if (self->resampler != NULL) {
    guint64 all =
        gst_util_uint64_scale_ceil (self->taken, self->rate, self->in_rate);

    if (all > self->given)
      resample (self, NULL,
          gst_audio_resampler_get_in_frames (
              self->resampler, (gsize) (all - self->given)),
          (gsize) (all - self->given), to);
  }
  gst_infer_mono_reset (self);
}

guint
gst_infer_mono_delay (const GstInferMono *self)
{
  return self->resampler != NULL
             ? (guint) gst_audio_resampler_get_max_latency (self->resampler)
             : 0;
}
