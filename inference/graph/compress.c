/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/compress.h"

#include <math.h>

#include "inference/graph/compress-codes.h"
#include "inference/graph/model-private.h"

/* Smaller constants are not worth it. */
#define LEAST_ELEMENTS 4096
#define LARGEST_F16 65504

/* --- f16 --- */

static gboolean
fits_f16 (const InferTensor *value)
{
  const float *at = value->data;

  for (gsize i = 0; i < infer_shape_count (&value->shape); i++)
    if (!(fabsf (at[i]) <= LARGEST_F16))
      return FALSE;
  return TRUE;
}

/* The caller makes the readers of @weights read the result. */
static InferOperation *
to_f16 (InferGraph *graph, const InferOperation *weights, GError **error)
{
  const InferTensor *value = weights->value;
  InferTensor *half = infer_tensor_new (INFER_TYPE_F16, &value->shape, error);

  if (half == NULL
      || !infer_convert (half->data, INFER_TYPE_F16, value->data,
          INFER_TYPE_F32, infer_shape_count (&value->shape))) {
    infer_tensor_unref (half);
    return NULL;
  }
  return infer_compress_add (graph, weights, "Convert", "destination_type",
      "f32", infer_compress_constant (graph, weights, "f16", half, error), NULL,
      error);
}

/* --- a model --- */

static gboolean
compress_constant (InferGraph *graph, InferOperation *weights,
    InferCompression compression, GError **error)
{
  const InferTensor *value = weights->value;
  InferOperation *result = NULL;
  GError *failure = NULL;

  if (value == NULL || value->type != INFER_TYPE_F32 || !value->dense
      || weights->n_uses == 0
      || infer_shape_count (&value->shape) < LEAST_ELEMENTS)
    return TRUE;
  value = infer_tensor_align (value, error);
  if (value == NULL)
    return FALSE;
  infer_tensor_unref (weights->value);
  weights->value = (InferTensor *) (gsize) value;
  if (compression != INFER_COMPRESS_F16)
    result = infer_compress_codes (
        graph, weights, compression == INFER_COMPRESS_INT4, &failure);
  else if (fits_f16 (value))
    result = to_f16 (graph, weights, &failure);
  if (failure != NULL) {
    g_propagate_error (error, failure);
    return FALSE;
  }
  if (result != NULL)
    infer_port_replace ((InferPort){ weights, 0 }, (InferPort){ result, 0 });
  return TRUE;
}

static gboolean
compress_graph (InferGraph *graph, InferCompression compression, GError **error)
{
  const guint n = graph->operations->len;

  for (guint i = 0; i < n; i++) {
    InferOperation *op = graph->operations->pdata[i];

    for (guint b = 0; b < op->n_bodies; b++)
      if (!compress_graph (op->bodies[b].graph, compression, error))
        return FALSE;
    if (!compress_constant (graph, op, compression, error))
      return FALSE;
  }
  if (!infer_graph_sort (graph, error))
    return FALSE;
  infer_graph_sweep (graph);
  return TRUE;
}

InferModel *
infer_model_compress (
    const InferModel *model, InferCompression compression, GError **error)
{
  g_autoptr (InferModel) copy = infer_model_copy (model);

  if (compress_graph (copy->graph, compression, error)
      && infer_model_settle (copy, error))
    return g_steal_pointer (&copy);
  g_prefix_error (error, "%s: ", model->path);
  return NULL;
}
