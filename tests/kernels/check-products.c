/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

typedef size_t Products (float *sums, size_t rounds);

/* Sums grow by the same amount in each round, in all versions alike. */
static void
check (Products *opt)
{
  float *sums = kc_buffer (4), once[16], zeros[16] = { 0 };

  kc_poison (sums);
  opt (sums, 0);
  kc_check_f32 (sums, zeros, 16, 0, 0);
  opt (once, 1);
  for (size_t rounds = 2; rounds < 40; rounds++) {
    float want[16];

    for (size_t i = 0; i < 16; i++)
      want[i] = once[0] * (float) rounds;
    kc_poison (sums);
    opt (sums, rounds);
    kc_check_f32 (sums, want, 16, 0, 0);
    kc_check_beyond (sums, 16 * sizeof *sums);
  }
  kc_label ("512 rounds");
  KC_BENCH (opt (sums, 512));
}

void
check_products_bf16 (const CpuKernels *ref, const CpuKernels *opt)
{
  check (opt->products_bf16);
}

void
check_products_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  check (opt->products_f32);
}
