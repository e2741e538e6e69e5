/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec-math.h"

static float
row_max (const float *src, size_t n)
{
  return CPU_KERNEL (reduce_f32) (CPU_REDUCE_MAX, src, n);
}

/* The first @n elements, the others zero. */
static vf
first (vf v, size_t n)
{
  float t[VF_N] = { 0 };

  vf_store_tail (t, v, n);
  return vf_load (t);
}

/* dst[i] = exp (scale * src[i] + mask[i] - max); returns the sum.  What is
 * constant where this is inlined is left out. */
static inline __attribute__ ((always_inline)) float
exponentials (float *dst, const float *src, size_t n, float scale,
    const float *mask, float max)
{
  vf sum = vf_set (0), other = sum, m = vf_set (max), x, y;
  size_t i = 0;

  for (; i + 2 * VF_N <= n; i += 2 * VF_N) {
    x = vf_load (src + i) * scale;
    y = vf_load (src + i + VF_N) * scale;
    if (mask) {
      x += vf_load (mask + i);
      y += vf_load (mask + i + VF_N);
    }
    x = vf_exp_negative (x - m);
    y = vf_exp_negative (y - m);
    vf_store (dst + i, x);
    vf_store (dst + i + VF_N, y);
    sum += x;
    other += y;
  }
  for (; i < n; i += VF_N) {
    size_t left = n - i < VF_N ? n - i : VF_N;

    x = vf_load_tail (src + i, left) * scale;
    if (mask)
      x += vf_load_tail (mask + i, left);
    x = vf_exp_negative (x - m);
    vf_store_tail (dst + i, x, left);
    sum += first (x, left);
  }
  return vf_sum (sum + other);
}

void
CPU_KERNEL (softmax_f32) (float *dst, const float *src, size_t n)
{
  float scale = 1 / exponentials (dst, src, n, 1, NULL, row_max (src, n));

  CPU_KERNEL (binary_f32) (CPU_BINARY_MUL, dst, dst, 1, &scale, 0, n);
}

/* The largest of scale * src[i] + mask[i] but for NaN, which comes out of the
 * exponentials anyway. */
static inline __attribute__ ((always_inline)) float
largest (const float *src, size_t n, float scale, const float *mask)
{
  vf max[4], x;
  size_t i = 0;
  float most;

  for (size_t u = 0; u < 4; u++)
    max[u] = vf_set (-INFINITY);
  for (; i + 4 * VF_N <= n; i += 4 * VF_N)
    for (size_t u = 0; u < 4; u++) {
      x = vf_load (src + i + u * VF_N) * scale;
      if (mask)
        x += vf_load (mask + i + u * VF_N);
      max[u] = vf_max (x, max[u]);
    }
  for (; i + VF_N <= n; i += VF_N) {
    x = vf_load (src + i) * scale;
    if (mask)
      x += vf_load (mask + i);
    max[0] = vf_max (x, max[0]);
  }
  most = vf_largest (vf_max (vf_max (max[0], max[1]), vf_max (max[2], max[3])));
  for (; i < n; i++) {
    float one = src[i] * scale + (mask ? mask[i] : 0);

    most = one > most ? one : most;
  }
  return most;
}

float
CPU_KERNEL (scores_f32) (float *row, size_t n, float scale, const float *mask)
{
  if (mask)
    return exponentials (
        row, row, n, scale, mask, largest (row, n, scale, mask));
  return exponentials (row, row, n, scale, NULL, largest (row, n, scale, NULL));
}

void
CPU_KERNEL (log_softmax_f32) (float *dst, const float *src, size_t n)
{
  float highest = row_max (src, n);
  vf max = vf_set (highest), sum = vf_set (0.0f), log_sum;
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N)
    sum += vf_exp_negative (vf_load (src + i) - max);
  if (i < n)
    sum += first (vf_exp_negative (vf_load_tail (src + i, n - i) - max), n - i);
  log_sum = vf_set (logf (vf_sum (sum)));
  for (i = 0; i + VF_N <= n; i += VF_N)
    vf_store (dst + i, (vf_load (src + i) - max) - log_sum);
  if (i < n)
    vf_store_tail (
        dst + i, (vf_load_tail (src + i, n - i) - max) - log_sum, n - i);
}
