/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* b is no constant: packed in each run. */

#include "cpu/gemm/impl.h"

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuMatMul *mm = problem;

  return !mm->constant;
}

static guint
cost (const CpuStep *step, gconstpointer problem)
{
  return CPU_MATMUL_COST_PACK;
}

static void
run_product (CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gsize p)
{
  const CpuMatMulDims *d = &plan->mm->dims;
  float *packed = cpu_widen_more (&plan->widen, step);

  if (p == 0 || d->b_offsets[p] != d->b_offsets[p - 1])
    cpu_gemm_pack_by (step->kernels, packed, cpu_matmul_b (step, plan, p), d->k,
        d->n, d->b_k, d->b_n);
  g->b = packed;
  cpu_gemm_run (step, g, CPU_GEMM_F32);
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  const CpuMatMul *mm = problem;
  const gsize floats = cpu_gemm_packed_size (mm->dims.k, mm->dims.n);

  step->kernel = "gemm_f32";
  return cpu_matmul_plan_new (step, mm, run_product, NULL,
      cpu_scratch_add (0, floats, sizeof (float)), error);
}

const CpuImpl cpu_matmul_impl_pack = {
  .name = "pack",
  .can = can,
  .cost = cost,
  .prepare = prepare,
  .run = cpu_matmul_run,
  .free = g_free,
};
