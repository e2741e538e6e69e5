/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element-wise operations of one operand. */

#include "inference/graph/ops/elementwise.h"

gboolean
infer_require_numeric (
    const InferShapeContext *context, guint input, GError **error)
{
  InferType type = context->inputs[input].type;

  if (type == INFER_TYPE_DYNAMIC
      || ((infer_type_is_real (type) || infer_type_is_integer (type))
          && infer_type_size (type) > 0))
    return TRUE;
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "input %u is of type %s, numbers are needed", input,
      infer_type_name (type));
}

static gboolean
infer_numeric (InferShapeContext *context, GError **error)
{
  if (!infer_require_numeric (context, 0, error))
    return FALSE;
  context->outputs[0] = context->inputs[0];
  return TRUE;
}

static gboolean
infer_real (InferShapeContext *context, GError **error)
{
  return infer_require_real (context, 0, error)
         && infer_numeric (context, error);
}

static gboolean
infer_integer_or_boolean (InferShapeContext *context, GError **error)
{
  context->outputs[0] = context->inputs[0];
  return context->inputs[0].type == INFER_TYPE_BOOLEAN
         || infer_require_integer (context, 0, error);
}

static gboolean
infer_boolean (InferShapeContext *context, GError **error)
{
  context->outputs[0] = context->inputs[0];
  context->outputs[0].type = INFER_TYPE_BOOLEAN;
  return infer_require_boolean (context, 0, error);
}

/* IsFinite, IsInf, IsNaN */
static gboolean
infer_question (InferShapeContext *context, GError **error)
{
  context->outputs[0].type = INFER_TYPE_BOOLEAN;
  context->outputs[0].shape = context->inputs[0].shape;
  return infer_require_real (context, 0, error);
}

/* Further inputs are scalars or tensors of one element, of the same type. */
static gboolean
infer_with_scalars (InferShapeContext *context, GError **error)
{
  for (guint i = 1; i < context->n_inputs; i++) {
    const InferShape *shape = &context->inputs[i].shape;
    gsize n;

    if (infer_shape_is_static (shape)
        && (!infer_shape_elements (shape, &n) || n != 1))
      return infer_fail (
          error, INFER_ERROR_INVALID_MODEL, "input %u must be one number", i);
  }
  context->outputs[0] = context->inputs[0];
  return infer_require_real (context, 0, error)
         && infer_merge_types (
             context, 0, context->n_inputs, &context->outputs[0].type, error);
}

static gboolean
parse_elu (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferUnary *attrs = op->attrs;

  return infer_attr_require (from, error, "alpha", NULL)
         && infer_attr_double (from, "alpha", &attrs->a, error);
}

static gboolean
parse_clamp (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferUnary *attrs = op->attrs;

  if (!infer_attr_require (from, error, "min", "max", NULL)
      || !infer_attr_double (from, "min", &attrs->a, error)
      || !infer_attr_double (from, "max", &attrs->b, error))
    return FALSE;
  return attrs->a <= attrs->b
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "min %g is above max %g", attrs->a, attrs->b);
}

static gboolean
parse_gelu (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "erf", "tanh", NULL };
  InferUnary *attrs = op->attrs;

  return infer_attr_enum (
      from, "approximation_mode", modes, &attrs->mode, error);
}

static gboolean
parse_round (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "half_to_even", "half_away_from_zero",
    NULL };
  InferUnary *attrs = op->attrs;

  return infer_attr_enum (from, "mode", modes, &attrs->mode, error);
}

static gboolean
parse_is_inf (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferUnary *attrs = op->attrs;
  gboolean negative = TRUE, positive = TRUE;

  if (!infer_attr_bool (from, "detect_negative", &negative, error)
      || !infer_attr_bool (from, "detect_positive", &positive, error))
    return FALSE;
  attrs->mode = (negative ? INFER_IS_INF_NEGATIVE : 0)
                | (positive ? INFER_IS_INF_POSITIVE : 0);
  return TRUE;
}

#define UNARY(name, type_, versions_, infer_, parse_, min, max)                \
  const InferOpClass infer_op_##name = {                                       \
    .type = type_,                                                             \
    .versions = versions_,                                                     \
    .min_inputs = min,                                                         \
    .max_inputs = max,                                                         \
    .attrs_size = sizeof (InferUnary),                                         \
    .parse = parse_,                                                           \
    .infer_shapes = infer_,                                                    \
  };

/* clang-format off */
UNARY (abs, "Abs", "1", infer_numeric, NULL, 1, 1)
UNARY (acos, "Acos", "1", infer_numeric, NULL, 1, 1)
UNARY (acosh, "Acosh", "4", infer_numeric, NULL, 1, 1)
UNARY (asin, "Asin", "1", infer_numeric, NULL, 1, 1)
UNARY (asinh, "Asinh", "4", infer_numeric, NULL, 1, 1)
UNARY (atan, "Atan", "1", infer_numeric, NULL, 1, 1)
UNARY (atanh, "Atanh", "4", infer_numeric, NULL, 1, 1)
UNARY (bitwise_not, "BitwiseNot", "13", infer_integer_or_boolean, NULL, 1, 1)
UNARY (ceiling, "Ceiling", "1", infer_numeric, NULL, 1, 1)
UNARY (clamp, "Clamp", "1", infer_numeric, parse_clamp, 1, 1)
UNARY (cos, "Cos", "1", infer_numeric, NULL, 1, 1)
UNARY (cosh, "Cosh", "1", infer_numeric, NULL, 1, 1)
UNARY (elu, "Elu", "1", infer_real, parse_elu, 1, 1)
UNARY (erf, "Erf", "1", infer_numeric, NULL, 1, 1)
UNARY (erf_inv, "ErfInv", "17", infer_real, NULL, 1, 1)
UNARY (exp, "Exp", "1", infer_numeric, NULL, 1, 1)
UNARY (floor, "Floor", "1", infer_numeric, NULL, 1, 1)
UNARY (gelu, "Gelu", "2,7", infer_real, parse_gelu, 1, 1)
UNARY (hard_sigmoid, "HardSigmoid", "1", infer_with_scalars, NULL, 3, 3)
UNARY (hsigmoid, "HSigmoid", "5", infer_real, NULL, 1, 1)
UNARY (hswish, "HSwish", "4", infer_real, NULL, 1, 1)
UNARY (is_finite, "IsFinite", "10", infer_question, NULL, 1, 1)
UNARY (is_inf, "IsInf", "10", infer_question, parse_is_inf, 1, 1)
UNARY (is_nan, "IsNaN", "10", infer_question, NULL, 1, 1)
UNARY (log, "Log", "1", infer_numeric, NULL, 1, 1)
UNARY (logical_not, "LogicalNot", "1", infer_boolean, NULL, 1, 1)
UNARY (mish, "Mish", "4", infer_real, NULL, 1, 1)
UNARY (negative, "Negative", "1", infer_numeric, NULL, 1, 1)
UNARY (relu, "ReLU", "1", infer_numeric, NULL, 1, 1)
UNARY (round, "Round", "5", infer_numeric, parse_round, 1, 1)
UNARY (selu, "Selu", "1", infer_with_scalars, NULL, 3, 3)
UNARY (sigmoid, "Sigmoid", "1", infer_numeric, NULL, 1, 1)
UNARY (sign, "Sign", "1", infer_numeric, NULL, 1, 1)
UNARY (sin, "Sin", "1", infer_numeric, NULL, 1, 1)
UNARY (sinh, "Sinh", "1", infer_numeric, NULL, 1, 1)
UNARY (soft_plus, "SoftPlus", "4", infer_real, NULL, 1, 1)
UNARY (soft_sign, "SoftSign", "9", infer_real, NULL, 1, 1)
UNARY (sqrt, "Sqrt", "1", infer_numeric, NULL, 1, 1)
UNARY (swish, "Swish", "4", infer_with_scalars, NULL, 1, 2)
UNARY (tan, "Tan", "1", infer_numeric, NULL, 1, 1)
UNARY (tanh, "Tanh", "1", infer_numeric, NULL, 1, 1)
/* clang-format on */
