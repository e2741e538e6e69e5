/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#define ROWS 12
#define PIXELS 32
#define CHANNELS 16

/* A row that is stretched to twice its pixels, and two such rows that are
 * blended. */
static void
time_rows (const CpuKernels *opt, const float *src, float *dst)
{
  int64_t index[2 * PIXELS];
  double weight[2 * PIXELS];
  CpuBlend blend = { .dst = dst,
    .src = src,
    .index = index,
    .weight = weight,
    .taps = 2,
    .rows = PIXELS,
    .inner = CHANNELS };

  for (size_t i = 0; i < 2 * PIXELS; i++) {
    index[i] = (int64_t) (i / 4 + i % 2);
    weight[i] = i % 2 == i / 2 % 2 ? 0.75 : 0.25;
  }
  kc_label ("pixels of 16 channels");
  KC_BENCH (opt->blend_f32 (&blend));
  blend.rows = 1;
  blend.inner = KC_MAX / 2;
  kc_label ("two long rows");
  KC_BENCH (opt->blend_f32 (&blend));
}

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
  time_rows (opt, src, got);
}
