/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"

void
cpu_lookup_u8_c (
    uint8_t *dst, const uint8_t *src, size_t n, const uint8_t table[256])
{
  for (size_t i = 0; i < n; i++)
    dst[i] = table[src[i]];
}
