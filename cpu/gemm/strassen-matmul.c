/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* b is a constant that is packed once, as in packed.c, and all sizes are so
 * large that fewer multiplications pay off. */

#include "cpu/gemm/impl.h"

/* Two rows that are computed together have a part in each other's rounding, and
 * NaN in one makes both NaN: they must belong to one matrix.  Rows of a value
 * of two dimensions may as well be those of a batch. */
static gboolean
has_pairs (const CpuStep *step, const CpuMatMulDims *d)
{
  const InferShape *shape = cpu_in_shape (step, 0);
  const gsize rows =
      shape->rank >= 3 ? (gsize) shape->dims[shape->rank - 2] : 0;

  return rows == d->m || (rows > 0 && rows % 2 == 0);
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuMatMul *mm = problem;
  const CpuMatMulDims *d = &mm->dims;

  return mm->constant && d->a_k == 1 && cpu_strassen_pays (d->m, d->n, d->k)
         && has_pairs (step, d);
}

static guint
cost (const CpuStep *step, gconstpointer problem)
{
  return CPU_MATMUL_COST_STRASSEN;
}

static void
run_product (CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gsize p)
{
  char *memory = cpu_widen_more (&plan->widen, step);
  const CpuStrassen b = cpu_matmul_make_b (step, plan, p, memory);

  cpu_strassen_run (step, &b, g, memory + cpu_matmul_b_room (step, plan));
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  CpuMatMulPlan *plan = cpu_matmul_packed_plan (step, problem, TRUE, error);

  if (plan == NULL)
    return NULL;
  plan->func = run_product;
  plan->set_b = NULL;
  step->kernel = "strassen_f32";
  return plan;
}

const CpuImpl cpu_matmul_impl_strassen = {
  .name = "strassen",
  .can = can,
  .cost = cost,
  .prepare = prepare,
  .run = cpu_matmul_run_packed,
  .free = g_free,
};
