/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec.h"

static void
single (float *dst, const float *x, float w, size_t n)
{
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N)
    vf_store (dst + i, vf_load (x + i) * w);
  if (i < n)
    vf_store_tail (dst + i, vf_load_tail (x + i, n - i) * w, n - i);
}

static inline void
pair (float *dst, const float *x, float v, const float *y, float w, size_t n)
{
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N)
    vf_store (dst + i, vf_load (x + i) * v + vf_load (y + i) * w);
  if (i < n)
    vf_store_tail (dst + i,
        vf_load_tail (x + i, n - i) * v + vf_load_tail (y + i, n - i) * w,
        n - i);
}

static void
add (float *dst, const float *x, float w, size_t n)
{
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N)
    vf_store (dst + i, vf_load (dst + i) + vf_load (x + i) * w);
  if (i < n)
    vf_store_tail (dst + i,
        vf_load_tail (dst + i, n - i) + vf_load_tail (x + i, n - i) * w, n - i);
}

/* Rows of one element, whose taps are not adjacent. */
static void
elements (const CpuBlend *blend)
{
  const int64_t *index = blend->index;
  const double *weight = blend->weight;

  for (size_t r = 0; r < blend->rows; r++) {
    float sum = 0;

    for (size_t k = 0; k < blend->taps; k++, index++, weight++)
      if ((float) *weight != 0)
        sum += (float) *weight * blend->src[*index];
    blend->dst[r] = sum;
  }
}

static void
blend_row (const CpuBlend *blend, size_t r)
{
  const size_t inner = blend->inner, taps = blend->taps;
  const double *weight = blend->weight + r * taps;
  const int64_t *index = blend->index + r * taps;
  float *dst = blend->dst + r * inner;
  const float *rows[2];
  float weights[2];
  size_t k = 0, n = 0;

  for (; k < taps && n < 2; k++)
    if ((float) weight[k] != 0) {
      rows[n] = blend->src + (size_t) index[k] * inner;
      weights[n++] = (float) weight[k];
    }
  if (n == 0)
    memset (dst, 0, inner * sizeof *dst);
  else if (n == 1)
    single (dst, rows[0], weights[0], inner);
  else
    pair (dst, rows[0], weights[0], rows[1], weights[1], inner);
  for (; k < taps; k++)
    if ((float) weight[k] != 0)
      add (dst, blend->src + (size_t) index[k] * inner, (float) weight[k],
          inner);
}

/* Short rows with two taps each, without a call per row. */
static void
pairs (const CpuBlend *blend)
{
  const size_t inner = blend->inner;
  const int64_t *index = blend->index;
  const double *weight = blend->weight;
  float *dst = blend->dst;

  for (size_t r = 0; r < blend->rows;
       r++, index += 2, weight += 2, dst += inner) {
    const float v = (float) weight[0], w = (float) weight[1];
    const float *x = blend->src + (size_t) index[0] * inner;
    const float *y = blend->src + (size_t) index[1] * inner;

    if (v == 0 || w == 0)
      blend_row (blend, r);
    else
      pair (dst, x, v, y, w, inner);
  }
}

void
CPU_KERNEL (blend_f32) (const CpuBlend *blend)
{
  if (blend->inner == 1) {
    elements (blend);
    return;
  }
  if (blend->taps == 2) {
    pairs (blend);
    return;
  }
  for (size_t r = 0; r < blend->rows; r++)
    blend_row (blend, r);
}
