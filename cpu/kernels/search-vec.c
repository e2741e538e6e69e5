/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec.h"

/* A vector of @n columns. */
static inline void
best_columns (float *best, int32_t *at, const float *src, size_t rows,
    size_t stride, size_t n, bool min)
{
  const bool whole = n == VF_N;
  vf top = whole ? vf_load (src) : vf_load_tail (src, n);
  vi row = { 0 };

  for (size_t r = 1; r < rows; r++) {
    const float *p = src + r * stride;
    vf x = whole ? vf_load (p) : vf_load_tail (p, n);
    /* NaN is the largest of all. */
    vi better = min ? (x < top) | ((top != top) & (x == x))
                    : (x > top) | ((x != x) & (top == top));

    top = vf_select (better, x, top);
    row = (vi) vf_select (better, (vf) vi_set ((int32_t) r), (vf) row);
  }
  if (whole) {
    vf_store (best, top);
    *(vi_unaligned *) at = row;
  } else {
    vf_store_tail (best, top, n);
    vf_store_tail ((float *) (void *) at, (vf) row, n);
  }
}

void
CPU_KERNEL (best_f32) (float *best, int32_t *at, const float *src, size_t rows,
    size_t stride, size_t n, bool min)
{
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N)
    best_columns (best + i, at + i, src + i, rows, stride, VF_N, min);
  if (i < n)
    best_columns (best + i, at + i, src + i, rows, stride, n - i, min);
}
