/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* b is a constant of 4-bit codes with a scale, and maybe a zero point, for each
 * group of k and each column, packed as such: an eighth of the bytes of f32. */

#include <string.h>

#include "cpu/base/unpack.h"
#include "cpu/gemm/impl.h"

/* Rows from which on multiplications cost more than reading b. */
#define MANY_ROWS 32
/* Smaller weights stay in the first-level cache anyway. */
#define LEAST_CODES 16384

/* --- weights --- */

static const InferCompressed *
stored_of (const CpuStep *step)
{
  const CpuUnpack *unpack = step->in[1]->unpack;

  return unpack != NULL ? &unpack->stored : NULL;
}

/* (code - zero) * scale, the zero point being optional. */
static gboolean
has_terms (const InferCompressed *stored)
{
  const guint n = stored->n_terms;

  return (n == 1 || (n == 2 && stored->terms[0].kind != INFER_TERM_MULTIPLY))
         && stored->terms[n - 1].kind == INFER_TERM_MULTIPLY;
}

/* The largest number of codes that share all terms; 0: none that can be packed.
 */
static gsize
group_of (const InferCompressed *stored, gsize k)
{
  gsize group = k;

  for (guint i = 0; i < stored->n_terms; i++)
    if (stored->terms[i].count > 1)
      group = MIN (group, stored->terms[i].inner);
  for (guint i = 0; i < stored->n_terms; i++)
    if (stored->terms[i].count > 1 && stored->terms[i].inner % group != 0)
      return 0;
  return group % 8 == 0 && k % group == 0 ? group : 0;
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuMatMul *mm = problem;
  const CpuMatMulDims *d = &mm->dims;
  const InferCompressed *stored = stored_of (step);

  return mm->constant && stored != NULL && d->m < MANY_ROWS && d->a_k == 1
         && d->b_k == 1 && d->b_n == d->k && step->in[1]->n == d->k * d->n
         && d->k * d->n >= LEAST_CODES
         && (stored->codes->type == INFER_TYPE_U4
             || stored->codes->type == INFER_TYPE_I4)
         && has_terms (stored) && group_of (stored, d->k) > 0;
}

/* Numbers of groups, by panel, group and column: scales, then shifts. */
typedef struct
{
  gsize numbers;    /* of each kind */
  gboolean shifted; /* some shifts are not 0 */
  char pad[64 - sizeof (gsize) - sizeof (gboolean)];
} Head;

static float *
scales_of (const Head *head)
{
  return (gpointer) (gsize) (head + 1);
}

static float *
shifts_of (const Head *head)
{
  return scales_of (head) + head->numbers;
}

static guint32 *
words_of (const Head *head)
{
  return (gpointer) (shifts_of (head) + head->numbers);
}

static float
operand_at (const InferTerm *term, gsize element)
{
  return (
      (const float *) term->operand->data)[element / term->inner % term->count];
}

/* @to: that of scales; @element: the first of the group. */
static void
put_numbers (Head *head, gsize to, const InferCompressed *stored, gsize element)
{
  const float middle = stored->codes->type == INFER_TYPE_U4 ? 8 : 0;
  const InferTerm *zero = &stored->terms[0];
  const float scale = operand_at (&stored->terms[stored->n_terms - 1], element);
  float shift = -middle;

  if (stored->n_terms == 2)
    shift += zero->kind == INFER_TERM_SUBTRACT ? operand_at (zero, element)
                                               : -operand_at (zero, element);
  scales_of (head)[to] = scale;
  shifts_of (head)[to] = shift * scale;
  head->shifted = head->shifted || shift != 0;
}

/* Signed codes become natural ones by adding 8, which the kernel subtracts. */
static void
put_column (
    Head *head, const InferCompressed *stored, gsize j, gsize k, gsize group)
{
  const guint8 *codes = (const guint8 *) stored->codes->data + j * k / 2;
  const guint32 flip = stored->codes->type == INFER_TYPE_I4 ? 0x88888888u : 0;
  const gsize panel = j / CPU_GEMM_PANEL, lane = j % CPU_GEMM_PANEL;
  guint32 *to = words_of (head) + panel * (k / 8) * CPU_GEMM_PANEL + lane;

  for (gsize q = 0; q < k / 8; q++) {
    const guint8 *at = codes + q * 4;
    const guint32 word = (guint32) at[0] | (guint32) at[1] << 8
                         | (guint32) at[2] << 16 | (guint32) at[3] << 24;

    to[q * CPU_GEMM_PANEL] = word ^ flip;
  }
  for (gsize g = 0; g < k / group; g++)
    put_numbers (head, (panel * (k / group) + g) * CPU_GEMM_PANEL + lane,
        stored, j * k + g * group);
}

/* @data: k, n and the group. */
static gpointer
make_nibbles (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const InferCompressed *stored = stored_of (step);
  const gint64 *of = data;
  const gsize k = (gsize) of[0], n = (gsize) of[1], group = (gsize) of[2];
  const gsize columns =
      (n + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  const gsize numbers = columns * (k / group);
  Head *head;

  *bytes = sizeof *head + numbers * 2 * sizeof (float) + columns * (k / 2);
  head = cpu_alloc (*bytes);
  if (head == NULL)
    return NULL;
  memset (head, 0, sizeof *head + numbers * 2 * sizeof (float));
  head->numbers = numbers;
  if (columns > n)
    memset (words_of (head) + (columns - CPU_GEMM_PANEL) * (k / 8), 0,
        CPU_GEMM_PANEL * (k / 2));
  for (gsize j = 0; j < n; j++)
    put_column (head, stored, j, k, group);
  return head;
}

/* --- running --- */

#define COLUMNS (4 * CPU_GEMM_PANEL)
/* Multiplications per thread from which on waking it pays. */
#define GRAIN (1 << 17)

static void
multiply_columns (gpointer data, gsize begin, gsize end, guint thread)
{
  const CpuGemmNibbles *whole = ((gpointer *) data)[0];
  const CpuStep *step = ((gpointer *) data)[1];
  const gsize first = begin * COLUMNS, panel = first / CPU_GEMM_PANEL;
  CpuGemmNibbles g = *whole;

  g.n = MIN (end * COLUMNS, whole->n) - first;
  g.b += panel * g.b_panel;
  g.scale += panel * g.number_panel;
  g.shift = g.shift != NULL ? g.shift + panel * g.number_panel : NULL;
  g.c += first;
  step->kernels->gemm_nibbles (&g);
}

static void
make_sums (const CpuStep *step, const CpuGemmNibbles *g, float *sums)
{
  for (gsize i = 0; i < g->m; i++)
    for (gsize k = 0; k < g->k; k += g->group)
      *sums++ = step->kernels->reduce_f32 (
          CPU_REDUCE_SUM, g->a + i * g->a_row + k, g->group);
}

static void
run_product (CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gsize p)
{
  const Head *head = plan->packed;
  float *sums = cpu_widen_more (&plan->widen, step);
  CpuGemmNibbles nibbles = { .m = g->m,
    .n = g->n,
    .k = g->k,
    .group = plan->a_group,
    .a = g->a,
    .a_row = g->a_row,
    .b = words_of (head),
    .b_panel = g->k / 8 * CPU_GEMM_PANEL,
    .scale = scales_of (head),
    .shift = head->shifted ? shifts_of (head) : NULL,
    .number_panel = g->k / plan->a_group * CPU_GEMM_PANEL,
    .a_sums = sums,
    .c = g->c,
    .c_row = g->c_row };
  gpointer job[] = { &nibbles, step };

  if (head->shifted)
    make_sums (step, &nibbles, sums);
  cpu_step_parallel (step, (g->n + COLUMNS - 1) / COLUMNS,
      1 + GRAIN / (g->m * g->k * COLUMNS), multiply_columns, job);
  if (g->epilogue == NULL)
    return;
  g->k = 0; /* a product of depth 0 is added */
  g->accumulate = TRUE;
  cpu_gemm_run (step, g, CPU_GEMM_F32);
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  const CpuMatMul *mm = problem;
  const CpuMatMulDims *d = &mm->dims;
  const gsize group = group_of (stored_of (step), d->k);
  gint64 params[] = { (gint64) d->k, (gint64) d->n, (gint64) group };
  gconstpointer packed = cpu_step_pack_stored (step, 1, "gemm-nibbles",
      G_N_ELEMENTS (params), params, make_nibbles, params);
  CpuMatMulPlan *plan =
      packed != NULL ? cpu_matmul_plan_new (step, mm, run_product, packed,
          cpu_scratch_add (0, d->m * (d->k / group), sizeof (float)), error)
                     : NULL;

  if (plan == NULL)
    return NULL;
  plan->a_group = group;
  step->kernel = "gemm_nibbles";
  return plan;
}

const CpuImpl cpu_matmul_impl_int4 = {
  .name = "int4",
  .can = can,
  .prepare = prepare,
  .run = cpu_matmul_run,
  .free = g_free,
};
