/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"

void
cpu_blend_f32_c (const CpuBlend *blend)
{
  const size_t taps = blend->taps, inner = blend->inner;

  for (size_t r = 0; r < blend->rows; r++)
    for (size_t i = 0; i < inner; i++) {
      float sum = 0;

      for (size_t k = r * taps; k < (r + 1) * taps; k++)
        if ((float) blend->weight[k] != 0)
          sum += (float) blend->weight[k]
                 * blend->src[(size_t) blend->index[k] * inner + i];
      blend->dst[r * inner + i] = sum;
    }
}
