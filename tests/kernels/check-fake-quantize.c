/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

static const struct
{
  const char *label;
  float in_low, in_high, out_low, out_high, levels;
} ranges[] = {
  { "256", -1.28f, 1.27f, -1.28f, 1.27f, 256 },
  { "255", 0, 2.55f, -3, 5, 255 },
  { "2", -1, 1, -1, 1, 2 },
  { "descending", 1, -1, 1, -1, 16 },
};

void
check_fake_quantize_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *src = kc_buffer (4), *want = kc_buffer (0), *got = kc_buffer (8);

  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
    kc_label (ranges[k].label);
    kc_fill (src, KC_MAX, -4, 4);
    for (int pass = 0; pass < 2; pass++) {
      for (const size_t *n = kc_lengths; *n != 0; n++) {
        ref->fake_quantize_f32 (want, src, *n, ranges[k].in_low,
            ranges[k].in_high, ranges[k].out_low, ranges[k].out_high,
            ranges[k].levels);
        kc_poison (got);
        opt->fake_quantize_f32 (got, src, *n, ranges[k].in_low,
            ranges[k].in_high, ranges[k].out_low, ranges[k].out_high,
            ranges[k].levels);
        kc_check_beyond (got, *n * sizeof *got);
        /* The last multiplication and addition may be fused. */
        kc_check_f32 (got, want, *n, 3e-7f, 1e-6f);
      }
      kc_sprinkle (src);
    }
    KC_BENCH (opt->fake_quantize_f32 (got, src, KC_MAX, ranges[k].in_low,
        ranges[k].in_high, ranges[k].out_low, ranges[k].out_high,
        ranges[k].levels));
  }
}
