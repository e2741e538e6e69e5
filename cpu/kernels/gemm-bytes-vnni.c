/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products of bytes and small integers: sums of a group are exact, and are
 * converted to f32 when the next group begins. */

#include "cpu/kernels/quantized-vnni.inc"

#include <math.h>

#define LEAST 1e-36f

/* The bits of the largest magnitude; those of non-finite values are larger than
 * all others. */
INLINE uint32_t
greatest (const float *src, size_t n)
{
  __m512i most = _mm512_setzero_si512 ();

  for (size_t i = 0; i < n; i += 16) {
    __m512i bits =
        (__m512i) _mm512_maskz_loadu_ps (first_lanes (n - i), src + i);

    most = _mm512_max_epi32 (
        most, _mm512_and_si512 (bits, _mm512_set1_epi32 (INT32_MAX)));
  }
  return (uint32_t) _mm512_reduce_max_epi32 (most);
}

/* Returns their sum. */
INLINE int32_t
write_integers (int8_t *to, const float *src, size_t n, float per)
{
  __m512i sum = _mm512_setzero_si512 ();

  for (size_t i = 0; i < n; i += 16) {
    const __mmask16 mask = first_lanes (n - i);
    __m512i v = _mm512_cvtps_epi32 (_mm512_mul_ps (
        _mm512_maskz_loadu_ps (mask, src + i), _mm512_set1_ps (per)));

    sum = _mm512_add_epi32 (sum, v);
    _mm_storeu_si128 ((void *) (to + i), _mm512_cvtepi32_epi8 (v));
  }
  return _mm512_reduce_add_epi32 (sum);
}

void
CPU_KERNEL (bytes_f32) (CpuBytes *to, const float *src, size_t n, size_t group)
{
  const size_t whole = cpu_bytes_size (n, group), at = cpu_bytes_at (n, group);
  int8_t *integers = (int8_t *) to + at;
  double sum = 0;

  for (size_t i = cpu_bytes_groups (n, group);
       i * sizeof *to->groups < at - sizeof *to; i++)
    to->groups[i] = (CpuBytesGroup){ 0, 0 };
  for (size_t i = (n + 15) / 16 * 16; i < whole - at; i += 16)
    _mm_storeu_si128 ((void *) (integers + i), _mm_setzero_si128 ());
  for (size_t i = 0; i < n; i += group) {
    const size_t left = n - i < group ? n - i : group;
    const uint32_t bits = greatest (src + i, left);
    float most, scale;

    if (bits >= 0x7f800000) {
      memset (to, 0, whole);
      to->sum = NAN;
      return;
    }
    memcpy (&most, &bits, sizeof most);
    scale = most >= LEAST ? most / 127 : 0;
    int32_t total = write_integers (
        integers + i, src + i, left, most >= LEAST ? 127 / most : 0);
    to->groups[i / group] = (CpuBytesGroup){ scale, -128 * total };
    sum += (double) scale * total;
  }
  to->sum = (float) sum;
}

/* --- products --- */

#define MAX_PANELS 4
#define MAX_ROWS 3

INLINE const CpuBytes *
row_of (const CpuGemm *g, size_t i)
{
  return (const void *) ((const char *) g->a_packed + i * g->a_packed_row);
}

/* @rows from row @i on and @panels from column @j on; both are constants after
 * inlining. */
INLINE void
tile (const CpuGemm *g, size_t i, size_t j, size_t rows, size_t panels)
{
  const size_t at = cpu_bytes_at (g->k, g->a_group);
  const uint8_t *b = (const uint8_t *) g->b + j / CPU_GEMM_PANEL * g->b_panel;
  const CpuBytes *row[MAX_ROWS];
  vf v[MAX_ROWS][MAX_PANELS];

#pragma GCC unroll 3
  for (size_t r = 0; r < rows; r++) {
    row[r] = row_of (g, i + r);
#pragma GCC unroll 4
    for (size_t p = 0; p < panels; p++)
      v[r][p] = vf_set (0);
  }
  for (size_t k = 0; k < g->k; k += g->a_group) {
    const size_t last = g->k - k < g->a_group ? g->k - k : g->a_group;
    __m512i sum[MAX_ROWS][MAX_PANELS];

#pragma GCC unroll 3
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
      for (size_t p = 0; p < panels; p++)
        sum[r][p] = _mm512_set1_epi32 (row[r]->groups[k / g->a_group].start);
    for (size_t q = 0; q < last; q += 4, b += 64) {
      __m512i weights[MAX_PANELS];

#pragma GCC unroll 4
      for (size_t p = 0; p < panels; p++)
        weights[p] = _mm512_loadu_si512 (b + p * g->b_panel);
#pragma GCC unroll 3
      for (size_t r = 0; r < rows; r++) {
        const __m512i quad = four_bytes ((const char *) row[r] + at + k + q);

#pragma GCC unroll 4
        for (size_t p = 0; p < panels; p++)
          add_products (&sum[r][p], weights[p], quad);
      }
    }
#pragma GCC unroll 3
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
      for (size_t p = 0; p < panels; p++)
        v[r][p] += (vf) _mm512_cvtepi32_ps (sum[r][p])
                   * row[r]->groups[k / g->a_group].scale;
  }
#pragma GCC unroll 3
  for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
    for (size_t p = 0; p < panels; p++) {
      const size_t c = j + p * CPU_GEMM_PANEL;

      if (g->b_offset)
        v[r][p] += row[r]->sum * vf_load (g->b_offset + c);
      _mm512_mask_storeu_ps (g->c + (i + r) * g->c_row + c,
          first_lanes (g->n - c),
          (__m512) (v[r][p] * vf_load (g->b_scale + c)));
    }
}

INLINE void
panels_of_rows (const CpuGemm *g, size_t j, size_t panels)
{
  size_t i = 0;

  for (; i + 3 <= g->m; i += 3)
    tile (g, i, j, 3, panels);
  if (g->m - i == 2)
    tile (g, i, j, 2, panels);
  else if (g->m - i == 1)
    tile (g, i, j, 1, panels);
}

void
CPU_KERNEL (gemm_bytes) (const CpuGemm *g)
{
  size_t j = 0;

  for (; j + (MAX_PANELS - 1) * CPU_GEMM_PANEL < g->n;
       j += MAX_PANELS * CPU_GEMM_PANEL)
    panels_of_rows (g, j, MAX_PANELS);
  for (; j < g->n; j += CPU_GEMM_PANEL)
    panels_of_rows (g, j, 1);
  /* Non-finite values are multiplied in f32. */
  for (size_t i = 0; i < g->m; i++)
    if (isnan (row_of (g, i)->sum)) {
      CpuGemm one = *g;

      one.m = 1;
      one.a += i * g->a_row;
      one.a_packed = row_of (g, i);
      one.c += i * g->c_row;
      cpu_gemm_bytes_c (&one);
    }
}
