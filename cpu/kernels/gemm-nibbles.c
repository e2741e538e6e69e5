/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"

static float
group_sum (const CpuGemmNibbles *g, size_t i, size_t j, size_t begin)
{
  const uint32_t *b =
      g->b + j / CPU_GEMM_PANEL * g->b_panel + j % CPU_GEMM_PANEL;
  const float *a = g->a + i * g->a_row;
  float sum = 0;

  for (size_t k = begin; k < begin + g->group; k++) {
    const uint32_t code = b[k / 8 * CPU_GEMM_PANEL] >> 4 * (k % 8) & 15;

    sum += a[k] * ((float) code - 8);
  }
  return sum;
}

void
cpu_gemm_nibbles_c (const CpuGemmNibbles *g)
{
  const size_t groups = g->k / g->group;

  for (size_t i = 0; i < g->m; i++)
    for (size_t j = 0; j < g->n; j++) {
      const size_t at =
          j / CPU_GEMM_PANEL * g->number_panel + j % CPU_GEMM_PANEL;
      float sum = 0;

      for (size_t group = 0; group < groups; group++) {
        const size_t number = at + group * CPU_GEMM_PANEL;

        sum += g->scale[number] * group_sum (g, i, j, group * g->group);
        if (g->shift)
          sum -= g->shift[number] * g->a_sums[i * groups + group];
      }
      g->c[i * g->c_row + j] = sum;
    }
}

void
cpu_unpack_nibbles_c (float *to, const CpuGemmNibbles *g)
{
  for (size_t k = 0; k < g->k; k++)
    for (size_t j = 0; j < CPU_GEMM_PANEL; j++) {
      const uint32_t word = g->b[k / 8 * CPU_GEMM_PANEL + j];
      const size_t number = k / g->group * CPU_GEMM_PANEL + j;
      const float code = (float) (word >> 4 * (k % 8) & 15) - 8;

      to[k * CPU_GEMM_PANEL + j] =
          code * g->scale[number] - (g->shift ? g->shift[number] : 0);
    }
}
