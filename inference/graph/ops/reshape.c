/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reshape, Squeeze, Unsqueeze. */

#include "inference/graph/op.h"

typedef struct
{
  gboolean special_zero;
} Reshape;

static gboolean
parse_reshape (InferOperation *op, const InferAttributes *from, GError **error)
{
  Reshape *attrs = op->attrs;

  return infer_attr_require (from, error, "special_zero", NULL)
         && infer_attr_bool (from, "special_zero", &attrs->special_zero, error);
}

/* The dims of the target that are known without resolving -1. */
static gboolean
take_target (InferShapeContext *context, const GArray *target, int *minus_one,
    GError **error)
{
  const Reshape *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;

  *minus_one = -1;
  if (target->len > INFER_MAX_RANK)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a target of %u dims: at most %d", target->len, INFER_MAX_RANK);
  *out = infer_shape_of_rank ((int) target->len);
  for (guint i = 0; i < target->len; i++) {
    gint64 dim = g_array_index (target, gint64, i);

    if (dim < -1)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "dim %u of the target is %" G_GINT64_FORMAT, i, dim);
    if (dim == -1) {
      if (*minus_one >= 0)
        return infer_fail (
            error, INFER_ERROR_INVALID_MODEL, "the target has two dims of -1");
      *minus_one = (int) i;
    } else if (dim == 0 && attrs->special_zero) {
      if (in->rank >= 0 && (int) i >= in->rank)
        return infer_fail (error, INFER_ERROR_INVALID_MODEL,
            "dim %u of the target copies a dim that the input has not", i);
      out->dims[i] = in->rank >= 0 ? in->dims[i] : INFER_DYNAMIC;
    } else {
      out->dims[i] = dim;
    }
  }
  return TRUE;
}

static gboolean
check_count (const InferShape *in, const InferShape *out, gsize count,
    gsize rest, GError **error)
{
  g_autofree char *from = NULL, *to = NULL;

  if (count == rest)
    return TRUE;
  from = infer_shape_to_string (in);
  to = infer_shape_to_string (out);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s does not reshape to %s: the number of elements differs", from, to);
}

static gboolean
solve_minus_one (
    const InferShape *in, InferShape *out, int minus_one, GError **error)
{
  gsize count, rest = 1;

  for (int i = 0; i < out->rank; i++) {
    if (i == minus_one)
      continue;
    if (out->dims[i] == INFER_DYNAMIC)
      return TRUE;
    if (!g_size_checked_mul (&rest, rest, (gsize) out->dims[i]))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "the target's number of elements overflows");
  }
  if (!infer_shape_elements (in, &count))
    return TRUE;
  if (minus_one < 0)
    return check_count (in, out, count, rest, error);
  if (rest == 0 ? count != 0 : count % rest != 0)
    return check_count (in, out, 0, 1, error);
  out->dims[minus_one] = rest == 0 ? 0 : (gint64) (count / rest);
  return TRUE;
}

static gboolean
infer_reshape (InferShapeContext *context, GError **error)
{
  const InferDesc *pattern = &context->inputs[1];
  g_autoptr (GArray) target = NULL;
  int minus_one;

  context->outputs[0].type = context->inputs[0].type;
  if (!infer_input_list (context, 1, &target, error))
    return FALSE;
  if (target == NULL) {
    if (pattern->shape.rank == 1 && pattern->shape.dims[0] > INFER_MAX_RANK)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "a target of %" G_GINT64_FORMAT " dims", pattern->shape.dims[0]);
    if (pattern->shape.rank == 1 && pattern->shape.dims[0] >= 0)
      context->outputs[0].shape =
          infer_shape_of_rank ((int) pattern->shape.dims[0]);
    return TRUE;
  }
  return take_target (context, target, &minus_one, error)
         && solve_minus_one (&context->inputs[0].shape,
             &context->outputs[0].shape, minus_one, error);
}

const InferOpClass infer_op_reshape = {
  .type = "Reshape",
  .versions = "1",
  .flags = INFER_OP_SUB_BYTE | INFER_OP_COPIES,
  .min_inputs = 2,
  .value_inputs = 1 << 1,
  .attrs_size = sizeof (Reshape),
  .parse = parse_reshape,
  .infer_shapes = infer_reshape,
};

/* --- Squeeze and Unsqueeze --- */

typedef struct
{
  gboolean allow_skip;
} Squeeze;

static gboolean
parse_squeeze (InferOperation *op, const InferAttributes *from, GError **error)
{
  Squeeze *attrs = op->attrs;

  return infer_attr_bool (from, "allow_axis_skip", &attrs->allow_skip, error);
}

/* Bit i of *@mask: axis i is listed. */
static gboolean
take_axes (const GArray *axes, int rank, guint32 *mask, GError **error)
{
  InferShape shape = infer_shape_of_rank (rank);

  *mask = 0;
  for (guint i = 0; i < axes->len; i++) {
    gint64 axis = g_array_index (axes, gint64, i);

    if (!infer_shape_normalize_axis (&shape, &axis, error))
      return FALSE;
    *mask |= 1u << axis;
  }
  return TRUE;
}

static gboolean
infer_squeeze (InferShapeContext *context, GError **error)
{
  const Squeeze *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;
  gboolean named = context->n_inputs > 1;
  g_autoptr (GArray) axes = NULL;
  guint32 mask = 0;

  context->outputs[0].type = context->inputs[0].type;
  if (named
      && (!infer_require_integer (context, 1, error)
          || !infer_input_ints (context, 1, &axes, error)))
    return FALSE;
  if (in->rank < 0 || (named && axes == NULL))
    return TRUE;
  if (named && !take_axes (axes, in->rank, &mask, error))
    return FALSE;
  named = named && axes->len > 0;
  *out = infer_shape_of_rank (0);
  for (int i = 0; i < in->rank; i++) {
    gboolean drop = named ? (mask >> i & 1) != 0 : in->dims[i] == 1;

    /* Without a list of axes an unknown dim may be dropped or not. */
    if (!named && in->dims[i] == INFER_DYNAMIC) {
      *out = infer_shape_dynamic ();
      return TRUE;
    }
    if (drop && in->dims[i] != 1 && in->dims[i] != INFER_DYNAMIC) {
      if (context->op->version < 15 || !attrs->allow_skip)
        return infer_fail (error, INFER_ERROR_INVALID_MODEL,
            "axis %d is of %" G_GINT64_FORMAT ", not 1", i, in->dims[i]);
      drop = FALSE;
    } else if (drop && attrs->allow_skip && in->dims[i] == INFER_DYNAMIC) {
      *out = infer_shape_dynamic ();
      return TRUE;
    }
    if (!drop)
      out->dims[out->rank++] = in->dims[i];
  }
  return TRUE;
}

const InferOpClass infer_op_squeeze = {
  .type = "Squeeze",
  .versions = "1,15",
  .flags = INFER_OP_SUB_BYTE | INFER_OP_COPIES,
  .min_inputs = 1,
  .max_inputs = 2,
  .value_inputs = 1 << 1,
  .attrs_size = sizeof (Squeeze),
  .parse = parse_squeeze,
  .infer_shapes = infer_squeeze,
};

static gboolean
infer_unsqueeze (InferShapeContext *context, GError **error)
{
  const InferShape *in = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;
  g_autoptr (GArray) axes = NULL;
  guint32 mask = 0;
  int rank, from = 0;

  context->outputs[0].type = context->inputs[0].type;
  if (!infer_input_list (context, 1, &axes, error))
    return FALSE;
  if (in->rank < 0 || axes == NULL)
    return TRUE;
  if (axes->len > INFER_MAX_RANK || in->rank + (int) axes->len > INFER_MAX_RANK)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "rank %d and %u new axes: too many", in->rank, axes->len);
  rank = in->rank + (int) axes->len;
  if (!take_axes (axes, rank, &mask, error))
    return FALSE;
  if (__builtin_popcount (mask) != (int) axes->len)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "an axis is named twice");
  *out = infer_shape_of_rank (rank);
  for (int i = 0; i < rank; i++)
    out->dims[i] = (mask >> i & 1) != 0 ? 1 : in->dims[from++];
  return TRUE;
}

const InferOpClass infer_op_unsqueeze = {
  .type = "Unsqueeze",
  .versions = "1",
  .flags = INFER_OP_SUB_BYTE | INFER_OP_COPIES,
  .min_inputs = 2,
  .value_inputs = 1 << 1,
  .infer_shapes = infer_unsqueeze,
};
