/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products of bytes and small integers: sums of a group are exact, and are
 * converted to f32 when the next group begins. */

#include "cpu/kernels/quantized-vnni.inc"

#include <math.h>

/* Returns their sum. */
INLINE int32_t
write_integers (int8_t *to, const float *src, size_t n, float per)
{
  vi sum = vi_set (0);

  for (size_t i = 0; i < n; i += VF_N) {
    const vi v = vi_round (load_floats (src + i, first_lanes (n - i)) * per);

    sum += v;
    store_bytes (to + i, v, first_lanes (VF_N));
  }
  return vi_sum (sum);
}

#include "cpu/kernels/gemm-bytes.inc"

/* --- products --- */

#define MAX_VECTORS 4
#define MAX_ROWS 3
/* Sums of a vector, so that products need not wait for each other. */
#define MAX_CHAINS (MAX_VECTORS / PANEL_VECTORS)

/* Four products of each row and column. */
INLINE void
add_quad (const CpuGemm *g, const CpuBytes *const *row, size_t at,
    const uint8_t *b, size_t rows, size_t vectors, vi (*sum)[MAX_VECTORS])
{
  vi quad[MAX_ROWS];

#pragma GCC unroll 3
  for (size_t r = 0; r < rows; r++)
    quad[r] = four_bytes ((const char *) row[r] + at);
#pragma GCC unroll 4
  for (size_t p = 0; p < vectors; p++) {
    const vi weights = panel_vector (b, g->b_panel, p);

#pragma GCC unroll 3
    for (size_t r = 0; r < rows; r++)
      add_products (&sum[r][p], weights, quad[r]);
  }
}

/* @rows from row @i on and @vectors from column @j on; these and @chains are
 * constants after inlining. */
INLINE void
tile (const CpuGemm *g, size_t i, size_t j, size_t rows, size_t vectors,
    size_t chains)
{
  const size_t at = cpu_bytes_at (g->k, g->a_group);
  const uint8_t *b = (const uint8_t *) g->b + j / CPU_GEMM_PANEL * g->b_panel;
  const CpuBytes *row[MAX_ROWS];
  vf v[MAX_ROWS][MAX_VECTORS];

#pragma GCC unroll 3
  for (size_t r = 0; r < rows; r++) {
    row[r] = row_of (g, i + r);
#pragma GCC unroll 4
    for (size_t p = 0; p < vectors; p++)
      v[r][p] = vf_set (0);
  }
  for (size_t k = 0; k < g->k; k += g->a_group) {
    const size_t left = g->k - k < g->a_group ? g->k - k : g->a_group;
    const size_t last = (left + 3) / 4 * 4;
    vi sum[MAX_CHAINS][MAX_ROWS][MAX_VECTORS];
    size_t q = 0;

#pragma GCC unroll 3
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
      for (size_t p = 0; p < vectors; p++) {
        sum[0][r][p] = vi_set (row[r]->groups[k / g->a_group].start);
#pragma GCC unroll 4
        for (size_t t = 1; t < chains; t++)
          sum[t][r][p] = vi_set (0);
      }
    for (; q + 4 * chains <= last; q += 4 * chains)
#pragma GCC unroll 4
      for (size_t t = 0; t < chains; t++, b += CPU_GEMM_PANEL * 4)
        add_quad (g, row, at + k + q + 4 * t, b, rows, vectors, sum[t]);
    if (chains > 1)
      for (; q < last; q += 4, b += CPU_GEMM_PANEL * 4)
        add_quad (g, row, at + k + q, b, rows, vectors, sum[0]);
#pragma GCC unroll 3
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
      for (size_t p = 0; p < vectors; p++) {
#pragma GCC unroll 4
        for (size_t t = 1; t < chains; t++)
          sum[0][r][p] += sum[t][r][p];
        v[r][p] += vf_of (sum[0][r][p]) * row[r]->groups[k / g->a_group].scale;
      }
  }
#pragma GCC unroll 3
  for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
    for (size_t p = 0; p < vectors; p++) {
      const size_t c = j + p * VF_N;

      if (c >= g->n)
        break;
      if (g->b_offset)
        v[r][p] += row[r]->sum * vf_load (g->b_offset + c);
      store_floats (g->c + (i + r) * g->c_row + c,
          v[r][p] * vf_load (g->b_scale + c), first_lanes (g->n - c));
    }
}

typedef CpuGemm Product;
#include "cpu/kernels/gemm-panels-vnni.inc"

void
CPU_KERNEL (gemm_bytes) (const CpuGemm *g)
{
  run_tiles (g);
  odd_rows (g);
}
