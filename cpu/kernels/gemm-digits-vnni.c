/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products of floats and small integers as products of bytes: weights are never
 * converted to f32, and sums are exact until they are. */

#include "cpu/kernels/quantized-vnni.inc"

#include <math.h>

/* Panels of a tile: registers for four sums of each, four digits, and a panel's
 * weights. */
#define MAX_PANELS 4

INLINE __mmask16
lanes_left (size_t n, size_t i)
{
  return first_lanes (n - i);
}

/* The bits of the largest magnitude; those of non-finite values are larger than
 * all others. */
static uint32_t
greatest (const float *src, size_t n)
{
  __m512i most = _mm512_setzero_si512 ();

  for (size_t i = 0; i < n; i += 16) {
    __m512i bits = (__m512i) _mm512_maskz_loadu_ps (lanes_left (n, i), src + i);

    most = _mm512_max_epi32 (
        most, _mm512_and_si512 (bits, _mm512_set1_epi32 (INT32_MAX)));
  }
  return (uint32_t) _mm512_reduce_max_epi32 (most);
}

static float
power (int exponent)
{
  uint32_t bits = (uint32_t) (exponent + 127) << 23;
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* Adding half of each digit's range gives digits that are too large by that. */
INLINE __m512i
digits_of (const float *src, __mmask16 mask, __m512 scale)
{
  const __m512i halves = _mm512_set1_epi32 (0x00808080);
  __m512i v = _mm512_cvtps_epi32 (
      _mm512_mul_ps (_mm512_maskz_loadu_ps (mask, src), scale));

  return _mm512_xor_si512 (_mm512_add_epi32 (v, halves), halves);
}

static void
write_digits (int8_t *to, size_t plane, const float *src, size_t n, float scale)
{
  const __m512 by = _mm512_set1_ps (scale);

  for (size_t i = 0; i < plane; i += 64) {
    __m512i v[4];

#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++) {
      size_t at = i + k * 16;

      v[k] = at < n ? digits_of (src + at, lanes_left (n, at), by)
                    : _mm512_setzero_si512 ();
    }
#pragma GCC unroll 4
    for (unsigned d = 0; d < 4; d++) {
      const __m512i low = _mm512_set1_epi32 (255);
      __m512i digit[4];

#pragma GCC unroll 4
      for (size_t k = 0; k < 4; k++)
        digit[k] = _mm512_and_si512 (_mm512_srli_epi32 (v[k], 8 * d), low);
      _mm512_storeu_si512 (to + d * plane + i,
          pack_bytes (digit[0], digit[1], digit[2], digit[3]));
    }
  }
}

void
CPU_KERNEL (digits_f32) (CpuDigits *to, const float *src, size_t n)
{
  const size_t plane = (n + 63) / 64 * 64;
  const uint32_t bits = greatest (src, n);
  int exponent = (int) (bits >> 23) - 127;
  double sum = 0;

  if (exponent == 128) {
    to->unit = NAN;
    return;
  }
  exponent = exponent < -97 ? -97 : exponent;
  to->unit = power (exponent - 29);
  write_digits (to->digits, plane, src, n, power (29 - exponent));
  for (size_t d = 4; d-- > 0;) {
    __m512i all = _mm512_setzero_si512 ();

    for (size_t i = 0; i < plane; i += 64)
      all = _mm512_dpbusd_epi32 (all, _mm512_set1_epi8 (1),
          _mm512_loadu_si512 (to->digits + d * plane + i));
    to->sums[d] = _mm512_reduce_add_epi32 (all);
    sum = sum * 256 + to->sums[d];
  }
  to->sum = (float) (sum * to->unit);
}

/* --- products --- */

/* @panels of one row; a constant after inlining. */
INLINE void
row_sums (const CpuGemm *g, const CpuDigits *row, const uint8_t *b,
    size_t panels, __m512i (*sum)[4])
{
  const size_t plane = (g->k + 63) / 64 * 64;
  const int8_t *a = row->digits, *end = a + (g->k + 3) / 4 * 4;

#pragma GCC unroll 4
  for (size_t p = 0; p < panels; p++)
#pragma GCC unroll 4
    for (size_t d = 0; d < 4; d++)
      sum[p][d] = _mm512_set1_epi32 (-128 * row->sums[d]);
  for (; a < end; a += 4, b += 64) {
    __m512i digit[4];

#pragma GCC unroll 4
    for (size_t d = 0; d < 4; d++)
      digit[d] = four_bytes (a + d * plane);
#pragma GCC unroll 4
    for (size_t p = 0; p < panels; p++) {
      const __m512i weights = _mm512_loadu_si512 (b + p * g->b_panel);

#pragma GCC unroll 4
      for (size_t d = 0; d < 4; d++)
        add_products (&sum[p][d], weights, digit[d]);
    }
  }
}

INLINE void
row_panels (const CpuGemm *g, size_t i, size_t j, size_t panels)
{
  const CpuDigits *row =
      (const void *) ((const char *) g->a_packed + i * g->a_packed_row);
  const uint8_t *b = (const uint8_t *) g->b + j / CPU_GEMM_PANEL * g->b_panel;
  __m512i sum[MAX_PANELS][4];

  row_sums (g, row, b, panels, sum);
#pragma GCC unroll 4
  for (size_t p = 0; p < panels; p++) {
    const size_t at = j + p * CPU_GEMM_PANEL;
    vf v = (vf) _mm512_cvtepi32_ps (sum[p][3]);

#pragma GCC unroll 3
    for (size_t d = 3; d-- > 0;)
      v = v * 256 + (vf) _mm512_cvtepi32_ps (sum[p][d]);
    v *= row->unit;
    if (g->b_offset)
      v += row->sum * vf_load (g->b_offset + at);
    v *= vf_load (g->b_scale + at);
    _mm512_mask_storeu_ps (
        g->c + i * g->c_row + at, first_lanes (g->n - at), (__m512) v);
  }
}

/* A row with non-finite values, multiplied in f32. */
static void
odd_row (const CpuGemm *g, size_t i)
{
  CpuGemm one = *g;

  one.m = 1;
  one.a += i * g->a_row;
  one.c += i * g->c_row;
  cpu_gemm_digits_c (&one);
}

void
CPU_KERNEL (gemm_digits) (const CpuGemm *g)
{
  const size_t whole = MAX_PANELS * CPU_GEMM_PANEL;

  for (size_t j = 0; j < g->n; j += whole) {
    for (size_t i = 0; i < g->m; i++) {
      const CpuDigits *row =
          (const void *) ((const char *) g->a_packed + i * g->a_packed_row);

      if (isnan (row->unit))
        continue;
      if (g->n - j > whole - CPU_GEMM_PANEL)
        row_panels (g, i, j, MAX_PANELS);
      else
        for (size_t at = j; at < g->n; at += CPU_GEMM_PANEL)
          row_panels (g, i, at, 1);
    }
  }
  for (size_t i = 0; i < g->m; i++)
    if (isnan (((const CpuDigits *) (const void *) ((const char *) g->a_packed
                                                    + i * g->a_packed_row))
                   ->unit))
      odd_row (g, i);
}
