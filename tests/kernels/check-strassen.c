/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#define ROWS 3
#define ROW 67 /* of the blocks */
#define MOST 40

void
check_strassen_sums_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *x = kc_floats (4, -1, 1), *want = kc_buffer (0), *got = kc_buffer (8);
  CpuStrassenSums sums = { .blocks = { x, x + 200, x + 410, x + 611 },
    .row = ROW,
    .rows = ROWS,
    .sum = ROWS * MOST + 5 };

  for (sums.n = 1; sums.n <= MOST; sums.n++) {
    kc_poison (got);
    sums.sums = want;
    ref->strassen_sums_f32 (&sums);
    sums.sums = got;
    opt->strassen_sums_f32 (&sums);
    for (size_t s = 0; s < CPU_STRASSEN_SUMS; s++)
      kc_check_bytes (
          got + s * sums.sum, want + s * sums.sum, ROWS * sums.n * sizeof *got);
    kc_check_beyond (got,
        ((CPU_STRASSEN_SUMS - 1) * sums.sum + ROWS * sums.n) * sizeof *got);
  }
  kc_label ("3 rows of 32");
  sums.n = 32;
  KC_BENCH (opt->strassen_sums_f32 (&sums));
}

void
check_strassen_result_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *c = kc_floats (4, -1, 1), *want = kc_buffer (0), *got = kc_buffer (8);
  const float *p = kc_floats (12, -1, 1);
  CpuStrassenResult result = {
    .c_row = ROW, .rows = ROWS, .p4 = p, .p5 = p + 500
  };

  for (result.n = 1; result.n <= MOST; result.n++) {
    for (size_t version = 0; version < 2; version++) {
      float *to = version ? got : want;

      for (size_t i = 0; i < KC_MAX; i++)
        to[i] = c[i];
      for (size_t b = 0; b < 4; b++)
        result.c[b] = to + b * 211;
      (version ? opt : ref)->strassen_result_f32 (&result);
    }
    kc_check_f32 (got, want, KC_MAX, 0, 5e-7f);
  }
  kc_label ("3 rows of 32");
  result.n = 32;
  KC_BENCH (opt->strassen_result_f32 (&result));
}
