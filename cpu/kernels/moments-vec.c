/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec.h"

/* Long rows are summed in pieces, so that float sums stay accurate. */
#define PIECE 4096

static double
sum (const float *src, size_t n)
{
  double total = 0;

  for (size_t from = 0; from < n; from += PIECE) {
    size_t m = n - from < PIECE ? n - from : PIECE, i = 0;
    const float *p = src + from;
    vf s0 = { 0 }, s1 = { 0 };

    for (; i + 2 * VF_N <= m; i += 2 * VF_N) {
      s0 += vf_load (p + i);
      s1 += vf_load (p + i + VF_N);
    }
    for (; i < m; i += VF_N)
      s0 += m - i >= VF_N ? vf_load (p + i) : vf_load_tail (p + i, m - i);
    total += (double) vf_sum (s0 + s1);
  }
  return total;
}

/* Sum of (src[i] - mean)². */
static double
sum_squares (const float *src, size_t n, float mean)
{
  double total = 0;

  for (size_t from = 0; from < n; from += PIECE) {
    size_t m = n - from < PIECE ? n - from : PIECE, i = 0;
    const float *p = src + from;
    vf s0 = { 0 }, s1 = { 0 };
    float rest = 0;

    for (; i + 2 * VF_N <= m; i += 2 * VF_N) {
      vf a = vf_load (p + i) - mean, b = vf_load (p + i + VF_N) - mean;

      s0 += a * a;
      s1 += b * b;
    }
    for (; i + VF_N <= m; i += VF_N) {
      vf a = vf_load (p + i) - mean;

      s0 += a * a;
    }
    for (; i < m; i++)
      rest += (p[i] - mean) * (p[i] - mean);
    total += (double) (vf_sum (s0 + s1) + rest);
  }
  return total;
}

void
CPU_KERNEL (moments_f32) (
    const float *src, size_t n, float *mean, float *variance)
{
  *mean = (float) (sum (src, n) / (double) n);
  *variance = (float) (sum_squares (src, n, *mean) / (double) n);
}
