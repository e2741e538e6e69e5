/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* b is a constant of 4-bit codes with a scale, and maybe a zero point, for each
 * group of k and each column, packed as such: an eighth of the bytes of f32.
 * For many rows blocks of it become floats in the cache. */

#include <string.h>

#include "cpu/base/posts.h"
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

  return mm->constant && stored != NULL && d->a_k == 1 && d->b_k == 1
         && d->b_n == d->k && step->in[1]->n == d->k * d->n
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

/* The operands of a term, one group of codes after the other. */
typedef struct
{
  const char *values; /* f32; files align nothing */
  gsize inner, count;
  gsize index, within; /* the operand, and the codes before it that share it */
} Operands;

static Operands
operands_of (const InferTerm *term)
{
  return (Operands){
    .values = term->operand->data, .inner = term->inner, .count = term->count
  };
}

/* A group has one operand: `group_of`. */
static float
next_operand (Operands *operands, gsize group)
{
  float value;

  memcpy (
      &value, operands->values + operands->index * sizeof value, sizeof value);
  operands->within += group;
  if (operands->count > 1 && operands->within == operands->inner) {
    operands->within = 0;
    operands->index = (operands->index + 1) % operands->count;
  }
  return value;
}

/* One operand for each group, in the order of the codes. */
static gboolean
has_operand_per_group (const InferTerm *term, gsize all, gsize group)
{
  return term->count == all && term->inner == group;
}

/* Operands that lie column by column, a panel of columns at a time. */
static void
put_operands (const CpuStep *step, const InferTerm *term, gsize columns,
    gsize groups, float *to)
{
  const CpuLooseWord *from = term->operand->data;

  for (gsize j = 0; j < columns; j += CPU_GEMM_PANEL)
    step->kernels->transpose_u32 ((gpointer) (to + j * groups), CPU_GEMM_PANEL,
        from + j * groups, groups, MIN (columns - j, CPU_GEMM_PANEL), groups);
}

/* put_numbers for files that have a scale, and a zero point if any have, for
 * each group.  FALSE: this file has not. */
static gboolean
put_all_numbers (const CpuStep *step, Head *head, const InferCompressed *stored,
    gsize columns, gsize groups, gsize group)
{
  const float middle = stored->codes->type == INFER_TYPE_U4 ? 8 : 0;
  const guint last = stored->n_terms - 1;
  const float sign = stored->terms[0].kind == INFER_TERM_SUBTRACT ? 1 : -1;
  float *scales = scales_of (head), *shifts = shifts_of (head);

  for (guint i = 0; i <= last; i++)
    if (!has_operand_per_group (&stored->terms[i], columns * groups, group))
      return FALSE;
  put_operands (step, &stored->terms[last], columns, groups, scales);
  if (last > 0)
    put_operands (step, &stored->terms[0], columns, groups, shifts);
  for (gsize i = 0; i < head->numbers; i++) {
    const float shift = (last > 0 ? sign * shifts[i] : 0) - middle;

    shifts[i] = shift * scales[i]; /* 0 in columns that are not there */
    head->shifted |= shifts[i] != 0;
  }
  return TRUE;
}

/* Scales and shifts of all groups, which lie column by column in the file. */
static void
put_numbers (Head *head, const InferCompressed *stored, gsize columns,
    gsize groups, gsize group)
{
  const float middle = stored->codes->type == INFER_TYPE_U4 ? 8 : 0;
  const gboolean has_zero = stored->n_terms == 2;
  const gboolean subtracts = stored->terms[0].kind == INFER_TERM_SUBTRACT;
  Operands zeros = operands_of (&stored->terms[0]);
  Operands scales = operands_of (&stored->terms[stored->n_terms - 1]);

  for (gsize j = 0; j < columns; j++) {
    gsize to =
        j / CPU_GEMM_PANEL * groups * CPU_GEMM_PANEL + j % CPU_GEMM_PANEL;

    for (gsize g = 0; g < groups; g++, to += CPU_GEMM_PANEL) {
      const float zero = has_zero ? next_operand (&zeros, group) : 0;
      const float shift = (subtracts ? zero : -zero) - middle;
      const float scale = next_operand (&scales, group);

      scales_of (head)[to] = scale;
      shifts_of (head)[to] = shift * scale;
      head->shifted = head->shifted || shift != 0;
    }
  }
}

/* Up to a panel of columns from @j on.  Signed codes become natural ones by
 * adding 8, which the kernel subtracts. */
static void
put_codes (const CpuStep *step, Head *head, gsize j, gsize k, gsize columns)
{
  const InferTensor *codes = stored_of (step)->codes;
  const gsize quads = k / 8;
  guint32 *to = words_of (head) + j * quads;

  if (columns < CPU_GEMM_PANEL)
    memset (to, 0, CPU_GEMM_PANEL * quads * sizeof *to);
  step->kernels->transpose_u32 (to, CPU_GEMM_PANEL,
      (gconstpointer) ((const guint8 *) codes->data + j * k / 2), quads,
      columns, quads);
  if (G_BYTE_ORDER == G_LITTLE_ENDIAN && codes->type == INFER_TYPE_U4)
    return;
  for (gsize i = 0; i < CPU_GEMM_PANEL * quads; i++)
    to[i] = GUINT32_FROM_LE (to[i])
            ^ (codes->type == INFER_TYPE_I4 ? 0x88888888u : 0);
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
  head = cpu_alloc_pack (*bytes);
  if (head == NULL)
    return NULL;
  *head = (Head){ .numbers = numbers };
  if (columns > n)
    memset (head + 1, 0, numbers * 2 * sizeof (float));
  if (!put_all_numbers (step, head, stored, n, k / group, group))
    put_numbers (head, stored, n, k / group, group);
  for (gsize j = 0; j < n; j += CPU_GEMM_PANEL)
    put_codes (step, head, j, k, MIN (n - j, CPU_GEMM_PANEL));
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

/* --- many rows --- */

#define MANY_COLUMNS (8 * CPU_GEMM_PANEL)
#define MANY_DEPTH 320
#define MANY_FLOATS (MANY_COLUMNS * MANY_DEPTH)

typedef struct
{
  const CpuStep *step;
  const CpuGemmNibbles *nibbles;
  const CpuGemm *g;
  float *room; /* MANY_FLOATS for each thread */
} Many;

/* Rows from @k on that are unpacked at once: whole groups, about equally many
 * each time, or a part of one. */
static gsize
depth_from (const CpuGemmNibbles *g, gsize k)
{
  const gsize most = MANY_DEPTH / g->group, groups = g->k / g->group;

  if (most == 0)
    return MIN (MANY_DEPTH, g->group - k % g->group);
  const gsize parts = (groups + most - 1) / most;
  return MIN ((groups + parts - 1) / parts * g->group, g->k - k);
}

/* @depth rows from @k on of @columns columns from @first on. */
static void
unpack (const Many *many, gsize k, gsize depth, gsize first, gsize columns,
    float *to)
{
  const CpuGemmNibbles *g = many->nibbles;

  for (gsize j = first; j < first + columns; j += CPU_GEMM_PANEL) {
    const gsize panel = j / CPU_GEMM_PANEL;
    const gsize number =
        panel * g->number_panel + k / g->group * CPU_GEMM_PANEL;
    const CpuGemmNibbles part = { .k = depth,
      .group = MIN (g->group, depth),
      .b = g->b + panel * g->b_panel + k / 8 * CPU_GEMM_PANEL,
      .scale = g->scale + number,
      .shift = g->shift != NULL ? g->shift + number : NULL };

    many->step->kernels->unpack_nibbles (to, &part);
    to += depth * CPU_GEMM_PANEL;
  }
}

static void
multiply_block (const Many *many, gsize first, float *room)
{
  CpuGemm part = *many->g;
  CpuEpilogue epilogue;

  if (part.epilogue != NULL) {
    epilogue = *part.epilogue;
    cpu_posts_skip_channels (&epilogue, first);
    if (epilogue.residual != NULL)
      epilogue.residual += first;
  }
  part.n = MIN (MANY_COLUMNS, part.n - first);
  part.c += first;
  part.b = room;
  for (gsize k = 0; k < many->g->k; k += part.k) {
    part.k = depth_from (many->nibbles, k);
    unpack (many, k, part.k, first, part.n, room);
    part.a = many->g->a + k;
    part.b_panel = part.k * CPU_GEMM_PANEL;
    part.accumulate = k > 0;
    part.epilogue = k + part.k == many->g->k && many->g->epilogue != NULL
                        ? &epilogue
                        : NULL;
    cpu_gemm_run_alone (many->step->kernels, &part, CPU_GEMM_F32);
  }
}

static void
multiply_blocks (gpointer data, gsize begin, gsize end, guint thread)
{
  const Many *many = data;

  for (gsize block = begin; block < end; block++)
    multiply_block (
        many, block * MANY_COLUMNS, many->room + thread * MANY_FLOATS);
}

/* --- products --- */

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

  if (g->m >= MANY_ROWS) {
    Many many = { step, &nibbles, g, sums };

    cpu_step_parallel (step, (g->n + MANY_COLUMNS - 1) / MANY_COLUMNS,
        1 + GRAIN / (g->m * g->k * MANY_COLUMNS), multiply_blocks, &many);
    return;
  }
  if (head->shifted)
    make_sums (step, &nibbles, sums);
  cpu_step_parallel (step, (g->n + COLUMNS - 1) / COLUMNS,
      1 + GRAIN / (g->m * g->k * COLUMNS), multiply_columns, job);
  cpu_gemm_run_epilogue (step, g);
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
  const gsize floats =
      d->m < MANY_ROWS ? d->m * (d->k / group) : step->threads * MANY_FLOATS;
  CpuMatMulPlan *plan =
      packed != NULL ? cpu_matmul_plan_new (step, mm, run_product, packed,
          cpu_scratch_add (0, floats, sizeof (float)), error)
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
