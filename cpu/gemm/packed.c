/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* b is a constant that is packed once, as f32, or as f16 where that loses
 * nothing and there are few rows. */

#include "cpu/base/unpack.h"
#include "cpu/gemm/impl.h"

/* Rows from which on multiplications cost more than reading b. */
#define MANY_ROWS 16

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuMatMul *mm = problem;

  return mm->constant;
}

static guint
cost (const CpuStep *step, gconstpointer problem)
{
  return CPU_MATMUL_COST_PACKED;
}

/* Columns of compressed weights that become floats at a time. */
#define COLUMNS (2 * CPU_GEMM_PANEL)

/* Compressed weights [n][k]: no more of them than some columns are floats
 * before they are packed. */
static gpointer
pack_stored (const CpuKernels *kernels, const InferCompressed *stored, gsize k,
    gsize n, gsize *bytes)
{
  g_autofree float *floats = g_try_new (float, COLUMNS *k);

  *bytes = cpu_gemm_packed_size (k, n) * sizeof *floats;
  float *to = floats != NULL ? cpu_alloc (*bytes) : NULL;
  for (gsize j = 0; to != NULL && j < n; j += COLUMNS) {
    const gsize columns = MIN (n - j, COLUMNS);

    infer_compressed_floats (stored, j * k, columns * k, floats);
    cpu_gemm_pack_by (kernels, to + j * k, floats, k, columns, 1, k);
  }
  return to;
}

/* The weights of @b if they can be packed by columns; else NULL. */
static const InferCompressed *
stored_columns (const CpuValue *b, const gint64 of[5])
{
  const gsize k = (gsize) of[0], n = (gsize) of[1];

  return b->data == NULL && b->unpack != NULL && of[2] == 1 && of[3] == of[0]
                 && b->n == k * n && k % 2 == 0 && of[4] == CPU_GEMM_F32
             ? &b->unpack->stored
             : NULL;
}

/* @data: the numbers that are the pack's key. */
static gpointer
make_packed (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const gint64 *of = data;
  const InferCompressed *stored = stored_columns (step->in[input], of);
  const gsize k = (gsize) of[0], n = (gsize) of[1];
  const gsize matrix = k * n, each = cpu_gemm_packed_size (k, n);
  const CpuValue *b = step->in[input];
  const gsize matrices = b->n / MAX (matrix, 1);
  g_autofree float *copy = NULL;

  if (stored != NULL)
    return pack_stored (step->kernels, stored, k, n, bytes);
  const CpuLooseFloat *from = cpu_gemm_floats (b, &copy);
  float *to = cpu_alloc (MAX (matrices * each * sizeof (float), 1));

  if (to == NULL || from == NULL) {
    cpu_free (to);
    return NULL;
  }
  for (gsize i = 0; i < matrices; i++)
    cpu_gemm_pack_by (step->kernels, to + i * each, from + i * matrix, k, n,
        (gsize) of[2], (gsize) of[3]);
  return cpu_gemm_finish_pack (
      to, matrices * each, of[4] == CPU_GEMM_F16, bytes);
}

static void
run_product (CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gsize p)
{
  const CpuMatMulDims *d = &plan->mm->dims;

  g->b = (const char *) plan->packed
         + d->b_offsets[p] / (d->k * d->n) * plan->packed_step
               * cpu_gemm_type_size (plan->type);
  cpu_gemm_run (step, g, plan->type);
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  const CpuMatMul *mm = problem;
  const CpuMatMulDims *d = &mm->dims;
  const CpuGemmType type = d->m < MANY_ROWS && cpu_gemm_wants_f16 (step, 1)
                               ? CPU_GEMM_F16
                               : CPU_GEMM_F32;
  gint64 params[] = { (gint64) d->k, (gint64) d->n, (gint64) d->b_k,
    (gint64) d->b_n, type };
  gconstpointer packed = cpu_step_pack_stored (
      step, 1, "gemm", G_N_ELEMENTS (params), params, make_packed, params);
  CpuMatMulPlan *plan = packed != NULL ? cpu_matmul_plan_new (
                            step, mm, run_product, packed, 0, error)
                                       : NULL;

  if (plan == NULL)
    return NULL;
  plan->type = type;
  plan->packed_step = cpu_gemm_packed_size (d->k, d->n);
  step->kernel = type == CPU_GEMM_F16 ? "gemm_f16_packed" : "gemm_f32_packed";
  return plan;
}

static gboolean
run (CpuStep *step, gconstpointer self, GError **error)
{
  const CpuMatMulPlan *plan = self;

  if (plan->first == NULL)
    return cpu_matmul_run (step, plan, error);
  cpu_matmul_run_pair (step, plan);
  return TRUE;
}

const CpuImpl cpu_matmul_impl_packed = {
  .name = "packed",
  .can = can,
  .cost = cost,
  .prepare = prepare,
  .run = run,
  .free = g_free,
};
