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

/* Scaling and masking; constants after inlining. */
typedef struct
{
  bool scale, mask, drop;
} Parts;

/* @n of them at @i. */
INLINE vf
prepared (const float *src, size_t i, size_t n, const CpuScores *s, Parts parts)
{
  vf x = n == VF_N ? vf_load (src + i) : vf_load_tail (src + i, n);

  if (parts.scale)
    x *= vf_set (s->scale);
  if (parts.mask)
    x += n == VF_N ? vf_load (s->mask + i) : vf_load_tail (s->mask + i, n);
  if (parts.drop)
    x = vf_select (
        vf_load_i8 ((const int8_t *) s->drop + i) != 0, vf_set (s->fill), x);
  return x;
}

/* dst[i] = exp (x[i] - max); returns the sum. */
INLINE float
exponentials (float *dst, const float *src, size_t n, const CpuScores *s,
    Parts parts, float max)
{
  vf sum = vf_set (0), other = sum, m = vf_set (max), x, y;
  size_t i = 0;

  for (; i + 2 * VF_N <= n; i += 2 * VF_N) {
    x = vf_exp_negative (prepared (src, i, VF_N, s, parts) - m);
    y = vf_exp_negative (prepared (src, i + VF_N, VF_N, s, parts) - m);
    vf_store (dst + i, x);
    vf_store (dst + i + VF_N, y);
    sum += x;
    other += y;
  }
  for (; i < n; i += VF_N) {
    size_t left = n - i < VF_N ? n - i : VF_N;

    x = vf_exp_negative (prepared (src, i, left, s, parts) - m);
    vf_store_tail (dst + i, x, left);
    sum += first (x, left);
  }
  return vf_sum (sum + other);
}

void
CPU_KERNEL (softmax_f32) (float *dst, const float *src, size_t n)
{
  const Parts none = { false, false, false };
  float scale = 1 / exponentials (dst, src, n, NULL, none, row_max (src, n));

  CPU_KERNEL (binary_f32) (CPU_BINARY_MUL, dst, dst, 1, &scale, 0, n);
}

/* The largest except NaN, which the exponentials propagate. */
INLINE float
largest (const float *src, size_t n, const CpuScores *s, Parts parts)
{
  vf max[4], x;
  size_t i = 0;

  for (size_t u = 0; u < 4; u++)
    max[u] = vf_set (-INFINITY);
  for (; i + 4 * VF_N <= n; i += 4 * VF_N)
    for (size_t u = 0; u < 4; u++)
      max[u] = vf_max (prepared (src, i + u * VF_N, VF_N, s, parts), max[u]);
  for (; i + VF_N <= n; i += VF_N)
    max[0] = vf_max (prepared (src, i, VF_N, s, parts), max[0]);
  if (i < n) {
    float t[VF_N];

    x = prepared (src, i, n - i, s, parts);
    vf_store (t, x);
    for (size_t j = n - i; j < VF_N; j++)
      t[j] = -INFINITY;
    max[1] = vf_max (vf_load (t), max[1]);
  }
  return vf_largest (vf_max (vf_max (max[0], max[1]), vf_max (max[2], max[3])));
}

INLINE float
weigh (float *row, size_t n, const CpuScores *s, Parts parts)
{
  return exponentials (row, row, n, s, parts, largest (row, n, s, parts));
}

float
CPU_KERNEL (scores_f32) (float *row, size_t n, const CpuScores *scores)
{
  if (scores->mask && scores->drop)
    return weigh (row, n, scores, (Parts){ true, true, true });
  if (scores->mask)
    return weigh (row, n, scores, (Parts){ true, true, false });
  if (scores->drop)
    return weigh (row, n, scores, (Parts){ true, false, true });
  return weigh (row, n, scores, (Parts){ true, false, false });
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
