/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products of floats and small integers as products of bytes: weights are never
 * converted to f32, and sums are exact until they are. */

#include "cpu/kernels/quantized-vnni.inc"

#include <math.h>

/* Vectors of a tile: registers for four sums of each, four digits, and a
 * vector of weights. */
#define MAX_VECTORS (CPU_VEC_BYTES == 64 ? 4 : 2)

/* Adding half of each digit's range gives digits that are too large by that. */
INLINE vi
digits_of (vf src, float scale)
{
  const vi halves = vi_set (0x00808080);

  return (vi_round (src * scale) + halves) ^ halves;
}

static void
write_digits (int8_t *to, size_t plane, const float *src, size_t n, float scale)
{
  for (size_t i = 0; i < plane; i += 4 * VF_N) {
    vi v[4];

#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++) {
      size_t at = i + k * VF_N;

      v[k] = at < n ? digits_of (
                 load_floats (src + at, first_lanes (n - at)), scale)
                    : vi_set (0);
    }
#pragma GCC unroll 4
    for (int d = 0; d < 4; d++) {
      vi digit[4];

#pragma GCC unroll 4
      for (size_t k = 0; k < 4; k++)
        digit[k] = v[k] >> 8 * d & 255;
      vi_store (to + (size_t) d * plane + i,
          pack_bytes (digit[0], digit[1], digit[2], digit[3]));
    }
  }
}

INLINE int32_t
sum_digits (const int8_t *digits, size_t n)
{
  vi all = vi_set (0);

  for (size_t i = 0; i < n; i += CPU_VEC_BYTES)
    add_products (&all, vi_set (0x01010101), vi_load (digits + i));
  return vi_sum (all);
}

#include "cpu/kernels/gemm-digits.inc"

/* --- products --- */

/* @vectors of one row; a constant after inlining. */
INLINE void
row_sums (const CpuGemm *g, const CpuDigits *row, const uint8_t *b,
    size_t vectors, vi (*sum)[4])
{
  const size_t plane = (g->k + 63) / 64 * 64;
  const int8_t *a = row->digits, *end = a + (g->k + 3) / 4 * 4;

#pragma GCC unroll 4
  for (size_t p = 0; p < vectors; p++)
#pragma GCC unroll 4
    for (size_t d = 0; d < 4; d++)
      sum[p][d] = vi_set (-128 * row->sums[d]);
  for (; a < end; a += 4, b += CPU_GEMM_PANEL * 4) {
    vi digit[4];

#pragma GCC unroll 4
    for (size_t d = 0; d < 4; d++)
      digit[d] = four_bytes (a + d * plane);
#pragma GCC unroll 4
    for (size_t p = 0; p < vectors; p++) {
      const vi weights = panel_vector (b, g->b_panel, p);

#pragma GCC unroll 4
      for (size_t d = 0; d < 4; d++)
        add_products (&sum[p][d], weights, digit[d]);
    }
  }
}

INLINE void
row_panels (const CpuGemm *g, size_t i, size_t j, size_t vectors)
{
  const CpuDigits *row = row_of (g, i);
  const uint8_t *b = (const uint8_t *) g->b + j / CPU_GEMM_PANEL * g->b_panel;
  vi sum[MAX_VECTORS][4];

  row_sums (g, row, b, vectors, sum);
#pragma GCC unroll 4
  for (size_t p = 0; p < vectors; p++) {
    const size_t at = j + p * VF_N;
    vf v = vf_of (sum[p][3]);

    if (at >= g->n)
      break;
#pragma GCC unroll 3
    for (size_t d = 3; d-- > 0;)
      v = v * 256 + vf_of (sum[p][d]);
    v *= row->unit;
    if (g->b_offset)
      v += row->sum * vf_load (g->b_offset + at);
    v *= vf_load (g->b_scale + at);
    store_floats (g->c + i * g->c_row + at, v, first_lanes (g->n - at));
  }
}

/* Not inlined: their loops take all integer registers. */
static __attribute__ ((noinline)) void
wide_row (const CpuGemm *g, size_t i, size_t j)
{
  row_panels (g, i, j, MAX_VECTORS);
}

static __attribute__ ((noinline)) void
narrow_row (const CpuGemm *g, size_t i, size_t j)
{
  row_panels (g, i, j, PANEL_VECTORS);
}

void
CPU_KERNEL (gemm_digits) (const CpuGemm *g)
{
  const size_t whole = MAX_VECTORS * VF_N;

  for (size_t j = 0; j < g->n; j += whole)
    for (size_t i = 0; i < g->m; i++) {
      if (isnan (row_of (g, i)->unit))
        continue;
      if (!g->b_in_order && g->n - j > whole - CPU_GEMM_PANEL)
        wide_row (g, i, j);
      else
        for (size_t at = j; at < g->n && at < j + whole; at += CPU_GEMM_PANEL)
          narrow_row (g, i, at);
    }
  odd_rows (g);
}
