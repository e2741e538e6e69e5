/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A packed matrix is the scales of its columns, then blocks of two vectors of
 * columns, three at the end where one would be left. */

#include "cpu/base/f16-gemm.h"

#include <string.h>

/* Bytes of rows that stay in the first-level cache while columns pass by, and
 * multiplications that are worth a thread. */
#define CHUNK_BYTES 16384
#define MOST_ROWS 104
/* The same for the second-level cache and tiles of bf16. */
#define BF16_CHUNK_BYTES 131072
#define BF16_ROWS 32
#define MOST_BF16_ROWS 256
#define THREAD_GRAIN (1 << 18)

static gsize
padded_columns (gsize n)
{
  return (n + CPU_F16_LANES - 1) / CPU_F16_LANES * CPU_F16_LANES;
}

static gsize
block_width (gsize n, gsize column)
{
  const gsize vectors = (padded_columns (n) - column) / CPU_F16_LANES;

  return CPU_F16_LANES * (vectors == 3 ? 3 : MIN (vectors, 2));
}

/* Elements of a column of b, and of a row of a: rows of bf16 are filled up with
 * zeros to whole tiles. */
static gsize
column_length (gsize k, gboolean bf16)
{
  return bf16 ? cpu_bf16_padded (1, k) : cpu_f16_padded (k);
}

static gsize
row_length (gsize k, gboolean bf16)
{
  return bf16 ? cpu_bf16_padded (1, k) : k;
}

gsize
cpu_f16_matrix_size (gsize k, gsize n, gboolean bf16)
{
  gsize f16;

  if (n > G_MAXSIZE / 2 || k > G_MAXSIZE / 2
      || !g_size_checked_mul (&f16, padded_columns (n), column_length (k, bf16))
      || f16 > G_MAXSIZE / 8)
    return G_MAXSIZE;
  return f16 * sizeof (guint16) + padded_columns (n) * sizeof (float);
}

gboolean
cpu_f16_pack_matrix (gpointer to, const float *b, gsize k, gsize n,
    gsize k_stride, gsize n_stride, gboolean bf16)
{
  float *scales = to;
  guint16 *at = (guint16 *) (gpointer) (scales + padded_columns (n));
  g_autofree float *block = g_try_new (float, k * 3 * CPU_F16_LANES + 1);

  if (block == NULL)
    return FALSE;
  for (gsize j = 0, width; j < n; j += width) {
    width = block_width (n, j);
    for (gsize c = 0; c < width; c++)
      for (gsize i = 0; i < k; i++)
        block[i * width + c] =
            j + c < n ? b[i * k_stride + (j + c) * n_stride] : 0;
    at = (bf16 ? cpu_bf16_pack : cpu_f16_pack) (
        at, scales + j, block, k, k, width);
  }
  return TRUE;
}

static gsize
chunk_rows (gsize m, gsize k, gboolean bf16)
{
  if (bf16)
    return MIN (
        m, CLAMP (BF16_CHUNK_BYTES / MAX (2 * k, 1) / BF16_ROWS * BF16_ROWS,
               2 * BF16_ROWS, MOST_BF16_ROWS));
  return MIN (m, CLAMP (CHUNK_BYTES / MAX (2 * k, 1) / 13 * 13, 13, MOST_ROWS));
}

/* Each chunk has a scale. */
static gsize
scales_size (gsize m, gsize k, gboolean bf16)
{
  const gsize rows = MAX (chunk_rows (m, k, bf16), 1);

  return ((m + rows - 1) / rows * sizeof (float) + 63) & ~(gsize) 63;
}

gsize
cpu_f16_scratch (gsize m, gsize k, gboolean bf16)
{
  gsize f16;

  if (k > G_MAXSIZE / 2 || !g_size_checked_mul (&f16, m, row_length (k, bf16))
      || f16 > G_MAXSIZE / 8)
    return G_MAXSIZE;
  return scales_size (m, k, bf16)
         + ((f16 * sizeof (guint16) + 63) & ~(gsize) 63);
}

typedef struct
{
  const CpuKernels *kernels;
  const CpuF16Product *p;
  float *backs;      /* inverse scale of each chunk */
  guint16 *f16;      /* converted rows */
  const guint16 *in; /* those, or rows that are bf16 already */
  gsize row, length; /* elements from a row of `in` to the next, and in it */
  gsize rows;        /* of a chunk */
  gsize blocks;      /* of columns of a matrix */
} Job;

static float
fill_rows (
    const Job *job, guint16 *to, const float *from, gsize rows, float scale)
{
  const CpuF16Product *p = job->p;
  float largest = 0;

  if (p->a_row == p->k)
    return job->kernels->scale_f16 (to, from, rows * p->k, scale);
  for (gsize i = 0; i < rows; i++)
    largest = MAX (largest, job->kernels->scale_f16 (to + i * p->k,
                                from + i * p->a_row, p->k, scale));
  return largest;
}

static void
fill_bf16_rows (const Job *job, guint16 *to, const float *from, gsize rows)
{
  const CpuF16Product *p = job->p;

  if (p->a_row == p->k && job->row == p->k) {
    job->kernels->f32_to_bf16 (to, from, rows * p->k);
    return;
  }
  for (gsize i = 0; i < rows; i++, to += job->row) {
    job->kernels->f32_to_bf16 (to, from + i * p->a_row, p->k);
    memset (to + p->k, 0, (job->row - p->k) * sizeof *to);
  }
}

static void
fill_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Job *job = data;
  const CpuF16Product *p = job->p;

  for (gsize i = begin; i < end; i++) {
    const gsize first = i * job->rows, rows = MIN (job->rows, p->m - first);
    guint16 *to = job->f16 + first * job->row;
    const float *from = p->a + first * p->a_row;
    float scale;

    if (p->bf16) {
      fill_bf16_rows (job, to, from, rows);
      continue;
    }
    if (!cpu_f16_fits (
            fill_rows (job, to, from, rows, 1), &scale, &job->backs[i]))
      fill_rows (job, to, from, rows, scale);
  }
}

static void
offset_epilogue (CpuEpilogue *e, gsize column, gsize residual)
{
  if (e->bias)
    e->bias += column;
  if (e->scale)
    e->scale += column;
  if (e->act.slopes)
    e->act.slopes += column;
  if (e->last_act.slopes)
    e->last_act.slopes += column;
  if (e->residual)
    e->residual += residual;
}

static void
tile_range (gpointer data, gsize begin, gsize end, guint thread)
{
  static const gsize segment = 0;
  const Job *job = data;
  const CpuF16Product *p = job->p;
  const gsize size = cpu_f16_matrix_size (p->k, p->n, p->bf16);
  const gsize column_elements = column_length (p->k, p->bf16);

  for (gsize i = begin; i < end; i++) {
    const gsize matrix = i / job->blocks % p->matrices;
    const gsize chunk = i / job->blocks / p->matrices;
    const gsize first = chunk * job->rows;
    const gsize j = i % job->blocks * 2 * CPU_F16_LANES;
    const gsize width = block_width (p->n, j), column = matrix * p->n + j;
    const gsize at = first * p->c_row + column;
    const float *scales = (gconstpointer) ((const char *) p->b + matrix * size);
    const guint16 *packed = (gconstpointer) (scales + padded_columns (p->n));
    CpuConvTileF16 tile = { .in = job->in + first * job->row,
      .in_step = job->row,
      .segments = &segment,
      .n_segments = 1,
      .length = job->length,
      .weights = packed + j * column_elements,
      .scale = p->bf16 ? 1 : job->backs[chunk],
      .scales = scales + j,
      .vectors = width / CPU_F16_LANES,
      .channels = MIN (width, p->n - j),
      .pixels = MIN (job->rows, p->m - first),
      .out_step = p->c_row,
      .epilogue = p->epilogue,
      .residual_step = p->c_row };

    if (p->c_bf16 != NULL)
      tile.f16 =
          (CpuF16Results){ .out = p->c_bf16 + at, .scale = 1, .bf16 = TRUE };
    else
      tile.out = p->c + at;
    tile.residual_channels = tile.channels;
    offset_epilogue (&tile.epilogue, column, at);
    if (p->bf16)
      job->kernels->conv_tile_bf16 (&tile);
    else
      job->kernels->conv_tile_f16 (&tile);
  }
}

void
cpu_f16_product (CpuStep *step, const CpuF16Product *p)
{
  const gsize vectors = padded_columns (p->n) / CPU_F16_LANES;
  Job job = { .kernels = step->kernels,
    .p = p,
    .backs = p->scratch,
    .f16 = (guint16 *) (gpointer) ((char *) p->scratch
                                   + scales_size (p->m, p->k, p->bf16)),
    .row = row_length (p->k, p->bf16),
    .length = row_length (p->k, p->bf16),
    .rows = MAX (chunk_rows (p->m, p->k, p->bf16), 1),
    .blocks = vectors % 2 == 1 ? MAX (vectors / 2, 1) : vectors / 2 };
  const gsize chunks = (p->m + job.rows - 1) / job.rows;

  if (p->n == 0)
    return;
  job.in = job.f16;
  if (p->a_bf16 != NULL) {
    job.in = p->a_bf16;
    job.row = p->a_row;
    job.length = p->k;
  } else {
    cpu_step_parallel (step, chunks,
        1 + THREAD_GRAIN / 8 / MAX (job.rows * p->k, 1), fill_range, &job);
  }
  cpu_step_parallel (step, chunks * p->matrices * job.blocks,
      1 + THREAD_GRAIN / MAX (job.rows * p->k * 2 * CPU_F16_LANES, 1),
      tile_range, &job);
}
