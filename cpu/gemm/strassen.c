/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gemm/strassen.h"

#include "cpu/base/caches.h"
#include "cpu/base/widen.h"

/* Sizes from which on an eighth of the multiplications takes longer than the
 * sums. */
#define LEAST_ROWS 192
#define LEAST_SIDE 240

/* Rows of a that are computed at a time, half as many of each block; a multiple
 * of this, and no more than most. */
#define ROWS_UNIT 48
#define MOST_ROWS 96
/* Columns of a block that are computed at a time: products of them stay in the
 * first-level cache. */
#define COLUMNS 96

gboolean
cpu_strassen_pays (gsize m, gsize n, gsize k)
{
  return m >= LEAST_ROWS && n >= LEAST_SIDE && k >= LEAST_SIDE && k % 2 == 0;
}

/* Panels in each half of the columns; the rest are computed directly. */
static gsize
half_panels (gsize n)
{
  return n / (2 * CPU_GEMM_PANEL);
}

static gsize
half_columns (gsize n)
{
  return half_panels (n) * CPU_GEMM_PANEL;
}

/* Floats of a block of b. */
static gsize
block_size (gsize n, gsize k)
{
  return half_columns (n) * (k / 2);
}

/* Floats of a panel of one. */
static gsize
panel_size (gsize k)
{
  return k / 2 * CPU_GEMM_PANEL;
}

/* The memory has sums; of f16, blocks 0 and 3, and a panel of blocks 1 and 2
 * for each thread. */
gsize
cpu_strassen_b_room (gsize n, gsize k, gboolean f16, guint threads)
{
  const gsize sums = cpu_scratch_add (
      0, CPU_STRASSEN_SUMS * block_size (n, k), sizeof (float));

  if (!f16)
    return sums;
  return cpu_scratch_add (
      sums, 2 * (block_size (n, k) + threads * panel_size (k)), sizeof (float));
}

/* Their sums take three eighths of the second-level cache; b, which is read
 * again for the next rows, comes from the third. */
static gsize
rows_at_once (gsize k)
{
  const gsize pair = CPU_STRASSEN_SUMS * (k / 2) * sizeof (float);
  const gsize rows = 2 * (cpu_caches ()->second / 8 * 3 / pair);

  return CLAMP (rows / ROWS_UNIT * ROWS_UNIT, ROWS_UNIT, MOST_ROWS);
}

gsize
cpu_strassen_room (gsize n, gsize k)
{
  const gsize pairs = rows_at_once (k) / 2;

  return cpu_scratch_add (
      0, pairs * (CPU_STRASSEN_SUMS * (k / 2) + 2 * COLUMNS), sizeof (float));
}

typedef struct
{
  const CpuStep *step;
  const CpuStrassen *s;
  const CpuGemm *g; /* cpu_strassen_run only */
  CpuRowCut cut;
  char *memory;
} Job;

/* --- the sums of b --- */

/* Offset in b of panel @p of a block. */
static gsize
panel_at (const CpuStrassen *s, gsize p, guint block)
{
  const gsize size = panel_size (s->k);

  return p * 2 * size + block / 2 * size
         + block % 2 * half_panels (s->n) * 2 * size;
}

/* Block 0 or 3 of f16 as f32. */
static float *
f16_block (const CpuStrassen *s, guint block)
{
  return s->memory + (CPU_STRASSEN_SUMS + block / 3) * block_size (s->n, s->k);
}

/* Two panels for @thread, behind those blocks. */
static float *
own_panels (const CpuStrassen *s, guint thread)
{
  return f16_block (s, 3) + block_size (s->n, s->k)
         + thread * 2 * panel_size (s->k);
}

/* @blocks: of panel @p, in b or converted. */
static void
find_panels (const Job *job, gsize p, guint thread, const float *blocks[4])
{
  const CpuStrassen *s = job->s;
  const gsize size = panel_size (s->k);

  if (s->b != NULL) {
    for (guint i = 0; i < 4; i++)
      blocks[i] = s->b + panel_at (s, p, i);
    return;
  }
  float *own = own_panels (s, thread);
  float *to[] = { f16_block (s, 0) + p * size, own, own + size,
    f16_block (s, 3) + p * size };
  for (guint i = 0; i < 4; i++) {
    job->step->kernels->f16_to_f32 (to[i], s->f16 + panel_at (s, p, i), size);
    blocks[i] = to[i];
  }
}

/* A panel of each half of the columns at a time. */
static void
fill_panels (gpointer data, gsize begin, gsize end, guint thread)
{
  const Job *job = data;
  const CpuStrassen *s = job->s;
  const gsize size = panel_size (s->k);

  for (gsize p = begin; p < end; p++) {
    CpuStrassenSums sums = { .rows = 1,
      .n = size,
      .sums = s->memory + p * size,
      .sum = block_size (s->n, s->k) };

    find_panels (job, p, thread, sums.blocks);
    job->step->kernels->strassen_sums_f32 (&sums);
  }
}

void
cpu_strassen_fill (CpuStep *step, const CpuStrassen *s)
{
  Job job = { .step = step, .s = s };

  cpu_step_parallel (step, half_panels (s->n), 1, fill_panels, &job);
}

/* --- products --- */

/* One operand of a product of blocks: their sums, then block 0 and block 3. */
enum
{
  BLOCK_0 = CPU_STRASSEN_SUMS,
  BLOCK_3,
  N_OPERANDS
};

typedef struct
{
  const float *at;
  gsize step; /* of rows of a, panels of b */
} Operand;

/* Where a product goes: a block of c, or working memory. */
enum
{
  P4 = 4,
  P5,
};

typedef struct
{
  guint a, b, to;
} Product;

static const Product products[] = {
  { CPU_STRASSEN_0_PLUS_3, CPU_STRASSEN_0_PLUS_3, 0 },
  { BLOCK_0, CPU_STRASSEN_1_MINUS_3, 1 },
  { CPU_STRASSEN_2_PLUS_3, BLOCK_0, 2 },
  { CPU_STRASSEN_2_MINUS_0, CPU_STRASSEN_0_PLUS_1, 3 },
  { BLOCK_3, CPU_STRASSEN_2_MINUS_0, P4 },
  { CPU_STRASSEN_0_PLUS_1, BLOCK_3, P5 },
};
/* Added last. */
static const Product p6 = { CPU_STRASSEN_1_MINUS_3, CPU_STRASSEN_2_PLUS_3, 0 };

/* Some rows, an even number. */
typedef struct
{
  const CpuKernels *kernels;
  const CpuStrassen *s;
  const CpuGemm *g;
  Operand a[N_OPERANDS];
  float *p4, *p5;
} Rows;

static Rows
make_rows (const CpuKernels *kernels, const CpuStrassen *s, const CpuGemm *g,
    float *memory)
{
  const gsize half = s->k / 2, rows = g->m / 2, sum = rows * half;
  const CpuStrassenSums sums = {
    .blocks = { g->a, g->a + half, g->a + g->a_row, g->a + g->a_row + half },
    .row = 2 * g->a_row,
    .rows = rows,
    .n = half,
    .sums = memory,
    .sum = sum,
  };
  Rows r = { .kernels = kernels, .s = s, .g = g };

  kernels->strassen_sums_f32 (&sums);
  for (guint i = 0; i < CPU_STRASSEN_SUMS; i++)
    r.a[i] = (Operand){ memory + i * sum, half };
  r.a[BLOCK_0] = (Operand){ sums.blocks[0], sums.row };
  r.a[BLOCK_3] = (Operand){ sums.blocks[3], sums.row };
  r.p4 = memory + CPU_STRASSEN_SUMS * sum;
  r.p5 = r.p4 + rows * COLUMNS;
  return r;
}

/* @what of b from @column of each half on. */
static Operand
right_operand (const CpuStrassen *s, guint what, gsize column)
{
  const gsize half = s->k / 2, size = panel_size (s->k);

  if (what < CPU_STRASSEN_SUMS)
    return (Operand){
      s->memory + what * block_size (s->n, s->k) + column * half, size
    };
  const guint block = what == BLOCK_3 ? 3 : 0;
  if (s->b == NULL)
    return (Operand){ f16_block (s, block) + column * half, size };
  return (
      Operand){ s->b + panel_at (s, column / CPU_GEMM_PANEL, block), 2 * size };
}

/* @to: c and its size; with an epilogue only if the product is the last. */
static void
multiply (const Rows *r, Product p, const CpuGemm *to, gsize column)
{
  const Operand b = right_operand (r->s, p.b, column);
  CpuGemm g = *to;

  g.k = r->s->k / 2;
  g.a = r->a[p.a].at;
  g.a_row = r->a[p.a].step;
  g.b = b.at;
  g.b_panel = b.step;
  cpu_gemm_run_alone (r->kernels, &g, CPU_GEMM_F32);
}

/* @columns from @column of each half on. */
static void
run_columns (const Rows *r, gsize column, gsize columns)
{
  const gsize rows = r->g->m / 2, right = half_columns (r->s->n);
  CpuGemm to[G_N_ELEMENTS (products)];
  CpuEpilogue epilogues[4];
  CpuStrassenResult result = {
    .c_row = 2 * r->g->c_row, .rows = rows, .n = columns
  };

  for (guint i = 0; i < 4; i++) {
    to[i] = cpu_gemm_part (r->g, CPU_GEMM_F32, i / 2, rows,
        column + i % 2 * right, columns, &epilogues[i]);
    to[i].c_row = result.c_row;
    result.c[i] = to[i].c;
  }
  to[P4] = to[P5] = to[0];
  to[P4].c = r->p4;
  to[P5].c = r->p5;
  to[P4].c_row = to[P5].c_row = columns;
  for (guint i = 0; i < G_N_ELEMENTS (products); i++) {
    CpuGemm plain = to[products[i].to];

    plain.epilogue = NULL;
    multiply (r, products[i], &plain, column);
  }
  result.p4 = r->p4;
  result.p5 = r->p5;
  r->kernels->strassen_result_f32 (&result);
  to[0].accumulate = TRUE;
  multiply (r, p6, &to[0], column);
  for (guint i = 1; i < 4 && r->g->epilogue != NULL; i++) {
    /* a product of depth 0 */
    to[i].k = 0;
    to[i].accumulate = TRUE;
    r->kernels->gemm_f32 (&to[i]);
  }
}

static void
run_even (const CpuKernels *kernels, const CpuStrassen *s, const CpuGemm *g,
    float *memory)
{
  const Rows rows = make_rows (kernels, s, g, memory);
  const gsize panels = half_panels (s->n), most = COLUMNS / CPU_GEMM_PANEL;
  const gsize parts = (panels + most - 1) / most;

  for (gsize i = 0; i < parts; i++) {
    const gsize first = panels * i / parts, end = panels * (i + 1) / parts;

    run_columns (&rows, first * CPU_GEMM_PANEL, (end - first) * CPU_GEMM_PANEL);
  }
}

/* Rows and columns that are in no block. */
static void
run_direct (const CpuKernels *kernels, const CpuStrassen *s, const CpuGemm *g,
    gsize row, gsize column)
{
  const CpuGemmType type = s->b != NULL ? CPU_GEMM_F32 : CPU_GEMM_F16;
  CpuEpilogue epilogue;
  CpuGemm whole = *g;

  whole.b = s->b != NULL ? (gconstpointer) s->b : s->f16;
  if (row == g->m || column == g->n)
    return;
  const CpuGemm part = cpu_gemm_part (
      &whole, type, row, g->m - row, column, g->n - column, &epilogue);
  cpu_gemm_run_alone (kernels, &part, type);
}

void
cpu_strassen_run_rows (const CpuKernels *kernels, const CpuStrassen *s,
    const CpuGemm *g, gpointer memory)
{
  const gsize most = rows_at_once (s->k);
  CpuGemm even = *g;

  if (g->m % 2 != 0)
    even.m = g->m - 3;
  even.b = NULL; /* cpu_gemm_part would move it */
  for (gsize row = 0, rows; row < even.m; row += rows) {
    CpuEpilogue epilogue;

    rows = MIN (most, even.m - row);
    if (even.m - row - rows == 2)
      rows -= 16; /* a product of one row is summed in another order */
    const CpuGemm part =
        cpu_gemm_part (&even, CPU_GEMM_F32, row, rows, 0, g->n, &epilogue);
    run_even (kernels, s, &part, memory);
  }
  run_direct (kernels, s, &even, 0, 2 * half_columns (s->n));
  run_direct (kernels, s, g, even.m, 0);
}

static void
run_blocks (gpointer data, gsize begin, gsize end, guint thread)
{
  const Job *job = data;
  const gsize room = cpu_strassen_room (job->s->n, job->s->k);

  for (gsize b = begin; b < end; b++) {
    const gsize row = cpu_gemm_cut_row (&job->cut, b);
    const gsize rows = cpu_gemm_cut_row (&job->cut, b + 1) - row;
    CpuEpilogue epilogue;
    const CpuGemm part = cpu_gemm_part (
        job->g, CPU_GEMM_F32, row, rows, 0, job->g->n, &epilogue);

    cpu_strassen_run_rows (
        job->step->kernels, job->s, &part, job->memory + thread * room);
  }
}

void
cpu_strassen_run (
    CpuStep *step, const CpuStrassen *s, const CpuGemm *g, gpointer memory)
{
  Job job = { .step = step,
    .s = s,
    .g = g,
    .cut = cpu_gemm_cut_rows (g->m, MOST_ROWS, step->threads),
    .memory = memory };

  cpu_step_parallel (step, job.cut.blocks, 1, run_blocks, &job);
}
