/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels.h"
#include "cpu/kernels/epilogue-c.h"

static float
widened (const uint16_t *half)
{
  float value;

  cpu_f16_to_f32_c (&value, half, 1);
  return value;
}

void
cpu_conv_tile_f16_c (const CpuConvTileF16 *t)
{
  const size_t width = t->vectors * CPU_HALF_LANES;

  for (size_t p = 0; p < t->pixels; p++) {
    for (size_t c = 0; c < t->channels; c++) {
      float sum = 0;

      for (size_t s = 0; s < t->n_segments; s++) {
        const uint16_t *in = t->in + p * t->in_step + t->segments[s];
        const uint16_t *w =
            t->weights + s * cpu_half_padded (t->length) * width + 2 * c;

        for (size_t i = 0; i < t->length; i++)
          sum += widened (in + i) * widened (w + i / 2 * 2 * width + i % 2);
      }
      t->out[p * t->out_step + c] =
          epilogue_tile_c (&t->epilogue, t->residual_step, t->residual_channels,
              sum * (t->scale * t->scales[c]), p, c);
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
