/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"

void
cpu_strassen_sums_f32_c (const CpuStrassenSums *s)
{
  for (size_t r = 0; r < s->rows; r++)
    for (size_t i = 0; i < s->n; i++) {
      float *to = s->sums + r * s->n + i, x[4];

      for (size_t b = 0; b < 4; b++)
        x[b] = s->blocks[b][r * s->row + i];
      to[CPU_STRASSEN_0_PLUS_3 * s->sum] = x[0] + x[3];
      to[CPU_STRASSEN_2_PLUS_3 * s->sum] = x[2] + x[3];
      to[CPU_STRASSEN_0_PLUS_1 * s->sum] = x[0] + x[1];
      to[CPU_STRASSEN_2_MINUS_0 * s->sum] = x[2] - x[0];
      to[CPU_STRASSEN_1_MINUS_3 * s->sum] = x[1] - x[3];
    }
}

void
cpu_strassen_result_f32_c (const CpuStrassenResult *result)
{
  for (size_t r = 0; r < result->rows; r++)
    for (size_t i = 0; i < result->n; i++) {
      const size_t at = r * result->c_row + i;
      const float p4 = result->p4[r * result->n + i];
      const float p5 = result->p5[r * result->n + i];
      const float p0 = result->c[0][at], p2 = result->c[1][at];
      const float p1 = result->c[2][at];

      result->c[0][at] = p0 + p4 - p5;
      result->c[1][at] = p2 + p5;
      result->c[2][at] = p1 + p4;
      result->c[3][at] += p0 - p1 + p2;
    }
}
