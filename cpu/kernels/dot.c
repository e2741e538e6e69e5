/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels.h"

float
cpu_dot_f32_c (const float *a, const float *b, size_t n)
{
  float sum = 0.0f;

  for (size_t i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}
