/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "cpu/kernels/kernels.h"

/* Sums in double, accurate for long rows. */
float
cpu_reduce_f32_c (CpuReduce what, const float *src, size_t n)
{
  double sum = 0;
  float best = what == CPU_REDUCE_MIN ? INFINITY : -INFINITY;

  if (what == CPU_REDUCE_PROD) {
    float prod = 1;

    for (size_t i = 0; i < n; i++)
      prod *= src[i];
    return prod;
  }
  if (what == CPU_REDUCE_MAX || what == CPU_REDUCE_MIN) {
    for (size_t i = 0; i < n; i++) {
      if (isnan (src[i]))
        return src[i];
      if (what == CPU_REDUCE_MAX ? src[i] > best : src[i] < best)
        best = src[i];
    }
    return best;
  }
  for (size_t i = 0; i < n; i++) {
    double x = (double) src[i];

    sum += what == CPU_REDUCE_SUM           ? x
           : what == CPU_REDUCE_SUM_SQUARES ? x * x
                                            : fabs (x);
  }
  return (float) sum;
}
