/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-vec.h"

#include <arm_neon.h>

/* As in products-vec.c. */
#define SUMS 12
#define STORED (16 / VF_N)

size_t
CPU_KERNEL (products_bf16) (float *to, size_t rounds)
{
  const bfloat16x8_t a = vreinterpretq_bf16_u16 (vdupq_n_u16 (0x3f80)), b = a;
  vf sums[SUMS];

#pragma GCC unroll 12
  for (size_t i = 0; i < SUMS; i++)
    sums[i] = vf_set (0);
  for (size_t r = 0; r < rounds; r++) {
#pragma GCC unroll 12
    for (size_t i = 0; i < SUMS; i++) {
      sums[i] = (vf) vbfmmlaq_f32 ((float32x4_t) sums[i], a, b);
      KEEP_VECTOR (sums[i]);
    }
  }
  /* Sums that nobody reads would not be computed. */
#pragma GCC unroll 12
  for (size_t i = STORED; i < SUMS; i++)
    sums[i % STORED] = vf_max (sums[i % STORED], sums[i]);
#pragma GCC unroll 4
  for (size_t i = 0; i < STORED; i++)
    vf_store (to + i * VF_N, sums[i]);
  return 4 * SUMS * VF_N;
}
