/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/epilogue-c.h"
#include "cpu/kernels/kernels.h"

void
cpu_conv_dots_f32_c (const CpuConvTile *t)
{
  const size_t dot = t->dot, channels = t->channels;
  const size_t rows = t->rows == 2 ? 2 : 1, per = channels / rows;

  for (size_t p = 0; p < t->pixels; p++) {
    for (size_t c = 0; c < channels; c++) {
      const float *w = t->weights + c * dot;
      float sum = 0;

      for (size_t s = 0; s < t->n_segments; s++) {
        const float *in = t->in + p * t->in_step + t->segments[s];

        for (size_t i = 0; i < t->length; i += dot, w += channels * dot)
          for (size_t j = 0; j < dot && i + j < t->length; j++)
            sum += in[i + j] * w[j];
      }
      t->out[c / per * t->out_row + p * per + c % per] =
          epilogue_tile_c (&t->epilogue, channels, channels, sum, p, c);
    }
  }
}
