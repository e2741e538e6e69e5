/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-vec.h"

INLINE void
sum_vectors (const CpuStrassenSums *s, size_t from, float *to, size_t n)
{
  const vf x0 = load_part (s->blocks[0] + from, n);
  const vf x1 = load_part (s->blocks[1] + from, n);
  const vf x2 = load_part (s->blocks[2] + from, n);
  const vf x3 = load_part (s->blocks[3] + from, n);

  store_part (to + CPU_STRASSEN_0_PLUS_3 * s->sum, x0 + x3, n);
  store_part (to + CPU_STRASSEN_2_PLUS_3 * s->sum, x2 + x3, n);
  store_part (to + CPU_STRASSEN_0_PLUS_1 * s->sum, x0 + x1, n);
  store_part (to + CPU_STRASSEN_2_MINUS_0 * s->sum, x2 - x0, n);
  store_part (to + CPU_STRASSEN_1_MINUS_3 * s->sum, x1 - x3, n);
}

void
CPU_KERNEL (strassen_sums_f32) (const CpuStrassenSums *s)
{
  const CpuStrassenSums sums = *s;

  for (size_t r = 0; r < sums.rows; r++) {
    float *to = sums.sums + r * sums.n;
    size_t i = 0;

    for (; i + VF_N <= sums.n; i += VF_N)
      sum_vectors (&sums, r * sums.row + i, to + i, VF_N);
    if (i < sums.n)
      sum_vectors (&sums, r * sums.row + i, to + i, sums.n - i);
  }
}

INLINE void
result_vectors (
    const CpuStrassenResult *result, size_t from, size_t at, size_t n)
{
  const vf p4 = load_part (result->p4 + from, n);
  const vf p5 = load_part (result->p5 + from, n);
  const vf p0 = load_part (result->c[0] + at, n);
  const vf p2 = load_part (result->c[1] + at, n);
  const vf p1 = load_part (result->c[2] + at, n);
  const vf p3 = load_part (result->c[3] + at, n);

  store_part (result->c[0] + at, p0 + p4 - p5, n);
  store_part (result->c[1] + at, p2 + p5, n);
  store_part (result->c[2] + at, p1 + p4, n);
  store_part (result->c[3] + at, p3 + (p0 - p1 + p2), n);
}

void
CPU_KERNEL (strassen_result_f32) (const CpuStrassenResult *r)
{
  const CpuStrassenResult result = *r;

  for (size_t row = 0; row < result.rows; row++) {
    const size_t from = row * result.n, at = row * result.c_row;
    size_t i = 0;

    for (; i + VF_N <= result.n; i += VF_N)
      result_vectors (&result, from + i, at + i, VF_N);
    if (i < result.n)
      result_vectors (&result, from + i, at + i, result.n - i);
  }
}
