/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* b is a constant of small integers times a scale for each column, packed as
 * such: a quarter of the bytes of f32. */

#include "cpu/gemm/impl.h"

#include "cpu/base/unpack.h"

/* Rows from which on multiplications cost more than reading b, and these are
 * slower than f32's; quantised activations are faster for any number. */
#define MANY_ROWS 32

/* Stored as bytes in the file: f16 would be more to read. */
static gboolean
are_bytes (const CpuValue *value)
{
  return value->unpack != NULL
         && infer_type_size (value->unpack->stored.codes->type) == 1;
}

static gconstpointer
pack (CpuStep *step, const CpuMatMulDims *d)
{
  return cpu_gemm_integers (step, 1, d->k, d->n, d->b_k, d->b_n);
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuMatMul *mm = problem;
  const CpuMatMulDims *d = &mm->dims;

  return mm->constant && !cpu_matmul_prefers_dot (mm)
         && step->in[1]->n == d->k * d->n
         && (d->m < MANY_ROWS || cpu_gemm_bytes_group (step, 1, d->k) > 0)
         && (are_bytes (step->in[1]) || !cpu_matmul_wants_f16 (step, mm))
         && pack (step, d) != NULL;
}

static CpuGemmType
set_b (CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gsize p)
{
  return cpu_gemm_set_integers (
      step, g, plan->packed, cpu_widen_more (&plan->widen, step));
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  const CpuMatMul *mm = problem;
  const CpuMatMulDims *d = &mm->dims;
  const gsize a_group = cpu_gemm_bytes_group (step, 1, d->k);
  gconstpointer packed = pack (step, d);
  CpuMatMulPlan *plan = cpu_matmul_plan_new (step, mm, NULL, packed,
      cpu_gemm_integers_room (packed, d->m, d->k, a_group), error);

  if (plan == NULL)
    return NULL;
  plan->set_b = set_b;
  plan->a_group = a_group;
  step->kernel = a_group > 0 ? "gemm_bytes_packed" : "gemm_i8_packed";
  return plan;
}

const CpuImpl cpu_matmul_impl_int8 = {
  .name = "int8",
  .can = can,
  .prepare = prepare,
  .run = cpu_matmul_run,
  .free = g_free,
};
