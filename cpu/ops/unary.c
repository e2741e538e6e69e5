/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element-wise operations of one operand. */

#include "cpu/kernels/scalar.h"
#include "cpu/ops/chain.h"
#include "cpu/ops/elementwise.h"
#include "inference/graph/ops/elementwise.h"

#include <math.h>

#define TILE 512
#define GRAIN 8192

typedef struct
{
  CpuUnary what;
  float a, b;
  double exact_a, exact_b; /* of Clamp and Elu in double */
  const CpuKernels *kernels;
  CpuChain *chain; /* nullable */
  InferType type;
  const char *src;
  char *dst;
} Unary;

static const struct
{
  const char *type;
  CpuUnary what;
} names[] = {
  { "Abs", CPU_UNARY_ABS },
  { "Acos", CPU_UNARY_ACOS },
  { "Acosh", CPU_UNARY_ACOSH },
  { "Asin", CPU_UNARY_ASIN },
  { "Asinh", CPU_UNARY_ASINH },
  { "Atan", CPU_UNARY_ATAN },
  { "Atanh", CPU_UNARY_ATANH },
  { "Ceiling", CPU_UNARY_CEIL },
  { "Clamp", CPU_UNARY_CLAMP },
  { "Cos", CPU_UNARY_COS },
  { "Cosh", CPU_UNARY_COSH },
  { "Elu", CPU_UNARY_ELU },
  { "Erf", CPU_UNARY_ERF },
  { "ErfInv", CPU_UNARY_ERFINV },
  { "Exp", CPU_UNARY_EXP },
  { "Floor", CPU_UNARY_FLOOR },
  { "Gelu", CPU_UNARY_GELU_ERF },
  { "HardSigmoid", CPU_UNARY_HARD_SIGMOID },
  { "HSigmoid", CPU_UNARY_HSIGMOID },
  { "HSwish", CPU_UNARY_HSWISH },
  { "Log", CPU_UNARY_LOG },
  { "Mish", CPU_UNARY_MISH },
  { "Negative", CPU_UNARY_NEG },
  { "ReLU", CPU_UNARY_RELU },
  { "Round", CPU_UNARY_RINT },
  { "Selu", CPU_UNARY_SELU },
  { "Sigmoid", CPU_UNARY_SIGMOID },
  { "Sign", CPU_UNARY_SIGN },
  { "Sin", CPU_UNARY_SIN },
  { "Sinh", CPU_UNARY_SINH },
  { "SoftPlus", CPU_UNARY_SOFTPLUS },
  { "SoftSign", CPU_UNARY_SOFTSIGN },
  { "Sqrt", CPU_UNARY_SQRT },
  { "Swish", CPU_UNARY_SWISH },
  { "Tan", CPU_UNARY_TAN },
  { "Tanh", CPU_UNARY_TANH },
};

/* The one element of an operand. */
static double
number (const CpuValue *value)
{
  double x = 0;

  infer_convert (&x, INFER_TYPE_F64, value->data, value->desc.type, 1);
  return x;
}

static void
read_parameters (
    const InferOperation *op, const CpuValue *const *in, Unary *unary)
{
  const InferUnary *attrs = op->attrs;

  unary->exact_a = attrs->a;
  unary->exact_b = attrs->b;
  if (unary->what == CPU_UNARY_SWISH)
    unary->exact_a = 1;
  if (unary->what == CPU_UNARY_SWISH || unary->what == CPU_UNARY_HARD_SIGMOID
      || unary->what == CPU_UNARY_SELU) {
    if (op->n_inputs > 1)
      unary->exact_a = number (in[1]);
    if (op->n_inputs > 2)
      unary->exact_b = number (in[2]);
  }
  if (unary->what == CPU_UNARY_GELU_ERF && attrs->mode == INFER_GELU_TANH)
    unary->what = CPU_UNARY_GELU_TANH;
  if (unary->what == CPU_UNARY_RINT
      && attrs->mode == INFER_ROUND_HALF_AWAY_FROM_ZERO)
    unary->what = CPU_UNARY_ROUND;
  unary->a = (float) unary->exact_a;
  unary->b = (float) unary->exact_b;
}

static gboolean
find (const InferOperation *op, CpuUnary *what)
{
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (infer_op_has_type (op, names[i].type)) {
      *what = names[i].what;
      return TRUE;
    }
  return FALSE;
}

gboolean
cpu_unary_of (const InferOperation *op, const CpuValue *const *in,
    CpuUnary *what, float *a, float *b)
{
  Unary unary = { 0 };

  if (!find (op, &unary.what))
    return FALSE;
  for (guint i = 1; i < op->n_inputs; i++)
    if (in == NULL || in[i] == NULL || !in[i]->constant || in[i]->n != 1)
      return FALSE;
  read_parameters (op, in, &unary);
  *what = unary.what;
  *a = unary.a;
  *b = unary.b;
  return TRUE;
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  Unary *unary = g_new0 (Unary, 1);

  step->priv = unary;
  unary->kernels = step->kernels;
  unary->chain = cpu_chain_new (step);
  unary->type = step->in[0]->desc.type;
  for (guint i = 1; i < step->n_in; i++)
    if (step->in[i]->n != 1)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "input %u has %" G_GSIZE_FORMAT " elements, not one", i,
          step->in[i]->n);
  step->kernel = unary->chain != NULL               ? "vec_f32_chain"
                 : unary->type == INFER_TYPE_F32    ? "vec_f32"
                 : infer_type_is_real (unary->type) ? "ref_real"
                                                    : "ref_integer";
  return TRUE;
}

/* Half floats through float. */
static void
run_half (const Unary *unary, gsize begin, gsize end)
{
  float tile[TILE];
  gsize size = infer_type_size (unary->type);

  for (gsize i = begin; i < end; i += TILE) {
    gsize n = MIN (TILE, end - i);

    infer_convert (tile, INFER_TYPE_F32, unary->src + i * size, unary->type, n);
    unary->kernels->unary_f32 (unary->what, tile, tile, n, unary->a, unary->b);
    infer_convert (unary->dst + i * size, unary->type, tile, INFER_TYPE_F32, n);
  }
}

static void
run_double (const Unary *unary, gsize begin, gsize end)
{
  double tile[TILE];
  gsize size = infer_type_size (unary->type);

  for (gsize i = begin; i < end; i += TILE) {
    gsize n = MIN (TILE, end - i);

    infer_convert (tile, INFER_TYPE_F64, unary->src + i * size, unary->type, n);
    for (gsize j = 0; j < n; j++)
      tile[j] = cpu_unary_scalar (
          unary->what, tile[j], unary->exact_a, unary->exact_b);
    infer_convert (unary->dst + i * size, unary->type, tile, INFER_TYPE_F64, n);
  }
}

static gint64
to_integer (double x)
{
  return x >= 9.2e18 ? G_MAXINT64 : x <= -9.2e18 ? G_MININT64 : (gint64) x;
}

/* What keeps integers integers; FALSE: the result goes through double. */
static gboolean
integer_tile (const Unary *unary, gint64 *tile, gsize n)
{
  gint64 low = to_integer (ceil (unary->exact_a));
  gint64 high = to_integer (floor (unary->exact_b));
  gboolean is_signed = infer_type_is_signed (unary->type);

  switch (unary->what) {
    case CPU_UNARY_FLOOR:
    case CPU_UNARY_CEIL:
    case CPU_UNARY_RINT:
    case CPU_UNARY_ROUND:
      return TRUE;
    case CPU_UNARY_ABS:
    case CPU_UNARY_RELU:
      for (gsize i = 0; i < n && is_signed; i++)
        if (tile[i] < 0)
          tile[i] = unary->what == CPU_UNARY_RELU
                        ? 0
                        : (gint64) (0 - (guint64) tile[i]);
      return TRUE;
    case CPU_UNARY_NEG:
      for (gsize i = 0; i < n; i++)
        tile[i] = (gint64) (0 - (guint64) tile[i]);
      return TRUE;
    case CPU_UNARY_SIGN:
      for (gsize i = 0; i < n; i++)
        tile[i] = tile[i] < 0 && is_signed ? -1 : tile[i] != 0;
      return TRUE;
    case CPU_UNARY_CLAMP:
      for (gsize i = 0; i < n; i++) {
        gboolean huge = tile[i] < 0 && !is_signed;

        tile[i] = huge || tile[i] > high ? (high < G_MAXINT64 ? high : tile[i])
                  : tile[i] < low        ? low
                                         : tile[i];
      }
      return TRUE;
    default:
      return FALSE;
  }
}

static void
run_integer (const Unary *unary, gsize begin, gsize end)
{
  gint64 tile[TILE];
  gsize size = infer_type_size (unary->type);

  for (gsize i = begin; i < end; i += TILE) {
    gsize n = MIN (TILE, end - i);

    infer_convert (tile, INFER_TYPE_I64, unary->src + i * size, unary->type, n);
    if (!integer_tile (unary, tile, n)) {
      run_double (unary, i, i + n);
      continue;
    }
    infer_convert (unary->dst + i * size, unary->type, tile, INFER_TYPE_I64, n);
  }
}

static void
run_float (const Unary *unary, gsize begin, gsize end)
{
  const float *src = (gconstpointer) unary->src;
  float *dst = (gpointer) unary->dst;
  gsize tile = unary->chain != NULL ? CPU_CHAIN_TILE : G_MAXSIZE;

  for (gsize i = begin; i < end;) {
    gsize n = MIN (tile, end - i);

    unary->kernels->unary_f32 (
        unary->what, dst + i, src + i, n, unary->a, unary->b);
    cpu_chain_apply (unary->chain, dst + i, i, n);
    i += n;
  }
}

static void
run_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Unary *unary = data;

  if (unary->type == INFER_TYPE_F32)
    run_float (unary, begin, end);
  else if (unary->type == INFER_TYPE_F64)
    run_double (unary, begin, end);
  else if (infer_type_is_real (unary->type))
    run_half (unary, begin, end);
  else
    run_integer (unary, begin, end);
}

static void
release (gpointer priv)
{
  Unary *unary = priv;

  if (unary != NULL)
    g_free (unary->chain);
  g_free (unary);
}

static gboolean
run (CpuStep *step, GError **error)
{
  Unary *unary = step->priv;

  find (step->op, &unary->what);
  read_parameters (step->op, (const CpuValue *const *) step->in, unary);
  unary->src = step->in[0]->data;
  unary->dst = step->out[0]->data;
  cpu_step_parallel (step, step->out[0]->n, GRAIN, run_range, unary);
  return TRUE;
}

#define UNARY(name, type_)                                                     \
  const CpuOp cpu_op_##name = {                                                \
    .type = type_,                                                             \
    .flags = CPU_OP_INPLACE | CPU_OP_ANY_LAYOUT,                               \
    .absorb = cpu_chain_can_absorb,                                            \
    .prepare = prepare,                                                        \
    .run = run,                                                                \
    .release = release,                                                        \
  };

/* clang-format off */
UNARY (abs, "Abs")
UNARY (acos, "Acos")
UNARY (acosh, "Acosh")
UNARY (asin, "Asin")
UNARY (asinh, "Asinh")
UNARY (atan, "Atan")
UNARY (atanh, "Atanh")
UNARY (ceiling, "Ceiling")
UNARY (clamp, "Clamp")
UNARY (cos, "Cos")
UNARY (cosh, "Cosh")
UNARY (elu, "Elu")
UNARY (erf, "Erf")
UNARY (erf_inv, "ErfInv")
UNARY (exp, "Exp")
UNARY (floor, "Floor")
UNARY (gelu, "Gelu")
UNARY (hard_sigmoid, "HardSigmoid")
UNARY (hsigmoid, "HSigmoid")
UNARY (hswish, "HSwish")
UNARY (log, "Log")
UNARY (mish, "Mish")
UNARY (negative, "Negative")
UNARY (relu, "ReLU")
UNARY (round, "Round")
UNARY (selu, "Selu")
UNARY (sigmoid, "Sigmoid")
UNARY (sign, "Sign")
UNARY (sin, "Sin")
UNARY (sinh, "Sinh")
UNARY (soft_plus, "SoftPlus")
UNARY (soft_sign, "SoftSign")
UNARY (sqrt, "Sqrt")
UNARY (swish, "Swish")
UNARY (tan, "Tan")
UNARY (tanh, "Tanh")
/* clang-format on */
