/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-vec.h"

/* Independent sums: latency times rate of the instruction on any processor.
 * All loops over them are unrolled, or they would lie in memory, which halves
 * the rate. */
#define SUMS 12
#define STORED (16 / VF_N)

size_t
CPU_KERNEL (products_f32) (float *to, size_t rounds)
{
  vf sums[SUMS], a = vf_set (1), b = vf_set (1);

#pragma GCC unroll 12
  for (size_t i = 0; i < SUMS; i++)
    sums[i] = vf_set (0);
  for (size_t r = 0; r < rounds; r++) {
    KEEP_VECTOR (a);
    KEEP_VECTOR (b);
#pragma GCC unroll 12
    for (size_t i = 0; i < SUMS; i++) {
      sums[i] += a * b;
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
  return SUMS * VF_N;
}
