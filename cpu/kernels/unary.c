/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/scalar.h"

void
cpu_unary_f32_c (
    CpuUnary what, float *dst, const float *src, size_t n, float a, float b)
{
  /* In double, so that this reference adds no error of its own. */
  for (size_t i = 0; i < n; i++)
    dst[i] = (float) cpu_unary_scalar (
        what, (double) src[i], (double) a, (double) b);
}
