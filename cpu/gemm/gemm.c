/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gemm/gemm.h"

#include "cpu/base/caches.h"
#include "cpu/base/scope.h"
#include "cpu/base/unpack.h"
#include "inference/base/small-float.h"

#include <string.h>

/* Panels that are packed at a time where their columns are contiguous: reading
 * so much of a row at once is about as fast as copying. */
#define PANELS 32

static void
pack_panels (
    float *to, const CpuLooseFloat *b, gsize k, gsize panels, gsize k_stride)
{
  for (gsize i = 0; i < k; i++)
    for (gsize p = 0; p < panels; p++)
      memcpy (to + (p * k + i) * CPU_GEMM_PANEL,
          b + i * k_stride + p * CPU_GEMM_PANEL, CPU_GEMM_PANEL * sizeof *to);
}

static void
pack_panel (float *to, const CpuLooseFloat *b, gsize k, gsize columns,
    gsize k_stride, gsize n_stride)
{
  if (columns < CPU_GEMM_PANEL)
    memset (to, 0, k * CPU_GEMM_PANEL * sizeof *to);
  for (gsize j = 0; j < columns; j++)
    for (gsize i = 0; i < k; i++)
      to[i * CPU_GEMM_PANEL + j] = b[i * k_stride + j * n_stride];
}

void
cpu_gemm_pack (float *packed, const CpuLooseFloat *b, gsize k, gsize n,
    gsize k_stride, gsize n_stride)
{
  gsize j = 0;

  for (gsize panels; n_stride == 1 && n - j >= CPU_GEMM_PANEL;
       j += panels * CPU_GEMM_PANEL) {
    panels = MIN ((n - j) / CPU_GEMM_PANEL, PANELS);
    pack_panels (packed + j * k, b + j, k, panels, k_stride);
  }
  for (; j < n && k > 0; j += CPU_GEMM_PANEL)
    pack_panel (packed + j * k, b + j * n_stride, k,
        MIN (n - j, CPU_GEMM_PANEL), k_stride, n_stride);
}

void
cpu_gemm_pack_by (const CpuKernels *kernels, float *packed,
    const CpuLooseFloat *b, gsize k, gsize n, gsize k_stride, gsize n_stride)
{
  if (k_stride != 1 || k == 0) {
    cpu_gemm_pack (packed, b, k, n, k_stride, n_stride);
    return;
  }
  for (gsize j = 0; j < n; j += CPU_GEMM_PANEL) {
    gsize columns = MIN (n - j, CPU_GEMM_PANEL);
    float *to = packed + j * k;
    if (columns < CPU_GEMM_PANEL)
      memset (to, 0, k * CPU_GEMM_PANEL * sizeof *to);
    kernels->transpose_u32 ((gpointer) to, CPU_GEMM_PANEL,
        (gconstpointer) (b + j * n_stride), n_stride, columns, k);
  }
}

/* Smaller weights stay in the first-level cache anyway. */
#define F16_MIN_BYTES 65536

static gboolean
fits_f16 (const CpuKernels *kernels, const CpuLooseFloat *values, gsize n)
{
  float block[256], back[256];
  guint16 f16[256];
  for (gsize i = 0; i < n; i += G_N_ELEMENTS (f16)) {
    gsize m = MIN (n - i, G_N_ELEMENTS (f16));
    memcpy (block, values + i, m * sizeof *block);
    kernels->f32_to_f16 (f16, block, m);
    kernels->f16_to_f32 (back, f16, m);
    if (memcmp (back, block, m * sizeof *block) != 0)
      return FALSE;
  }
  return TRUE;
}

static gpointer
make_fits (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuValue *value = step->in[input];
  gboolean *fits = cpu_alloc (sizeof *fits);
  *bytes = sizeof *fits;
  if (fits)
    *fits = fits_f16 (step->kernels, value->data, value->n);
  return fits;
}

gboolean
cpu_gemm_wants_f16 (CpuStep *step, guint input)
{
  const CpuValue *value = step->in[input];
  if (!(step->isa & (CPU_ISA_AVX2 | CPU_ISA_AVX512))
      || value->n < F16_MIN_BYTES / sizeof (float))
    return FALSE;
  if (value->desc.type == INFER_TYPE_F16)
    return TRUE;
  if (value->unpack != NULL
      && value->unpack->stored.codes->type == INFER_TYPE_F16
      && value->unpack->stored.n_terms == 0)
    return TRUE;
  if (value->desc.type != INFER_TYPE_F32)
    return FALSE;
  const gboolean *fits = cpu_step_pack_loose (
      step, input, CPU_PACK_FITS_F16, 0, NULL, make_fits, NULL);
  return fits && *fits;
}

gpointer
cpu_gemm_finish_pack (const CpuKernels *kernels, float *packed, gsize floats,
    gboolean f16, gsize *bytes)
{
  *bytes = MAX (floats, 1) * (f16 ? sizeof (guint16) : sizeof (float));
  if (!f16 || !packed)
    return packed;
  guint16 *to = cpu_alloc_pack (*bytes);
  if (to)
    kernels->f32_to_f16 (to, packed, floats);
  cpu_return (packed);
  return to;
}

const CpuLooseFloat *
cpu_gemm_floats (const CpuKernels *kernels, const CpuValue *value, float **copy)
{
  *copy = NULL;
  const gboolean stored = value->data == NULL && value->unpack != NULL;
  if (value->desc.type == INFER_TYPE_F32 && !stored)
    return value->data;
  *copy = cpu_borrow (MAX (value->n, 1) * sizeof **copy);
  if (*copy && stored) {
    cpu_unpack_floats (kernels, &value->unpack->stored, 0, value->n, *copy);
    return *copy;
  }
  if (*copy && value->desc.type == INFER_TYPE_F16)
    cpu_unpack_f16 (kernels, value->data, value->n, *copy);
  else if (*copy)
    infer_convert (
        *copy, INFER_TYPE_F32, value->data, value->desc.type, value->n);
  return *copy;
}

/* --- running --- */

/* The same on all machines, as it decides how sums are rounded. */
#define BLOCK_DEPTH 512
/* Blocks have a multiple of the rows that kernels compute together. */
#define ROWS_UNIT 48
#define MOST_ROWS 192
/* Multiplications below which a product is not split. */
#define SMALL (1 << 14)
/* Multiplications per thread from which on waking it pays (1.5 µs); reading an
 * element of b takes as long as READING of them. */
#define THREAD_GRAIN (1 << 17)
#define READING 4

typedef struct
{
  const CpuKernels *kernels;
  const CpuGemm *g;
  CpuGemmType type;
  gsize unit; /* rows or columns that a thread gets together */
} Job;

/* A block of a takes three eighths of the second-level cache.  Four times as
 * many rows, more than that cache holds, take 2 % longer (Zen 4, AVX2). */
static gsize
block_rows (void)
{
  const gsize rows =
      cpu_caches ()->second / 8 * 3 / (BLOCK_DEPTH * sizeof (float));

  return CLAMP (rows / ROWS_UNIT * ROWS_UNIT, ROWS_UNIT, MOST_ROWS);
}

static const float *
shifted (const float *p, gsize n)
{
  return p ? p + n : NULL;
}

CpuGemm
cpu_gemm_part (const CpuGemm *whole, CpuGemmType type, gsize row, gsize rows,
    gsize column, gsize columns, CpuEpilogue *epilogue)
{
  CpuGemm g = *whole;
  gsize size = cpu_gemm_type_size (type);
  gsize at = row * g.c_row + column;
  g.m = rows;
  g.n = columns;
  g.a += row * g.a_row;
  g.b = (const char *) g.b + column / CPU_GEMM_PANEL * g.b_panel * size;
  g.c += at;
  g.bias = shifted (g.bias, column);
  g.b_scale = shifted (g.b_scale, column);
  g.b_offset = shifted (g.b_offset, column);
  g.a_sums = shifted (g.a_sums, row);
  if (g.a_packed != NULL)
    g.a_packed =
        (gconstpointer) ((const char *) g.a_packed + row * g.a_packed_row);
  if (!g.epilogue || at == 0)
    return g;
  *epilogue = *g.epilogue;
  epilogue->scale = shifted (epilogue->scale, column);
  epilogue->bias = shifted (epilogue->bias, column);
  epilogue->residual = shifted (epilogue->residual, at);
  epilogue->act.slopes = shifted (epilogue->act.slopes, column);
  epilogue->last_act.slopes = shifted (epilogue->last_act.slopes, column);
  g.epilogue = epilogue;
  return g;
}

/* Bias and epilogue are applied by adding a product of depth 0. */
static void
run_packed (
    cpu_gemm_bytes_fn *product, const CpuKernels *kernels, const CpuGemm *g)
{
  CpuGemm rest = *g;

  product (g);
  rest.k = 0;
  rest.accumulate = TRUE;
  if (g->bias || g->epilogue)
    kernels->gemm_f32 (&rest);
}

static void
run_kernel (const CpuKernels *kernels, const CpuGemm *g, CpuGemmType type)
{
  switch (type) {
    case CPU_GEMM_F32:
      kernels->gemm_f32 (g);
      break;
    case CPU_GEMM_F16:
      kernels->gemm_f16 (g);
      break;
    case CPU_GEMM_I8:
      kernels->gemm_i8 (g);
      break;
    case CPU_GEMM_DIGITS:
      run_packed (kernels->gemm_digits, kernels, g);
      break;
    case CPU_GEMM_BYTES:
      run_packed (kernels->gemm_bytes, kernels, g);
      break;
  }
}

/* Computes a block of rows; the depth is cut into pieces that accumulate in c.
 */
static void
run_block (const Job *job, const CpuGemm *whole)
{
  gsize size = cpu_gemm_type_size (job->type);
  for (gsize k = 0; k < whole->k || k == 0; k += BLOCK_DEPTH) {
    CpuGemm g = *whole;
    gboolean last = whole->m == 1 || k + BLOCK_DEPTH >= whole->k
                    || job->type >= CPU_GEMM_DIGITS;
    g.a += k * g.a_k;
    g.b = (const char *) g.b + k * g.b_k * size;
    g.k = last ? whole->k - k : BLOCK_DEPTH;
    if (k > 0) {
      g.accumulate = TRUE;
      g.bias = NULL;
      g.b_offset = NULL; /* a_sums cover the whole depth */
    }
    if (!last)
      g.epilogue = NULL;
    run_kernel (job->kernels, &g, job->type);
    if (last)
      return;
  }
}

static void
run_part (const Job *job, gsize row, gsize last, gsize column, gsize columns)
{
  const gsize most = job->g->m >= ROWS_UNIT ? block_rows () : G_MAXSIZE;

  for (gsize rows; row < last; row += rows) {
    CpuEpilogue epilogue;

    rows = MIN (most, last - row);
    if (last - row - rows
        == 1) /* a single row would be summed in another order */
      rows -= 4;
    CpuGemm g = cpu_gemm_part (
        job->g, job->type, row, rows, column, columns, &epilogue);
    run_block (job, &g);
  }
}

static void
run_rows (gpointer data, gsize begin, gsize end, guint thread)
{
  const Job *job = data;

  run_part (
      job, begin * job->unit, MIN (end * job->unit, job->g->m), 0, job->g->n);
}

static void
run_columns (gpointer data, gsize begin, gsize end, guint thread)
{
  const Job *job = data;
  gsize column = begin * job->unit;

  run_part (
      job, 0, job->g->m, column, MIN (end * job->unit, job->g->n) - column);
}

CpuRowCut
cpu_gemm_cut_rows (gsize rows, gsize most, gsize threads)
{
  const gsize units = rows / CPU_GEMM_CUT_UNIT;
  const gsize blocks = (units * CPU_GEMM_CUT_UNIT + most - 1) / most;

  return (CpuRowCut){ rows,
    MIN ((blocks + threads - 1) / threads * threads, units) };
}

gsize
cpu_gemm_cut_row (const CpuRowCut *cut, gsize block)
{
  return block == cut->blocks ? cut->rows
                              : cut->rows / CPU_GEMM_CUT_UNIT * block
                                    / cut->blocks * CPU_GEMM_CUT_UNIT;
}

/* Each thread reads one operand as a whole and a part of the larger one. */
static gboolean
splits_rows (const CpuGemm *g, CpuGemmType type)
{
  return g->m >= ROWS_UNIT
         && 3 * g->m * sizeof (float) > 2 * g->n * cpu_gemm_type_size (type);
}

void
cpu_gemm_run_alone (
    const CpuKernels *kernels, const CpuGemm *g, CpuGemmType type)
{
  const Job job = { .kernels = kernels, .g = g, .type = type };

  run_part (&job, 0, g->m, 0, g->n);
}

/* Bytes of b that are used for several products before the next are read. */
#define JOINT_BYTES (1 << 16)

void
cpu_gemm_run_joint (const CpuKernels *kernels, const CpuGemm *products, guint n,
    CpuGemmType type)
{
  const gsize unit = 4 * CPU_GEMM_PANEL, all = products[0].n;
  const gsize bytes = MAX (products[0].k, 1) * cpu_gemm_type_size (type) * unit;
  const gsize columns = MAX (JOINT_BYTES / bytes, 1) * unit;

  for (gsize column = 0; column < all; column += columns)
    for (guint i = 0; i < n; i++) {
      const Job job = { .kernels = kernels, .g = &products[i], .type = type };

      run_part (&job, 0, products[i].m, column, MIN (columns, all - column));
    }
}

void
cpu_gemm_set_order (const CpuStep *step, CpuGemm *g, CpuGemmType type)
{
  const gboolean bytes = type == CPU_GEMM_DIGITS || type == CPU_GEMM_BYTES;

  g->b_in_order =
      (bytes || (g->m == 1 && step->far_weights))
      && cpu_gemm_is_large (g->n * g->k * cpu_gemm_type_size (type));
}

void
cpu_gemm_run (CpuStep *step, const CpuGemm *g, CpuGemmType type)
{
  if (g->m < 48 && g->m * g->n * g->k < SMALL) {
    run_kernel (step->kernels, g, type);
    return;
  }
  Job job = { .kernels = step->kernels, .g = g, .type = type };
  if (g->m == 0 || g->n == 0)
    return;
  if (step->threads == 1 && step->pieces <= 1) {
    run_part (&job, 0, g->m, 0, g->n);
    return;
  }
  gboolean by_rows = splits_rows (g, type);
  gsize work = g->k * (by_rows ? g->n : g->m + READING);
  job.unit = by_rows ? 12 : 4 * CPU_GEMM_PANEL;
  while (by_rows && g->m % job.unit == 1)
    job.unit += 4;
  cpu_step_parallel (step, ((by_rows ? g->m : g->n) + job.unit - 1) / job.unit,
      THREAD_GRAIN / MAX (work * job.unit, 1) + 1,
      by_rows ? run_rows : run_columns, &job);
}

/* Adds a product of depth 0. */
void
cpu_gemm_run_epilogue (CpuStep *step, CpuGemm *g)
{
  if (g->epilogue == NULL)
    return;
  g->k = 0;
  g->accumulate = TRUE;
  cpu_gemm_run (step, g, CPU_GEMM_F32);
}
