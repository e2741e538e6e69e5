/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#define CHECK_TO_F32(name, type)                                               \
  void check_##name (const CpuKernels *ref, const CpuKernels *opt)             \
  {                                                                            \
    type *src = kc_buffer (1);                                                 \
    float *want = kc_buffer (0), *got = kc_buffer (4);                         \
                                                                               \
    for (size_t i = 0; i < KC_MAX; i++)                                        \
      src[i] = (type) (i * 77);                                                \
    for (const size_t *n = kc_lengths; *n != 0; n++) {                         \
      ref->name (want, src, *n);                                               \
      kc_poison (got);                                                         \
      opt->name (got, src, *n);                                                \
      kc_check_beyond (got, *n * sizeof *got);                                 \
      kc_check_bytes (got, want, *n * sizeof *got);                            \
    }                                                                          \
    KC_BENCH (opt->name (got, src, KC_MAX));                                   \
  }

CHECK_TO_F32 (i8_to_f32, int8_t)
CHECK_TO_F32 (u8_to_f32, uint8_t)
