/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gemm/impl.h"

#include "cpu/base/unpack.h"

gboolean
cpu_matmul_prefers_dot (const CpuMatMul *mm)
{
  const CpuMatMulDims *d = &mm->dims;

  return (d->n == 1 && d->a_k == 1)
         || (d->m == 1 && d->b_k == 1
             && !(mm->constant && d->n >= CPU_GEMM_PANEL / 2));
}

CpuMatMulPlan *
cpu_matmul_plan_new (CpuStep *step, const CpuMatMul *mm, CpuMatMulFunc func,
    gconstpointer packed, gsize more, GError **error)
{
  g_autofree CpuMatMulPlan *plan = g_new0 (CpuMatMulPlan, 1);

  plan->mm = mm;
  plan->func = func;
  plan->packed = packed;
  if ((packed == NULL && !cpu_step_want_data (step, 1, error))
      || !cpu_widen_prepare (&plan->widen, step, INFER_TYPE_F32,
          packed != NULL ? 1 << 1 : 0, more, error))
    return NULL;
  return g_steal_pointer (&plan);
}

const float *
cpu_matmul_b (const CpuStep *step, const CpuMatMulPlan *plan, gsize p)
{
  const float *b = cpu_widen_in (&plan->widen, step, 1);

  return b + plan->mm->dims.b_offsets[p];
}

gboolean
cpu_matmul_run (CpuStep *step, gconstpointer self, GError **error)
{
  const CpuMatMulPlan *plan = self;
  const CpuMatMul *mm = plan->mm;
  const CpuMatMulDims *d = &mm->dims;
  const float *a = cpu_widen_in (&plan->widen, step, 0);
  float *c = cpu_widen_out (&plan->widen, step, 0);
  CpuEpilogue epilogue = mm->epilogue;
  /* Operands for k == 0, which may have no memory. */
  static const float nothing[CPU_GEMM_PANEL];

  for (gsize p = 0; p < d->batch && !cpu_step_is_cancelled (step); p++) {
    CpuGemm g = { .m = d->m,
      .n = d->n,
      .k = d->k,
      .a = d->k > 0 ? a + d->a_offsets[p] : nothing,
      .a_row = d->a_row,
      .a_k = d->a_k,
      .b = nothing,
      .b_panel = d->k * CPU_GEMM_PANEL,
      .b_k = CPU_GEMM_PANEL,
      .a_group = plan->a_group,
      .c = c + p * d->m * d->n,
      .c_row = d->n,
      .epilogue = mm->arrays != NULL ? &epilogue : NULL };

    if (mm->residual != NULL)
      epilogue.residual = (const float *) mm->residual->data + p * d->m * d->n;
    if (d->k == 0)
      cpu_gemm_run (step, &g, CPU_GEMM_F32);
    else
      plan->func (step, plan, &g, p);
  }
  cpu_widen_finish (&plan->widen, step);
  return TRUE;
}
