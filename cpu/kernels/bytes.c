/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"

void
cpu_i8_to_f32_c (float *dst, const int8_t *src, size_t n)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = (float) src[i];
}

void
cpu_u8_to_f32_c (float *dst, const uint8_t *src, size_t n)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = (float) src[i];
}
