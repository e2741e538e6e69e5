/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fuses layer normalisation, (x - mean (x)) / sqrt (variance (x) + eps), into
 * one MVN. */

#include "inference/passes/pass.h"

#include "inference/graph/ops/elementwise.h"

#include <string.h>

typedef struct
{
  InferPort x, axes;
  double eps;
} Found;

static gboolean
is_number (const InferPort *port, double number)
{
  double found;

  return infer_port_number (port, &found) && found == number;
}

static gboolean
same_axes (const InferPort *a, const InferPort *b)
{
  const InferTensor *x = a->op->value, *y = b->op->value;

  if (x == NULL || y == NULL)
    return FALSE;
  return x == y
         || (x->type == y->type && infer_shape_equal (&x->shape, &y->shape)
             && memcmp (x->data, y->data, x->size) == 0);
}

/* A mean over constant axes that keeps the dims. */
static gboolean
is_mean (const InferOperation *op)
{
  return infer_op_is (op, &infer_op_reduce_mean)
         && ((const InferReduce *) op->attrs)->keep_dims
         && op->inputs[1].op != NULL && op->inputs[1].op->value != NULL;
}

/* x - mean (x) */
static gboolean
read_centred (const InferPort *port, Found *found)
{
  const InferOperation *op = port->op, *mean;

  if (!infer_op_is (op, &infer_op_subtract))
    return FALSE;
  mean = op->inputs[1].op;
  if (!is_mean (mean) || !infer_port_equal (&mean->inputs[0], &op->inputs[0]))
    return FALSE;
  found->x = op->inputs[0];
  found->axes = mean->inputs[1];
  return TRUE;
}

static gboolean
is_centred (const InferPort *port, const Found *found)
{
  Found other;

  return read_centred (port, &other) && infer_port_equal (&other.x, &found->x)
         && same_axes (&other.axes, &found->axes);
}

static gboolean
is_squared (const InferPort *port, const Found *found)
{
  const InferOperation *op = port->op;

  if (infer_op_is (op, &infer_op_power))
    return is_number (&op->inputs[1], 2) && is_centred (&op->inputs[0], found);
  if (infer_op_is (op, &infer_op_multiply))
    return infer_port_equal (&op->inputs[0], &op->inputs[1])
           && is_centred (&op->inputs[0], found);
  return infer_op_is (op, &infer_op_squared_difference)
         && infer_port_equal (&op->inputs[0], &found->x)
         && is_mean (op->inputs[1].op)
         && infer_port_equal (&op->inputs[1].op->inputs[0], &found->x)
         && same_axes (&op->inputs[1].op->inputs[1], &found->axes);
}

/* variance + eps */
static gboolean
is_variance (const InferPort *port, Found *found)
{
  const InferOperation *op = port->op;

  for (guint side = 0; side < 2 && infer_op_is (op, &infer_op_add); side++) {
    const InferOperation *mean = op->inputs[1 - side].op;

    if (infer_port_number (&op->inputs[side], &found->eps) && found->eps > 0
        && is_mean (mean) && same_axes (&mean->inputs[1], &found->axes)
        && is_squared (&mean->inputs[0], found))
      return TRUE;
  }
  return FALSE;
}

/* 1 / sqrt (variance + eps) */
static gboolean
is_inverse_root (const InferPort *port, Found *found)
{
  const InferOperation *op = port->op;

  if (infer_op_is (op, &infer_op_power))
    return is_number (&op->inputs[1], -0.5)
           && is_variance (&op->inputs[0], found);
  return infer_op_is (op, &infer_op_divide) && is_number (&op->inputs[0], 1)
         && infer_op_is (op->inputs[1].op, &infer_op_sqrt)
         && is_variance (&op->inputs[1].op->inputs[0], found);
}

static gboolean
is_root (const InferPort *port, Found *found)
{
  const InferOperation *op = port->op;

  if (infer_op_is (op, &infer_op_power))
    return is_number (&op->inputs[1], 0.5)
           && is_variance (&op->inputs[0], found);
  return infer_op_is (op, &infer_op_sqrt)
         && is_variance (&op->inputs[0], found);
}

static gboolean
find (const InferOperation *op, Found *found)
{
  if (op->n_outputs != 1 || op->outputs[0].desc.type != INFER_TYPE_F32)
    return FALSE;
  if (infer_op_is (op, &infer_op_divide))
    return read_centred (&op->inputs[0], found)
           && is_root (&op->inputs[1], found);
  for (guint side = 0; side < 2 && infer_op_is (op, &infer_op_multiply); side++)
    if (read_centred (&op->inputs[side], found)
        && is_inverse_root (&op->inputs[1 - side], found))
      return TRUE;
  return FALSE;
}

static gboolean
rewrite (InferGraph *graph, InferOperation *op)
{
  char eps[G_ASCII_DTOSTR_BUF_SIZE];
  Found found;

  if (!find (op, &found))
    return FALSE;
  g_ascii_dtostr (eps, sizeof eps, found.eps);
  InferOperation *one =
      infer_operation_make ("MVN", op->name, 2, 1, NULL, "eps", eps, "eps_mode",
          "inside_sqrt", "normalize_variance", "true", NULL);
  if (one == NULL)
    return FALSE;
  infer_operation_connect (one, 0, found.x);
  infer_operation_connect (one, 1, found.axes);
  one->outputs[0].desc = op->outputs[0].desc;
  infer_graph_add (graph, one);
  return infer_port_replace ((InferPort){ op, 0 }, (InferPort){ one, 0 });
}

const InferPass infer_pass_layer_norm = { "layer-norm", .rewrite = rewrite };
