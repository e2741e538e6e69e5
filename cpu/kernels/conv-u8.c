/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-u8-c.h"
#include "cpu/kernels/kernels.h"

/* Vectors of the block that channel @c is in. */
static size_t
count_vectors (size_t channels, size_t c)
{
  size_t left = channels - c / CPU_U8_BLOCK * CPU_U8_BLOCK;

  return left > CPU_U8_LANES ? 2 : 1;
}

static void
tile_pixel (const CpuConvTileU8 *t, size_t y, size_t p, size_t c)
{
  const size_t width = count_vectors (t->channels, c) * CPU_U8_LANES;
  const size_t quads = (t->length + 3) / 4, lane = c % CPU_U8_BLOCK;
  const int8_t *w = t->weights + (c - lane) * t->n_segments * quads * 4;
  int32_t sum = t->end.start[c];

  for (size_t s = 0; s < t->n_segments; s++) {
    const uint8_t *in = t->in + y * t->in_row + p * t->in_step + t->segments[s];

    for (size_t i = 0; i < t->length; i++)
      sum += in[i] * w[(i / 4 * width + lane) * 4 + i % 4];
    w += quads * width * 4;
  }
  float v = (float) sum;
  if (t->offset)
    v += t->offset[c] * t->sums[y * t->pixels + p];
  finish (&t->end, t->out, y * t->out_row + p * t->out_step + c, v, c);
}

void
cpu_conv_tile_u8_c (const CpuConvTileU8 *t)
{
  for (size_t y = 0; y < t->rows; y++)
    for (size_t p = 0; p < t->pixels; p++)
      for (size_t c = 0; c < t->channels; c++)
        tile_pixel (t, y, p, c);
}

static int32_t
sum_pixel (const CpuConvTileU8 *t, const uint8_t *in)
{
  int32_t sum = 0;

  for (size_t s = 0; s < t->n_segments; s++)
    for (size_t i = 0; i < t->length; i++)
      sum += in[t->segments[s] + i];
  return sum;
}

void
cpu_conv_sums_u8_c (const CpuConvTileU8 *t, int32_t zeros, float *sums)
{
  for (size_t y = 0; y < t->rows; y++)
    for (size_t p = 0; p < t->pixels; p++)
      *sums++ = (float) (sum_pixel (t, t->in + y * t->in_row + p * t->in_step)
                         - zeros);
}

static void
quads_pixel (const CpuConvQuadsU8 *r, size_t p, size_t c)
{
  const int8_t *w =
      r->weights
      + (c / CPU_U8_LANES * r->n_terms * CPU_U8_LANES + c % CPU_U8_LANES) * 4;
  int32_t sum = r->end.start[c];

  for (size_t t = 0; t < r->n_terms; t++, w += CPU_U8_LANES * 4)
    for (size_t j = 0; j < 4; j++)
      sum += r->in[p * r->in_step + r->terms[t] + c * 4 + j] * w[j];
  finish (&r->end, r->out, p * r->out_step + c, (float) sum, c);
}

void
cpu_conv_quads_u8_c (const CpuConvQuadsU8 *r)
{
  for (size_t p = 0; p < r->pixels; p++)
    for (size_t c = 0; c < r->channels; c++)
      quads_pixel (r, p, c);
}
