/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

void
check_moments_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *src = kc_buffer (4), want[2], got[2];

  /* Around 3, where E[x²] - E[x]² would lose digits. */
  kc_fill (src, KC_MAX, 2, 4);
  for (const size_t *n = kc_lengths; *n != 0; n++) {
    ref->moments_f32 (src + KC_MAX - *n, *n, &want[0], &want[1]);
    opt->moments_f32 (src + KC_MAX - *n, *n, &got[0], &got[1]);
    kc_check_f32 (got, want, 2, 2e-6f, 1e-7f);
  }
  KC_BENCH (opt->moments_f32 (src, KC_MAX, &got[0], &got[1]));
}
