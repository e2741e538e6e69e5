/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"

#include <math.h>

int32_t
cpu_levels_f32_c (
    int8_t *to, const float *src, size_t n, float scale, int32_t zero)
{
  int32_t sum = 0;

  for (size_t i = 0; i < n; i++) {
    const float level = rintf (src[i] / scale) + (float) zero;
    int32_t natural = 0;

    if (level >= 255)
      natural = 255;
    else if (level > 0)
      natural = (int32_t) level;
    to[i] = (int8_t) (natural - 128);
    sum += to[i];
  }
  return sum;
}

void
cpu_gemm_levels_c (const CpuGemmLevels *g)
{
  for (size_t i = 0; i < g->m; i++)
    for (size_t j = 0; j < g->n; j++) {
      const uint8_t *b =
          g->b + j / CPU_GEMM_PANEL * g->b_panel + j % CPU_GEMM_PANEL * 4;
      const int32_t b_zero = 128 + (g->b_zeros ? g->b_zeros[j] : 0);
      int64_t sum = 0;

      for (size_t k = 0; k < g->k; k++)
        sum += (int64_t) (g->a[i * g->a_row + k] - g->a_zero)
               * (b[k / 4 * 64 + k % 4] - b_zero);
      g->c[i * g->c_row + j] = (float) sum * (g->a_scale * g->b_scale[j]);
    }
}
