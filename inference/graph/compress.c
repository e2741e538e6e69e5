/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/compress.h"

#include <math.h>
#include <string.h>

#include "inference/graph/model-private.h"
#include "inference/graph/ops/matmul.h"

/* Smaller constants are not worth it. */
#define LEAST_ELEMENTS 4096
#define LARGEST_F16 65504

/* --- operations --- */

/* Consumes @value; NULL: no memory. */
static InferOperation *
add_constant (InferGraph *graph, const InferOperation *weights,
    const char *part, InferTensor *value, GError **error)
{
  g_autoptr (InferTensor) owned = value;
  g_autofree char *name = g_strconcat (weights->name, "/", part, NULL);
  InferOperation *op =
      value != NULL ? infer_operation_make_const (name, value, error) : NULL;

  if (op != NULL)
    infer_graph_add (graph, op);
  return op;
}

static InferOperation *
add_operation (InferGraph *graph, const InferOperation *weights,
    const char *type, InferOperation *a, InferOperation *b, GError **error)
{
  const gboolean convert = b == NULL;
  g_autofree char *name = g_strconcat (weights->name, "/", type, NULL);
  InferOperation *op = NULL;

  if (a != NULL)
    op = convert ? infer_operation_make (
             type, name, 1, 1, error, "destination_type", "f32", NULL)
                 : infer_operation_make (
                     type, name, 2, 1, error, "auto_broadcast", "numpy", NULL);
  if (op == NULL)
    return NULL;
  infer_operation_connect (op, 0, (InferPort){ a, 0 });
  if (!convert)
    infer_operation_connect (op, 1, (InferPort){ b, 0 });
  infer_graph_add (graph, op);
  return op;
}

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
  return add_operation (graph, weights, "Convert",
      add_constant (graph, weights, "f16", half, error), NULL, error);
}

/* --- int8 --- */

/* The axis of output channels; -1: @op does not read weights there. */
static int
axis_of (const InferUse *use, int rank)
{
  const InferOperation *op = use->op;

  if (infer_op_is (op, &infer_op_convolution) && use->input == 1)
    return 0;
  if (infer_op_is (op, &infer_op_gather) && use->input == 0 && rank == 2)
    return 0;
  if (infer_op_is (op, &infer_op_matmul) && use->input == 1 && rank == 2)
    return ((const InferMatMul *) op->attrs)->transpose_b ? 0 : 1;
  return -1;
}

/* The axis that all readers of @weights agree on. */
static int
common_axis (const InferOperation *weights)
{
  int axis = -1;

  for (guint i = 0; i < weights->n_uses; i++) {
    const int other = axis_of (&weights->uses[i], weights->value->shape.rank);

    if (other < 0 || (i > 0 && other != axis))
      return -1;
    axis = other;
  }
  return axis;
}

/* Of one channel: [outer][channel][inner]. */
static void
quantise_channel (const float *from, guint8 *to, gsize outer, gsize step,
    gsize inner, float *scale, guint8 *zero)
{
  float low = 0, high = 0;

  for (gsize o = 0; o < outer; o++)
    for (gsize i = 0; i < inner; i++) {
      low = MIN (low, from[o * step + i]);
      high = MAX (high, from[o * step + i]);
    }
  *scale = high > low ? (high - low) / 255 : 1;
  *zero = (guint8) CLAMP (lrintf (-low / *scale), 0, 255);
  for (gsize o = 0; o < outer; o++)
    for (gsize i = 0; i < inner; i++)
      to[o * step + i] =
          (guint8) CLAMP (lrintf (from[o * step + i] / *scale) + *zero, 0, 255);
}

static InferOperation *
to_int8 (
    InferGraph *graph, const InferOperation *weights, int axis, GError **error)
{
  const InferShape *shape = &weights->value->shape;
  const gsize channels = (gsize) shape->dims[axis];
  const gsize inner = infer_shape_count_range (shape, axis + 1, shape->rank);
  const gsize outer = infer_shape_count_range (shape, 0, axis);
  InferShape each = *shape;

  for (int d = 0; d < each.rank; d++)
    each.dims[d] = d == axis ? each.dims[d] : 1;
  g_autoptr (InferTensor) codes =
      infer_tensor_new (INFER_TYPE_U8, shape, error);
  g_autoptr (InferTensor) scales =
      codes != NULL ? infer_tensor_new (INFER_TYPE_F32, &each, error) : NULL;
  g_autoptr (InferTensor) zeros =
      scales != NULL ? infer_tensor_new (INFER_TYPE_U8, &each, error) : NULL;
  if (zeros == NULL)
    return NULL;
  for (gsize c = 0; c < channels; c++)
    quantise_channel ((const float *) weights->value->data + c * inner,
        (guint8 *) codes->data + c * inner, outer, channels * inner, inner,
        (float *) scales->data + c, (guint8 *) zeros->data + c);
  InferOperation *code = add_operation (graph, weights, "Convert",
      add_constant (graph, weights, "codes", g_steal_pointer (&codes), error),
      NULL, error);
  InferOperation *zero = code != NULL
                             ? add_operation (graph, weights, "Convert",
                                 add_constant (graph, weights, "zero_point",
                                     g_steal_pointer (&zeros), error),
                                 NULL, error)
                             : NULL;
  InferOperation *difference = zero != NULL ? add_operation (graph, weights,
                                   "Subtract", code, zero, error)
                                            : NULL;
  InferOperation *scale = difference != NULL ? add_constant (graph, weights,
                              "scale", g_steal_pointer (&scales), error)
                                             : NULL;
  return scale != NULL ? add_operation (
             graph, weights, "Multiply", difference, scale, error)
                       : NULL;
}

/* --- a model --- */

static gboolean
is_finite (const InferTensor *value)
{
  const float *at = value->data;

  for (gsize i = 0; i < infer_shape_count (&value->shape); i++)
    if (!isfinite (at[i]))
      return FALSE;
  return TRUE;
}

static gboolean
compress_constant (InferGraph *graph, InferOperation *weights,
    InferCompression compression, GError **error)
{
  const InferTensor *value = weights->value;
  InferOperation *result = NULL;

  if (value == NULL || value->type != INFER_TYPE_F32 || !value->dense
      || weights->n_uses == 0
      || infer_shape_count (&value->shape) < LEAST_ELEMENTS)
    return TRUE;
  const int axis =
      compression == INFER_COMPRESS_INT8 ? common_axis (weights) : -1;
  if (compression == INFER_COMPRESS_INT8 ? axis < 0 || !is_finite (value)
                                         : !fits_f16 (value))
    return TRUE;
  result = compression == INFER_COMPRESS_INT8
               ? to_int8 (graph, weights, axis, error)
               : to_f16 (graph, weights, error);
  if (result == NULL)
    return FALSE;
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
