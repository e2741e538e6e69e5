/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A table of 256 bytes as sixteen of sixteen, each for bytes of one upper half.
 */

#include "cpu/kernels/quantized-vnni.inc"

#define PARTS 16

INLINE vi
look_up (const vi *parts, vi x)
{
  vi y = vi_set (0);

#pragma GCC unroll 16
  for (int p = 0; p < PARTS; p++)
    y = look_up_part (y, x, parts[p], p);
  return y;
}

void
CPU_KERNEL (lookup_u8) (
    uint8_t *dst, const uint8_t *src, size_t n, const uint8_t table[256])
{
  vi parts[PARTS];
  size_t i = 0;

  for (int p = 0; p < PARTS; p++)
    parts[p] = broadcast_16 (table + p * 16);
  for (; i + CPU_VEC_BYTES <= n; i += CPU_VEC_BYTES)
    vi_store (dst + i, look_up (parts, vi_load (src + i)));
  if (i < n) {
    uint8_t rest[CPU_VEC_BYTES] = { 0 };

    memcpy (rest, src + i, n - i);
    vi_store (rest, look_up (parts, vi_load (rest)));
    memcpy (dst + i, rest, n - i);
  }
}
