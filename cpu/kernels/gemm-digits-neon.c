/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products of floats and small integers as products of bytes: weights are never
 * converted to f32, and sums are exact until they are. */

#include "cpu/kernels/gemm-neon.inc"

#include <math.h>

#define DIGITS 4

/* Adding half of each digit's range gives digits that are too large by that. */
INLINE uint8x16_t
digits_of (vf v, float scale)
{
  const int32x4_t halves = vdupq_n_s32 (0x00808080);
  const int32x4_t integers = vcvtnq_s32_f32 ((float32x4_t) (v * scale));

  return vreinterpretq_u8_s32 (
      veorq_s32 (vaddq_s32 (integers, halves), halves));
}

static void
write_digits (int8_t *to, size_t plane, const float *src, size_t n, float scale)
{
  for (size_t i = 0; i < plane; i += 16) {
    uint8x16_t v[QUARTERS];

#pragma GCC unroll 4
    for (size_t q = 0; q < QUARTERS; q++) {
      const size_t at = i + q * VF_N;

      v[q] =
          digits_of (at < n ? load_some (src + at, n - at) : vf_set (0), scale);
    }
    /* first byte 0 and 2, 1 and 3 of eight integers each, then one byte */
    const uint8x16x2_t low = vuzpq_u8 (v[0], v[1]),
                       high = vuzpq_u8 (v[2], v[3]);
    const uint8x16x2_t even = vuzpq_u8 (low.val[0], high.val[0]),
                       odd = vuzpq_u8 (low.val[1], high.val[1]);

    vst1q_s8 (to + i, vreinterpretq_s8_u8 (even.val[0]));
    vst1q_s8 (to + plane + i, vreinterpretq_s8_u8 (odd.val[0]));
    vst1q_s8 (to + 2 * plane + i, vreinterpretq_s8_u8 (even.val[1]));
    vst1q_s8 (to + 3 * plane + i, vreinterpretq_s8_u8 (odd.val[1]));
  }
}

INLINE int32_t
sum_digits (const int8_t *digits, size_t n)
{
  int32x4_t all = vdupq_n_s32 (0);

  for (size_t i = 0; i < n; i += 16)
    all = vdotq_s32 (all, vld1q_s8 (digits + i), vdupq_n_s8 (1));
  return vaddvq_s32 (all);
}

#include "cpu/kernels/gemm-digits.inc"

/* --- products --- */

/* The panel at column @j of a row: its digits are rows of bytes. */
INLINE void
row_panel (const CpuGemm *g, const CpuDigits *row, float *c, size_t j)
{
  const size_t plane = (g->k + 63) / 64 * 64;
  int32x4_t pairs[DIGITS * QUARTERS], sum[DIGITS * QUARTERS];
  int32_t start[DIGITS];
  vf v[QUARTERS];

#pragma GCC unroll 4
  for (size_t d = 0; d < DIGITS; d++)
    start[d] = HAS_MIXED_DOTS ? -128 * row->sums[d] : 0;
  begin_rows (pairs, start, DIGITS);
  add_rows (pairs, row->digits, plane,
      (const uint8_t *) g->b + j / CPU_GEMM_PANEL * g->b_panel,
      (g->k + 3) / 4 * 4, DIGITS);
  end_rows (sum, pairs, DIGITS);
#pragma GCC unroll 4
  for (size_t q = 0; q < QUARTERS; q++) {
    v[q] = (vf) vcvtq_f32_s32 (sum[3 * QUARTERS + q]);
#pragma GCC unroll 3
    for (size_t d = DIGITS - 1; d-- > 0;)
      v[q] = v[q] * 256 + (vf) vcvtq_f32_s32 (sum[d * QUARTERS + q]);
    v[q] *= row->unit;
    if (g->b_offset)
      v[q] += row->sum * vf_load (g->b_offset + j + q * VF_N);
    v[q] *= vf_load (g->b_scale + j + q * VF_N);
  }
  store_some (c + j, v, g->n - j);
}

void
CPU_KERNEL (gemm_digits) (const CpuGemm *g)
{
  /* Some panels at a time stay in the cache for all rows. */
  const size_t whole = 4 * CPU_GEMM_PANEL;

  for (size_t first = 0; first < g->n; first += whole)
    for (size_t i = 0; i < g->m; i++) {
      const size_t end = g->n - first < whole ? g->n : first + whole;

      if (isnan (row_of (g, i)->unit))
        continue;
      for (size_t j = first; j < end; j += CPU_GEMM_PANEL)
        row_panel (g, row_of (g, i), g->c + i * g->c_row, j);
    }
  odd_rows (g);
}
