/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "cpu/kernels/kernels.h"

static int
is_better (float x, float best, bool min)
{
  if (min)
    return x < best || (isnan (best) && !isnan (x));
  return x > best || (isnan (x) && !isnan (best));
}

void
cpu_best_f32_c (float *best, int32_t *at, const float *src, size_t rows,
    size_t stride, size_t n, bool min)
{
  for (size_t i = 0; i < n; i++) {
    best[i] = src[i];
    at[i] = 0;
    for (size_t r = 1; r < rows; r++) {
      float x = src[r * stride + i];

      if (is_better (x, best[i], min)) {
        best[i] = x;
        at[i] = (int32_t) r;
      }
    }
  }
}
