/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/scalar.h"

void
cpu_binary_f32_c (CpuBinary what, float *dst, const float *a, size_t a_step,
    const float *b, size_t b_step, size_t n)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = (float) cpu_binary_scalar (
        what, (double) a[i * a_step], (double) b[i * b_step]);
}

void
cpu_binary_rows_f32_c (CpuBinary what, const CpuBinaryRows *rows)
{
  for (size_t r = 0; r < rows->rows; r++)
    cpu_binary_f32_c (what, rows->dst + r * rows->n, rows->a + r * rows->a_row,
        rows->a_step, rows->b + r * rows->b_row, rows->b_step, rows->n);
}
