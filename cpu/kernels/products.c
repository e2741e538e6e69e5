/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"

#define SUMS 16

size_t
cpu_products_f32_c (float *sums, size_t rounds)
{
  volatile float by = 1;

  for (size_t i = 0; i < SUMS; i++)
    sums[i] = 0;
  for (size_t r = 0; r < rounds; r++)
    for (size_t i = 0; i < SUMS; i++)
      sums[i] += by * by;
  return SUMS;
}

size_t
cpu_products_bf16_c (float *sums, size_t rounds)
{
  return cpu_products_f32_c (sums, rounds);
}
