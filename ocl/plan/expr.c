/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/plan/expr.h"

#include "inference/graph/ops/elementwise.h"
#include "inference/graph/ops/normalization.h"
#include "ocl/plan/walk.h"

#include <math.h>

typedef struct
{
  const InferOpClass *klass;
  gboolean rows;       /* means the same where operands are vectors */
  const char *real;    /* for floating-point operands; NULL: none */
  const char *integer; /* for integers; "": as real; NULL: none */
  const char *boolean; /* for booleans; "": as integer; NULL: none */
} OclExpr;

#define ONE FALSE
#define ROWS TRUE
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
#define EXPR(name, ...) { &infer_op_##name, __VA_ARGS__ },
#include "ocl/plan/expr-list.h"
#undef EXPR
};

/* Texts that the table's entry does not cover. */
#define VARIANT(...)                                                           \
  {                                                                            \
    NULL, ONE, __VA_ARGS__                                                     \
  }

static const OclExpr swish_beta = VARIANT (SWISH_BETA, NULL, NULL);
/* Before version 5 the data are the third input. */
static const OclExpr old_batch_norm =
    VARIANT ("($2 - $3) / sqrt ($4 + $a) * $0 + $1", NULL, NULL);
static const OclExpr erf_f64 = VARIANT ("erf ($0)", NULL, NULL);
static const OclExpr gelu_f64 = VARIANT (GELU ("erf"), NULL, NULL);
static const OclExpr fake_quantize_f64 =
    VARIANT (FAKE_QUANTIZE ("rint"), NULL, NULL);
static const OclExpr gelu_tanh =
    VARIANT ("$0 * 0.5@ * (1 + tanh (0.79788456080286536@ * ($0 + 0.044715@ * "
             "$0 * $0 * $0)))",
        NULL, NULL);
static const OclExpr round_away = VARIANT ("round ($0)", "$0", NULL);
static const OclExpr floor_divide = VARIANT ("$0 / $1",
    "$1 == 0 ? 0 : $1 == (T) -1 ? -$0 : $0 / $1 - ($0 % $1 != 0 && ($0 < 0) "
    "!= ($1 < 0))",
    NULL);
static const OclExpr is_inf[3] = {
  VARIANT ("0", "0", NULL),
  VARIANT ("$0 == -INFINITY", "0", NULL),
  VARIANT ("$0 == INFINITY", "0", NULL),
};
/* Powers that need no logarithm.  pow (-inf, 0.5) is +inf and pow (-0, 0.5) is
 * +0, unlike the square root. */
static const struct
{
  double exponent;
  OclExpr expr;
} powers[] = {
  { 2, VARIANT ("$0 * $0", NULL, NULL) },
  { 3, VARIANT ("$0 * $0 * $0", NULL, NULL) },
  { -1, VARIANT ("1 / $0", NULL, NULL) },
  { 0.5, VARIANT ("$0 == -INFINITY ? INFINITY : sqrt ($0 + 0)", NULL, NULL) },
};

/* NULL: the exponent is not a single constant, or none of these. */
static const OclExpr *
find_power (const InferOperation *op)
{
  const InferOperation *exponent = op->inputs[1].op;

  if (exponent == NULL || exponent->value == NULL
      || infer_shape_count (&exponent->value->shape) != 1)
    return NULL;
  g_autoptr (GArray) values = infer_tensor_to_doubles (exponent->value);
  for (gsize i = 0; values != NULL && i < G_N_ELEMENTS (powers); i++)
    if (g_array_index (values, double, 0) == powers[i].exponent)
      return &powers[i].expr;
  return NULL;
}

static const OclExpr *
find_entry (const InferOpClass *klass)
{
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    if (table[i].klass == klass)
      return &table[i];
  return NULL;
}

/* NULL: the table's entry. */
static const OclExpr *
find_variant (const InferOperation *op)
{
  const gboolean f64 = op->outputs[0].desc.type == INFER_TYPE_F64;
  const InferUnary *unary = op->attrs;
  const InferBinary *binary = op->attrs;

  if (infer_op_is (op, &infer_op_power))
    return find_power (op);
  if (infer_op_is (op, &infer_op_swish) && op->n_inputs > 1)
    return &swish_beta;
  if (infer_op_is (op, &infer_op_batch_norm_inference) && op->version < 5)
    return &old_batch_norm;
  if (infer_op_is (op, &infer_op_fake_quantize) && f64)
    return &fake_quantize_f64;
  if (infer_op_is (op, &infer_op_erf) && f64)
    return &erf_f64;
  if (infer_op_is (op, &infer_op_gelu) && unary->mode == INFER_GELU_TANH)
    return &gelu_tanh;
  if (infer_op_is (op, &infer_op_gelu) && f64)
    return &gelu_f64;
  if (infer_op_is (op, &infer_op_round)
      && unary->mode == INFER_ROUND_HALF_AWAY_FROM_ZERO)
    return &round_away;
  if (infer_op_is (op, &infer_op_divide) && binary->python_div)
    return &floor_divide;
  if (infer_op_is (op, &infer_op_is_inf) && (unary->mode & 3) != 3)
    return &is_inf[unary->mode & 3];
  return NULL;
}

static const OclExpr *
find_expr (const InferOperation *op)
{
  const OclExpr *entry = find_entry (op->klass);
  const OclExpr *variant = entry != NULL ? find_variant (op) : NULL;

  return variant != NULL ? variant : entry;
}

/* Its text depends on both types: see append_convert. */
static gboolean
is_convert (const InferOperation *op)
{
  return infer_op_is (op, &infer_op_convert)
         || infer_op_is (op, &infer_op_convert_like);
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

gboolean
ocl_expr_exists (const InferOperation *op, InferType type)
{
  const OclExpr *expr = find_expr (op);

  return expr != NULL && (is_convert (op) || text_for (expr, type) != NULL);
}

gboolean
ocl_expr_takes_rows (const InferOperation *op)
{
  const OclExpr *entry = find_entry (op->klass);

  return entry != NULL && entry->rows;
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

/* For integers: the attribute, clamped to the range of long. */
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
  if (infer_op_is (op, &infer_op_batch_norm_inference))
    return ((const InferBatchNorm *) op->attrs)->epsilon;
  if (infer_op_is (op, &infer_op_fake_quantize))
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

/* As infer_convert: floating-point numbers saturate, integers wrap. */
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
  InferType type = types[0];

  g_string_append (text, "  ");
  ocl_expr_append_type (text, out, rows);
  g_string_append_printf (text, " %s = (", result);
  ocl_expr_append_type (text, out, rows);
  g_string_append (text, ") (");
  if (is_convert (op))
    append_convert (text, operands[0], type, out);
  else
    expand (text, text_for (find_expr (op), type), op, operands, type, rows);
  g_string_append (text, ");\n");
}

/* --- shapes --- */

/* NULL: the other operands are single numbers, or not read. */
static const InferBinary *
broadcast_of (const InferOperation *op)
{
  return op->n_inputs > 1 && !infer_op_is (op, &infer_op_batch_norm_inference)
                 && !infer_op_is (op, &infer_op_convert_like)
                 && !infer_op_is (op, &infer_op_hard_sigmoid)
                 && !infer_op_is (op, &infer_op_prelu)
                 && !infer_op_is (op, &infer_op_selu)
                 && !infer_op_is (op, &infer_op_swish)
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
  const gboolean slope = infer_op_is (op, &infer_op_prelu);
  const gboolean batch_norm = infer_op_is (op, &infer_op_batch_norm_inference);
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
