/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/epilogue-c.h"

#define LANES 4

size_t
cpu_conv_lanes_c (void)
{
  return LANES;
}

void
cpu_conv_tile_f32_c (const CpuConvTile *t)
{
  size_t width = t->vectors * LANES;

  for (size_t p = 0; p < t->pixels; p++) {
    for (size_t c = 0; c < t->channels; c++) {
      float sum = 0;

      for (size_t s = 0; s < t->n_segments; s++) {
        const float *in = t->in + p * t->in_step + t->segments[s];
        const float *w = t->weights + s * t->weights_step * width + c;

        for (size_t i = 0; i < t->length; i++, w += width)
          sum += in[i] * *w;
      }
      t->out[p * t->out_step + c] = epilogue_tile_c (
          &t->epilogue, t->residual_step, t->residual_channels, sum, p, c);
    }
  }
}
