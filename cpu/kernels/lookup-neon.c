/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A table of 256 bytes as four of 64: indices beyond one leave its results
 * alone. */

#include <arm_neon.h>
#include <string.h>

#include "cpu/kernels/vec.h"

#define STEP 16
#define PARTS 4

INLINE uint8x16_t
look_up (const uint8x16x4_t *parts, uint8x16_t x)
{
  uint8x16_t y = vqtbl4q_u8 (parts[0], x);

#pragma GCC unroll 3
  for (size_t p = 1; p < PARTS; p++) {
    x = vsubq_u8 (x, vdupq_n_u8 (64));
    y = vqtbx4q_u8 (y, parts[p], x);
  }
  return y;
}

void
CPU_KERNEL (lookup_u8) (
    uint8_t *dst, const uint8_t *src, size_t n, const uint8_t table[256])
{
  uint8x16x4_t parts[PARTS];
  size_t i = 0;

#pragma GCC unroll 4
  for (size_t p = 0; p < PARTS; p++)
    parts[p] = vld1q_u8_x4 (table + p * 64);
  for (; i + STEP <= n; i += STEP)
    vst1q_u8 (dst + i, look_up (parts, vld1q_u8 (src + i)));
  if (i < n) {
    uint8_t rest[STEP] = { 0 };

    memcpy (rest, src + i, n - i);
    vst1q_u8 (rest, look_up (parts, vld1q_u8 (rest)));
    memcpy (dst + i, rest, n - i);
  }
}
