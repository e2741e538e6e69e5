/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Quantising, dequantising and adding u8: AVX-512, whose conversions of width
 * vector types cannot express. */

#include "cpu/kernels/quantized-vnni.inc"

INLINE __m512
from_bytes (const uint8_t *src, __mmask16 mask)
{
  return _mm512_cvtepi32_ps (
      _mm512_cvtepu8_epi32 (_mm_maskz_loadu_epi8 (mask, src)));
}

void
CPU_KERNEL (quantize_u8) (
    uint8_t *dst, const float *src, size_t n, const CpuQuant *q)
{
  const Levels l = levels_of (q);
  size_t i = 0;

  for (; i + 64 <= n; i += 64) {
    __m512i v[4];

#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++)
      v[k] = to_levels (&l, vf_load (src + i + k * 16));
    _mm512_storeu_si512 (dst + i, pack_bytes (v[0], v[1], v[2], v[3]));
  }
  for (; i < n; i += 16)
    _mm512_mask_cvtepi32_storeu_epi8 (dst + i, first_lanes (n - i),
        to_levels (
            &l, (vf) _mm512_maskz_loadu_ps (first_lanes (n - i), src + i)));
}

void
CPU_KERNEL (dequantize_u8) (
    float *dst, const uint8_t *src, size_t n, const CpuQuant *q)
{
  for (size_t i = 0; i < n; i += 16) {
    __mmask16 mask = first_lanes (n - i);
    vf v = (vf) from_bytes (src + i, mask) * q->step + q->out_low;

    _mm512_mask_storeu_ps (dst + i, mask, (__m512) v);
  }
}

/* Coefficients of a sum, from the ranges of both operands and the result. */
typedef struct
{
  vf a, b, offset;
  __m512 top;
} Sum;

INLINE __m512i
sum_levels (const Sum *s, const uint8_t *a, const uint8_t *b, __mmask16 mask)
{
  vf v = (vf) from_bytes (b, mask) * s->b + s->offset;

  v = (vf) from_bytes (a, mask) * s->a + v;
  return _mm512_max_epi32 (
      _mm512_cvtps_epi32 (_mm512_min_ps (s->top, (__m512) v)),
      _mm512_setzero_si512 ());
}

void
CPU_KERNEL (add_u8) (uint8_t *dst, const uint8_t *a, const CpuQuant *qa,
    const uint8_t *b, const CpuQuant *qb, size_t n, const CpuQuant *to)
{
  const double low = (double) qa->out_low + qb->out_low - to->in_low;
  const Sum s = { vf_set ((float) ((double) qa->step * to->in_scale)),
    vf_set ((float) ((double) qb->step * to->in_scale)),
    vf_set ((float) (low * to->in_scale)), _mm512_set1_ps (to->top) };
  size_t i = 0;

  for (; i + 64 <= n; i += 64) {
    __m512i v[4];

#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++)
      v[k] = sum_levels (&s, a + i + k * 16, b + i + k * 16, 0xffff);
    _mm512_storeu_si512 (dst + i, pack_bytes (v[0], v[1], v[2], v[3]));
  }
  for (; i < n; i += 16) {
    __mmask16 mask = first_lanes (n - i);

    _mm512_mask_cvtepi32_storeu_epi8 (
        dst + i, mask, sum_levels (&s, a + i, b + i, mask));
  }
}

/* --- interleaving --- */

INLINE void
interleave (uint8_t *dst, const uint8_t *const *src, size_t i, size_t n)
{
  /* Order of dwords for which unpacking, which works within each quarter, gives
   * the right order. */
  const __m512i columns =
      _mm512_setr_epi32 (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __mmask64 mask = n < 64 ? ((__mmask64) 1 << n) - 1 : ~(__mmask64) 0;
  __m512i row[4], pair[4], quad[4];

#pragma GCC unroll 4
  for (size_t j = 0; j < 4; j++)
    row[j] = _mm512_permutexvar_epi32 (
        columns, _mm512_maskz_loadu_epi8 (mask, src[j] + i));
  pair[0] = _mm512_unpacklo_epi8 (row[0], row[1]);
  pair[1] = _mm512_unpackhi_epi8 (row[0], row[1]);
  pair[2] = _mm512_unpacklo_epi8 (row[2], row[3]);
  pair[3] = _mm512_unpackhi_epi8 (row[2], row[3]);
  quad[0] = _mm512_unpacklo_epi16 (pair[0], pair[2]);
  quad[1] = _mm512_unpackhi_epi16 (pair[0], pair[2]);
  quad[2] = _mm512_unpacklo_epi16 (pair[1], pair[3]);
  quad[3] = _mm512_unpackhi_epi16 (pair[1], pair[3]);
#pragma GCC unroll 4
  for (size_t k = 0; k < 4; k++)
    if (n >= (k + 1) * 16)
      _mm512_storeu_si512 (dst + i * 4 + k * 64, quad[k]);
    else if (n > k * 16)
      _mm512_mask_storeu_epi32 (
          dst + i * 4 + k * 64, first_lanes (n - k * 16), quad[k]);
}

void
CPU_KERNEL (interleave_u8) (uint8_t *dst, const uint8_t *const *src, size_t n)
{
  size_t i = 0;

  for (; i + 64 <= n; i += 64)
    interleave (dst, src, i, 64);
  if (i < n)
    interleave (dst, src, i, n - i);
}
