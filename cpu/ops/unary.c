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
  const InferOpClass *klass;
  CpuUnary what;
} names[] = {
  { &infer_op_abs, CPU_UNARY_ABS },
  { &infer_op_acos, CPU_UNARY_ACOS },
  { &infer_op_acosh, CPU_UNARY_ACOSH },
  { &infer_op_asin, CPU_UNARY_ASIN },
  { &infer_op_asinh, CPU_UNARY_ASINH },
  { &infer_op_atan, CPU_UNARY_ATAN },
  { &infer_op_atanh, CPU_UNARY_ATANH },
  { &infer_op_ceiling, CPU_UNARY_CEIL },
  { &infer_op_clamp, CPU_UNARY_CLAMP },
  { &infer_op_cos, CPU_UNARY_COS },
  { &infer_op_cosh, CPU_UNARY_COSH },
  { &infer_op_elu, CPU_UNARY_ELU },
  { &infer_op_erf, CPU_UNARY_ERF },
  { &infer_op_erf_inv, CPU_UNARY_ERFINV },
  { &infer_op_exp, CPU_UNARY_EXP },
  { &infer_op_floor, CPU_UNARY_FLOOR },
  { &infer_op_gelu, CPU_UNARY_GELU_ERF },
  { &infer_op_hard_sigmoid, CPU_UNARY_HARD_SIGMOID },
  { &infer_op_hsigmoid, CPU_UNARY_HSIGMOID },
  { &infer_op_hswish, CPU_UNARY_HSWISH },
  { &infer_op_log, CPU_UNARY_LOG },
  { &infer_op_mish, CPU_UNARY_MISH },
  { &infer_op_negative, CPU_UNARY_NEG },
  { &infer_op_relu, CPU_UNARY_RELU },
  { &infer_op_round, CPU_UNARY_RINT },
  { &infer_op_selu, CPU_UNARY_SELU },
  { &infer_op_sigmoid, CPU_UNARY_SIGMOID },
  { &infer_op_sign, CPU_UNARY_SIGN },
  { &infer_op_sin, CPU_UNARY_SIN },
  { &infer_op_sinh, CPU_UNARY_SINH },
  { &infer_op_soft_plus, CPU_UNARY_SOFTPLUS },
  { &infer_op_soft_sign, CPU_UNARY_SOFTSIGN },
  { &infer_op_sqrt, CPU_UNARY_SQRT },
  { &infer_op_swish, CPU_UNARY_SWISH },
  { &infer_op_tan, CPU_UNARY_TAN },
  { &infer_op_tanh, CPU_UNARY_TANH },
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
    if (infer_op_is (op, names[i].klass)) {
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

/* f16 and bf16 through f32. */
static void
run_f16 (const Unary *unary, gsize begin, gsize end)
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

/* Operations that map integers to integers; FALSE: computed in double. */
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
    run_f16 (unary, begin, end);
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

#define UNARY(name)                                                            \
  const CpuOp cpu_op_##name = {                                                \
    .flags = CPU_OP_INPLACE | CPU_OP_ANY_LAYOUT,                               \
    .absorb = cpu_chain_can_absorb,                                            \
    .prepare = prepare,                                                        \
    .run = run,                                                                \
    .release = release,                                                        \
  };

/* clang-format off */
UNARY (abs)
UNARY (acos)
UNARY (acosh)
UNARY (asin)
UNARY (asinh)
UNARY (atan)
UNARY (atanh)
UNARY (ceiling)
UNARY (clamp)
UNARY (cos)
UNARY (cosh)
UNARY (elu)
UNARY (erf)
UNARY (erf_inv)
UNARY (exp)
UNARY (floor)
UNARY (gelu)
UNARY (hard_sigmoid)
UNARY (hsigmoid)
UNARY (hswish)
UNARY (log)
UNARY (mish)
UNARY (negative)
UNARY (relu)
UNARY (round)
UNARY (selu)
UNARY (sigmoid)
UNARY (sign)
UNARY (sin)
UNARY (sinh)
UNARY (soft_plus)
UNARY (soft_sign)
UNARY (sqrt)
UNARY (swish)
UNARY (tan)
UNARY (tanh)
/* clang-format on */
