/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* b is no constant, and its rows are read where they lie; only the last,
 * partial panel is packed. */

#include "cpu/gemm/impl.h"

#include "cpu/base/posts.h"

/* Rows below which packing b takes longer than it saves. */
#define FEW_ROWS 8

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuMatMul *mm = problem;

  return !mm->constant && mm->dims.b_n == 1;
}

static guint
cost (const CpuStep *step, gconstpointer problem)
{
  const CpuMatMul *mm = problem;

  return mm->dims.m < FEW_ROWS ? CPU_MATMUL_COST_DIRECT_FEW_ROWS
                               : CPU_MATMUL_COST_DIRECT;
}

/* Leaves the columns of @g from @first on; @epilogue is memory for theirs. */
static void
skip_columns (CpuGemm *g, CpuEpilogue *epilogue, gsize first)
{
  g->c += first;
  g->n -= first;
  if (g->epilogue == NULL)
    return;
  *epilogue = *g->epilogue;
  cpu_posts_skip_channels (epilogue, first);
  if (epilogue->residual != NULL)
    epilogue->residual += first;
  g->epilogue = epilogue;
}

static void
run_product (CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gsize p)
{
  const float *b = cpu_matmul_b (step, plan, p);
  float *panel = cpu_widen_more (&plan->widen, step);
  const gsize n = g->n, whole = n / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  CpuEpilogue epilogue;

  g->b = b;
  g->b_panel = CPU_GEMM_PANEL;
  g->b_k = n;
  g->n = whole;
  if (whole > 0)
    cpu_gemm_run (step, g, CPU_GEMM_F32);
  g->n = n;
  if (whole == n)
    return;
  cpu_gemm_pack (panel, b + whole, g->k, n - whole, n, 1);
  skip_columns (g, &epilogue, whole);
  g->b = panel;
  g->b_k = CPU_GEMM_PANEL;
  cpu_gemm_run (step, g, CPU_GEMM_F32);
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  const CpuMatMul *mm = problem;

  step->kernel = "gemm_f32";
  return cpu_matmul_plan_new (step, mm, run_product, NULL,
      cpu_scratch_add (0, CPU_GEMM_PANEL * mm->dims.k, sizeof (float)), error);
}

const CpuImpl cpu_matmul_impl_direct = {
  .name = "direct",
  .can = can,
  .cost = cost,
  .prepare = prepare,
  .run = cpu_matmul_run,
  .free = g_free,
};
