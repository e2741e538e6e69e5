/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folds what is affine for each channel, with constants, after a convolution
 * into its filters and its bias: BatchNormInference, Multiply, a second Add.
 *   scale (w x + bias) + shift = (scale w) x + (scale bias + shift) */

#include "inference/passes/pass.h"

#include "inference/base/memory/pages.h"
#include "inference/graph/ops/normalization.h"

#include <math.h>
#include <string.h>

/* Filters are [groups, before, channels, after]; output channels are groups *
 * channels. */
typedef struct
{
  gsize groups, before, channels, after;
} Layout;

typedef struct
{
  InferPort data; /* of the operation that is folded */
  InferOperation *convolution;
  const InferTensor *filters;
  Layout layout;
  int rank; /* of the output */
  gsize channels;
  double *scale;        /* nullable: 1 */
  double *bias, *shift; /* nullable: 0 */
} Found;

static void
found_clear (Found *found)
{
  g_clear_pointer (&found->scale, g_free);
  g_clear_pointer (&found->bias, g_free);
  g_clear_pointer (&found->shift, g_free);
}

/* Constants may lie at any address. */
static float
read_float (const InferTensor *tensor, gsize index)
{
  float number;

  memcpy (&number, (const char *) tensor->data + index * sizeof number,
      sizeof number);
  return number;
}

/* @port is a constant of @found->channels f32 numbers. */
static double *
read_vector (const InferPort *port, const Found *found)
{
  const InferTensor *value = port->op != NULL ? port->op->value : NULL;

  if (value == NULL || value->type != INFER_TYPE_F32
      || infer_shape_count (&value->shape) != found->channels)
    return NULL;
  double *numbers = g_try_new (double, found->channels);
  for (gsize c = 0; numbers != NULL && c < found->channels; c++)
    numbers[c] = read_float (value, c);
  return numbers;
}

/* @port is a constant of one f32 number for all or for each channel, dim 1 of
 * the output. */
static double *
read_channels (const InferPort *port, const Found *found)
{
  const InferTensor *value = port->op != NULL ? port->op->value : NULL;

  if (value == NULL || value->type != INFER_TYPE_F32
      || value->shape.rank > found->rank)
    return NULL;
  const gsize count = infer_shape_count (&value->shape);
  const int axis = 1 - (found->rank - value->shape.rank);
  if (count != 1
      && (axis < 0 || count != found->channels
          || value->shape.dims[axis] != (gint64) found->channels))
    return NULL;
  double *numbers = g_try_new (double, found->channels);
  for (gsize c = 0; numbers != NULL && c < found->channels; c++)
    numbers[c] = read_float (value, count == 1 ? 0 : c);
  return numbers;
}

static gboolean
read_layout (
    const InferOperation *op, const InferTensor *filters, Layout *layout)
{
  const InferShape *shape = &filters->shape;
  const gboolean grouped =
      infer_op_is (op, &infer_op_group_convolution)
      || infer_op_is (op, &infer_op_group_convolution_backprop_data);
  const gboolean backprop =
      infer_op_is (op, &infer_op_convolution_backprop_data)
      || infer_op_is (op, &infer_op_group_convolution_backprop_data);
  int d = 0;

  if (shape->rank < 3 + grouped
      || !(grouped || backprop || infer_op_is (op, &infer_op_convolution)))
    return FALSE;
  layout->groups = grouped ? (gsize) shape->dims[d++] : 1;
  layout->before = backprop ? (gsize) shape->dims[d++] : 1;
  layout->channels = (gsize) shape->dims[d++];
  /* The input channels of a forward convolution, and the kernel. */
  layout->after = 1;
  for (; d < shape->rank; d++)
    layout->after *= (gsize) shape->dims[d];
  return TRUE;
}

/* @port is a convolution that nothing else reads, with constant filters that no
 * other operation reads. */
static gboolean
read_convolution (const InferPort *port, Found *found)
{
  InferOperation *op = port->op;

  if (op == NULL || op->n_uses != 1 || op->n_inputs < 2
      || op->inputs[1].op == NULL || op->inputs[1].op->n_uses != 1)
    return FALSE;
  found->convolution = op;
  found->filters = op->inputs[1].op->value;
  return found->filters != NULL && found->filters->type == INFER_TYPE_F32
         && read_layout (op, found->filters, &found->layout);
}

/* @port is a convolution, or one and the Add of its bias. */
static gboolean
read_biased (const InferPort *port, Found *found)
{
  const InferOperation *add = port->op;

  if (!infer_op_is (add, &infer_op_add))
    return read_convolution (port, found);
  for (guint side = 0; side < 2 && add->n_uses == 1; side++)
    if (read_convolution (&add->inputs[1 - side], found)) {
      found->bias = read_channels (&add->inputs[side], found);
      return found->bias != NULL;
    }
  return FALSE;
}

static gboolean
read_batch_norm (const InferOperation *op, Found *found)
{
  const InferBatchNorm *attrs = op->attrs;
  /* Version 1 has the data between beta and mean. */
  const InferPort *first = &op->inputs[op->version >= 5 ? 1 : 0];
  g_autofree double *gamma = read_vector (&first[0], found);
  g_autofree double *beta = read_vector (&first[1], found);
  g_autofree double *mean = read_vector (&op->inputs[3], found);
  g_autofree double *variance = read_vector (&op->inputs[4], found);

  if (gamma == NULL || beta == NULL || mean == NULL || variance == NULL)
    return FALSE;
  for (gsize c = 0; c < found->channels; c++) {
    gamma[c] /= sqrt (variance[c] + attrs->epsilon);
    beta[c] -= gamma[c] * mean[c];
  }
  found->data = op->inputs[op->version >= 5 ? 0 : 2];
  found->scale = g_steal_pointer (&gamma);
  found->shift = g_steal_pointer (&beta);
  return TRUE;
}

/* The operand of @op that is no constant, and the other's numbers. */
static double *
read_operand (const InferOperation *op, Found *found)
{
  for (guint side = 0; side < 2; side++) {
    double *numbers = read_channels (&op->inputs[side], found);

    found->data = op->inputs[1 - side];
    if (numbers != NULL)
      return numbers;
  }
  return NULL;
}

static gboolean
read_affine (const InferOperation *op, Found *found)
{
  if (infer_op_is (op, &infer_op_batch_norm_inference))
    return read_batch_norm (op, found);
  if (infer_op_is (op, &infer_op_multiply))
    return (found->scale = read_operand (op, found)) != NULL;
  return infer_op_is (op, &infer_op_add)
         && (found->shift = read_operand (op, found)) != NULL;
}

static void
scale_row (float *restrict to, const char *restrict from, gsize n, float scale)
{
  for (gsize i = 0; i < n; i++) {
    float number;

    memcpy (&number, from + i * sizeof number, sizeof number);
    to[i] = number * scale;
  }
}

/* The filters times the scale of their channels. */
static InferTensor *
scale_filters (const Found *found)
{
  const Layout *l = &found->layout;
  InferTensor *scaled =
      infer_pages_tensor (INFER_TYPE_F32, &found->filters->shape, NULL);

  if (scaled == NULL)
    return NULL;
  const char *from = found->filters->data;
  float *to = scaled->data;
  for (gsize row = 0; row < l->groups * l->before; row++)
    for (gsize c = 0; c < l->channels; c++) {
      scale_row (to, from, l->after,
          (float) found->scale[row / l->before * l->channels + c]);
      to += l->after;
      from += l->after * sizeof *to;
    }
  return scaled;
}

static InferTensor *
make_bias (const Found *found)
{
  InferShape shape = { .rank = found->rank };

  for (int d = 0; d < found->rank; d++)
    shape.dims[d] = d == 1 ? (gint64) found->channels : 1;
  InferTensor *bias = infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
  for (gsize c = 0; bias != NULL && c < found->channels; c++)
    ((float *) bias->data)[c] =
        (float) ((found->scale != NULL ? found->scale[c] : 1)
                     * (found->bias != NULL ? found->bias[c] : 0)
                 + (found->shift != NULL ? found->shift[c] : 0));
  return bias;
}

/* The convolution with scaled filters; NULL: no memory. */
static InferOperation *
make_convolution (InferGraph *graph, const Found *found)
{
  g_autoptr (InferTensor) filters = scale_filters (found);

  if (filters == NULL)
    return NULL;
  InferOperation *weights = infer_operation_make_const (
      found->convolution->inputs[1].op->name, filters, NULL);
  InferOperation *convolution = infer_operation_copy (found->convolution);
  infer_operation_connect (convolution, 1, (InferPort){ weights, 0 });
  infer_graph_add (graph, weights);
  infer_graph_add (graph, convolution);
  return convolution;
}

/* Adds @bias to @data, in place of @op. */
static InferOperation *
make_add (InferGraph *graph, const InferOperation *op, InferOperation *data,
    InferTensor *bias)
{
  InferOperation *shift = infer_operation_make_const (op->name, bias, NULL);
  InferOperation *add =
      infer_operation_make ("Add", op->name, 2, 1, NULL, NULL);

  infer_operation_connect (add, 0, (InferPort){ data, 0 });
  infer_operation_connect (add, 1, (InferPort){ shift, 0 });
  add->outputs[0].desc = op->outputs[0].desc;
  infer_graph_add (graph, shift);
  infer_graph_add (graph, add);
  return add;
}

static gboolean
replace (InferGraph *graph, InferOperation *op, const Found *found)
{
  const gboolean biased = found->bias != NULL || found->shift != NULL;
  g_autoptr (InferTensor) bias = biased ? make_bias (found) : NULL;
  InferOperation *last = found->convolution;

  if (biased && bias == NULL)
    return FALSE;
  if (found->scale != NULL)
    last = make_convolution (graph, found);
  if (last == NULL)
    return FALSE;
  if (biased)
    last = make_add (graph, op, last, bias);
  return infer_port_replace ((InferPort){ op, 0 }, (InferPort){ last, 0 });
}

static gboolean
rewrite (InferGraph *graph, InferOperation *op)
{
  const InferDesc *desc = &op->outputs[0].desc;
  Found found = { .rank = desc->shape.rank };

  if (op->n_outputs != 1 || desc->type != INFER_TYPE_F32 || found.rank < 3
      || desc->shape.dims[1] <= 0)
    return FALSE;
  found.channels = (gsize) desc->shape.dims[1];
  /* An Add of nothing but the bias stays. */
  const gboolean changed =
      read_affine (op, &found) && read_biased (&found.data, &found)
      && (found.scale != NULL || found.bias != NULL)
      && found.layout.groups * found.layout.channels == found.channels
      && replace (graph, op, &found);
  found_clear (&found);
  return changed;
}

const InferPass infer_pass_convolution_affine = { "convolution-affine",
  .rewrite = rewrite };
