/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec.h"

#define TO_F32(name, type)                                                     \
  typedef type name##_bytes __attribute__ ((vector_size (VF_N)));              \
                                                                               \
  void CPU_KERNEL (name) (float *dst, const type *src, size_t n)               \
  {                                                                            \
    size_t i = 0;                                                              \
                                                                               \
    for (; i + VF_N <= n; i += VF_N) {                                         \
      name##_bytes v;                                                          \
                                                                               \
      memcpy (&v, src + i, sizeof v);                                          \
      vf_store (dst + i, __builtin_convertvector(v, vf));                      \
    }                                                                          \
    for (; i < n; i++)                                                         \
      dst[i] = (float) src[i];                                                 \
  }

TO_F32 (i8_to_f32, int8_t)
TO_F32 (u8_to_f32, uint8_t)
