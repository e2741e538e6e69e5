/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#define ROWS 12

void
check_blend_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  int64_t index[4 * ROWS];
  double weight[4 * ROWS];
  float *src = kc_floats (4, -2, 2), *want = kc_buffer (0),
        *got = kc_buffer (8);

  for (size_t taps = 1; taps <= 4; taps++)
    for (size_t inner = 1; inner <= 70; inner++) {
      CpuBlend blend = { .dst = want,
        .src = src,
        .index = index,
        .weight = weight,
        .taps = taps,
        .rows = ROWS,
        .inner = inner };

      for (size_t i = 0; i < taps * ROWS; i++) {
        index[i] = kc_random () % (KC_MAX / 70);
        weight[i] = kc_random () % 4 == 0 ? 0 : kc_random () % 100 * 0.01;
      }
      ref->blend_f32 (&blend);
      kc_poison (got);
      blend.dst = got;
      opt->blend_f32 (&blend);
      kc_check_beyond (got, ROWS * inner * sizeof *got);
      /* Products may be added with one rounding or two. */
      kc_check_f32 (got, want, ROWS * inner, 1e-6f, 1e-6f);
      if (inner == 64)
        KC_BENCH (opt->blend_f32 (&blend));
    }
}
