/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec.h"

#define INLINE static inline __attribute__ ((always_inline))
#define UNROLL _Pragma ("GCC unroll 16")

#define PANEL_VF (CPU_GEMM_PANEL / VF_N) /* vectors of a panel */

/* Rows and panels of a block: as many sums as there are registers for them, a
 * few left for the operands. */
#if CPU_VEC_BYTES == 64
#define BLOCK_ROWS 12
#define BLOCK_PANELS 2
#define GEMV_PANELS 4
#define GEMV_UNROLL 2
#elif CPU_VEC_BYTES == 32
#define BLOCK_ROWS 6
#define BLOCK_PANELS 1
#define GEMV_PANELS 4
#define GEMV_UNROLL 1
#else
#define BLOCK_ROWS 2
#define BLOCK_PANELS 1
#define GEMV_PANELS 2
#define GEMV_UNROLL 1
#endif

/* One vector of a row of c, @left columns of which exist. */
INLINE void
finish (const CpuGemm *g, float *c, size_t column, size_t left, vf sum)
{
  if (left >= VF_N) {
    if (g->bias)
      sum += vf_load (g->bias + column);
    if (g->accumulate)
      sum += vf_load (c);
    vf_store (c, sum);
  } else if (left > 0) {
    if (g->bias)
      sum += vf_load_tail (g->bias + column, left);
    if (g->accumulate)
      sum += vf_load_tail (c, left);
    vf_store_tail (c, sum, left);
  }
}

INLINE void
finish_row (
    const CpuGemm *g, size_t row, size_t column, const vf *sums, size_t vectors)
{
  float *c = g->c + row * g->c_row + column;

  UNROLL for (size_t v = 0; v < vectors; v++)
  {
    size_t at = v * VF_N;
    size_t left = g->n - column;

    finish (g, c + at, column + at, left > at ? left - at : 0, sums[v]);
  }
}

/* @rows rows by @panels panels from (@row, @column); both counts are constants
 * where this is inlined. */
INLINE void
block (const CpuGemm *g, size_t row, size_t column, size_t rows, size_t panels)
{
  const float *a = g->a + row * g->a_row;
  const float *b = (const float *) g->b + column / CPU_GEMM_PANEL * g->b_panel;
  const size_t a_row = g->a_row, a_k = g->a_k, b_k = g->b_k;
  const size_t b_panel = g->b_panel, depth = g->k;
  vf sums[BLOCK_ROWS][BLOCK_PANELS * PANEL_VF];

  UNROLL for (size_t r = 0; r < rows; r++)
      UNROLL for (size_t v = 0; v < panels * PANEL_VF; v++) sums[r][v] =
          (vf){ 0 };
  for (size_t k = 0; k < depth; k++) {
    vf w[BLOCK_PANELS * PANEL_VF];

    UNROLL for (size_t v = 0; v < panels * PANEL_VF; v++) w[v] =
        vf_load (b + k * b_k + v / PANEL_VF * b_panel + v % PANEL_VF * VF_N);
    UNROLL for (size_t r = 0; r < rows; r++)
    {
      vf x = vf_set (a[r * a_row + k * a_k]);

      UNROLL for (size_t v = 0; v < panels * PANEL_VF; v++) sums[r][v] +=
          x * w[v];
    }
  }
  UNROLL for (size_t r = 0; r < rows; r++)
      finish_row (g, row + r, column, sums[r], panels * PANEL_VF);
}

/* All rows of some panels; the last rows in smaller blocks. */
INLINE void
panel_rows (const CpuGemm *g, size_t column, size_t panels)
{
  size_t row = 0;

  for (; row + BLOCK_ROWS <= g->m; row += BLOCK_ROWS)
    block (g, row, column, BLOCK_ROWS, panels);
#if BLOCK_ROWS > 8
  for (; row + 8 <= g->m; row += 8)
    block (g, row, column, 8, panels);
#endif
#if BLOCK_ROWS > 4
  for (; row + 4 <= g->m; row += 4)
    block (g, row, column, 4, panels);
#endif
#if BLOCK_ROWS > 2
  for (; row + 2 <= g->m; row += 2)
    block (g, row, column, 2, panels);
#endif
  for (; row < g->m; row++)
    block (g, row, column, 1, panels);
}

/* One row: each element of b is read once, so what counts is that reads stream
 * and that no sum waits for the one before. */
INLINE void
row_panels (const CpuGemm *g, size_t column, size_t panels, size_t unroll)
{
  const float *a = g->a;
  const float *b = (const float *) g->b + column / CPU_GEMM_PANEL * g->b_panel;
  const size_t a_k = g->a_k, b_k = g->b_k, b_panel = g->b_panel;
  const size_t depth = g->k, vectors = panels * PANEL_VF;
  vf sums[8][GEMV_PANELS * PANEL_VF];
  size_t k = 0;

  UNROLL for (size_t u = 0; u < unroll; u++)
      UNROLL for (size_t v = 0; v < vectors; v++) sums[u][v] = (vf){ 0 };
  for (; k + unroll <= depth; k += unroll)
    UNROLL for (size_t u = 0; u < unroll; u++)
    {
      vf x = vf_set (a[(k + u) * a_k]);

      UNROLL for (size_t v = 0; v < vectors; v++) sums[u][v] +=
          x
          * vf_load (
              b + (k + u) * b_k + v / PANEL_VF * b_panel + v % PANEL_VF * VF_N);
    }
  for (; k < depth; k++) {
    vf x = vf_set (a[k * a_k]);

    UNROLL for (size_t v = 0; v < vectors; v++) sums[0][v] +=
        x
        * vf_load (b + k * b_k + v / PANEL_VF * b_panel + v % PANEL_VF * VF_N);
  }
  UNROLL for (size_t u = 1; u < unroll; u++)
      UNROLL for (size_t v = 0; v < vectors; v++) sums[0][v] += sums[u][v];
  finish_row (g, 0, column, sums[0], vectors);
}

static void
single_row (const CpuGemm *g)
{
  size_t panels = (g->n + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL;
  size_t p = 0;

  for (; p + GEMV_PANELS <= panels; p += GEMV_PANELS)
    row_panels (g, p * CPU_GEMM_PANEL, GEMV_PANELS, GEMV_UNROLL);
#if GEMV_PANELS > 2
  for (; p + 2 <= panels; p += 2)
    row_panels (g, p * CPU_GEMM_PANEL, 2, GEMV_UNROLL * 2);
#endif
  for (; p < panels; p++)
    row_panels (g, p * CPU_GEMM_PANEL, 1, GEMV_UNROLL * 4);
}

void
CPU_KERNEL (gemm_f32) (const CpuGemm *g)
{
  size_t column = 0;

  if (g->m == 1) {
    single_row (g);
    return;
  }
#if BLOCK_PANELS > 1
  for (; column + CPU_GEMM_PANEL < g->n;
       column += BLOCK_PANELS * CPU_GEMM_PANEL)
    panel_rows (g, column, BLOCK_PANELS);
#endif
  for (; column < g->n; column += CPU_GEMM_PANEL)
    panel_rows (g, column, 1);
}

/* @rows rows at once; a constant where this is inlined. */
INLINE void
dot_block (float *y, const float *a, size_t a_row, const float *x, size_t rows,
    size_t k)
{
  vf sums[4][2];
  size_t j = 0;

  UNROLL for (size_t r = 0; r < rows; r++) sums[r][0] = sums[r][1] = (vf){ 0 };
  for (; j + 2 * VF_N <= k; j += 2 * VF_N) {
    vf x0 = vf_load (x + j), x1 = vf_load (x + j + VF_N);

    UNROLL for (size_t r = 0; r < rows; r++)
    {
      sums[r][0] += vf_load (a + r * a_row + j) * x0;
      sums[r][1] += vf_load (a + r * a_row + j + VF_N) * x1;
    }
  }
  for (; j < k; j += VF_N) {
    size_t n = k - j < VF_N ? k - j : VF_N;
    vf x0 = vf_load_tail (x + j, n);

    UNROLL for (size_t r = 0; r < rows; r++) sums[r][0] +=
        vf_load_tail (a + r * a_row + j, n) * x0;
  }
  UNROLL for (size_t r = 0; r < rows; r++) y[r] =
      vf_sum (sums[r][0] + sums[r][1]);
}

void
CPU_KERNEL (dot_rows_f32) (float *y, const float *a, size_t a_row,
    const float *x, size_t rows, size_t k)
{
  size_t i = 0;

  for (; i + 4 <= rows; i += 4)
    dot_block (y + i, a + i * a_row, a_row, x, 4, k);
  for (; i < rows; i++)
    dot_block (y + i, a + i * a_row, a_row, x, 1, k);
}
