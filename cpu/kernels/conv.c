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
      const float *w = t->weights + c;
      float sum = 0;

      for (size_t s = 0; s < t->n_segments; s++) {
        const float *in = t->in + p * t->in_step + t->segments[s];

        for (size_t i = 0; i < t->length; i++, w += width)
          sum += in[i] * *w;
      }
      t->out[p * t->out_step + c] = epilogue_tile_c (
          &t->epilogue, t->residual_step, t->residual_channels, sum, p, c);
    }
  }
}

void
cpu_conv_dots_f32_c (const CpuConvTile *t)
{
  const size_t dot = t->dot, channels = t->channels;

  for (size_t p = 0; p < t->pixels; p++) {
    for (size_t c = 0; c < channels; c++) {
      const float *w = t->weights + c * dot;
      float sum = 0;

      for (size_t s = 0; s < t->n_segments; s++) {
        const float *in = t->in + p * t->in_step + t->segments[s];

        for (size_t i = 0; i < t->length; i += dot, w += channels * dot)
          for (size_t j = 0; j < dot; j++)
            sum += in[i + j] * w[j];
      }
      t->out[p * channels + c] =
          epilogue_tile_c (&t->epilogue, channels, channels, sum, p, c);
    }
  }
}

static float
depthwise_sum (const CpuConvDepthwise *r, size_t p, size_t c)
{
  const ptrdiff_t end = (ptrdiff_t) (r->columns * r->column);
  float sum = 0;

  for (size_t z = 0; z < r->n[0]; z++) {
    for (size_t y = 0; y < r->n[1]; y++) {
      const float *row = r->in + z * r->in_stride[0] + y * r->in_stride[1];
      const float *w =
          r->weights + z * r->weight_stride[0] + y * r->weight_stride[1] + c;

      for (size_t x = 0; x < r->n[2]; x++, w += r->channels) {
        ptrdiff_t column =
            r->first + (ptrdiff_t) (p * r->step + x * r->dilation);
        ptrdiff_t i = column * (ptrdiff_t) r->column + (ptrdiff_t) c;

        if (i >= 0 && i < end)
          sum += row[i] * *w;
      }
    }
  }
  return sum;
}

static void
depthwise_row (const CpuConvDepthwise *r)
{
  for (size_t p = 0; p < r->pixels; p++) {
    size_t channels = p + 1 < r->pixels ? r->channels : r->last;

    for (size_t c = 0; c < channels; c++) {
      size_t i = p * r->out_step + c;

      r->out[i] = epilogue_c (&r->epilogue, depthwise_sum (r, p, c), c, i);
    }
  }
}

void
cpu_conv_depthwise_f32_c (const CpuConvDepthwise *r)
{
  CpuConvDepthwise row = *r;

  depthwise_row (&row);
  if (r->rows < 2)
    return;
  row.in += row.in_stride[1];
  row.out += row.out_row;
  if (row.epilogue.residual)
    row.epilogue.residual += row.out_row;
  depthwise_row (&row);
}

static float
pool_one (const CpuPoolBox *b, const float *in)
{
  float largest = *in, sum = 0;

  for (size_t z = 0; z < b->n[0]; z++) {
    for (size_t y = 0; y < b->n[1]; y++) {
      for (size_t x = 0; x < b->n[2]; x++) {
        float v = in[z * b->stride[0] + y * b->stride[1] + x * b->stride[2]];

        sum += v;
        largest = v > largest || isnan (v) ? v : largest;
      }
    }
  }
  return b->max ? largest : sum * b->scale;
}

void
cpu_pool_box_f32_c (const CpuPoolBox *b)
{
  for (size_t p = 0; p < b->pixels; p++)
    for (size_t c = 0; c < b->channels; c++)
      b->out[p * b->channels + c] = pool_one (b, b->in + p * b->in_step + c);
}
