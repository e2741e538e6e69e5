/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/products.inc"

size_t
CPU_KERNEL (products_f32) (float *to, size_t rounds)
{
  vf sums[SUMS], a = vf_set (1), b = vf_set (1);

  begin_sums (sums);
  for (size_t r = 0; r < rounds; r++) {
    KEEP_VECTOR (a);
    KEEP_VECTOR (b);
#pragma GCC unroll 12
    for (size_t i = 0; i < SUMS; i++) {
      sums[i] += a * b;
      KEEP_VECTOR (sums[i]);
    }
  }
  end_sums (to, sums);
  return SUMS * VF_N;
}
