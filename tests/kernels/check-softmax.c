/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

typedef void (*Softmax) (float *dst, const float *src, size_t n);

static void
check (Softmax ref, Softmax opt, float rel, float abs)
{
  float *src = kc_floats (4, -30, 30), *want = kc_buffer (0),
        *got = kc_buffer (8);

  for (const size_t *n = kc_lengths; *n != 0; n++) {
    ref (want, src, *n);
    kc_poison (got);
    opt (got, src, *n);
    kc_check_beyond (got, *n * sizeof *got);
    kc_check_f32 (got, want, *n, rel, abs);
  }
  for (size_t i = 0; i < KC_MAX; i++)
    want[i] = src[i];
  opt (want, want, KC_MAX);
  kc_check_f32 (want, got, KC_MAX, 0, 0);
  /* A row with all elements but one masked out. */
  for (size_t i = 0; i < KC_MAX; i++)
    src[i] = i == 700 ? 0.0f : kc_specials[2];
  ref (want, src, KC_MAX);
  opt (got, src, KC_MAX);
  kc_check_f32 (got, want, KC_MAX, rel, abs);
  kc_fill (src, KC_MAX, -30, 30);
  KC_BENCH (opt (got, src, KC_MAX));
}

void
check_softmax_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  /* exp, and a sum in float. */
  check (ref->softmax_f32, opt->softmax_f32, 4e-6f, 1e-37f);
}

void
check_log_softmax_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  check (ref->log_softmax_f32, opt->log_softmax_f32, 1e-6f, 4e-6f);
}

void
check_scores_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *src = kc_floats (0, -30, 30), *mask = kc_floats (4, -1, 1),
        *want = kc_buffer (0), *got = kc_buffer (8), sums[2];
  uint8_t *drop = kc_buffer (4);

  for (size_t i = 0; i < KC_MAX; i += 3)
    mask[i] = i % 2 ? kc_specials[2] : -1e9f; /* -inf */
  for (size_t i = 0; i < KC_BYTES; i++)
    drop[i] = i % 7 == 5 || i % 64 == 0 ? (uint8_t) (i | 1) : 0;
  for (int variant = 0; variant < 4; variant++) {
    CpuScores scores = { 0.25f, variant == 2 ? -100 : kc_specials[2],
      variant & 1 ? mask + 1 : NULL, variant & 2 ? drop + 1 : NULL };

    kc_label (variant == 3   ? "mask, drop"
              : variant == 2 ? "drop"
              : variant == 1 ? "mask"
                             : "");
    for (const size_t *n = kc_lengths; *n != 0; n++) {
      if (*n == KC_MAX)
        continue; /* rows start at 1 in the mask */
      kc_poison (got);
      for (size_t i = 0; i < *n; i++)
        want[i] = got[i] = src[i];
      sums[0] = ref->scores_f32 (want, *n, &scores);
      sums[1] = opt->scores_f32 (got, *n, &scores);
      kc_check_beyond (got, *n * sizeof *got);
      /* Rounding of a product and a sum of magnitude up to 8. */
      kc_check_f32 (got, want, *n, 8e-6f, 1e-37f);
      kc_check_f32 (&sums[1], &sums[0], 1, 8e-6f, 1e-37f);
    }
  }
  for (size_t i = 0; i < KC_MAX; i++)
    got[i] = src[i];
  KC_BENCH (opt->scores_f32 (got, KC_MAX, &(CpuScores){ 1, 0, NULL, NULL }));
}
