/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media for audio: the model gives as many samples as it takes, some of
 * them later.  What it gives for the first samples of a sequence is of what
 * came before and is left out; at its end silence goes in until the last sample
 * is out.  So as many samples leave as came, each with its own timestamp.  But
 * for windows that are dropped as being late: a sequence begins after each, and
 * what was still to come of those before it is lost as well. */

#include <string.h>

#include "gst/filter/filter-private.h"
#include "gst/common/model-info.h"

#define MAX_CHANNELS 64
#define MAX_LATENCY 10000000

/* The channels of the output, as [1, T], [1, C, T] or [1, T, C]; 0: it is none
 * of these. */
static guint
output_channels (const InferShape *shape, gsize length, gboolean *planar)
{
  gint64 channels = 1;

  *planar = TRUE;
  if (shape->rank < 1 || shape->rank > 3 || (gint64) length <= 0)
    return 0;
  for (int i = 0; i < shape->rank - 2; i++)
    if (shape->dims[i] != 1)
      return 0;
  if (shape->dims[shape->rank - 1] == (gint64) length) {
    channels = shape->rank > 1 ? shape->dims[shape->rank - 2] : 1;
  } else if (shape->rank == 3 && shape->dims[1] == (gint64) length) {
    channels = shape->dims[2];
    *planar = FALSE;
  } else {
    return 0;
  }
  return channels >= 1 && channels <= MAX_CHANNELS ? (guint) channels : 0;
}

static gboolean
fail_shape (GstInferFilter *self, const InferShape *shape, GError **error)
{
  g_autofree char *text = infer_shape_to_string (shape);

  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "%s: output=media needs %" G_GSIZE_FORMAT
      " samples as output, as many as go in, but '%s' is %s",
      infer_model_get_path (self->model), self->input.length,
      infer_model_output_name (self->model, 0), text);
}

static GstCaps *
audio_caps (GstInferFilter *self, GstCaps *sink_caps, GError **error)
{
  double latency =
      gst_infer_model_info_number (self->model, "latency_samples", 0);
  GstInferTensors out;
  gboolean planar;
  guint channels;

  if (latency < 0 || latency > MAX_LATENCY) {
    infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: model_info/latency_samples is %g, not 0 to %d",
        infer_model_get_path (self->model), latency, MAX_LATENCY);
    return NULL;
  }
  if (self->input.hop != self->input.length) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "output=media needs windows that follow each other, but hop is %" G_GSIZE_FORMAT
        " of a window's %" G_GSIZE_FORMAT " samples",
        self->input.hop, self->input.length);
    return NULL;
  }
  if (!gst_infer_filter_predict (self, &out)) {
    infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: output=media needs an output whose shape is known before it runs",
        infer_model_get_path (self->model));
    return NULL;
  }
  channels = output_channels (&out.descs[0].shape, self->input.length, &planar);
  if (channels == 0) {
    fail_shape (self, &out.descs[0].shape, error);
    return NULL;
  }
  self->late = (gsize) latency;
  return gst_caps_new_simple ("audio/x-raw", "format", G_TYPE_STRING,
      GST_AUDIO_NE (F32), "layout", G_TYPE_STRING, "interleaved", "rate",
      G_TYPE_INT, (int) self->input.row_den, "channels", G_TYPE_INT,
      (int) channels, NULL);
}

static void
interleave (const float *from, gsize length, gsize first, gsize n,
    guint channels, gboolean planar, float *to)
{
  if (!planar || channels == 1) {
    memcpy (to, from + first * channels, n * channels * sizeof (float));
    return;
  }
  for (guint c = 0; c < channels; c++)
    for (gsize i = 0; i < n; i++)
      to[i * channels + c] = from[c * length + first + i];
}

static GstBuffer *
collect_audio (
    GstInferFilter *self, GstInferJob *job, GstCaps **caps, GError **error)
{
  InferRequest *request = infer_async_request_get_request (job->request);
  InferTensor *result = infer_request_get_output (request, 0, error);
  gsize length = job->span.rows, size;
  g_autoptr (InferTensor) floats = NULL;
  g_autoptr (GstBuffer) buffer = NULL;
  gboolean planar;
  guint channels;
  GstMapInfo map;

  if (result == NULL || job->keep == 0)
    return NULL;
  channels = output_channels (&result->shape, length, &planar);
  if (channels == 0) {
    fail_shape (self, &result->shape, error);
    return NULL;
  }
  floats = gst_infer_filter_floats (result, error);
  if (floats == NULL)
    return NULL;
  size = job->keep * channels * sizeof (float);
  buffer = gst_buffer_new_allocate (NULL, size, NULL);
  if (buffer == NULL || !gst_buffer_map (buffer, &map, GST_MAP_WRITE)) {
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for %" G_GSIZE_FORMAT " bytes of audio", size);
    return NULL;
  }
  interleave (floats->data, length, job->skip, job->keep, channels, planar,
      (float *) (gpointer) map.data);
  gst_buffer_unmap (buffer, &map);
  return g_steal_pointer (&buffer);
}

const GstInferForm gst_infer_form_audio = { audio_caps, collect_audio, FALSE };

GstFlowReturn
gst_infer_filter_run_audio (GstInferFilter *self, guint64 end)
{
  GstFlowReturn flow = GST_FLOW_OK;
  guint64 late = self->late;
  const float *rows;
  GstInferSpan span;

  while (flow == GST_FLOW_OK
         && (rows = gst_infer_window_peek (self->window, &span)) != NULL) {
    guint64 begin = span.offset, stop = begin + span.rows;
    guint64 from = MAX (begin > late ? begin - late : 0, self->fresh);
    guint64 to = stop > late ? MIN (stop - late, end) : 0;
    gsize keep = to > from ? (gsize) (to - from) : 0;

    if (keep > 0)
      gst_infer_window_locate (self->window, from, to, &span);
    if (keep > 0 && gst_infer_filter_drops (self, span.pts, span.duration)) {
      self->fresh = stop;
      gst_infer_window_advance (self->window);
      continue;
    }
    flow = gst_infer_filter_run_rows (
        self, rows, &span, (gsize) (from + late - begin), keep);
    gst_infer_window_advance (self->window);
  }
  return flow;
}

GstFlowReturn
gst_infer_filter_finish_audio (GstInferFilter *self)
{
  guint64 total = gst_infer_window_count (self->window);
  gsize length = self->input.length;
  GstFlowReturn flow = GST_FLOW_OK;
  guint64 done = total - total % length;

  if (total == 0 || self->active.tail == GST_INFER_TAIL_DROP)
    return GST_FLOW_OK;
  while (flow == GST_FLOW_OK && done < total + self->late) {
    guint64 have = gst_infer_window_count (self->window);
    gsize missing = (gsize) (done + length - have);
    float *to =
        gst_infer_window_grow (self->window, missing, GST_CLOCK_TIME_NONE);

    if (to == NULL)
      return gst_infer_filter_no_memory (self, missing);
    for (gsize i = 0; i < missing * self->input.width; i++)
      to[i] = self->input.pad;
    flow = gst_infer_filter_run_audio (self, total);
    done += length;
  }
  return flow;
}
