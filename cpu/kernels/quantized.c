/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "cpu/kernels.h"
#include "cpu/kernels/epilogue-c.h"

/* NaN is level 0. */
static uint8_t
level (const CpuQuant *q, float x)
{
  float v = rintf ((x - q->in_low) * q->in_scale);

  return v >= q->top ? (uint8_t) q->top : v > 0 ? (uint8_t) v : 0;
}

static float
value (const CpuQuant *q, uint8_t x)
{
  return (float) x * q->step + q->out_low;
}

void
cpu_quantize_u8_c (uint8_t *dst, const float *src, size_t n, const CpuQuant *q)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = level (q, src[i]);
}

void
cpu_dequantize_u8_c (
    float *dst, const uint8_t *src, size_t n, const CpuQuant *q)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = value (q, src[i]);
}

void
cpu_add_u8_c (uint8_t *dst, const uint8_t *a, const CpuQuant *qa,
    const uint8_t *b, const CpuQuant *qb, size_t n, const CpuQuant *to)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = level (to, value (qa, a[i]) + value (qb, b[i]));
}

static void
finish (const CpuQuantEnd *end, void *out, size_t at, float v, size_t c)
{
  v = epilogue_act_c (&end->act, v * end->scale[c] + end->bias[c], c);
  if (end->to)
    ((uint8_t *) out)[at] = level (end->to, v);
  else
    ((float *) out)[at] = v;
}

static void
tile_pixel (const CpuConvTileU8 *t, size_t p, size_t c)
{
  const size_t width = t->vectors * CPU_U8_LANES;
  const int8_t *w = t->weights;
  int32_t sum = t->end.start[c];
  float v;

  for (size_t s = 0; s < t->n_segments; s++) {
    const uint8_t *in = t->in + p * t->in_step + t->segments[s];

    for (size_t i = 0; i < t->length; i++)
      sum += in[i] * w[(i / 4 * width + c) * 4 + i % 4];
    w += (t->length + 3) / 4 * width * 4;
  }
  v = (float) sum;
  if (t->offset)
    v += t->offset[c] * t->sums[p];
  finish (&t->end, t->out, p * t->out_step + c, v, c);
}

void
cpu_conv_tile_u8_c (const CpuConvTileU8 *t)
{
  for (size_t p = 0; p < t->pixels; p++)
    for (size_t c = 0; c < t->channels; c++)
      tile_pixel (t, p, c);
}

void
cpu_conv_sums_u8_c (const CpuConvTileU8 *t, int32_t zeros, float *sums)
{
  for (size_t p = 0; p < t->pixels; p++) {
    int32_t sum = -zeros;

    for (size_t s = 0; s < t->n_segments; s++)
      for (size_t i = 0; i < t->length; i++)
        sum += t->in[p * t->in_step + t->segments[s] + i];
    sums[p] = (float) sum;
  }
}

static void
depthwise_pixel (const CpuConvDepthwiseU8 *r, size_t p, size_t c)
{
  const uint8_t *in = r->in + p * r->in_step + c;
  const int32_t *w = r->weights + c;
  int32_t sum = r->end.start[c];

  for (size_t z = 0; z < r->n[0]; z++)
    for (size_t y = 0; y < r->n[1]; y++)
      for (size_t x = 0; x < r->n[2]; x++, w += r->channels)
        sum += *w
               * in[z * r->in_stride[0] + y * r->in_stride[1]
                    + x * r->in_stride[2]];
  finish (&r->end, r->out, p * r->out_step + c, (float) sum, c);
}

void
cpu_conv_depthwise_u8_c (const CpuConvDepthwiseU8 *r)
{
  for (size_t p = 0; p < r->pixels; p++)
    for (size_t c = 0; c < r->channels; c++)
      depthwise_pixel (r, p, c);
}
