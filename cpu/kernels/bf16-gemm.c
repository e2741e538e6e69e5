/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/epilogue-c.h"
#include "cpu/kernels/f16-c.h"
#include "cpu/kernels/kernels.h"

#include <string.h>

static float
number_of (uint16_t bf16)
{
  const uint32_t bits = (bf16 & 0x7f80) == 0 ? (uint32_t) (bf16 & 0x8000) << 16
                                             : (uint32_t) bf16 << 16;
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

static float
finished (const CpuConvTileF16 *t, float value, size_t p, size_t c)
{
  CpuEpilogue epilogue = t->epilogue;
  float residual = 0;

  if (t->residual_bf16 == NULL)
    return epilogue_tile_c (
        &epilogue, t->residual_step, t->residual_channels, value, p, c);
  if (c < t->residual_channels)
    residual = widened_bf16_c (t->residual_bf16 + p * t->residual_step + c);
  epilogue.residual = &residual;
  return epilogue_c (&epilogue, value, c, 0);
}

void
cpu_conv_tile_bf16_c (const CpuConvTileF16 *t)
{
  const size_t width = t->vectors * CPU_F16_LANES;

  for (size_t p = 0; p < t->pixels; p++) {
    for (size_t c = 0; c < t->channels; c++) {
      float sum = 0;

      for (size_t s = 0; s < t->n_segments; s++) {
        const uint16_t *in = t->in + p * t->in_step + t->segments[s];
        const uint16_t *w =
            t->weights + s * cpu_f16_padded (t->length) * width + 2 * c;

        for (size_t i = 0; i < t->length; i++)
          sum += number_of (in[i]) * number_of (w[i / 2 * 2 * width + i % 2]);
      }
      put_c (t->out, &t->f16, p * t->out_step + c,
          finished (t, sum * (t->scale * t->scales[c]), p, c));
    }
  }
}
