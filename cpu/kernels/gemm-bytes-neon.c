/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products of bytes and small integers: sums of a group are exact, and are
 * converted to f32 when the next group begins. */

#include "cpu/kernels/gemm-neon.inc"

#include <math.h>

/* Writes whole vectors of 16.  Returns the sum. */
INLINE int32_t
write_integers (int8_t *to, const float *src, size_t n, float per)
{
  int32x4_t sum = vdupq_n_s32 (0);

  for (size_t i = 0; i < n; i += 16) {
    int16x4_t v[QUARTERS];
    int8x16_t bytes;

#pragma GCC unroll 4
    for (size_t q = 0; q < QUARTERS; q++) {
      const size_t at = i + q * VF_N;
      const vf x = at < n ? load_some (src + at, n - at) : vf_set (0);

      v[q] = vmovn_s32 (vcvtnq_s32_f32 ((float32x4_t) (x * per)));
    }
    bytes = vcombine_s8 (vmovn_s16 (vcombine_s16 (v[0], v[1])),
        vmovn_s16 (vcombine_s16 (v[2], v[3])));
    sum = vdotq_s32 (sum, bytes, vdupq_n_s8 (1));
    vst1q_s8 (to + i, bytes);
  }
  return vaddvq_s32 (sum);
}

#include "cpu/kernels/gemm-bytes.inc"

/* --- products --- */

#define MAX_ROWS 3

/* @rows from row @i on, a constant after inlining, and the panel at column @j.
 */
INLINE void
tile (const CpuGemm *g, size_t i, size_t j, size_t rows)
{
  const size_t at = cpu_bytes_at (g->k, g->a_group);
  const uint8_t *b = (const uint8_t *) g->b + j / CPU_GEMM_PANEL * g->b_panel;
  const int8_t *a = (const int8_t *) row_of (g, i) + at;
  vf v[MAX_ROWS * QUARTERS];

#pragma GCC unroll 12
  for (size_t s = 0; s < rows * QUARTERS; s++)
    v[s] = vf_set (0);
  for (size_t k = 0; k < g->k; k += g->a_group) {
    const size_t left = g->k - k < g->a_group ? g->k - k : g->a_group;
    int32x4_t sum[MAX_ROWS * QUARTERS];

#pragma GCC unroll 12
    for (size_t s = 0; s < rows * QUARTERS; s++)
      sum[s] = vdupq_n_s32 (
          HAS_MIXED_DOTS
              ? row_of (g, i + s / QUARTERS)->groups[k / g->a_group].start
              : 0);
    dot_rows (sum, a + k, g->a_packed_row, b, left, rows);
    b += (left + 3) / 4 * QUAD;
#pragma GCC unroll 12
    for (size_t s = 0; s < rows * QUARTERS; s++)
      v[s] += (vf) vcvtq_f32_s32 (sum[s])
              * row_of (g, i + s / QUARTERS)->groups[k / g->a_group].scale;
  }
#pragma GCC unroll 3
  for (size_t r = 0; r < rows; r++) {
    vf *of = v + r * QUARTERS;

#pragma GCC unroll 4
    for (size_t q = 0; q < QUARTERS; q++) {
      if (g->b_offset)
        of[q] += row_of (g, i + r)->sum * vf_load (g->b_offset + j + q * VF_N);
      of[q] *= vf_load (g->b_scale + j + q * VF_N);
    }
    store_some (g->c + (i + r) * g->c_row + j, of, g->n - j);
  }
}

void
CPU_KERNEL (gemm_bytes) (const CpuGemm *g)
{
  for (size_t j = 0; j < g->n; j += CPU_GEMM_PANEL) {
    size_t i = 0;

    for (; i + MAX_ROWS <= g->m; i += MAX_ROWS)
      tile (g, i, j, MAX_ROWS);
    if (g->m - i == 2)
      tile (g, i, j, 2);
    else if (g->m - i == 1)
      tile (g, i, j, 1);
  }
  odd_rows (g);
}
