/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products of bytes with one zero point for a and one for each column of b. */

#include "cpu/kernels/quantized-vnni.inc"

/* The level, as a float, is within the limits before it becomes an integer:
 * NaN passes neither and becomes the smallest integer, thus 0. */
INLINE __m512i
levels (__m512 v, __m512 scale, __m512 zero)
{
  const __m512 level =
      _mm512_add_ps (_mm512_roundscale_ps (_mm512_div_ps (v, scale),
                         _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
          zero);
  const __m512i natural =
      _mm512_cvtps_epi32 (_mm512_min_ps (_mm512_set1_ps (255), level));

  return _mm512_sub_epi32 (_mm512_max_epi32 (natural, _mm512_setzero_si512 ()),
      _mm512_set1_epi32 (128));
}

int32_t
CPU_KERNEL (levels_f32) (
    int8_t *to, const float *src, size_t n, float scale, int32_t zero)
{
  __m512i sum = _mm512_setzero_si512 ();

  for (size_t i = 0; i < n; i += 16) {
    const __mmask16 mask = first_lanes (n - i);
    const __m512i v = levels (_mm512_maskz_loadu_ps (mask, src + i),
        _mm512_set1_ps (scale), _mm512_set1_ps ((float) zero));

    sum = _mm512_mask_add_epi32 (sum, mask, sum, v);
    _mm512_mask_cvtepi32_storeu_epi8 (to + i, mask, v);
  }
  return _mm512_reduce_add_epi32 (sum);
}

/* --- products --- */

#define MAX_PANELS 4
#define MAX_ROWS 6

/* Rows @i … and panels from column @j on; @rows and @panels are constants after
 * inlining. */
INLINE void
tile (const CpuGemmLevels *g, size_t i, size_t j, size_t rows, size_t panels)
{
  const uint8_t *b = g->b + j / CPU_GEMM_PANEL * g->b_panel;
  const int8_t *a = g->a + i * g->a_row, *end = a + (g->k + 3) / 4 * 4;
  __m512i sum[MAX_ROWS][MAX_PANELS];

#pragma GCC unroll 6
  for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
    for (size_t p = 0; p < panels; p++)
      sum[r][p] = _mm512_setzero_si512 ();
  for (; a < end; a += 4, b += 64) {
    __m512i weights[MAX_PANELS];

#pragma GCC unroll 4
    for (size_t p = 0; p < panels; p++)
      weights[p] = _mm512_loadu_si512 (b + p * g->b_panel);
#pragma GCC unroll 6
    for (size_t r = 0; r < rows; r++) {
      const __m512i quad = four_bytes (a + r * g->a_row);

#pragma GCC unroll 4
      for (size_t p = 0; p < panels; p++)
        add_products (&sum[r][p], weights[p], quad);
    }
  }
#pragma GCC unroll 4
  for (size_t p = 0; p < panels; p++) {
    const size_t at = j + p * CPU_GEMM_PANEL;
    const __m512i half = _mm512_set1_epi32 (128);
    const __m512i zero = g->b_zeros ? _mm512_add_epi32 (
                             half, _mm512_loadu_si512 (g->b_zeros + at))
                                    : half;
    const __m512i shift = _mm512_mullo_epi32 (
        _mm512_loadu_si512 (g->b_sums + at), _mm512_set1_epi32 (g->a_zero));
    const __m512 scale = _mm512_mul_ps (
        _mm512_set1_ps (g->a_scale), _mm512_loadu_ps (g->b_scale + at));

#pragma GCC unroll 6
    for (size_t r = 0; r < rows; r++) {
      const __m512i own =
          _mm512_mullo_epi32 (zero, _mm512_set1_epi32 (g->a_sums[i + r]));
      const __m512i v =
          _mm512_sub_epi32 (_mm512_sub_epi32 (sum[r][p], own), shift);

      _mm512_mask_storeu_ps (g->c + (i + r) * g->c_row + at,
          first_lanes (g->n - at),
          _mm512_mul_ps (_mm512_cvtepi32_ps (v), scale));
    }
  }
}

INLINE void
rows_of (const CpuGemmLevels *g, size_t j, size_t panels)
{
  size_t i = 0;

  for (; i + MAX_ROWS <= g->m; i += MAX_ROWS)
    tile (g, i, j, MAX_ROWS, panels);
  for (; i + 2 <= g->m; i += 2)
    tile (g, i, j, 2, panels);
  if (i < g->m)
    tile (g, i, j, 1, panels);
}

void
CPU_KERNEL (gemm_levels) (const CpuGemmLevels *g)
{
  size_t j = 0;

  for (; j + (MAX_PANELS - 1) * CPU_GEMM_PANEL < g->n;
       j += MAX_PANELS * CPU_GEMM_PANEL)
    rows_of (g, j, MAX_PANELS);
  for (; j < g->n; j += CPU_GEMM_PANEL)
    rows_of (g, j, 1);
}
