/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products of bytes with one zero point for a and one for each column of b. */

#include "cpu/kernels/gemm-neon.inc"

/* NaN passes the minimum and becomes 0. */
INLINE int32x4_t
levels (vf v, float scale, float zero)
{
  const float32x4_t level =
      vaddq_f32 (vrndnq_f32 ((float32x4_t) (v / scale)), vdupq_n_f32 (zero));
  const int32x4_t natural =
      vcvtnq_s32_f32 (vminq_f32 (level, vdupq_n_f32 (255)));

  return vmaxq_s32 (natural, vdupq_n_s32 (0));
}

int32_t
CPU_KERNEL (levels_f32) (
    int8_t *to, const float *src, size_t n, float scale, int32_t zero)
{
  int32x4_t sum = vdupq_n_s32 (0);
  int32_t rest = 0;
  size_t i = 0;

  for (; i + 16 <= n; i += 16) {
    int32x4_t v[QUARTERS];
    int8x16_t bytes;

#pragma GCC unroll 4
    for (size_t q = 0; q < QUARTERS; q++)
      v[q] = levels (vf_load (src + i + q * VF_N), scale, (float) zero);
    bytes = vreinterpretq_s8_u8 (veorq_u8 (pack_bytes (v), vdupq_n_u8 (128)));
    sum = vdotq_s32 (sum, bytes, vdupq_n_s8 (1));
    vst1q_s8 (to + i, bytes);
  }
  for (; i < n; i += VF_N) {
    const size_t some = n - i < VF_N ? n - i : VF_N;
    int32_t v[VF_N];

    vst1q_s32 (v, levels (load_some (src + i, some), scale, (float) zero));
    for (size_t k = 0; k < some; k++) {
      to[i + k] = (int8_t) (v[k] - 128);
      rest += to[i + k];
    }
  }
  return vaddvq_s32 (sum) + rest;
}

/* --- products --- */

#define MAX_ROWS 6

/* Rows @i … and the panel at column @j; @rows is a constant after inlining. */
INLINE void
tile (const CpuGemmLevels *g, size_t i, size_t j, size_t rows)
{
  const int32_t start[MAX_ROWS] = { 0 };
  int32x4_t pairs[MAX_ROWS * QUARTERS], sum[MAX_ROWS * QUARTERS];

  begin_rows (pairs, start, rows);
  add_rows (pairs, g->a + i * g->a_row, g->a_row,
      g->b + j / CPU_GEMM_PANEL * g->b_panel, (g->k + 3) / 4 * 4, rows);
  end_rows (sum, pairs, rows);
#pragma GCC unroll 6
  for (size_t r = 0; r < rows; r++) {
    vf v[QUARTERS];

#pragma GCC unroll 4
    for (size_t q = 0; q < QUARTERS; q++) {
      const size_t at = j + q * VF_N;
      int32x4_t zero = vdupq_n_s32 (HAS_MIXED_DOTS ? 128 : 0);
      int32x4_t s = sum[r * QUARTERS + q];

      if (g->b_zeros)
        zero = vaddq_s32 (zero, vld1q_s32 (g->b_zeros + at));
      s = vmlsq_n_s32 (s, zero, g->a_sums[i + r]);
      s = vmlsq_n_s32 (s, vld1q_s32 (g->b_sums + at), g->a_zero);
      v[q] = (vf) vcvtq_f32_s32 (s) * (vf_load (g->b_scale + at) * g->a_scale);
    }
    store_some (g->c + (i + r) * g->c_row + j, v, g->n - j);
  }
}

void
CPU_KERNEL (gemm_levels) (const CpuGemmLevels *g)
{
  for (size_t j = 0; j < g->n; j += CPU_GEMM_PANEL) {
    size_t i = 0;

    for (; i + MAX_ROWS <= g->m; i += MAX_ROWS)
      tile (g, i, j, MAX_ROWS);
    if (i + 4 <= g->m) {
      tile (g, i, j, 4);
      i += 4;
    }
    if (i + 2 <= g->m) {
      tile (g, i, j, 2);
      i += 2;
    }
    if (i < g->m)
      tile (g, i, j, 1);
  }
}
