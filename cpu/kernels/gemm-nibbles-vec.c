/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec.h"

/* Vectors of a panel. */
#define PARTS (CPU_GEMM_PANEL / VF_N)
#define MAX_ROWS 4
#define MAX_VECTORS (4 * PARTS)

/* Code @t of each word, minus 8: the bits of 2^23 + code are those of a float.
 */
INLINE vf
code_of (vu words, unsigned t)
{
  return (vf) ((words >> 4 * t & 15) | 0x4b000000) - 8388616.0f;
}

/* @rows rows from @i on, @panels panels from column @j on; both are constants
 * after inlining. */
INLINE void
add_group (const CpuGemmNibbles *g, const float *a, const uint32_t *b,
    size_t rows, size_t panels, vf (*sum)[MAX_VECTORS])
{
  for (size_t k = 0; k < g->group; k += 8, b += CPU_GEMM_PANEL)
#pragma GCC unroll 16
    for (size_t v = 0; v < panels * PARTS; v++) {
      const vu words = (vu) vf_load (
          (const float *) (const void *) (b + v / PARTS * g->b_panel
                                          + v % PARTS * VF_N));

#pragma GCC unroll 8
      for (unsigned t = 0; t < 8; t++) {
        const vf code = code_of (words, t);

#pragma GCC unroll 4
        for (size_t r = 0; r < rows; r++)
          sum[r][v] += code * a[r * g->a_row + k + t];
      }
    }
}

INLINE void
tile (const CpuGemmNibbles *g, size_t i, size_t j, size_t rows, size_t panels)
{
  const size_t groups = g->k / g->group, panel = j / CPU_GEMM_PANEL;
  const float *a = g->a + i * g->a_row;
  const uint32_t *b = g->b + panel * g->b_panel;
  const size_t number = panel * g->number_panel;
  vf total[MAX_ROWS][MAX_VECTORS];

#pragma GCC unroll 4
  for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 16
    for (size_t v = 0; v < panels * PARTS; v++)
      total[r][v] = vf_set (0);
  for (size_t group = 0; group < groups; group++) {
    vf sum[MAX_ROWS][MAX_VECTORS];

#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 16
      for (size_t v = 0; v < panels * PARTS; v++)
        sum[r][v] = vf_set (0);
    add_group (g, a + group * g->group,
        b + group * g->group / 8 * CPU_GEMM_PANEL, rows, panels, sum);
#pragma GCC unroll 16
    for (size_t v = 0; v < panels * PARTS; v++) {
      const size_t at = number + v / PARTS * g->number_panel
                        + group * CPU_GEMM_PANEL + v % PARTS * VF_N;
      const vf scale = vf_load (g->scale + at);

#pragma GCC unroll 4
      for (size_t r = 0; r < rows; r++) {
        total[r][v] += scale * sum[r][v];
        if (g->shift)
          total[r][v] -=
              vf_load (g->shift + at) * g->a_sums[(i + r) * groups + group];
      }
    }
  }
#pragma GCC unroll 4
  for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 16
    for (size_t v = 0; v < panels * PARTS; v++) {
      const size_t at = j + v * VF_N;
      float *c = g->c + (i + r) * g->c_row + at;

      if (at + VF_N <= g->n)
        vf_store (c, total[r][v]);
      else if (at < g->n)
        vf_store_tail (c, total[r][v], g->n - at);
    }
}

/* Words are decoded once for four rows. */
void
CPU_KERNEL (gemm_nibbles) (const CpuGemmNibbles *g)
{
  size_t i = 0;

  for (; i + MAX_ROWS <= g->m; i += MAX_ROWS)
    for (size_t j = 0; j < g->n; j += CPU_GEMM_PANEL)
      tile (g, i, j, MAX_ROWS, 1);
  for (; i < g->m; i++) {
    size_t j = 0;

    for (; j + 3 * CPU_GEMM_PANEL < g->n; j += 4 * CPU_GEMM_PANEL)
      tile (g, i, j, 1, 4);
    for (; j < g->n; j += CPU_GEMM_PANEL)
      tile (g, i, j, 1, 1);
  }
}

void
CPU_KERNEL (unpack_nibbles) (float *to, const CpuGemmNibbles *g)
{
  for (size_t k = 0; k < g->k; k += 8)
    for (size_t v = 0; v < PARTS; v++) {
      const size_t number = k / g->group * CPU_GEMM_PANEL + v * VF_N;
      const vf scale = vf_load (g->scale + number);
      const vf shift = g->shift ? vf_load (g->shift + number) : vf_set (0);
      const vu words = (vu) vf_load (
          (const float *) (const void *) (g->b + k / 8 * CPU_GEMM_PANEL
                                          + v * VF_N));

#pragma GCC unroll 8
      for (unsigned t = 0; t < 8; t++)
        vf_store (to + (k + t) * CPU_GEMM_PANEL + v * VF_N,
            code_of (words, t) * scale - shift);
    }
}
