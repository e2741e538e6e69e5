/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec.h"

/* Plain loops, which compilers vectorise; gcc 12 converts vector types element
 * by element. */

void
CPU_KERNEL (i8_to_f32) (
    float *restrict dst, const int8_t *restrict src, size_t n)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = (float) src[i];
}

void
CPU_KERNEL (u8_to_f32) (
    float *restrict dst, const uint8_t *restrict src, size_t n)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = (float) src[i];
}
