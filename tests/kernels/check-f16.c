/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#include <string.h>

void
check_f16_to_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  uint16_t *src = kc_buffer (2);
  float *want = kc_buffer (0), *got = kc_buffer (4);

  /* Every f16 value. */
  for (uint32_t first = 0; first < 65536; first += KC_MAX) {
    for (uint32_t i = 0; i < KC_MAX; i++)
      src[i] = (uint16_t) (first + i);
    ref->f16_to_f32 (want, src, KC_MAX);
    opt->f16_to_f32 (got, src, KC_MAX);
    kc_check_bytes (got, want, KC_BYTES);
  }
  for (const size_t *n = kc_lengths; *n != 0; n++) {
    ref->f16_to_f32 (want, src, *n);
    kc_poison (got);
    opt->f16_to_f32 (got, src, *n);
    kc_check_beyond (got, *n * sizeof *got);
    kc_check_bytes (got, want, *n * sizeof *got);
  }
  KC_BENCH (opt->f16_to_f32 (got, src, KC_MAX));
}

void
check_f32_to_f16 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *src = kc_buffer (4);
  uint16_t *want = kc_buffer (0), *got = kc_buffer (2);

  /* Random bits; then numbers at, between and next to f16 values. */
  for (int round = 0; round < 300; round++) {
    for (size_t i = 0; i < KC_MAX; i++) {
      uint32_t bits = kc_random ();

      if (round > 50)
        bits = (bits & 0x80000000u)
               | (((bits >> 3) % (48u << 10)) + (96u << 10)) << 13
               | (bits & 1) << 12;
      if (round > 150)
        bits += (bits >> 13 & 2) - 1;
      memcpy (src + i, &bits, sizeof bits);
    }
    if (round == 0)
      kc_sprinkle (src);
    ref->f32_to_f16 (want, src, KC_MAX);
    opt->f32_to_f16 (got, src, KC_MAX);
    kc_check_bytes (got, want, KC_MAX * sizeof *got);
  }
  for (const size_t *n = kc_lengths; *n != 0; n++) {
    ref->f32_to_f16 (want, src, *n);
    kc_poison (got);
    opt->f32_to_f16 (got, src, *n);
    kc_check_beyond (got, *n * sizeof *got);
    kc_check_bytes (got, want, *n * sizeof *got);
  }
  KC_BENCH (opt->f32_to_f16 (got, src, KC_MAX));
}
