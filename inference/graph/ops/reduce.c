/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reductions, CumSum, SoftMax and LogSoftmax. */

#include "inference/graph/ops/elementwise.h"

static gboolean
parse_reduce (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferReduce *attrs = op->attrs;

  return infer_attr_bool (from, "keep_dims", &attrs->keep_dims, error);
}

/* The reduced dims; FALSE if an axis is out of range. */
static gboolean
mark_axes (const InferShape *shape, const GArray *axes, gboolean *reduced,
    GError **error)
{
  for (guint i = 0; i < axes->len; i++) {
    gint64 axis = g_array_index (axes, gint64, i);

    if (!infer_shape_normalize_axis (shape, &axis, error))
      return FALSE;
    reduced[axis] = TRUE;
  }
  return TRUE;
}

static gboolean
reduce_shape (InferShapeContext *context, GError **error)
{
  const InferReduce *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  const InferShape *axes_shape = &context->inputs[1].shape;
  InferShape *out = &context->outputs[0].shape;
  g_autoptr (GArray) axes = NULL;
  gboolean reduced[INFER_MAX_RANK] = { FALSE };

  if (!infer_input_ints (context, 1, &axes, error))
    return FALSE;
  if (in->rank < 0)
    return TRUE;
  if (axes == NULL) {
    /* Without axes no dim is reduced, even of an unknown shape. */
    if (attrs->keep_dims)
      *out = infer_shape_of_rank (in->rank);
    else if (axes_shape->rank == 1 && axes_shape->dims[0] == 0)
      *out = *in;
    return TRUE;
  }
  if (!mark_axes (in, axes, reduced, error))
    return FALSE;
  out->rank = 0;
  for (int i = 0; i < in->rank; i++) {
    if (!reduced[i])
      out->dims[out->rank++] = in->dims[i];
    else if (attrs->keep_dims)
      out->dims[out->rank++] = 1;
  }
  return TRUE;
}

static gboolean
infer_reduce (InferShapeContext *context, GError **error)
{
  context->outputs[0].type = context->inputs[0].type;
  return infer_require_numeric (context, 0, error)
         && infer_require_integers (context, 1, 0, 1, error)
         && reduce_shape (context, error);
}

static gboolean
infer_reduce_logical (InferShapeContext *context, GError **error)
{
  context->outputs[0].type = INFER_TYPE_BOOLEAN;
  return infer_require_boolean (context, 0, error)
         && infer_require_integers (context, 1, 0, 1, error)
         && reduce_shape (context, error);
}

static gboolean
parse_cum_sum (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferReduce *attrs = op->attrs;

  return infer_attr_bool (from, "exclusive", &attrs->exclusive, error)
         && infer_attr_bool (from, "reverse", &attrs->reverse, error);
}

static gboolean
infer_cum_sum (InferShapeContext *context, GError **error)
{
  const InferShape *shape = &context->inputs[0].shape;
  gboolean known;
  gint64 axis;

  context->outputs[0] = context->inputs[0];
  if (!infer_require_numeric (context, 0, error))
    return FALSE;
  if (context->n_inputs < 2)
    return TRUE;
  if (!infer_require_rank (context, 1, 0, 1, error)
      || !infer_input_number (context, 1, &axis, &known, error))
    return FALSE;
  return !known || shape->rank < 0
         || infer_shape_normalize_axis (shape, &axis, error);
}

static gboolean
parse_softmax (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferReduce *attrs = op->attrs;

  attrs->axis = 1;
  if (!infer_attr_int (from, "axis", &attrs->axis, error))
    return FALSE;
  return op->version != 1 || attrs->axis >= 0
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "axis %" G_GINT64_FORMAT " is negative", attrs->axis);
}

static gboolean
infer_softmax (InferShapeContext *context, GError **error)
{
  const InferReduce *attrs = context->op->attrs;
  gint64 axis = attrs->axis;

  context->outputs[0] = context->inputs[0];
  return infer_require_real (context, 0, error)
         && (context->inputs[0].shape.rank < 0
             || infer_shape_normalize_axis (
                 &context->inputs[0].shape, &axis, error));
}

#define REDUCE(name, type_, versions_, infer_)                                 \
  const InferOpClass infer_op_##name = {                                       \
    .type = type_,                                                             \
    .versions = versions_,                                                     \
    .min_inputs = 2,                                                           \
    .value_inputs = 1 << 1,                                                    \
    .attrs_size = sizeof (InferReduce),                                        \
    .parse = parse_reduce,                                                     \
    .infer_shapes = infer_,                                                    \
  };

/* clang-format off */
REDUCE (reduce_l1, "ReduceL1", "4", infer_reduce)
REDUCE (reduce_l2, "ReduceL2", "4", infer_reduce)
REDUCE (reduce_logical_and, "ReduceLogicalAnd", "1", infer_reduce_logical)
REDUCE (reduce_logical_or, "ReduceLogicalOr", "1", infer_reduce_logical)
REDUCE (reduce_max, "ReduceMax", "1", infer_reduce)
REDUCE (reduce_mean, "ReduceMean", "1", infer_reduce)
REDUCE (reduce_min, "ReduceMin", "1", infer_reduce)
REDUCE (reduce_prod, "ReduceProd", "1", infer_reduce)
REDUCE (reduce_sum, "ReduceSum", "1", infer_reduce)
/* clang-format on */

const InferOpClass infer_op_cum_sum = {
  .type = "CumSum",
  .versions = "3",
  .min_inputs = 1,
  .max_inputs = 2,
  .attrs_size = sizeof (InferReduce),
  .parse = parse_cum_sum,
  .infer_shapes = infer_cum_sum,
};

const InferOpClass infer_op_softmax = {
  .type = "SoftMax",
  .versions = "1,8",
  .min_inputs = 1,
  .attrs_size = sizeof (InferReduce),
  .parse = parse_softmax,
  .infer_shapes = infer_softmax,
};

const InferOpClass infer_op_log_softmax = {
  .type = "LogSoftmax",
  .versions = "5",
  .min_inputs = 1,
  .attrs_size = sizeof (InferReduce),
  .parse = parse_softmax,
  .infer_shapes = infer_softmax,
};
