/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One row or one column: dot products with the rows or columns of the other
 * operand, which lie in one piece. */

#include "cpu/gemm/impl.h"

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuMatMul *mm = problem;
  const CpuMatMulDims *d = &mm->dims;

  return (d->n == 1 && d->a_k == 1) || (d->m == 1 && d->b_k == 1);
}

static guint
cost (const CpuStep *step, gconstpointer problem)
{
  return cpu_matmul_prefers_dot (problem) ? CPU_MATMUL_COST_DOT
                                          : CPU_MATMUL_COST_DOT_PACKABLE;
}

static void
run_product (CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gsize p)
{
  const CpuMatMulDims *d = &plan->mm->dims;
  const float *b = cpu_matmul_b (step, plan, p);

  if (d->n == 1 && d->a_k == 1)
    step->kernels->dot_rows_f32 (g->c, g->a, d->a_row, b, d->m, d->k);
  else
    step->kernels->dot_rows_f32 (g->c, b, d->b_n, g->a, d->n, d->k);
  cpu_gemm_run_epilogue (step, g);
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  step->kernel = "dot_f32";
  return cpu_matmul_plan_new (step, problem, run_product, NULL, 0, error);
}

const CpuImpl cpu_matmul_impl_dot = {
  .name = "dot",
  .can = can,
  .cost = cost,
  .prepare = prepare,
  .run = cpu_matmul_run,
  .free = g_free,
};
