/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"

void
cpu_moments_f32_c (const float *src, size_t n, float *mean, float *variance)
{
  double sum = 0, squares = 0;

  for (size_t i = 0; i < n; i++)
    sum += (double) src[i];
  *mean = (float) (sum / (double) n);
  for (size_t i = 0; i < n; i++) {
    double d = (double) src[i] - sum / (double) n;

    squares += d * d;
  }
  *variance = (float) (squares / (double) n);
}
