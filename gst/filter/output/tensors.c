/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=tensors: other/tensors with a memory for each of the model's outputs.
 */

#include "gst/filter/output/form.h"
#include "infer/error.h"

static gboolean
same_tensors (const GstInferTensors *a, const GstInferTensors *b)
{
  if (a->n != b->n || a->fps_n != b->fps_n || a->fps_d != b->fps_d)
    return FALSE;
  for (guint i = 0; i < a->n; i++)
    if (a->descs[i].type != b->descs[i].type
        || !infer_shape_equal (&a->descs[i].shape, &b->descs[i].shape))
      return FALSE;
  return TRUE;
}

static GstCaps *
tensor_caps (GstInferNegotiated *to, const GstInferSettings *settings,
    GstCaps *sink_caps, GError **error)
{
  GstInferTensors out;

  return gst_infer_negotiated_predict (to, &out)
             ? gst_infer_tensors_to_caps (&out)
             : NULL;
}

static GstBuffer *
collect_tensors (
    GstInferSourceTask *task, GstInferJob *job, GstCaps **caps, GError **error)
{
  InferRequest *request = infer_async_request_get_request (job->request);
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstInferTensors out; /* 2 kB, of which few are used */

  out.n = infer_model_n_outputs (job->model);
  out.fps_n = job->fps_n;
  out.fps_d = job->fps_d;
  for (guint i = 0; i < out.n; i++) {
    InferTensor *tensor = infer_request_get_output (request, i, error);

    if (tensor == NULL)
      return NULL;
    out.descs[i].type = gst_infer_wire_type (tensor->type);
    out.descs[i].shape = tensor->shape;
    if (tensor->shape.rank == 0) /* caps cannot say that */
      out.descs[i].shape = (InferShape){ .rank = 1, .dims = { 1 } };
    if (gst_infer_type_name (out.descs[i].type) == NULL) {
      infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "output '%s' is of type %s, which other/tensors does not have",
          infer_model_output_name (job->model, i),
          infer_type_name (tensor->type));
      return NULL;
    }
    GstMemory *memory =
        gst_infer_tensor_to_memory (tensor, out.descs[i].type, error);
    if (memory == NULL)
      return NULL;
    gst_buffer_append_memory (buffer, memory);
  }
  if (!same_tensors (&task->sent, &out)) {
    *caps = gst_infer_tensors_to_caps (&out);
    task->sent = out;
    if (!gst_pad_peer_query_accept_caps (task->pad, *caps)) {
      g_autofree char *text = gst_caps_to_string (*caps);

      infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "the next element does not take %s, which the model has given", text);
      return NULL;
    }
  }
  return g_steal_pointer (&buffer);
}

const GstInferForm gst_infer_form_tensors = {
  .output = GST_INFER_OUTPUT_TENSORS,
  .inputs = GST_INFER_ANY_INPUT,
  .caps = tensor_caps,
  .collect = collect_tensors,
};
