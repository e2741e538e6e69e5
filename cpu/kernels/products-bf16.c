/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/products.inc"

size_t
CPU_KERNEL (products_bf16) (float *to, size_t rounds)
{
  const __m512bh a = (__m512bh) _mm512_set1_epi16 (0x3f80), b = a;
  vf sums[SUMS];

  begin_sums (sums);
  for (size_t r = 0; r < rounds; r++) {
#pragma GCC unroll 12
    for (size_t i = 0; i < SUMS; i++) {
      sums[i] = (vf) _mm512_dpbf16_ps ((__m512) sums[i], a, b);
      KEEP_VECTOR (sums[i]);
    }
  }
  end_sums (to, sums);
  return 2 * SUMS * VF_N;
}
