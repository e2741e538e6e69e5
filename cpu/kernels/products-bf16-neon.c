/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/products.inc"

#include <arm_neon.h>

size_t
CPU_KERNEL (products_bf16) (float *to, size_t rounds)
{
  const bfloat16x8_t a = vreinterpretq_bf16_u16 (vdupq_n_u16 (0x3f80)), b = a;
  vf sums[SUMS];

  begin_sums (sums);
  for (size_t r = 0; r < rounds; r++) {
#pragma GCC unroll 12
    for (size_t i = 0; i < SUMS; i++) {
      sums[i] = (vf) vbfmmlaq_f32 ((float32x4_t) sums[i], a, b);
      KEEP_VECTOR (sums[i]);
    }
  }
  end_sums (to, sums);
  return 4 * SUMS * VF_N;
}
