/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/plan/expr.h"

#include "inference/graph/ops/elementwise.h"
#include "inference/graph/ops/normalization.h"
#include "ocl/plan/walk.h"

#include <math.h>
#include <string.h>

/* In the texts $0 … $4 are operands (evaluated already), T the type that the
 * first is computed in, $a and $b the attributes of InferUnary as literals of
 * it, and @ ends a literal: 0.5@. */
struct _OclExpr
{
  const char *type;
  const char *real;    /* of floating-point operands; NULL: none */
  const char *integer; /* of integers; "": the same; NULL: none */
  const char *boolean; /* of booleans; the same */
};

#define SWISH "$0 / (1 + exp (-$0))"
#define SWISH_BETA "$0 / (1 + exp (-$0 * $1))"
#define SOFTPLUS "(fmax ($0, (T) 0) + log1p (exp (-fabs ($0))))"
#define FAKE_QUANTIZE(round)                                                   \
  "$0 <= ($1 < $2 ? $1 : $2) ? $3 : $0 > ($1 < $2 ? $2 : $1) ? $4 : " round    \
  " (($0 - $1) * ($a / ($2 - $1))) * (($4 - $3) / $a) + $3"
#define GELU(erf)                                                              \
  "$0 * 0.5@ * (1 + " erf " (($0 * 0.70710678118654752@))) + ($0 - $0)"
#define INT_MOD "($1 == 0 || $1 == (T) -1 ? 0 : $0 % $1)"

static const OclExpr table[] = {
  { "Abs", "fabs ($0)", "$0 < 0 ? -$0 : $0", NULL },
  { "Acos", "acos ($0)", NULL, NULL },
  { "Acosh", "acosh ($0)", NULL, NULL },
  { "Add", "$0 + $1", "", NULL },
  { "Asin", "asin ($0)", NULL, NULL },
  { "Asinh", "asinh ($0)", NULL, NULL },
  { "Atan", "atan ($0)", NULL, NULL },
  { "Atanh", "atanh ($0)", NULL, NULL },
  { "BatchNormInference", "($0 - $3) / sqrt ($4 + $a) * $1 + $2", NULL, NULL },
  { "BitwiseAnd", NULL, "$0 & $1", "" },
  { "BitwiseLeftShift", NULL, "$1 >= 0 && $1 < 8 * sizeof (T) ? $0 << $1 : 0",
      NULL },
  { "BitwiseNot", NULL, "~$0", "!$0" },
  { "BitwiseOr", NULL, "$0 | $1", "" },
  { "BitwiseRightShift", NULL,
      "$1 >= 0 && $1 < 8 * sizeof (T) ? $0 >> $1 : $0 < 0 ? -1 : 0", NULL },
  { "BitwiseXor", NULL, "$0 ^ $1", "" },
  { "Ceiling", "ceil ($0)", "$0", NULL },
  { "Clamp", "$0 < $a ? $a : $0 > $b ? $b : $0",
      "(long) $0 < $a ? (T) $a : (long) $0 > $b ? (T) $b : $0", NULL },
  { "Cos", "cos ($0)", NULL, NULL },
  { "Cosh", "cosh ($0)", NULL, NULL },
  { "Divide", "$0 / $1", "$1 == 0 ? 0 : $1 == (T) -1 ? -$0 : $0 / $1", NULL },
  { "Elu", "$0 < 0 ? $a * expm1 ($0) : $0", NULL, NULL },
  { "Equal", "$0 == $1", "", "" },
  { "Erf", "ERF ($0)", NULL, NULL },
  { "Exp", "exp ($0)", NULL, NULL },
  { "FakeQuantize", FAKE_QUANTIZE ("ROUND_SMALL"), NULL, NULL },
  { "Floor", "floor ($0)", "$0", NULL },
  { "FloorMod",
      "$1 == 0 ? NAN : fmod ($0, $1) != 0 && ($0 < 0) != ($1 < 0) ? "
      "fmod ($0, $1) + $1 : fmod ($0, $1)",
      INT_MOD " + (" INT_MOD " != 0 && (" INT_MOD " < 0) != ($1 < 0) ? $1 : 0)",
      NULL },
  { "Gelu", GELU ("ERF"), NULL, NULL },
  { "Greater", "$0 > $1", "", "" },
  { "GreaterEqual", "$0 >= $1", "", "" },
  { "HardSigmoid", "fmin (fmax ($0 * $1 + $2, (T) 0), (T) 1)", NULL, NULL },
  { "HSigmoid", "fmin (fmax ($0 + 3, (T) 0), (T) 6) / 6", NULL, NULL },
  { "HSwish", "$0 * (fmin (fmax ($0 + 3, (T) 0), (T) 6) / 6)", NULL, NULL },
  { "Identity", "$0", "", "" },
  { "IsFinite", "isfinite ($0)", "1", NULL },
  { "IsNaN", "isnan ($0)", "0", NULL },
  { "Less", "$0 < $1", "", "" },
  { "LessEqual", "$0 <= $1", "", "" },
  { "Log", "log ($0)", NULL, NULL },
  { "LogicalAnd", NULL, NULL, "$0 && $1" },
  { "LogicalNot", NULL, NULL, "!$0" },
  { "LogicalOr", NULL, NULL, "$0 || $1" },
  { "LogicalXor", NULL, NULL, "!$0 != !$1" },
  { "Xor", NULL, NULL, "!$0 != !$1" },
  { "Maximum", "$0 > $1 || $0 != $0 ? $0 : $1", "$0 > $1 ? $0 : $1", NULL },
  { "Minimum", "$0 < $1 || $0 != $0 ? $0 : $1", "$0 < $1 ? $0 : $1", NULL },
  { "Mish", "$0 * tanh (" SOFTPLUS ")", NULL, NULL },
  { "Mod", "fmod ($0, $1)", INT_MOD, NULL },
  { "Multiply", "$0 * $1", "", NULL },
  { "Negative", "-$0", "", NULL },
  { "NotEqual", "$0 != $1", "", "" },
  { "Power", "pow ($0, $1)", NULL, NULL },
  { "PReLU", "$0 < 0 ? $0 * $1 : $0", NULL, NULL },
  { "ReLU", "$0 < 0 ? 0 : $0", "", NULL },
  { "Round", "rint ($0)", "$0", NULL },
  { "Select", "$0 ? $1 : $2", "", "" },
  { "Selu", "$2 * ($0 > 0 ? $0 : $1 * expm1 ($0))", NULL, NULL },
  { "Sigmoid", "1 / (1 + exp (-$0))", NULL, NULL },
  { "Sign", "($0 > 0) - ($0 < 0)", "", NULL },
  { "Sin", "sin ($0)", NULL, NULL },
  { "Sinh", "sinh ($0)", NULL, NULL },
  { "SoftPlus", SOFTPLUS, NULL, NULL },
  { "SoftSign", "$0 / (1 + fabs ($0))", NULL, NULL },
  { "Sqrt", "sqrt ($0)", NULL, NULL },
  { "SquaredDifference", "($0 - $1) * ($0 - $1)", "", NULL },
  { "Subtract", "$0 - $1", "", NULL },
  { "Swish", SWISH, NULL, NULL },
  { "Tan", "tan ($0)", NULL, NULL },
  { "Tanh", "tanh ($0)", NULL, NULL },
};

static const OclExpr swish_beta = { "Swish", SWISH_BETA, NULL, NULL };
/* Before version 5 the data come third. */
static const OclExpr old_batch_norm = { "BatchNormInference",
  "($2 - $3) / sqrt ($4 + $a) * $0 + $1", NULL, NULL };
static const OclExpr erf_f64 = { "Erf", "erf ($0)", NULL, NULL };
static const OclExpr gelu_f64 = { "Gelu", GELU ("erf"), NULL, NULL };
static const OclExpr fake_quantize_f64 = { "FakeQuantize",
  FAKE_QUANTIZE ("rint"), NULL, NULL };
static const OclExpr gelu_tanh = { "Gelu",
  "$0 * 0.5@ * (1 + tanh (0.79788456080286536@ * ($0 + 0.044715@ * $0 * $0 * "
  "$0)))",
  NULL, NULL };
static const OclExpr round_away = { "Round", "round ($0)", "$0", NULL };
static const OclExpr floor_divide = { "Divide", "$0 / $1",
  "$1 == 0 ? 0 : $1 == (T) -1 ? -$0 : $0 / $1 - ($0 % $1 != 0 && ($0 < 0) != "
  "($1 < 0))",
  NULL };
static const OclExpr is_inf[4] = {
  { "IsInf", "0", "0", NULL },
  { "IsInf", "$0 == -INFINITY", "0", NULL },
  { "IsInf", "$0 == INFINITY", "0", NULL },
  { "IsInf", "isinf ($0)", "0", NULL },
};
/* Powers that need no logarithm. pow (-inf, 0.5) is +inf and pow (-0, 0.5) is
 * +0, unlike the root. */
static const struct
{
  double exponent;
  OclExpr expr;
} powers[] = {
  { 2, { "Power", "$0 * $0", NULL, NULL } },
  { 3, { "Power", "$0 * $0 * $0", NULL, NULL } },
  { -1, { "Power", "1 / $0", NULL, NULL } },
  { 0.5,
      { "Power", "$0 == -INFINITY ? INFINITY : sqrt ($0 + 0)", NULL, NULL } },
};
/* Written by append_convert. */
static const OclExpr convert = { "Convert", "", "", "" };

/* NULL: the exponent is not one constant, or is nothing special. */
static const OclExpr *
find_power (const InferOperation *op)
{
  const InferOperation *exponent = op->inputs[1].op;
  g_autoptr (GArray) values = NULL;

  if (exponent == NULL || exponent->value == NULL
      || infer_shape_count (&exponent->value->shape) != 1)
    return NULL;
  values = infer_tensor_to_doubles (exponent->value);
  for (gsize i = 0; values != NULL && i < G_N_ELEMENTS (powers); i++)
    if (g_array_index (values, double, 0) == powers[i].exponent)
      return &powers[i].expr;
  return NULL;
}

/* Attributes, and an exponent, choose between texts. */
static const OclExpr *
find_variant (const InferOperation *op)
{
  const char *type = op->klass->type;

  if (strcmp (type, "Power") == 0 && find_power (op) != NULL)
    return find_power (op);
  if (strcmp (type, "Swish") == 0 && op->n_inputs > 1)
    return &swish_beta;
  if (strcmp (type, "BatchNormInference") == 0 && op->version < 5)
    return &old_batch_norm;
  if (strcmp (type, "FakeQuantize") == 0
      && op->outputs[0].desc.type == INFER_TYPE_F64)
    return &fake_quantize_f64;
  if (strcmp (type, "Erf") == 0 && op->outputs[0].desc.type == INFER_TYPE_F64)
    return &erf_f64;
  if (strcmp (type, "Gelu") == 0
      && ((const InferUnary *) op->attrs)->mode == INFER_GELU_TANH)
    return &gelu_tanh;
  if (strcmp (type, "Gelu") == 0 && op->outputs[0].desc.type == INFER_TYPE_F64)
    return &gelu_f64;
  if (strcmp (type, "Round") == 0
      && ((const InferUnary *) op->attrs)->mode
             == INFER_ROUND_HALF_AWAY_FROM_ZERO)
    return &round_away;
  if (strcmp (type, "Divide") == 0
      && ((const InferBinary *) op->attrs)->python_div)
    return &floor_divide;
  if (strcmp (type, "IsInf") == 0)
    return &is_inf[((const InferUnary *) op->attrs)->mode & 3];
  if (strcmp (type, "Convert") == 0 || strcmp (type, "ConvertLike") == 0)
    return &convert;
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    if (strcmp (table[i].type, type) == 0)
      return &table[i];
  return NULL;
}

/* NULL: not for operands of @type. */
static const char *
text_for (const OclExpr *expr, InferType type)
{
  if (infer_type_is_real (type))
    return expr->real;
  if (type == INFER_TYPE_BOOLEAN)
    return expr->boolean != NULL && *expr->boolean == '\0' ? (
               expr->integer != NULL && *expr->integer != '\0' ? expr->integer
                                                               : expr->real)
                                                           : expr->boolean;
  return expr->integer != NULL && *expr->integer == '\0' ? expr->real
                                                         : expr->integer;
}

const OclExpr *
ocl_expr_find (const InferOperation *op, InferType type)
{
  const OclExpr *expr = find_variant (op);

  return expr != NULL && (expr == &convert || text_for (expr, type) != NULL)
             ? expr
             : NULL;
}

/* --- text --- */

static void
append_number (GString *text, double number, gboolean twice)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (isinf (number)) {
    g_string_append (text, number > 0 ? "INFINITY" : "(-INFINITY)");
    return;
  }
  g_ascii_formatd (digits, sizeof digits, twice ? "%.17e" : "%.9e", number);
  g_string_append_printf (text, "(%s%s)", digits, twice ? "" : "f");
}

/* For integers: the attribute as far as a long goes. */
static void
append_integer (GString *text, double number, gboolean upper)
{
  const double whole = upper ? floor (number) : ceil (number);

  if (whole >= 9.2e18)
    g_string_append (text, "LONG_MAX");
  else if (whole <= -9.2e18)
    g_string_append (text, "LONG_MIN");
  else
    g_string_append_printf (text, "(%" G_GINT64_FORMAT "L)", (gint64) whole);
}

static double
attribute (const InferOperation *op, char which)
{
  if (strcmp (op->klass->type, "BatchNormInference") == 0)
    return ((const InferBatchNorm *) op->attrs)->epsilon;
  if (strcmp (op->klass->type, "FakeQuantize") == 0)
    return (double) (((const InferBinary *) op->attrs)->levels - 1);
  return which == 'a' ? ((const InferUnary *) op->attrs)->a
                      : ((const InferUnary *) op->attrs)->b;
}

static void
append_attribute (
    GString *text, const InferOperation *op, char which, InferType type)
{
  const double number = attribute (op, which);

  if (infer_type_is_real (type))
    append_number (text, number, type == INFER_TYPE_F64);
  else
    append_integer (text, number, which == 'b');
}

void
ocl_expr_append_type (GString *text, InferType type, gboolean rows)
{
  if (rows)
    g_string_append (text, "ROW");
  else
    g_string_append_printf (text, "COMPUTE (%s)", infer_type_name (type));
}

static void
expand (GString *text, const char *from, const InferOperation *op,
    const char *const *operands, InferType type, gboolean rows)
{
  gboolean twice = type == INFER_TYPE_F64;

  for (const char *p = from; *p != '\0'; p++) {
    if (*p == '@') {
      g_string_append (text, twice ? "" : "f");
    } else if (*p == '$') {
      p++;
      if (g_ascii_isdigit (*p))
        g_string_append (text, operands[*p - '0']);
      else
        append_attribute (text, op, *p, type);
    } else if (*p == 'T' && !g_ascii_isalnum (p[1]) && p[1] != '_') {
      ocl_expr_append_type (text, type, rows);
    } else {
      g_string_append_c (text, *p);
    }
  }
}

/* As infer_convert: what is real saturates, integers wrap. */
static void
append_convert (
    GString *text, const char *operand, InferType from, InferType to)
{
  if (to == INFER_TYPE_BOOLEAN)
    g_string_append_printf (text, "%s != 0", operand);
  else if (infer_type_is_real (from) && !infer_type_is_real (to))
    g_string_append_printf (
        text, "CONVERT_SATURATED (%s, %s)", infer_type_name (to), operand);
  else
    g_string_append (text, operand);
}

void
ocl_expr_append (GString *text, const InferOperation *op,
    const char *const *operands, const InferType *types, InferType out,
    const char *result, gboolean rows)
{
  const OclExpr *expr = find_variant (op);
  InferType type = types[0];

  g_string_append (text, "  ");
  ocl_expr_append_type (text, out, rows);
  g_string_append_printf (text, " %s = (", result);
  ocl_expr_append_type (text, out, rows);
  g_string_append (text, ") (");
  if (expr == &convert)
    append_convert (text, operands[0], type, out);
  else
    expand (text, text_for (expr, type), op, operands, type, rows);
  g_string_append (text, ");\n");
}

/* --- shapes --- */

/* NULL: operands are numbers, or not read. */
static const InferBinary *
broadcast_of (const InferOperation *op)
{
  static const char *const others[] = { "BatchNormInference", "ConvertLike",
    "HardSigmoid", "PReLU", "Selu", "Swish", NULL };

  return op->n_inputs > 1 && !g_strv_contains (others, op->klass->type)
             ? op->attrs
             : NULL;
}

static InferShape
align_at (const InferShape *in, int rank, int axis)
{
  InferShape aligned = ocl_shape_of_ones (rank);

  for (int d = 0; d < in->rank && axis + d < rank; d++)
    aligned.dims[axis + d] = in->dims[d];
  return aligned;
}

void
ocl_expr_align (const InferOperation *op, const InferShape *const *in,
    const InferShape *out, InferShape *aligned)
{
  const gboolean slope = strcmp (op->klass->type, "PReLU") == 0;
  const gboolean batch_norm =
      strcmp (op->klass->type, "BatchNormInference") == 0;
  const InferBinary *attrs = broadcast_of (op);

  for (guint i = 0; i < op->n_inputs; i++) {
    int axis = out->rank - in[i]->rank;

    if (slope && i == 1 && in[i]->rank == 1 && out->rank > 1
        && in[i]->dims[0] == out->dims[1])
      axis = 1;
    if (batch_norm && in[i]->rank < out->rank)
      axis = 1;
    if (attrs != NULL && attrs->rule == INFER_BROADCAST_PDPD && attrs->axis >= 0
        && i > 0)
      axis = (int) attrs->axis;
    aligned[i] = infer_shape_count (in[i]) == 1
                         || (i > 0 && attrs == NULL && !slope && !batch_norm)
                     ? ocl_shape_of_ones (out->rank)
                     : align_at (in[i], out->rank, axis);
  }
}
