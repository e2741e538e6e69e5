/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec.h"

/* Vectors of columns at once: one waits for itself. */
#define MOST 4

INLINE vf
load_columns (const float *src, size_t n)
{
  return n == VF_N ? vf_load (src) : vf_load_tail (src, n);
}

/* Lanes; those of AVX-512 are not kept in vectors.  NaN is the largest of all.
 */
#if CPU_VEC_BYTES == 64
typedef __mmask16 Better;

INLINE Better
is_better (vf x, vf top, bool min)
{
  const __m512 number = (__m512) (min ? x : top);
  const Better other =
      min ? _mm512_cmp_ps_mask ((__m512) x, (__m512) top, _CMP_NGE_UQ)
          : _mm512_cmp_ps_mask ((__m512) x, (__m512) top, _CMP_NLE_UQ);

  return _mm512_mask_cmp_ps_mask (other, number, number, _CMP_ORD_Q);
}

INLINE vf
choose (Better better, vf a, vf b)
{
  return (vf) _mm512_mask_mov_ps ((__m512) b, better, (__m512) a);
}
#else
typedef vi Better;

INLINE Better
is_better (vf x, vf top, bool min)
{
  return min ? ~(x >= top) & (x == x) : ~(x <= top) & (top == top);
}

INLINE vf
choose (Better better, vf a, vf b)
{
  return vf_select (better, a, b);
}
#endif

/* @nv vectors, the only one of @n columns unless they are whole; @nv is a
 * constant after inlining, as @n is if they are. */
INLINE void
best_columns (float *best, int32_t *at, const float *src, size_t rows,
    size_t stride, size_t nv, size_t n, bool min)
{
  vf top[MOST];
  vi row[MOST] = { { 0 } };

#pragma GCC unroll 4
  for (size_t v = 0; v < nv; v++)
    top[v] = load_columns (src + v * VF_N, n);
  for (size_t r = 1; r < rows; r++)
#pragma GCC unroll 4
    for (size_t v = 0; v < nv; v++) {
      const vf x = load_columns (src + r * stride + v * VF_N, n);
      const Better better = is_better (x, top[v], min);

      top[v] = choose (better, x, top[v]);
      row[v] = (vi) choose (better, (vf) vi_set ((int32_t) r), (vf) row[v]);
    }
#pragma GCC unroll 4
  for (size_t v = 0; v < nv; v++)
    if (n == VF_N) {
      vf_store (best + v * VF_N, top[v]);
      *(vi_unaligned *) (at + v * VF_N) = row[v];
    } else {
      vf_store_tail (best, top[v], n);
      vf_store_tail ((float *) (void *) at, (vf) row[v], n);
    }
}

INLINE void
best_of (float *best, int32_t *at, const float *src, size_t rows, size_t stride,
    size_t n, bool min)
{
  size_t i = 0;

  for (; i + MOST * VF_N <= n; i += MOST * VF_N)
    best_columns (best + i, at + i, src + i, rows, stride, MOST, VF_N, min);
  for (; i + VF_N <= n; i += VF_N)
    best_columns (best + i, at + i, src + i, rows, stride, 1, VF_N, min);
  if (i < n)
    best_columns (best + i, at + i, src + i, rows, stride, 1, n - i, min);
}

void
CPU_KERNEL (best_f32) (float *best, int32_t *at, const float *src, size_t rows,
    size_t stride, size_t n, bool min)
{
  if (min)
    best_of (best, at, src, rows, stride, n, true);
  else
    best_of (best, at, src, rows, stride, n, false);
}
