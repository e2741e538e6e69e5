/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media of audio: the model gives as many samples as it takes, delayed
 * by model_info's latency_samples.  gst/filter/windows.c says which samples of
 * each result are pushed. */

#include <string.h>

#include "gst/common/model-info.h"
#include "gst/filter/output/form.h"
#include "infer/error.h"

#define MAX_CHANNELS 64
#define MAX_LATENCY 10000000

/* The channels of an output [1, T], [1, C, T] or [1, T, C]; 0: another shape.
 */
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
fail_shape (const InferModel *model, gsize length, const InferShape *shape,
    GError **error)
{
  g_autofree char *text = infer_shape_to_string (shape);

  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "%s: output=media needs %" G_GSIZE_FORMAT
      " samples as output, as many as go in, but '%s' is %s",
      infer_model_get_path (model), length, infer_model_output_name (model, 0),
      text);
}

/* Channels have the input's positions where there are as many; more than two
 * others have none. */
static GstCaps *
caps_of (const GstAudioInfo *input, guint channels)
{
  GstAudioInfo info;

  gst_audio_info_init (&info);
  gst_audio_info_set_format (&info, GST_AUDIO_FORMAT_F32, input->rate,
      (int) channels,
      (guint) input->channels == channels ? input->position : NULL);
  return gst_audio_info_to_caps (&info);
}

static GstCaps *
audio_caps (GstInferNegotiated *to, const GstInferSettings *settings,
    GstCaps *sink_caps, GError **error)
{
  const GstInferInput *input = &to->input;
  double latency =
      gst_infer_model_info_number (to->model, "latency_samples", 0);
  GstInferTensors out;
  gboolean planar;

  if (latency < 0 || latency > MAX_LATENCY) {
    infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: model_info/latency_samples is %g, not 0 to %d",
        infer_model_get_path (to->model), latency, MAX_LATENCY);
    return NULL;
  }
  if (input->hop != input->length - input->context) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "output=media needs windows that follow each other, but hop is %" G_GSIZE_FORMAT
        " of a window's %" G_GSIZE_FORMAT " samples",
        input->hop, input->length - input->context);
    return NULL;
  }
  if (!gst_infer_negotiated_predict (to, &out)) {
    infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: output=media needs an output whose shape is known before it runs",
        infer_model_get_path (to->model));
    return NULL;
  }
  guint channels =
      output_channels (&out.descs[0].shape, input->length, &planar);
  if (channels == 0) {
    fail_shape (to->model, input->length, &out.descs[0].shape, error);
    return NULL;
  }
  to->delay = (gsize) latency;
  return caps_of (&input->audio, channels);
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
    GstInferSourceTask *task, GstInferJob *job, GstCaps **caps, GError **error)
{
  InferRequest *request = infer_async_request_get_request (job->request);
  InferTensor *result = infer_request_get_output (request, 0, error);
  gsize length = job->span.rows, size;
  gboolean planar;
  GstMapInfo map;

  if (result == NULL || job->keep == 0)
    return NULL;
  guint channels = output_channels (&result->shape, length, &planar);
  if (channels == 0) {
    fail_shape (job->model, length, &result->shape, error);
    return NULL;
  }
  g_autoptr (InferTensor) floats = gst_infer_result_to_f32 (result, error);
  if (floats == NULL)
    return NULL;
  size = job->keep * channels * sizeof (float);
  g_autoptr (GstBuffer) buffer = gst_infer_allocation_get (
      &task->allocation, task->pad, NULL, size, error);
  if (buffer == NULL)
    return NULL;
  if (!gst_buffer_map (buffer, &map, GST_MAP_WRITE)) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%" G_GSIZE_FORMAT
        " bytes from the next element's allocator cannot be written to",
        size);
    return NULL;
  }
  interleave (floats->data, length, job->skip, job->keep, channels, planar,
      (float *) (gpointer) map.data);
  gst_buffer_unmap (buffer, &map);
  return g_steal_pointer (&buffer);
}

const GstInferForm gst_infer_form_audio = {
  .output = GST_INFER_OUTPUT_MEDIA,
  .inputs = 1u << GST_INFER_INPUT_AUDIO,
  .caps = audio_caps,
  .collect = collect_audio,
  .row_for_row = TRUE,
};
