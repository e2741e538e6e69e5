/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media-with-meta: the frame leaves as it came, with a
 * GstInferTensorMeta for each inference made of it. */

#include "gst/filter/filter-private.h"
#include "gst/infer/tensor-meta.h"
#include "gst/meta/upstream-tensors.h"

/* The results of a region, until the frame's last one is there. */
typedef struct
{
  guint n;
  InferTensor *tensors[GST_INFER_MAX_TENSORS];
  GstEvent *model_info;
  GstInferMap map;
  guint width, height;
  int roi_id;
  gboolean whole; /* of all of the frame */
} Result;

void
gst_infer_result_free (gpointer data)
{
  Result *result = data;

  for (guint i = 0; i < result->n; i++)
    infer_tensor_unref (result->tensors[i]);
  gst_event_unref (result->model_info);
  g_free (result);
}

/* The request overwrites its tensors, so the meta has copies. */
static InferTensor *
copy_output (InferRequest *request, guint index, GError **error)
{
  InferTensor *output = infer_request_get_output (request, index, error);
  g_autoptr (InferTensor) copy = NULL;

  if (output == NULL)
    return NULL;
  copy = infer_tensor_new (output->type, &output->shape, error);
  if (copy == NULL || !infer_tensor_copy (copy, output, error))
    return NULL;
  return g_steal_pointer (&copy);
}

static gboolean
take_result (GstInferFilter *self, const GstInferJob *job, GError **error)
{
  InferRequest *request = infer_async_request_get_request (job->request);
  const InferPlacement *at = &job->placement;
  Result *result = g_new0 (Result, 1);

  result->model_info = gst_event_ref (job->model_info);
  result->map = (GstInferMap){ at->x, at->y, at->scale_x, at->scale_y };
  result->width = job->input_width;
  result->height = job->input_height;
  result->roi_id = job->roi_id;
  result->whole = job->roi_id == -1
                  && (self->active.crop == NULL || *self->active.crop == '\0');
  g_ptr_array_add (self->results, result);
  for (guint i = 0; i < infer_model_n_outputs (self->model); i++) {
    result->tensors[i] = copy_output (request, i, error);
    if (result->tensors[i] == NULL)
      return FALSE;
    result->n++;
  }
  return TRUE;
}

static void
add_upstream (
    GstBuffer *buffer, const Result *result, const GstInferTensorMeta *meta)
{
  const char *names[GST_INFER_MAX_TENSORS];

  for (guint i = 0; i < result->n; i++) {
    names[i] = gst_infer_tensor_meta_name (meta, i);
    if (names[i] == NULL)
      names[i] = "";
  }
  gst_infer_add_upstream_tensors (buffer, result->n, result->tensors, names);
}

static void
add_meta (GstBuffer *buffer, const Result *result, guint age)
{
  GstInferTensorMeta *meta = gst_buffer_add_infer_tensor_meta (
      buffer, result->n, result->tensors, result->model_info);

  meta->map = result->map;
  meta->input_width = result->width;
  meta->input_height = result->height;
  meta->roi_id = result->roi_id;
  meta->age = age;
  /* GStreamer's own decoders know of whole frames only, and of no age. */
  if (result->whole && age == 0)
    add_upstream (buffer, result, meta);
}

/* The frame's own results, or the last there were. */
static void
add_metas (GstInferFilter *self, GstBuffer *buffer, gboolean skipped)
{
  if (skipped) {
    self->age++;
  } else {
    GPtrArray *spent = self->previous;

    self->previous = self->results;
    self->results = spent;
    g_ptr_array_set_size (self->results, 0);
    self->age = 0;
  }
  for (guint i = 0; i < self->previous->len; i++)
    add_meta (buffer, self->previous->pdata[i], self->age);
}

static GstBuffer *
collect_meta (
    GstInferFilter *self, GstInferJob *job, GstCaps **caps, GError **error)
{
  GstBuffer *buffer;

  if (!job->empty && !take_result (self, job, error))
    return NULL;
  if (!job->last)
    return NULL;
  buffer = gst_buffer_make_writable (g_steal_pointer (&job->frame));
  add_metas (self, buffer, job->skipped);
  return buffer;
}

static GstCaps *
meta_caps (GstInferFilter *self, GstCaps *sink_caps, GError **error)
{
  return gst_caps_ref (sink_caps);
}

const GstInferForm gst_infer_form_meta = { meta_caps, collect_meta, TRUE };
