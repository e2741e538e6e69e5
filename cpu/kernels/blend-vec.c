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

/* Four vectors at a time: loads do not wait for stores before them. */
static inline void
pair (float *dst, const float *x, float v, const float *y, float w, size_t n)
{
  const vf a = vf_set (v), b = vf_set (w);
  size_t i = 0;

  for (; i + 4 * VF_N <= n; i += 4 * VF_N) {
    vf sum[4];

#pragma GCC unroll 4
    for (size_t j = 0; j < 4; j++)
      sum[j] = vf_load (x + i + j * VF_N) * a + vf_load (y + i + j * VF_N) * b;
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; j++)
      vf_store (dst + i + j * VF_N, sum[j]);
  }
  for (; i + VF_N <= n; i += VF_N)
    vf_store (dst + i, vf_load (x + i) * a + vf_load (y + i) * b);
  if (i < n)
    vf_store_tail (dst + i,
        vf_load_tail (x + i, n - i) * a + vf_load_tail (y + i, n - i) * b,
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

/* Rows whose weights are converted together. */
#define ROWS 16

/* Rows of @nv vectors, the last of them with @last elements, with two taps
 * each; 0: of any number of elements.  All are constants after inlining, apart
 * from those of a part of a vector. */
INLINE void
pairs (const CpuBlend *blend, size_t nv, size_t last)
{
  const size_t inner = blend->inner;
  const int64_t *index = blend->index;
  const float *src = blend->src;
  float *dst = blend->dst;
  float weight[2 * ROWS];

  for (size_t begin = 0, n; begin < blend->rows; begin += n) {
    const size_t rest = blend->rows - begin;

    n = rest < ROWS ? rest : ROWS;
    for (size_t i = 0; i < 2 * n; i++)
      weight[i] = (float) blend->weight[2 * begin + i];
    for (size_t r = 0; r < n; r++, index += 2, dst += inner) {
      const float v = weight[2 * r], w = weight[2 * r + 1];
      const float *x = src + (size_t) index[0] * inner;
      const float *y = src + (size_t) index[1] * inner;

      /* Or it underflows. */
      if (__builtin_expect (v * w == 0, 0)) {
        blend_row (blend, begin + r);
        continue;
      }
      if (nv == 0) {
        pair (dst, x, v, y, w, inner);
        continue;
      }
#pragma GCC unroll 4
      for (size_t i = 0; i + 1 < nv; i++)
        vf_store (dst + i * VF_N,
            vf_load (x + i * VF_N) * v + vf_load (y + i * VF_N) * w);
      const size_t at = (nv - 1) * VF_N;
      if (last == VF_N)
        vf_store (dst + at, vf_load (x + at) * v + vf_load (y + at) * w);
      else
        vf_store_tail (dst + at,
            vf_load_tail (x + at, last) * v + vf_load_tail (y + at, last) * w,
            last);
    }
  }
}

#define PAIRS(nv)                                                              \
  case nv:                                                                     \
    if (blend->inner == (nv) *VF_N)                                            \
      pairs (blend, nv, VF_N);                                                 \
    else                                                                       \
      pairs (blend, nv, blend->inner - ((nv) -1) * VF_N);                      \
    break;

static void
pairs_any (const CpuBlend *blend)
{
  switch ((blend->inner + VF_N - 1) / VF_N) {
    PAIRS (1)
    PAIRS (2)
    PAIRS (3)
    PAIRS (4)
    default:
      pairs (blend, 0, 0);
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
    pairs_any (blend);
    return;
  }
  for (size_t r = 0; r < blend->rows; r++)
    blend_row (blend, r);
}
