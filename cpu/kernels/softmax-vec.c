/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec-math.h"

static float
row_max (const float *src, size_t n)
{
  return CPU_KERNEL (reduce_f32) (CPU_REDUCE_MAX, src, n);
}

void
CPU_KERNEL (softmax_f32) (float *dst, const float *src, size_t n)
{
  vf max = vf_set (row_max (src, n)), sum = vf_set (0.0f), e;
  float scale;
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N) {
    e = vf_exp (vf_load (src + i) - max);
    vf_store (dst + i, e);
    sum += e;
  }
  if (i < n) {
    float t[VF_N];

    e = vf_exp (vf_load_tail (src + i, n - i) - max);
    vf_store (t, e);
    for (size_t j = n - i; j < VF_N; j++)
      t[j] = 0;
    sum += vf_load (t);
    vf_store_tail (dst + i, e, n - i);
  }
  scale = 1.0f / vf_sum (sum);
  CPU_KERNEL (binary_f32) (CPU_BINARY_MUL, dst, dst, 1, &scale, 0, n);
}

void
CPU_KERNEL (log_softmax_f32) (float *dst, const float *src, size_t n)
{
  float highest = row_max (src, n);
  vf max = vf_set (highest), sum = vf_set (0.0f), log_sum;
  float t[VF_N];
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N)
    sum += vf_exp (vf_load (src + i) - max);
  if (i < n) {
    vf_store (t, vf_exp (vf_load_tail (src + i, n - i) - max));
    for (size_t j = n - i; j < VF_N; j++)
      t[j] = 0;
    sum += vf_load (t);
  }
  log_sum = vf_set (logf (vf_sum (sum)));
  for (i = 0; i + VF_N <= n; i += VF_N)
    vf_store (dst + i, (vf_load (src + i) - max) - log_sum);
  if (i < n)
    vf_store_tail (
        dst + i, (vf_load_tail (src + i, n - i) - max) - log_sum, n - i);
}
