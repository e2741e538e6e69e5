/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element-wise operations of two operands, Select, PReLU. */

#include "inference/graph/ops/elementwise.h"

gboolean
infer_parse_broadcast (
    InferBinary *attrs, const InferAttributes *from, GError **error)
{
  static const char *const rules[] = { "none", "numpy", "pdpd", "explicit",
    NULL };
  int rule = INFER_BROADCAST_NUMPY;

  attrs->axis = -1;
  if (!infer_attr_enum (from, "auto_broadcast", rules, &rule, error)
      || !infer_attr_int (from, "axis", &attrs->axis, error)
      || !infer_attr_int (
          from, "auto_broadcast.auto_broadcast_axis", &attrs->axis, error))
    return FALSE;
  attrs->rule = rule == 3 ? INFER_BROADCAST_NONE : (InferBroadcast) rule;
  return TRUE;
}

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  return infer_parse_broadcast (op->attrs, from, error);
}

static gboolean
parse_divide (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferBinary *attrs = op->attrs;

  attrs->python_div = TRUE;
  return infer_parse_broadcast (attrs, from, error)
         && infer_attr_bool (from, "m_pythondiv", &attrs->python_div, error);
}

static gboolean
broadcast (InferShapeContext *context, GError **error)
{
  const InferBinary *attrs = context->op->attrs;

  return infer_merge_types (context, 0, 2, &context->outputs[0].type, error)
         && infer_shape_broadcast (&context->inputs[0].shape,
             &context->inputs[1].shape, attrs->rule, attrs->axis,
             &context->outputs[0].shape, error);
}

static gboolean
infer_numeric (InferShapeContext *context, GError **error)
{
  return infer_require_numeric (context, 0, error)
         && infer_require_numeric (context, 1, error)
         && broadcast (context, error);
}

static gboolean
infer_compare (InferShapeContext *context, GError **error)
{
  if (!broadcast (context, error))
    return FALSE;
  context->outputs[0].type = INFER_TYPE_BOOLEAN;
  return TRUE;
}

static gboolean
infer_logical (InferShapeContext *context, GError **error)
{
  return infer_require_boolean (context, 0, error)
         && infer_require_boolean (context, 1, error)
         && infer_compare (context, error);
}

static gboolean
infer_integer (InferShapeContext *context, GError **error)
{
  return infer_require_integer (context, 0, error)
         && infer_require_integer (context, 1, error)
         && broadcast (context, error);
}

static gboolean
infer_bitwise (InferShapeContext *context, GError **error)
{
  if (context->inputs[0].type == INFER_TYPE_BOOLEAN)
    return infer_logical (context, error);
  return infer_integer (context, error);
}

static gboolean
infer_select (InferShapeContext *context, GError **error)
{
  const InferBinary *attrs = context->op->attrs;
  InferShape values;

  if (!infer_require_boolean (context, 0, error)
      || !infer_merge_types (context, 1, 2, &context->outputs[0].type, error))
    return FALSE;
  if (attrs->rule == INFER_BROADCAST_PDPD)
    return infer_shape_broadcast (&context->inputs[1].shape,
               &context->inputs[0].shape, attrs->rule, attrs->axis, &values,
               error)
           && infer_shape_broadcast (&values, &context->inputs[2].shape,
               attrs->rule, attrs->axis, &context->outputs[0].shape, error);
  return infer_shape_broadcast (&context->inputs[1].shape,
             &context->inputs[2].shape, attrs->rule, -1, &values, error)
         && infer_shape_broadcast (&context->inputs[0].shape, &values,
             attrs->rule, -1, &context->outputs[0].shape, error);
}

static gboolean
infer_prelu (InferShapeContext *context, GError **error)
{
  const InferShape *data = &context->inputs[0].shape;
  const InferShape *slope = &context->inputs[1].shape;
  InferShape merged;

  if (!infer_require_real (context, 0, error)
      || !infer_merge_types (context, 0, 2, &context->outputs[0].type, error))
    return FALSE;
  context->outputs[0].shape = *data;
  if (data->rank < 0 || slope->rank < 0)
    return TRUE;
  /* One slope per channel ... */
  if (slope->rank == 1 && data->rank > 1
      && infer_dim_merge (data->dims[1], slope->dims[0], &merged.dims[0]))
    return TRUE;
  /* ... or a broadcast slope, which must not enlarge the data. */
  if (!infer_shape_broadcast (
          data, slope, INFER_BROADCAST_NUMPY, -1, &merged, error))
    return FALSE;
  if (merged.rank != data->rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the slope has %d dims, the data %d", slope->rank, data->rank);
  for (int d = 0; d < data->rank; d++)
    if (data->dims[d] >= 0 && merged.dims[d] >= 0
        && merged.dims[d] != data->dims[d])
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "dim %d of the slope is %" G_GINT64_FORMAT
          ", of the data %" G_GINT64_FORMAT,
          d, merged.dims[d], data->dims[d]);
  return TRUE;
}

#define BINARY(name, type_, versions_, infer_, parse_, n)                      \
  const InferOpClass infer_op_##name = {                                       \
    .type = type_,                                                             \
    .versions = versions_,                                                     \
    .min_inputs = n,                                                           \
    .attrs_size = sizeof (InferBinary),                                        \
    .parse = parse_,                                                           \
    .infer_shapes = infer_,                                                    \
  };

/* clang-format off */
BINARY (add, "Add", "1", infer_numeric, parse, 2)
BINARY (bitwise_and, "BitwiseAnd", "13", infer_bitwise, parse, 2)
BINARY (bitwise_left_shift, "BitwiseLeftShift", "15", infer_integer, parse, 2)
BINARY (bitwise_or, "BitwiseOr", "13", infer_bitwise, parse, 2)
BINARY (bitwise_right_shift, "BitwiseRightShift", "15", infer_integer, parse, 2)
BINARY (bitwise_xor, "BitwiseXor", "13", infer_bitwise, parse, 2)
BINARY (divide, "Divide", "1", infer_numeric, parse_divide, 2)
BINARY (equal, "Equal", "1", infer_compare, parse, 2)
BINARY (floor_mod, "FloorMod", "1", infer_numeric, parse, 2)
BINARY (greater, "Greater", "1", infer_compare, parse, 2)
BINARY (greater_equal, "GreaterEqual", "1", infer_compare, parse, 2)
BINARY (less, "Less", "1", infer_compare, parse, 2)
BINARY (less_equal, "LessEqual", "1", infer_compare, parse, 2)
BINARY (logical_and, "LogicalAnd", "1", infer_logical, parse, 2)
BINARY (logical_or, "LogicalOr", "1", infer_logical, parse, 2)
BINARY (logical_xor, "LogicalXor", "1", infer_logical, parse, 2)
BINARY (maximum, "Maximum", "1", infer_numeric, parse, 2)
BINARY (minimum, "Minimum", "1", infer_numeric, parse, 2)
BINARY (mod, "Mod", "1", infer_numeric, parse, 2)
BINARY (multiply, "Multiply", "1", infer_numeric, parse, 2)
BINARY (not_equal, "NotEqual", "1", infer_compare, parse, 2)
BINARY (power, "Power", "1", infer_numeric, parse, 2)
BINARY (prelu, "PReLU", "1", infer_prelu, NULL, 2)
BINARY (select, "Select", "1", infer_select, parse, 3)
BINARY (squared_difference, "SquaredDifference", "1", infer_numeric, parse, 2)
BINARY (subtract, "Subtract", "1", infer_numeric, parse, 2)
BINARY (xor, "Xor", "1", infer_logical, parse, 2)
/* clang-format on */
