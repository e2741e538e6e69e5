/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#include <math.h>

/* The reference sums in double; a float sum of n elements in another order is
 * off by less than log2 (n) units of the sum of magnitudes. */
static const struct
{
  const char *label;
  CpuReduce what;
  float low, high, rel, abs;
} kinds[] = {
  { "sum", CPU_REDUCE_SUM, -1, 1, 1e-6f, 1e-4f },
  { "prod", CPU_REDUCE_PROD, 0.9f, 1.1f, 1e-4f, 1e-42f },
  { "max", CPU_REDUCE_MAX, -9, 9, 0, 0 },
  { "min", CPU_REDUCE_MIN, -9, 9, 0, 0 },
  { "sum of magnitudes", CPU_REDUCE_SUM_ABS, -1, 1, 1e-6f, 0 },
  { "sum of squares", CPU_REDUCE_SUM_SQUARES, -1, 1, 1e-6f, 0 },
};

void
check_reduce_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *src = kc_buffer (4), want, got;

  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    kc_label (kinds[k].label);
    kc_fill (src, KC_MAX, kinds[k].low, kinds[k].high);
    for (const size_t *n = kc_lengths; *n != 0; n++) {
      want = ref->reduce_f32 (kinds[k].what, src + KC_MAX - *n, *n);
      got = opt->reduce_f32 (kinds[k].what, src + KC_MAX - *n, *n);
      kc_check_f32 (&got, &want, 1, kinds[k].rel, kinds[k].abs);
    }
    want = ref->reduce_f32 (kinds[k].what, src, 0);
    got = opt->reduce_f32 (kinds[k].what, src, 0);
    kc_check_f32 (&got, &want, 1, 0, 0);
    /* A special value at each position of a short row. */
    for (size_t s = 0; s < kc_n_specials; s++)
      for (size_t i = 0; i < 70; i++) {
        float kept = src[i];
        float size = fabsf (kc_specials[s]);

        /* Overflow of an intermediate product depends on the order. */
        if (kinds[k].what == CPU_REDUCE_PROD && isfinite (size) && size != 0
            && (size < 1e-20f || size > 1e20f))
          continue;
        src[i] = kc_specials[s];
        want = ref->reduce_f32 (kinds[k].what, src, 70);
        got = opt->reduce_f32 (kinds[k].what, src, 70);
        kc_check_f32 (&got, &want, 1, kinds[k].rel, kinds[k].abs);
        src[i] = kept;
      }
    KC_BENCH ((void) opt->reduce_f32 (kinds[k].what, src, KC_MAX));
  }
}
