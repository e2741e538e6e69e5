/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

void
check_best_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *src = kc_buffer (4), *want = kc_buffer (0), *got = kc_buffer (8);
  int32_t *want_at = kc_buffer (0), *got_at = kc_buffer (4);

  /* Few distinct values, so that there are duplicates. */
  for (size_t i = 0; i < KC_MAX; i++)
    src[i] = (float) (kc_random () % 7) - 3;
  for (int pass = 0; pass < 4; pass++) {
    for (size_t n = 1; n <= 35; n++)
      for (size_t rows = 1; rows * (n + 1) <= KC_MAX && rows < 40; rows += 6) {
        ref->best_f32 (want, want_at, src, rows, n + 1, n, pass % 2 == 1);
        kc_poison (got);
        kc_poison (got_at);
        opt->best_f32 (got, got_at, src, rows, n + 1, n, pass % 2 == 1);
        kc_check_beyond (got, n * sizeof *got);
        kc_check_beyond (got_at, n * sizeof *got_at);
        kc_check_f32 (got, want, n, 0, 0);
        kc_check_bytes (got_at, want_at, n * sizeof *got_at);
      }
    if (pass == 1)
      kc_sprinkle (src);
  }
  KC_BENCH (opt->best_f32 (got, got_at, src, 16, 64, 64, false));
}
