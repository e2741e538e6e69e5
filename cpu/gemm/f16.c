/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products of f16 or bf16: b is a constant packed as such. */

#include "cpu/base/f16-gemm.h"
#include "cpu/gemm/impl.h"

/* Fewer weights are in the first-level cache anyway. */
#define LEAST_WEIGHTS 8192

gboolean
cpu_matmul_wants_f16 (const CpuStep *step, const CpuMatMul *mm)
{
  const CpuMatMulDims *d = &mm->dims;

  return mm->constant && (d->a_k == 1 || d->a_row == 1) && d->n >= CPU_F16_LANES
         && d->k >= 2 * CPU_F16_LANES && step->in[1]->n == d->k * d->n
         && step->in[1]->n >= LEAST_WEIGHTS
         && (cpu_f16_wanted (step, 1) || cpu_bf16_wanted (step, 1, d->m));
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  return cpu_matmul_wants_f16 (step, problem);
}

/* @data: the numbers that are the pack's key. */
static gpointer
make_packed (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const gint64 *of = data;
  const gsize k = (gsize) of[0], n = (gsize) of[1];
  g_autoptr (CpuBorrowedFloats) copy = NULL;
  const float *from = cpu_gemm_floats (step->kernels, step->in[input], &copy);

  const gboolean bf16 = of[4] != 0;

  *bytes = cpu_f16_matrix_size (k, n, bf16);
  gpointer to = from != NULL ? cpu_alloc_pack (*bytes) : NULL;
  if (to != NULL
      && !cpu_f16_pack_matrix (
          to, from, k, n, (gsize) of[2], (gsize) of[3], bf16))
    g_clear_pointer (&to, cpu_free);
  return to;
}

/* Bytes of scratch for the rows of a, where it is transposed; they come first.
 */
static gsize
rows_size (const CpuMatMulDims *d)
{
  return d->a_k == 1 ? 0 : cpu_scratch_add (0, d->m * d->k, sizeof (float));
}

static gboolean
is_stored_bf16 (const CpuValue *value)
{
  return value->form.f16 != NULL && value->form.f16->bf16;
}

static void
run_any (CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gboolean bf16)
{
  char *scratch = cpu_widen_more (&plan->widen, step);
  const gsize rows = rows_size (&plan->mm->dims);

  if (rows > 0) {
    step->kernels->transpose_u32 (
        (gpointer) scratch, g->k, (gconstpointer) g->a, g->a_k, g->k, g->m);
    g->a = (const float *) (gpointer) scratch;
    g->a_row = g->k;
  }
  CpuF16Product product = { .m = g->m,
    .n = g->n,
    .k = g->k,
    .matrices = 1,
    .bf16 = bf16,
    .a = g->a,
    .a_row = g->a_row,
    .b = plan->packed,
    .c = g->c,
    .c_row = g->c_row,
    .scratch = (gpointer) (scratch + rows) };

  if (is_stored_bf16 (step->in[0]))
    product.a_bf16 = (gconstpointer) g->a;
  if (is_stored_bf16 (step->out[0]))
    product.c_bf16 = (gpointer) g->c;
  if (g->epilogue != NULL)
    product.epilogue = *g->epilogue;
  cpu_f16_product (step, &product);
}

static void
run_f16 (CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gsize p)
{
  run_any (step, plan, g, FALSE);
}

static void
run_bf16 (CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gsize p)
{
  run_any (step, plan, g, TRUE);
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  const CpuMatMul *mm = problem;
  const CpuMatMulDims *d = &mm->dims;
  const gboolean bf16 = cpu_bf16_wanted (step, 1, d->m);
  gint64 params[] = { (gint64) d->k, (gint64) d->n, (gint64) d->b_k,
    (gint64) d->b_n, bf16 };
  gconstpointer packed = cpu_step_pack (step, 1, "gemm-halves-3",
      G_N_ELEMENTS (params), params, make_packed, params);

  if (packed == NULL)
    return NULL;
  step->kernel = bf16 ? "gemm_bf16_packed" : "gemm_half_packed";
  return cpu_matmul_plan_new (step, mm, bf16 ? run_bf16 : run_f16, packed,
      cpu_scratch_add (rows_size (d), cpu_f16_scratch (d->m, d->k, bf16), 1),
      error);
}

const CpuImpl cpu_matmul_impl_f16 = {
  .name = "f16",
  .can = can,
  .prepare = prepare,
  .run = cpu_matmul_run,
  .free = g_free,
};

/* One product of bf16 with rows of floats. */
static gboolean
may_store_bf16 (const CpuStep *step, const CpuImplUse *use)
{
  const CpuMatMulPlan *plan = use->self;

  return use->impl == &cpu_matmul_impl_f16 && plan->func == run_bf16
         && plan->mm->dims.batch == 1 && plan->mm->dims.a_k == 1
         && plan->mm->dims.k > 0 && step->in[0]->desc.type == INFER_TYPE_F32
         && step->out[0]->desc.type == INFER_TYPE_F32;
}

gboolean
cpu_matmul_reads_bf16 (
    const CpuStep *step, const CpuImplUse *use, const CpuValue *value)
{
  const CpuMatMulPlan *plan = use->self;

  return may_store_bf16 (step, use) && value == step->in[0]
         && value != plan->mm->residual;
}

gboolean
cpu_matmul_gives_bf16 (const CpuStep *step, const CpuImplUse *use)
{
  return may_store_bf16 (step, use);
}
