/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/output/frame-results.h"

#include "gst/common/tensor-caps.h"
#include "gst/infer/tensor-meta.h"
#include "gst/meta/upstream-tensors.h"

/* The results of a region, kept until the frame's last region is done. */
typedef struct
{
  guint n;
  InferTensor *tensors[GST_INFER_MAX_TENSORS];
  GstEvent *model_info;
  GstInferMap map;
  guint width, height;
  int roi_id;
  const char *instance; /* nullable */
  gboolean whole_frame;
} Result;

static void
result_free (gpointer data)
{
  Result *result = data;

  for (guint i = 0; i < result->n; i++)
    infer_tensor_unref (result->tensors[i]);
  gst_event_unref (result->model_info);
  g_free (result);
}

void
gst_infer_frame_results_init (GstInferFrameResults *results)
{
  results->current = g_ptr_array_new_with_free_func (result_free);
  results->previous = g_ptr_array_new_with_free_func (result_free);
}

void
gst_infer_frame_results_clear (GstInferFrameResults *results)
{
  g_clear_pointer (&results->current, g_ptr_array_unref);
  g_clear_pointer (&results->previous, g_ptr_array_unref);
}

void
gst_infer_frame_results_reset (GstInferFrameResults *results)
{
  g_ptr_array_set_size (results->current, 0);
  g_ptr_array_set_size (results->previous, 0);
}

/* The request overwrites its tensors, so the meta has copies. */
static InferTensor *
copy_output (InferRequest *request, guint index, GError **error)
{
  InferTensor *output = infer_request_get_output (request, index, error);

  if (output == NULL)
    return NULL;
  g_autoptr (InferTensor) copy =
      infer_tensor_new (output->type, &output->shape, error);
  if (copy == NULL || !infer_tensor_copy (copy, output, error))
    return NULL;
  return g_steal_pointer (&copy);
}

gboolean
gst_infer_frame_results_add (
    GstInferFrameResults *results, const GstInferJob *job, GError **error)
{
  InferRequest *request = infer_async_request_get_request (job->request);
  const InferPlacement *at = &job->placement;
  Result *result = g_new0 (Result, 1);

  result->model_info = gst_event_ref (job->model_info);
  result->map = (GstInferMap){ at->x, at->y, at->scale_x, at->scale_y };
  result->width = job->input_width;
  result->height = job->input_height;
  result->roi_id = job->roi_id;
  result->instance = job->instance;
  result->whole_frame = job->whole_frame;
  g_ptr_array_add (results->current, result);
  for (guint i = 0; i < infer_model_n_outputs (job->model); i++) {
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
  meta->model_instance_id = g_strdup (result->instance);
  meta->age = age;
  /* GStreamer's own decoders take neither regions nor old results. */
  if (result->whole_frame && age == 0)
    add_upstream (buffer, result, meta);
}

void
gst_infer_frame_results_attach (
    GstInferFrameResults *results, GstBuffer *frame, gboolean skipped)
{
  if (skipped) {
    results->age++;
  } else {
    GPtrArray *spent = results->previous;

    results->previous = results->current;
    results->current = spent;
    g_ptr_array_set_size (results->current, 0);
    results->age = 0;
  }
  for (guint i = 0; i < results->previous->len; i++)
    add_meta (frame, results->previous->pdata[i], results->age);
}
