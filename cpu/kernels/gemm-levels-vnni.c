/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products of bytes with one zero point for a and one for each column of b. */

#include "cpu/kernels/quantized-vnni.inc"

/* The level, as a float, is within the limits before it becomes an integer. */
INLINE vi
levels (vf v, vf scale, vf zero)
{
  return round_clamped (vf_rint (v / scale) + zero, vf_set (255)) - 128;
}

int32_t
CPU_KERNEL (levels_f32) (
    int8_t *to, const float *src, size_t n, float scale, int32_t zero)
{
  const vf by = vf_set (scale), offset = vf_set ((float) zero);
  const size_t whole = n / VF_N * VF_N;
  int32_t rest = 0;
  vi sum = vi_set (0);

  for (size_t i = 0; i < whole; i += VF_N) {
    const vi v = levels (vf_load (src + i), by, offset);

    sum += v;
    store_bytes (to + i, v, first_lanes (VF_N));
  }
  if (whole < n) {
    const Lanes lanes = first_lanes (n - whole);
    const vi v = levels (load_floats (src + whole, lanes), by, offset);

    store_bytes (to + whole, v, lanes);
    for (size_t i = whole; i < n; i++)
      rest += to[i];
  }
  return vi_sum (sum) + rest;
}

/* --- products --- */

#define MAX_VECTORS 4
#define MAX_ROWS (CPU_VEC_BYTES == 64 ? 6 : 3)
/* Sums of a vector, so that products need not wait for each other. */
#define MAX_CHAINS (MAX_VECTORS / PANEL_VECTORS)

/* Four products of each row and column. */
INLINE void
add_quad (const CpuGemmLevels *g, const int8_t *a, const uint8_t *b,
    size_t rows, size_t vectors, vi (*sum)[MAX_VECTORS])
{
  vi quad[MAX_ROWS];

#pragma GCC unroll 6
  for (size_t r = 0; r < rows; r++)
    quad[r] = four_bytes (a + r * g->a_row);
#pragma GCC unroll 4
  for (size_t p = 0; p < vectors; p++) {
    const vi weights = panel_vector (b, g->b_panel, p);

#pragma GCC unroll 6
    for (size_t r = 0; r < rows; r++)
      add_products (&sum[r][p], weights, quad[r]);
  }
}

/* Rows @i … and vectors from column @j on; @rows, @vectors and @chains are
 * constants after inlining. */
INLINE void
tile (const CpuGemmLevels *g, size_t i, size_t j, size_t rows, size_t vectors,
    size_t chains)
{
  const uint8_t *b = g->b + j / CPU_GEMM_PANEL * g->b_panel;
  const int8_t *a = g->a + i * g->a_row, *end = a + (g->k + 3) / 4 * 4;
  vi sums[MAX_CHAINS][MAX_ROWS][MAX_VECTORS];
  vi (*const sum)[MAX_VECTORS] = sums[0];

#pragma GCC unroll 4
  for (size_t t = 0; t < chains; t++)
#pragma GCC unroll 6
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
      for (size_t p = 0; p < vectors; p++)
        sums[t][r][p] = vi_set (0);
  for (; end - a >= (ptrdiff_t) (4 * chains); a += 4 * chains)
#pragma GCC unroll 4
    for (size_t t = 0; t < chains; t++, b += CPU_GEMM_PANEL * 4)
      add_quad (g, a + 4 * t, b, rows, vectors, sums[t]);
  if (chains > 1)
    for (; a < end; a += 4, b += CPU_GEMM_PANEL * 4)
      add_quad (g, a, b, rows, vectors, sum);
#pragma GCC unroll 4
  for (size_t t = 1; t < chains; t++)
#pragma GCC unroll 6
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
      for (size_t p = 0; p < vectors; p++)
        sum[r][p] += sums[t][r][p];
#pragma GCC unroll 4
  for (size_t p = 0; p < vectors; p++) {
    const size_t at = j + p * VF_N;
    /* Unsigned: lanes behind the last column may overflow. */
    const vu half = (vu) vi_set (128);
    const vu zero = g->b_zeros ? (vu) vi_load (g->b_zeros + at) + 128 : half;
    const vu shift = (vu) vi_load (g->b_sums + at) * (uint32_t) g->a_zero;
    const vf scale = vf_load (g->b_scale + at) * g->a_scale;

    if (at >= g->n)
      break;
#pragma GCC unroll 6
    for (size_t r = 0; r < rows; r++) {
      const vu v = (vu) sum[r][p] - zero * (uint32_t) g->a_sums[i + r] - shift;

      store_floats (g->c + (i + r) * g->c_row + at, vf_of ((vi) v) * scale,
          first_lanes (g->n - at));
    }
  }
}

typedef CpuGemmLevels Product;
#include "cpu/kernels/gemm-panels-vnni.inc"

void
CPU_KERNEL (gemm_levels) (const CpuGemmLevels *g)
{
  run_tiles (g);
}
