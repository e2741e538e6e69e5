/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/epilogue-c.h"
#include "cpu/kernels/f16-c.h"
#include "cpu/kernels/kernels.h"

static float
input_at (const CpuConvDepthwise *r, ptrdiff_t at)
{
  return r->in_bf16 ? widened_bf16_c (r->in_bf16 + at) : r->in[at];
}

static float
depthwise_sum (const CpuConvDepthwise *r, size_t p, size_t c)
{
  const ptrdiff_t end = (ptrdiff_t) (r->columns * r->column);
  float sum = 0;

  for (size_t z = 0; z < r->n[0]; z++) {
    for (size_t y = 0; y < r->n[1]; y++) {
      const size_t at = z * r->in_stride[0] + y * r->in_stride[1];
      const float *w =
          r->weights + z * r->weight_stride[0] + y * r->weight_stride[1] + c;

      for (size_t x = 0; x < r->n[2]; x++, w += r->channels) {
        ptrdiff_t column =
            r->first + (ptrdiff_t) (p * r->step + x * r->dilation);
        ptrdiff_t i = column * (ptrdiff_t) r->column + (ptrdiff_t) c;

        if (i >= 0 && i < end)
          sum += input_at (r, (ptrdiff_t) at + i) * *w;
      }
    }
  }
  return sum;
}

static void
depthwise_row (const CpuConvDepthwise *r)
{
  const CpuF16Results results = { .out = r->out_bf16, .bf16 = true };

  for (size_t p = 0; p < r->pixels; p++) {
    size_t channels = p + 1 < r->pixels ? r->channels : r->last;

    for (size_t c = 0; c < channels; c++) {
      size_t i = p * r->out_step + c;

      put_c (r->out, &results, i,
          epilogue_c (&r->epilogue, depthwise_sum (r, p, c), c, i));
    }
  }
}

void
cpu_conv_depthwise_f32_c (const CpuConvDepthwise *r)
{
  CpuConvDepthwise row = *r;

  for (size_t y = 0; y < r->rows; y++) {
    depthwise_row (&row);
    if (row.in_bf16)
      row.in_bf16 += row.in_row;
    else
      row.in += row.in_row;
    if (row.out_bf16)
      row.out_bf16 += row.out_row;
    else
      row.out += row.out_row;
    if (row.epilogue.residual)
      row.epilogue.residual += row.out_row;
  }
}

void
cpu_conv_depthwise_bf16_c (const CpuConvDepthwise *r)
{
  cpu_conv_depthwise_f32_c (r);
}

static float
depthwise_sum_f16 (const CpuConvDepthwiseF16 *r, size_t p, size_t c)
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
              widened_c (r->in + z * r->in_stride[0] + y * r->in_stride[1] + at)
              * widened_c (r->weights + z * r->weight_stride[0]
                           + y * r->weight_stride[1] + x * r->channels + c);
      }
  return sum;
}

void
cpu_conv_depthwise_f16_c (const CpuConvDepthwiseF16 *r)
{
  for (size_t p = 0; p < r->pixels; p++)
    for (size_t c = 0; c < (p + 1 < r->pixels ? r->channels : r->last); c++)
      put_c (r->out, &r->f16, p * r->out_step + c,
          epilogue_tile_c (&r->epilogue, 0, 0,
              depthwise_sum_f16 (r, p, c) * (r->scale * r->scales[c]), p, c));
}
