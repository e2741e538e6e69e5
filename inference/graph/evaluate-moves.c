/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations that only move the elements of constants: exporters write chains
 * of them around weights.  What is contiguous shares the memory of the input;
 * alignment does not matter. */

#include "inference/graph/evaluate.h"

#include "inference/base/memory/pages.h"
#include "inference/graph/ops/concat.h"
#include "inference/graph/ops/gather.h"
#include "inference/graph/ops/slice.h"

#include <string.h>

/* Smaller ones are copied: backends read them in place, aligned. */
#define LEAST_SHARED ((gsize) 4096)

/* Of parts of one value it is likely that all are used: gates, as a rule. */
#define MOST_PARTS 4u

/* The inputs of the operations here but for Concat. */
#define MAX_INPUTS 5

typedef struct
{
  const InferOperation *op;
  const InferTensor *const *inputs;
} Move;

static gboolean
is_plain (const InferTensor *t)
{
  return t != NULL && t->dense && infer_type_size (t->type) > 0;
}

/* A part of @from, one of @n, may share its memory if that does not keep much
 * more. */
static gboolean
may_share (const InferTensor *from, gsize bytes, guint n)
{
  return bytes >= LEAST_SHARED && infer_type_is_real (from->type)
         && (((const InferTensorPrivate *) from)->mapped
             || bytes * MIN (n, MOST_PARTS) >= from->size / 2);
}

/* @shape from @offset bytes on, one of @n parts that are made; NULL where
 * memory is short. */
static InferTensor *
part (const InferTensor *from, gsize offset, const InferShape *shape, guint n)
{
  const gsize bytes = infer_shape_count (shape) * infer_type_size (from->type);
  char *data = (char *) from->data + offset;
  InferTensor *to;

  if (!may_share (from, bytes, n)) {
    to = infer_pages_tensor (from->type, shape, NULL);
    if (to != NULL && bytes > 0)
      memcpy (to->data, data, bytes);
    return to;
  }
  to = infer_tensor_new_wrapped (from->type, shape, data, bytes,
      infer_tensor_ref ((InferTensor *) (gsize) from),
      (GDestroyNotify) infer_tensor_unref, NULL);
  if (to != NULL)
    ((InferTensorPrivate *) to)->mapped =
        ((const InferTensorPrivate *) from)->mapped;
  return to;
}

/* The shape of the only output for these inputs. */
static gboolean
find_shape (const Move *move, InferShape *shape)
{
  const InferOperation *op = move->op;
  InferDesc in[MAX_INPUTS], out = { .shape = infer_shape_dynamic () };
  InferShapeContext context = { op, op->n_inputs, in, move->inputs, 1, &out };

  if (op->n_inputs > MAX_INPUTS || op->n_outputs != 1)
    return FALSE;
  for (guint i = 0; i < op->n_inputs; i++) {
    if (move->inputs[i] == NULL)
      return FALSE;
    in[i] = (InferDesc){ move->inputs[i]->type, move->inputs[i]->shape };
  }
  if (!op->klass->infer_shapes (&context, NULL)
      || out.type != move->inputs[0]->type
      || !infer_shape_is_static (&out.shape))
    return FALSE;
  *shape = out.shape;
  return TRUE;
}

static gboolean
reshape (const Move *move, InferTensor **outputs)
{
  const InferTensor *x = move->inputs[0];
  InferShape shape;

  if (!is_plain (x) || !find_shape (move, &shape)
      || infer_shape_count (&shape) != infer_shape_count (&x->shape))
    return FALSE;
  outputs[0] = part (x, 0, &shape, 1);
  return outputs[0] != NULL;
}

/* --- along an axis --- */

static gsize
bytes_within (const InferTensor *t, int axis)
{
  return infer_shape_count_range (&t->shape, axis + 1, t->shape.rank)
         * infer_type_size (t->type);
}

/* The elements [begin, begin + count) of @axis, one of @n cuts that are made.
 */
static InferTensor *
cut (const InferTensor *x, int axis, gint64 begin, gint64 count, guint n)
{
  const gsize inner = bytes_within (x, axis);
  const gsize outer = infer_shape_count_range (&x->shape, 0, axis);
  const gsize from = (gsize) begin * inner, bytes = (gsize) count * inner;
  InferShape shape = x->shape;

  shape.dims[axis] = count;
  if (outer == 1)
    return part (x, from, &shape, n);
  InferTensor *y = infer_pages_tensor (x->type, &shape, NULL);
  for (gsize i = 0; y != NULL && bytes > 0 && i < outer; i++)
    memcpy ((char *) y->data + i * bytes,
        (const char *) x->data + i * (gsize) x->shape.dims[axis] * inner + from,
        bytes);
  return y;
}

static gboolean
split (const Move *move, InferTensor **outputs)
{
  const InferTensor *x = move->inputs[0];
  const guint n = move->op->n_outputs;
  gint64 axis;

  if (!is_plain (x) || move->inputs[1] == NULL || n == 0
      || infer_shape_count (&move->inputs[1]->shape) != 1)
    return FALSE;
  g_autoptr (GArray) axes = infer_tensor_to_ints (move->inputs[1]);
  if (axes == NULL)
    return FALSE;
  axis = g_array_index (axes, gint64, 0);
  if (!infer_shape_normalize_axis (&x->shape, &axis, NULL)
      || x->shape.dims[axis] % n != 0)
    return FALSE;
  const gint64 each = x->shape.dims[axis] / n;
  for (guint k = 0; k < n; k++) {
    outputs[k] = cut (x, (int) axis, k * each, each, n);
    if (outputs[k] == NULL)
      return FALSE;
  }
  return TRUE;
}

/* The axis that @slicing cuts, in steps of 1; -1: there is none, or another. */
static int
axis_of (const InferSlicing *slicing, const InferShape *in)
{
  int axis = -1;

  for (int d = 0; d < in->rank; d++) {
    if (slicing->begin[d] == 0 && slicing->step[d] == 1
        && slicing->count[d] == in->dims[d])
      continue;
    if (axis >= 0 || slicing->step[d] != 1)
      return -1;
    axis = d;
  }
  return axis;
}

static gboolean
slice (const Move *move, InferTensor **outputs)
{
  const InferTensor *x = move->inputs[0];
  g_autoptr (GArray) start = NULL, stop = NULL, step = NULL, axes = NULL;
  GArray **numbers[] = { &start, &stop, &step, &axes };
  InferSlicing slicing;

  if (!is_plain (x) || move->op->n_inputs < 3
      || move->op->n_inputs > MAX_INPUTS)
    return FALSE;
  for (guint i = 1; i < move->op->n_inputs; i++) {
    const InferTensor *list = move->inputs[i];

    if (list == NULL || !infer_type_is_integer (list->type))
      return FALSE;
    *numbers[i - 1] = infer_tensor_to_ints (list);
    if (*numbers[i - 1] == NULL)
      return FALSE;
  }
  if (!infer_slice_resolve (&x->shape, start, stop, step, axes, &slicing, NULL))
    return FALSE;
  const int axis = axis_of (&slicing, &x->shape);
  if (axis < 0)
    return FALSE;
  outputs[0] = cut (x, axis, slicing.begin[axis], slicing.count[axis], 1);
  return outputs[0] != NULL;
}

/* The shape of the result; FALSE: the inputs do not fit. */
static gboolean
join_shapes (const Move *move, int axis, InferShape *shape)
{
  for (guint i = 0; i < move->op->n_inputs; i++) {
    const InferTensor *x = move->inputs[i];
    InferShape same = *shape;

    if (!is_plain (x) || x->type != move->inputs[0]->type
        || x->shape.rank != shape->rank)
      return FALSE;
    if (i == 0)
      continue;
    same.dims[axis] = x->shape.dims[axis];
    if (!infer_shape_equal (&x->shape, &same)
        || x->shape.dims[axis] > G_MAXINT64 - shape->dims[axis])
      return FALSE;
    shape->dims[axis] += x->shape.dims[axis];
  }
  return TRUE;
}

static gboolean
concat (const Move *move, InferTensor **outputs)
{
  gint64 axis = ((const InferConcat *) move->op->attrs)->axis;
  InferShape shape = move->inputs[0]->shape;

  if (shape.rank < 1 || !infer_shape_normalize_axis (&shape, &axis, NULL)
      || !join_shapes (move, (int) axis, &shape))
    return FALSE;
  InferTensor *y = infer_pages_tensor (move->inputs[0]->type, &shape, NULL);
  if (y == NULL)
    return FALSE;
  const gsize outer = infer_shape_count_range (&shape, 0, (int) axis);
  char *to = y->data;
  for (gsize row = 0; y->size > 0 && row < outer; row++)
    for (guint i = 0; i < move->op->n_inputs; i++) {
      const InferTensor *x = move->inputs[i];
      const gsize bytes = x->size / outer;

      if (bytes > 0)
        memcpy (to, (const char *) x->data + row * bytes, bytes);
      to += bytes;
    }
  outputs[0] = y;
  return TRUE;
}

/* Elements of a list, as of a shape. */
static gboolean
gather (const Move *move, InferTensor **outputs)
{
  const InferTensor *x = move->inputs[0], *indices = move->inputs[1];
  const InferGather *attrs = move->op->attrs;

  if (!is_plain (x) || x->shape.rank != 1 || attrs->batch_dims != 0
      || indices == NULL || !infer_type_is_integer (indices->type)
      || move->inputs[2] == NULL)
    return FALSE;
  const gsize size = infer_type_size (x->type);
  g_autoptr (GArray) list = infer_tensor_to_ints (indices);
  g_autoptr (InferTensor) y = infer_tensor_new (x->type, &indices->shape, NULL);
  for (guint i = 0; list != NULL && y != NULL && i < list->len; i++) {
    gint64 at = g_array_index (list, gint64, i);

    if (at < 0)
      at += x->shape.dims[0];
    if (at < 0 || at >= x->shape.dims[0])
      return FALSE;
    memcpy ((char *) y->data + i * size,
        (const char *) x->data + (gsize) at * size, size);
  }
  if (list == NULL || y == NULL)
    return FALSE;
  outputs[0] = g_steal_pointer (&y);
  return TRUE;
}

gboolean
infer_evaluate_move (const InferOperation *op, const InferTensor *const *inputs,
    InferTensor **outputs)
{
  static const struct
  {
    const InferOpClass *klass;
    gboolean (*evaluate) (const Move *move, InferTensor **outputs);
  } moves[] = {
    { &infer_op_concat, concat },
    { &infer_op_gather, gather },
    { &infer_op_reshape, reshape },
    { &infer_op_slice, slice },
    { &infer_op_split, split },
    { &infer_op_squeeze, reshape },
    { &infer_op_unsqueeze, reshape },
  };
  const Move move = { op, inputs };

  memset (outputs, 0, op->n_outputs * sizeof *outputs);
  for (guint i = 0; i < G_N_ELEMENTS (moves); i++) {
    if (!infer_op_is (op, moves[i].klass))
      continue;
    if (moves[i].evaluate (&move, outputs))
      return TRUE;
    for (guint k = 0; k < op->n_outputs; k++)
      g_clear_pointer (&outputs[k], infer_tensor_unref);
    return FALSE;
  }
  return FALSE;
}
