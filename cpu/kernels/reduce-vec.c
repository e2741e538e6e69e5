/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec.h"

#include <math.h>

/* Four independent accumulators. */
#define REDUCE(init, next, merge)                                              \
  do {                                                                         \
    vf s0 = vf_set (init), s1 = s0, s2 = s0, s3 = s0;                          \
    for (; i + 4 * VF_N <= n; i += 4 * VF_N) {                                 \
      s0 = next (s0, vf_load (src + i));                                       \
      s1 = next (s1, vf_load (src + i + VF_N));                                \
      s2 = next (s2, vf_load (src + i + 2 * VF_N));                            \
      s3 = next (s3, vf_load (src + i + 3 * VF_N));                            \
    }                                                                          \
    for (; i + VF_N <= n; i += VF_N)                                           \
      s0 = next (s0, vf_load (src + i));                                       \
    acc = merge (merge (s0, s1), merge (s2, s3));                              \
  } while (0)

static inline vf
add (vf a, vf b)
{
  return a + b;
}

static inline vf
mul (vf a, vf b)
{
  return a * b;
}

static inline vf
add_abs (vf a, vf b)
{
  return a + vf_abs (b);
}

static inline vf
add_square (vf a, vf b)
{
  return a + b * b;
}

/* NaN stays: neither comparison holds for it. */
static inline vf
larger (vf a, vf b)
{
  return vf_select ((b > a) | (b != b), b, a);
}

static float
reduce_sum (CpuReduce what, const float *src, size_t n)
{
  size_t i = 0;
  vf acc, tail;

  if (what == CPU_REDUCE_SUM)
    REDUCE (0.0f, add, add);
  else if (what == CPU_REDUCE_SUM_ABS)
    REDUCE (0.0f, add_abs, add);
  else
    REDUCE (0.0f, add_square, add);
  tail = vf_load_tail (src + i, n - i);
  acc = what == CPU_REDUCE_SUM       ? add (acc, tail)
        : what == CPU_REDUCE_SUM_ABS ? add_abs (acc, tail)
                                     : add_square (acc, tail);
  return vf_sum (acc);
}

static float
reduce_prod (const float *src, size_t n)
{
  size_t i = 0;
  vf acc;
  float prod = 1;

  REDUCE (1.0f, mul, mul);
  for (int j = 0; j < VF_N; j++)
    prod *= acc[j];
  for (; i < n; i++)
    prod *= src[i];
  return prod;
}

static float
reduce_largest (const float *src, size_t n, float sign)
{
  size_t i = 0;
  vf acc;
  float t[VF_N];

  if (sign > 0)
    REDUCE (-INFINITY, larger, larger);
  else {
    vf s0 = vf_set (-INFINITY);

    for (; i + VF_N <= n; i += VF_N)
      s0 = larger (s0, -vf_load (src + i));
    acc = s0;
  }
  for (size_t j = 0; j < VF_N; j++)
    t[j] = i + j < n ? src[i + j] * sign : -INFINITY;
  return sign * vf_largest (larger (acc, vf_load (t)));
}

float
CPU_KERNEL (reduce_f32) (CpuReduce what, const float *src, size_t n)
{
  switch (what) {
    case CPU_REDUCE_PROD:
      return reduce_prod (src, n);
    case CPU_REDUCE_MAX:
      return reduce_largest (src, n, 1);
    case CPU_REDUCE_MIN:
      return reduce_largest (src, n, -1);
    case CPU_REDUCE_SUM:
    case CPU_REDUCE_SUM_ABS:
    case CPU_REDUCE_SUM_SQUARES:
      break;
  }
  return reduce_sum (what, src, n);
}
