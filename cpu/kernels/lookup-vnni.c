/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A table of 256 bytes as sixteen of sixteen, each for bytes of one upper half.
 */

#include "cpu/kernels/quantized-vnni.inc"

#define PARTS 16

INLINE __m512i
look_up (const __m512i parts[PARTS], __m512i x)
{
  const __m512i low = _mm512_set1_epi8 (0x0f);
  const __m512i upper = _mm512_andnot_si512 (low, x);
  __m512i y = _mm512_setzero_si512 ();

  x = _mm512_and_si512 (low, x);
#pragma GCC unroll 16
  for (int p = 0; p < PARTS; p++) {
    const __m512i this = _mm512_set1_epi8 ((char) (p << 4));

    y = _mm512_mask_shuffle_epi8 (
        y, _mm512_cmpeq_epi8_mask (upper, this), parts[p], x);
  }
  return y;
}

void
CPU_KERNEL (lookup_u8) (
    uint8_t *dst, const uint8_t *src, size_t n, const uint8_t table[256])
{
  __m512i parts[PARTS];
  size_t i = 0;

  for (int p = 0; p < PARTS; p++)
    parts[p] = _mm512_broadcast_i32x4 (
        _mm_loadu_si128 ((const __m128i *) (table + p * 16)));
  for (; i + 64 <= n; i += 64)
    _mm512_storeu_si512 (
        dst + i, look_up (parts, _mm512_loadu_si512 (src + i)));
  if (i < n) {
    const __mmask64 mask = ((__mmask64) 1 << (n - i)) - 1;

    _mm512_mask_storeu_epi8 (dst + i, mask,
        look_up (parts, _mm512_maskz_loadu_epi8 (mask, src + i)));
  }
}
