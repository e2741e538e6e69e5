/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Replaces an Interpolate between a Transpose and its inverse by one over other
 * axes. */

#include "inference/passes/pass.h"

#include "inference/graph/ops/interpolate.h"

static gboolean
read_ints (const InferPort *port, gint64 *ints, gsize n)
{
  const InferTensor *value = port->op != NULL ? port->op->value : NULL;

  return value != NULL && infer_shape_count (&value->shape) == n
         && infer_convert (ints, INFER_TYPE_I64, value->data, value->type, n);
}

/* The order of a Transpose; returns its length, 0: unknown. */
static gsize
read_order (const InferOperation *op, gint64 *order)
{
  if (!infer_op_is (op, &infer_op_transpose))
    return 0;
  const InferDesc *desc = &op->outputs[0].desc;
  if (desc->shape.rank < 1
      || !read_ints (&op->inputs[1], order, (gsize) desc->shape.rank))
    return 0;
  for (int i = 0; i < desc->shape.rank; i++)
    if (order[i] < 0 || order[i] >= desc->shape.rank)
      return 0;
  return (gsize) desc->shape.rank;
}

static gboolean
has_pads (const InferInterpolate *attrs)
{
  for (int d = 0; d < INFER_MAX_RANK; d++)
    if (attrs->pads_begin[d] != 0 || attrs->pads_end[d] != 0)
      return TRUE;
  return FALSE;
}

/* The axes of @op if its input were not transposed by @order; NULL: unknown. */
static InferOperation *
untransposed_axes (const InferOperation *op, const gint64 *order, gsize rank)
{
  const guint input = infer_interpolate_axes_input (op);
  const InferPort *port = input != G_MAXUINT ? &op->inputs[input] : NULL;
  gint64 axes[INFER_MAX_RANK];

  if (port == NULL || port->op->value == NULL)
    return NULL;
  InferShape shape = port->op->value->shape;
  if (infer_shape_count (&shape) > rank
      || !read_ints (port, axes, infer_shape_count (&shape)))
    return NULL;
  g_autoptr (InferTensor) tensor =
      infer_tensor_new (INFER_TYPE_I64, &shape, NULL);
  if (tensor == NULL)
    return NULL;
  for (gsize i = 0; i < infer_shape_count (&shape); i++) {
    const gint64 axis = axes[i] < 0 ? axes[i] + (gint64) rank : axes[i];

    if (axis < 0 || axis >= (gint64) rank)
      return NULL;
    ((gint64 *) tensor->data)[i] = order[axis];
  }
  return infer_operation_make_const (port->op->name, tensor, NULL);
}

/* Replaces @back, the Interpolate and the Transpose before them; NULL: no such
 * pattern. */
static InferOperation *
make_interpolate (InferGraph *graph, const InferOperation *back)
{
  const InferOperation *op = back->inputs[0].op, *first;
  gint64 order[INFER_MAX_RANK], undo[INFER_MAX_RANK];
  const gsize rank = read_order (back, undo);
  InferOperation *axes, *one;

  if (rank == 0 || !infer_op_is (op, &infer_op_interpolate)
      || has_pads (op->attrs) || op->n_uses != 1)
    return NULL;
  first = op->inputs[0].op;
  if (read_order (first, order) != rank)
    return NULL;
  for (gsize i = 0; i < rank; i++)
    if (order[undo[i]] != (gint64) i)
      return NULL;
  axes = untransposed_axes (op, order, rank);
  if (axes == NULL)
    return NULL;
  one = infer_operation_copy (op);
  infer_operation_connect (one, 0, first->inputs[0]);
  infer_operation_connect (
      one, infer_interpolate_axes_input (op), (InferPort){ axes, 0 });
  one->outputs[0].desc = back->outputs[0].desc;
  infer_graph_add (graph, axes);
  infer_graph_add (graph, one);
  return one;
}

static gboolean
rewrite (InferGraph *graph, InferOperation *op)
{
  InferOperation *one = infer_op_is (op, &infer_op_transpose)
                            ? make_interpolate (graph, op)
                            : NULL;

  return one != NULL
         && infer_port_replace ((InferPort){ op, 0 }, (InferPort){ one, 0 });
}

const InferPass infer_pass_transposed_interpolate = { "transposed-interpolate",
  .rewrite = rewrite };
