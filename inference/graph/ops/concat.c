/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Concat, Split and VariadicSplit. */

#include "inference/graph/ops/concat.h"

#include "inference/graph/op.h"

static gboolean
parse_concat (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferConcat *attrs = op->attrs;

  return infer_attr_require (from, error, "axis", NULL)
         && infer_attr_int (from, "axis", &attrs->axis, error);
}

/* Merges all dims but the axis, adds up the axis. */
static gboolean
join (
    InferShape *out, const InferShape *in, gint64 axis, guint i, GError **error)
{
  if (in->rank != out->rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "input %u is of rank %d, not %d", i, in->rank, out->rank);
  for (int d = 0; d < out->rank; d++) {
    if (d == axis) {
      if (in->dims[d] == INFER_DYNAMIC || out->dims[d] == INFER_DYNAMIC)
        out->dims[d] = INFER_DYNAMIC;
      else if (in->dims[d] > G_MAXINT64 - out->dims[d])
        return infer_fail (
            error, INFER_ERROR_INVALID_MODEL, "the joined axis overflows");
      else
        out->dims[d] += in->dims[d];
    } else if (!infer_dim_merge (out->dims[d], in->dims[d], &out->dims[d])) {
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "dim %d of input %u is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
          d, i, in->dims[d], out->dims[d]);
    }
  }
  return TRUE;
}

static gboolean
infer_concat (InferShapeContext *context, GError **error)
{
  const InferConcat *attrs = context->op->attrs;
  InferDesc *out = &context->outputs[0];
  gint64 axis = attrs->axis;
  gboolean started = FALSE;

  if (!infer_merge_types (context, 0, context->n_inputs, &out->type, error))
    return FALSE;
  for (guint i = 0; i < context->n_inputs; i++) {
    const InferShape *in = &context->inputs[i].shape;

    if (in->rank < 0) {
      out->shape = infer_shape_dynamic ();
      return TRUE;
    }
    if (!started) {
      out->shape = *in;
      if (!infer_shape_normalize_axis (in, &axis, error))
        return FALSE;
    } else if (!join (&out->shape, in, axis, i, error)) {
      return FALSE;
    }
    started = TRUE;
  }
  return TRUE;
}

const InferOpClass infer_op_concat = {
  .type = "Concat",
  .versions = "1",
  .flags = INFER_OP_COPIES,
  .min_inputs = 1,
  .max_inputs = G_MAXUINT,
  .attrs_size = sizeof (InferConcat),
  .parse = parse_concat,
  .infer_shapes = infer_concat,
};

/* --- Split --- */

static gboolean
parse_split (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferSplit *attrs = op->attrs;

  if (!infer_attr_require (from, error, "num_splits", NULL)
      || !infer_attr_int (from, "num_splits", &attrs->num_splits, error))
    return FALSE;
  if (attrs->num_splits != (gint64) op->n_outputs)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "num_splits is %" G_GINT64_FORMAT ", there are %u outputs",
        attrs->num_splits, op->n_outputs);
  return TRUE;
}

/* Until the axis is known, outputs have the rank of the input. */
static gboolean
take_axis (
    InferShapeContext *context, gint64 *axis, gboolean *known, GError **error)
{
  const InferDesc *in = &context->inputs[0];

  for (guint k = 0; k < context->n_outputs; k++) {
    context->outputs[k].type = in->type;
    if (in->shape.rank >= 0)
      context->outputs[k].shape = infer_shape_of_rank (in->shape.rank);
  }
  if (!infer_input_number (context, 1, axis, known, error))
    return FALSE;
  *known = *known && in->shape.rank >= 0;
  return !*known || infer_shape_normalize_axis (&in->shape, axis, error);
}

static gboolean
infer_split (InferShapeContext *context, GError **error)
{
  const InferSplit *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  gboolean known;
  gint64 axis, length;

  if (!take_axis (context, &axis, &known, error))
    return FALSE;
  if (!known)
    return TRUE;
  length = in->dims[axis];
  if (length >= 0 && length % attrs->num_splits != 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "axis %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
        " does not split into %" G_GINT64_FORMAT,
        axis, length, attrs->num_splits);
  for (guint k = 0; k < context->n_outputs; k++) {
    context->outputs[k].shape = *in;
    context->outputs[k].shape.dims[axis] =
        length < 0 ? length : length / attrs->num_splits;
  }
  return TRUE;
}

const InferOpClass infer_op_split = {
  .type = "Split",
  .versions = "1",
  .min_inputs = 2,
  .n_outputs = G_MAXUINT,
  .value_inputs = 1 << 1,
  .attrs_size = sizeof (InferSplit),
  .parse = parse_split,
  .infer_shapes = infer_split,
};

static gboolean
split_lengths (GArray *lengths, gint64 total, guint n_outputs, GError **error)
{
  int minus_one = -1;
  gint64 sum = 0;

  if (lengths->len != n_outputs)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%u lengths for %u outputs", lengths->len, n_outputs);
  for (guint k = 0; k < lengths->len; k++) {
    gint64 length = g_array_index (lengths, gint64, k);

    if (length < -1 || (length == -1 && minus_one >= 0)
        || length > G_MAXINT64 - sum)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "length %u is %" G_GINT64_FORMAT, k, length);
    if (length == -1)
      minus_one = (int) k;
    else
      sum += length;
  }
  if (total < 0)
    return TRUE;
  if (minus_one >= 0 && sum <= total)
    g_array_index (lengths, gint64, minus_one) = total - sum;
  else if (sum != total)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the lengths add up to %" G_GINT64_FORMAT ", the axis has "
        "%" G_GINT64_FORMAT,
        sum, total);
  return TRUE;
}

static gboolean
infer_variadic_split (InferShapeContext *context, GError **error)
{
  const InferShape *in = &context->inputs[0].shape;
  gboolean known;
  g_autoptr (GArray) lengths = NULL;
  gint64 axis;

  if (!take_axis (context, &axis, &known, error))
    return FALSE;
  if (!known)
    return TRUE;
  if (!infer_require_integer (context, 2, error)
      || !infer_input_ints (context, 2, &lengths, error))
    return FALSE;
  if (lengths != NULL
      && !split_lengths (lengths, in->dims[axis], context->n_outputs, error))
    return FALSE;
  for (guint k = 0; k < context->n_outputs; k++) {
    context->outputs[k].shape = *in;
    context->outputs[k].shape.dims[axis] =
        lengths != NULL ? g_array_index (lengths, gint64, k) : INFER_DYNAMIC;
  }
  return TRUE;
}

const InferOpClass infer_op_variadic_split = {
  .type = "VariadicSplit",
  .versions = "1",
  .min_inputs = 3,
  .n_outputs = G_MAXUINT,
  .value_inputs = 1 << 1 | 1 << 2,
  .infer_shapes = infer_variadic_split,
};
