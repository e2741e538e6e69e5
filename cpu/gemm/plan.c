/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gemm/impl.h"

#include "cpu/base/unpack.h"
#include "inference/runtime/backend.h"

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

/* Product @p of @a and b, which it lacks, to @c; @epilogue is memory for its
 * epilogue. */
static CpuGemm
product_of (const CpuMatMulPlan *plan, const float *a, float *c, gsize p,
    CpuEpilogue *epilogue)
{
  const CpuMatMul *mm = plan->mm;
  const CpuMatMulDims *d = &mm->dims;
  /* Operands for k == 0, which may have no memory. */
  static const float nothing[CPU_GEMM_PANEL];

  *epilogue = mm->epilogue;
  if (mm->residual != NULL)
    epilogue->residual = (const float *) mm->residual->data + p * d->m * d->n;
  return (CpuGemm){ .m = d->m,
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
    .epilogue = mm->arrays != NULL ? epilogue : NULL };
}

gboolean
cpu_matmul_run (CpuStep *step, gconstpointer self, GError **error)
{
  const CpuMatMulPlan *plan = self;
  const CpuMatMulDims *d = &plan->mm->dims;
  const float *a = cpu_widen_in (&plan->widen, step, 0);
  float *c = cpu_widen_out (&plan->widen, step, 0);

  for (gsize p = 0; p < d->batch && !cpu_step_is_cancelled (step); p++) {
    CpuEpilogue epilogue;
    CpuGemm g = product_of (plan, a, c, p, &epilogue);

    if (d->k == 0)
      cpu_gemm_run (step, &g, CPU_GEMM_F32);
    else if (plan->set_b != NULL)
      cpu_gemm_run (step, &g, plan->set_b (step, plan, &g, p));
    else
      plan->func (step, plan, &g, p);
  }
  cpu_widen_finish (&plan->widen, step);
  return TRUE;
}

/* One product with a b that it only reads. */
static gboolean
can_be_joint (const CpuMatMulPlan *plan, const CpuMatMulPlan *first)
{
  const CpuMatMulDims *d = &plan->mm->dims;

  return plan->set_b != NULL && plan->set_b == first->set_b
         && plan->packed == first->packed && plan->first == NULL
         && d->batch == 1 && d->k > 0 && d->k == first->mm->dims.k
         && d->n == first->mm->dims.n;
}

gboolean
cpu_matmul_run_joint (
    CpuStep *const *steps, const CpuMatMulPlan *const *plans, guint n)
{
  CpuEpilogue epilogues[INFER_MOST_JOINT];
  CpuGemm products[INFER_MOST_JOINT] = { { 0 } };
  CpuGemmType type = CPU_GEMM_F32;

  for (guint i = 0; i < n; i++)
    if (!can_be_joint (plans[i], plans[0]))
      return FALSE;
  for (guint i = 0; i < n; i++) {
    products[i] =
        product_of (plans[i], cpu_widen_in (&plans[i]->widen, steps[i], 0),
            cpu_widen_out (&plans[i]->widen, steps[i], 0), 0, &epilogues[i]);
    type = plans[i]->set_b (steps[i], plans[i], &products[i], 0);
  }
  cpu_gemm_run_joint (steps[0]->kernels, products, n, type);
  for (guint i = 0; i < n; i++)
    cpu_widen_finish (&plans[i]->widen, steps[i]);
  return TRUE;
}
