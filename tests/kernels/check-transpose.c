/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

void
check_transpose_u32 (const CpuKernels *ref, const CpuKernels *opt)
{
  uint32_t *src = kc_buffer (4), *want = kc_buffer (0), *got = kc_buffer (8);

  for (size_t i = 0; i < KC_MAX; i++)
    src[i] = kc_random ();
  for (size_t rows = 1; rows <= 30; rows++)
    for (size_t cols = 1; cols <= 30; cols++)
      for (size_t more = 0; more < 2; more++) {
        const size_t from = cols + more, to = rows + 2 * more;

        if (rows * from > KC_MAX || cols * to > KC_MAX)
          continue;
        kc_poison (want);
        kc_poison (got);
        ref->transpose_u32 (want, to, src, from, rows, cols);
        opt->transpose_u32 (got, to, src, from, rows, cols);
        kc_check_bytes (got, want, KC_BYTES);
      }
  kc_label ("pictures");
  KC_BENCH (opt->transpose_u32 (got, 3, src, 340, 3, 340));
}
