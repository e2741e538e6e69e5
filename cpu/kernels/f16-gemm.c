/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/epilogue-c.h"

static float
widened (const uint16_t *half)
{
  float value;

  cpu_f16_to_f32_c (&value, half, 1);
  return value;
}

static void
put (float *out, const CpuHalfResults *halves, size_t at, float value)
{
  const float scaled = value * halves->scale;

  if (halves->out == NULL) {
    out[at] = value;
    return;
  }
  cpu_f32_to_f16_c (halves->out + at, &scaled, 1);
  if (isfinite (value) && fabsf (value) > *halves->largest)
    *halves->largest = fabsf (value);
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
        const uint16_t *w = t->weights + s * cpu_half_padded (t->length) * width
                            + 2 * cpu_half_lane (c, t->vectors);

        for (size_t i = 0; i < t->length; i++)
          sum += widened (in + i) * widened (w + i / 2 * 2 * width + i % 2);
      }
      put (t->out, &t->halves, p * t->out_step + c,
          epilogue_tile_c (&t->epilogue, t->residual_step, t->residual_channels,
              sum * (t->scale * t->scales[c]), p, c));
    }
  }
}

static float
depthwise_sum (const CpuConvDepthwiseF16 *r, size_t p, size_t c)
{
  float sum = 0;

  for (size_t z = 0; z < r->n[0]; z++)
    for (size_t y = 0; y < r->n[1]; y++)
      for (size_t x = 0; x < r->n[2]; x++) {
        const ptrdiff_t at =
            (r->first + (ptrdiff_t) (p * r->step + x * r->dilation))
                * (ptrdiff_t) r->column
            + (ptrdiff_t) c;

        if (at >= 0 && at < (ptrdiff_t) (r->columns * r->column))
          sum +=
              widened (r->in + z * r->in_stride[0] + y * r->in_stride[1] + at)
              * widened (r->weights + z * r->weight_stride[0]
                         + y * r->weight_stride[1] + x * r->channels + c);
      }
  return sum;
}

void
cpu_conv_depthwise_f16_c (const CpuConvDepthwiseF16 *r)
{
  for (size_t p = 0; p < r->pixels; p++)
    for (size_t c = 0; c < (p + 1 < r->pixels ? r->channels : r->last); c++)
      put (r->out, &r->halves, p * r->out_step + c,
          epilogue_tile_c (&r->epilogue, 0, 0,
              depthwise_sum (r, p, c) * (r->scale * r->scales[c]), p, c));
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
