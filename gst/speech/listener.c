/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/speech/listener.h"

#include <math.h>

gboolean
gst_infer_listener_open (GstInferListener *listener, InferVoiceModel *voice,
    const InferSegmenterConfig *config, guint step, GError **error)
{
  listener->step = voice != NULL ? infer_voice_model_get_window (voice) : step;
  listener->threshold = config->vad.threshold;
  if (voice != NULL) {
    listener->voice = infer_voice_detector_new (voice, error);
    if (listener->voice == NULL)
      return FALSE;
  }
  listener->segmenter = infer_segmenter_new (config);
  listener->windows = g_array_new (FALSE, FALSE, sizeof (InferVoiceWindow));
  listener->events = g_array_new (FALSE, FALSE, sizeof (InferSegmentEvent));
  gst_infer_listener_reset (listener);
  return TRUE;
}

void
gst_infer_listener_close (GstInferListener *listener)
{
  g_clear_pointer (&listener->voice, infer_voice_detector_free);
  g_clear_pointer (&listener->segmenter, infer_segmenter_free);
  g_clear_pointer (&listener->windows, g_array_unref);
  g_clear_pointer (&listener->events, g_array_unref);
}

void
gst_infer_listener_reset (GstInferListener *listener)
{
  if (listener->segmenter == NULL)
    return;
  if (listener->voice != NULL)
    infer_voice_detector_reset (listener->voice);
  infer_segmenter_reset (listener->segmenter);
  g_array_set_size (listener->windows, 0);
  g_array_set_size (listener->events, 0);
  listener->taken = 0;
  listener->voiced = 0;
  listener->begin = listener->end = 0;
  listener->sum = 0;
}

void
gst_infer_listener_set_cancelled (
    GstInferListener *listener, gboolean cancelled)
{
  if (listener->voice != NULL)
    infer_voice_detector_set_cancelled (listener->voice, cancelled);
}

/* --- without a detector --- */

/* Mean square of the noise that dithering to 16 bits leaves in silence, and of
 * less: nobody speaks. */
#define DIGITAL_SILENCE 1e-9

static void
add_piece (GstInferListener *listener)
{
  guint64 n = listener->end - listener->begin;
  double energy = listener->sum / (double) n;
  InferVoiceWindow window = { .begin = listener->begin,
    .end = listener->end,
    .probability = energy > DIGITAL_SILENCE ? 1 : 0,
    .energy = (float) energy };

  g_array_append_val (listener->windows, window);
  listener->begin = listener->end;
  listener->sum = 0;
}

static void
push_pieces (GstInferListener *listener, const float *samples, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    double value = (double) samples[i];

    if (isfinite (value))
      listener->sum += value * value;
    listener->end++;
    if (listener->end - listener->begin == listener->step)
      add_piece (listener);
  }
}

/* --- windows --- */

static void
drop_taken (GstInferListener *listener)
{
  if (listener->taken > 0)
    g_array_remove_range (listener->windows, 0, listener->taken);
  listener->taken = 0;
}

guint64
gst_infer_listener_wanted (const GstInferListener *listener)
{
  return listener->step - (listener->end - listener->begin);
}

gboolean
gst_infer_listener_push (
    GstInferListener *listener, const float *samples, gsize n, GError **error)
{
  drop_taken (listener);
  if (listener->voice != NULL) {
    listener->end += n;
    listener->begin = listener->end - listener->end % listener->step;
    return infer_voice_detector_push (
        listener->voice, samples, n, listener->windows, error);
  }
  push_pieces (listener, samples, n);
  return TRUE;
}

gboolean
gst_infer_listener_finish (GstInferListener *listener, GError **error)
{
  drop_taken (listener);
  if (listener->voice != NULL) {
    listener->begin = listener->end = 0;
    return infer_voice_detector_finish (
        listener->voice, listener->windows, error);
  }
  if (listener->end > listener->begin)
    add_piece (listener);
  return TRUE;
}

guint64
gst_infer_listener_next (GstInferListener *listener)
{
  g_array_set_size (listener->events, 0);
  if (listener->taken == listener->windows->len)
    return 0;
  const InferVoiceWindow *window =
      &g_array_index (listener->windows, InferVoiceWindow, listener->taken++);
  if ((double) window->probability >= listener->threshold)
    listener->voiced = window->end;
  infer_segmenter_push (listener->segmenter, window->probability,
      window->energy, window->begin, window->end, listener->events);
  return window->end;
}

void
gst_infer_listener_end (GstInferListener *listener)
{
  g_array_set_size (listener->events, 0);
  infer_segmenter_finish (listener->segmenter, listener->events);
}

guint64
gst_infer_listener_expected_end (const GstInferListener *listener)
{
  return infer_segmenter_expected_end (listener->segmenter);
}

guint64
gst_infer_listener_decided (const GstInferListener *listener)
{
  return infer_segmenter_decided (listener->segmenter);
}
