/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/epilogue-c.h"
#include "cpu/kernels/f16-c.h"
#include "cpu/kernels/kernels.h"

void
cpu_conv_tile_f16_c (const CpuConvTileF16 *t)
{
  const size_t width = t->vectors * CPU_F16_LANES;

  for (size_t p = 0; p < t->pixels; p++) {
    for (size_t c = 0; c < t->channels; c++) {
      float sum = 0;

      for (size_t s = 0; s < t->n_segments; s++) {
        const uint16_t *in = t->in + p * t->in_step + t->segments[s];
        const uint16_t *w = t->weights + s * cpu_f16_padded (t->length) * width
                            + 2 * cpu_f16_lane (c, t->vectors);

        for (size_t i = 0; i < t->length; i++)
          sum += widened_c (in + i) * widened_c (w + i / 2 * 2 * width + i % 2);
      }
      put_c (t->out, &t->f16, p * t->out_step + c,
          epilogue_tile_c (&t->epilogue, t->residual_step, t->residual_channels,
              sum * (t->scale * t->scales[c]), p, c));
    }
  }
}

float
cpu_scale_f16_c (uint16_t *dst, const float *src, size_t n, float scale)
{
  float largest = 0;

  for (size_t i = 0; i < n; i++) {
    const float value = src[i] * scale;

    cpu_f32_to_f16_c (dst + i, &value, 1);
    if (isfinite (src[i]) && fabsf (src[i]) > largest)
      largest = fabsf (src[i]);
  }
  return largest;
}
