/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/filter-private.h"

/* --- tensors --- */

static gboolean
same_tensors (const GstInferTensors *a, const GstInferTensors *b)
{
  if (a->n != b->n)
    return FALSE;
  for (guint i = 0; i < a->n; i++)
    if (a->descs[i].type != b->descs[i].type
        || !infer_shape_equal (&a->descs[i].shape, &b->descs[i].shape))
      return FALSE;
  return TRUE;
}

static GstCaps *
tensor_caps (GstInferFilter *self, GstCaps *sink_caps, GError **error)
{
  GstInferTensors out;

  return gst_infer_filter_predict (self, &out)
             ? gst_infer_tensors_to_caps (&out)
             : NULL;
}

static GstBuffer *
collect_tensors (
    GstInferFilter *self, GstInferJob *job, GstCaps **caps, GError **error)
{
  InferRequest *request = infer_async_request_get_request (job->request);
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstInferTensors out = self->out; /* for its frame rate */

  out.n = infer_model_n_outputs (self->model);
  for (guint i = 0; i < out.n; i++) {
    InferTensor *tensor = infer_request_get_output (request, i, error);
    GstMemory *memory;

    if (tensor == NULL)
      return NULL;
    out.descs[i].type = gst_infer_wire_type (tensor->type);
    out.descs[i].shape = tensor->shape;
    if (tensor->shape.rank == 0) /* caps cannot say that */
      out.descs[i].shape = (InferShape){ .rank = 1, .dims = { 1 } };
    if (gst_infer_type_name (out.descs[i].type) == NULL) {
      infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "output '%s' is of type %s, which other/tensors does not have",
          infer_model_output_name (self->model, i),
          infer_type_name (tensor->type));
      return NULL;
    }
    memory = gst_infer_tensor_to_memory (tensor, out.descs[i].type, error);
    if (memory == NULL)
      return NULL;
    gst_buffer_append_memory (buffer, memory);
  }
  if (!same_tensors (&self->out, &out)) {
    *caps = gst_infer_tensors_to_caps (&out);
    self->out = out;
  }
  return g_steal_pointer (&buffer);
}

static const GstInferForm form_tensors = { tensor_caps, collect_tensors,
  FALSE };

/* --- choice --- */

gboolean
gst_infer_filter_choose_form (GstInferFilter *self, GError **error)
{
  GstInferOutput output = self->active.output;
  GstInferInputKind kind = self->input.kind;

  self->form = NULL;
  if (output == GST_INFER_OUTPUT_TENSORS)
    self->form = &form_tensors;
  else if (output == GST_INFER_OUTPUT_MEDIA && kind == GST_INFER_INPUT_AUDIO)
    self->form = &gst_infer_form_audio;
  else if (output == GST_INFER_OUTPUT_MEDIA && kind == GST_INFER_INPUT_VIDEO)
    self->form = &gst_infer_form_picture;
  else if (output == GST_INFER_OUTPUT_MEDIA_WITH_META
           && kind == GST_INFER_INPUT_VIDEO)
    self->form = &gst_infer_form_meta;
  if (self->form != NULL)
    return TRUE;
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "output=%s needs %s at the sink pad: use output=tensors",
      output == GST_INFER_OUTPUT_MEDIA ? "media" : "media-with-meta",
      output == GST_INFER_OUTPUT_MEDIA ? "audio or video" : "video");
}

/* --- caps queries --- */

/* What passes untouched is as @peer's other side wants it. */
static GstCaps *
passing_caps (const InferModel *model, GstPad *peer)
{
  g_autoptr (GstCaps) mine = gst_infer_video_caps (model, FALSE);
  g_autoptr (GstCaps) other = gst_pad_peer_query_caps (peer, mine);

  return gst_caps_intersect_full (other, mine, GST_CAPS_INTERSECT_FIRST);
}

GstCaps *
gst_infer_filter_src_caps (GstInferFilter *self)
{
  GstInferOutput output;
  g_autoptr (InferModel) model = gst_infer_filter_ref_model (self, &output);

  if (model == NULL)
    return gst_pad_get_pad_template_caps (self->srcpad);
  switch (output) {
    case GST_INFER_OUTPUT_MEDIA:
      return gst_caps_from_string (
          GST_INFER_AUDIO_OUT_CAPS "; " GST_INFER_VIDEO_OUT_CAPS);
    case GST_INFER_OUTPUT_MEDIA_WITH_META:
      return passing_caps (model, self->sinkpad);
    default:
      return gst_caps_from_string (GST_INFER_TENSOR_CAPS);
  }
}

GstCaps *
gst_infer_filter_sink_caps (GstInferFilter *self)
{
  g_autoptr (InferModel) model = NULL;
  GstInferOutput output;

  gst_infer_filter_await_model (self);
  model = gst_infer_filter_ref_model (self, &output);
  if (model == NULL)
    return gst_pad_get_pad_template_caps (self->sinkpad);
  if (output == GST_INFER_OUTPUT_MEDIA_WITH_META)
    return passing_caps (model, self->srcpad);
  return gst_infer_input_caps (model, TRUE);
}

InferTensor *
gst_infer_filter_floats (InferTensor *result, GError **error)
{
  g_autoptr (InferTensor) floats = NULL;

  if (result->type == INFER_TYPE_F32 && result->dense)
    return infer_tensor_ref (result);
  floats = infer_tensor_new (INFER_TYPE_F32, &result->shape, error);
  if (floats == NULL || !infer_tensor_copy (floats, result, error))
    return NULL;
  return g_steal_pointer (&floats);
}
