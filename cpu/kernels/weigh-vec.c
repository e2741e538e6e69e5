/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <float.h>

#include "cpu/kernels/vec-math.h"

#define UNROLL_FOR(i, n)                                                       \
  _Pragma ("GCC unroll 16") for (size_t i = 0; i < (n); i++)

/* Rows and panels of a tile: as many scores as there are registers for them. */
#if CPU_VEC_BYTES == 64
#define ROWS 8
#define PANELS 3
#elif CPU_VEC_BYTES == 32
#define ROWS 6
#define PANELS 1
#else
#define ROWS 2
#define PANELS 1
#endif
#define VECTORS (PANELS * PANEL_VF)

#define LARGE 65536.0f /* 2^CPU_WEIGH_SLACK */

INLINE bool
any_above (vf x, float limit)
{
#if CPU_VEC_BYTES == 64
  return _mm512_cmp_ps_mask ((__m512) x, _mm512_set1_ps (limit), _CMP_GT_OQ)
         != 0;
#elif CPU_VEC_BYTES == 32
  return _mm256_movemask_ps ((__m256) (x > limit)) != 0;
#else
  const vi above = x > limit;

  return (above[0] | above[1] | above[2] | above[3]) != 0;
#endif
}

static void
scale_row (float *row, size_t n, float by)
{
  for (size_t i = 0; i < n; i++)
    row[i] *= by;
}

/* Raises the reference score of row @r to @most; weights up to @column exist
 * already. */
static void
raise_row (const CpuWeigh *w, size_t r, size_t column, float most)
{
  float by[VF_N];

  vf_store (by, vf_exp2_fast (vf_set (w->most[r] - most)));
  w->most[r] = most;
  scale_row (w->sums + r * CPU_GEMM_PANEL, CPU_GEMM_PANEL, by[0]);
  scale_row (w->weights + r * w->weights_row, column, by[0]);
  if (w->out)
    scale_row (w->out + r * w->out_row, w->columns, by[0]);
}

/* The largest, at least @most; ignores NaN. */
static float
largest (vf v, float most)
{
#if CPU_VEC_BYTES == 64
  return _mm512_reduce_max_ps ((__m512) vf_max (v, vf_set (most)));
#else
  float t[VF_N];

  vf_store (t, vf_max (v, vf_set (most)));
  for (size_t half = VF_N / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; i++)
      t[i] = t[i] > t[i + half] ? t[i] : t[i + half];
  return t[0];
#endif
}

/* The bias of scores from @column on; lanes beyond the keys get weight 0. */
static vf
bias_of (const CpuWeigh *w, size_t column)
{
  float t[VF_N];

  for (size_t i = 0; i < VF_N; i++)
    t[i] = column + i >= w->keys ? -INFINITY
           : w->bias             ? w->bias[column + i]
                                 : 0;
  return vf_load (t);
}

/* Scores of some rows, @vectors vectors each, are checked before they are used.
 */
static __attribute__ ((noinline)) void
raise_rows (
    const CpuWeigh *w, size_t row, size_t rows, size_t column, size_t vectors)
{
  const float *q[ROWS];
  float most[ROWS];

  for (size_t r = 0; r < ROWS; r++) {
    q[r] = w->q + (row + (r < rows ? r : 0)) * w->q_row;
    most[r] = -FLT_MAX;
  }
  for (size_t at = column; at < column + vectors * VF_N; at += VF_N) {
    const float *k =
        w->k + at / CPU_GEMM_PANEL * w->k_panel + at % CPU_GEMM_PANEL;
    vf s[ROWS] = { { 0 } }, bias = bias_of (w, at);

    for (size_t c = 0; c < w->depth; c++)
      UNROLL_FOR (r, ROWS)
        s[r] += vf_load (k + c * CPU_GEMM_PANEL) * q[r][c];
    for (size_t r = 0; r < rows; r++)
      most[r] = largest (s[r] + bias, most[r]);
  }
  for (size_t r = 0; r < rows; r++)
    if (most[r] > w->most[row + r] + CPU_WEIGH_SLACK)
      raise_row (w, row + r, column, most[r]);
}

/* 2^x; more than LARGE where that is no float. */
INLINE vf
weight_of (vf x)
{
#if CPU_VEC_BYTES != 64
  x = vf_min (vf_set (127), x);
#endif
  return vf_exp2_fast (x);
}

/* FALSE: a score is too large, unless @raised.  The first scores of rows are
 * their reference.  @rows and @panels are constants after inlining. */
INLINE bool
weigh_tile (const CpuWeigh *w, size_t row, size_t column, size_t rows,
    size_t panels, bool raised)
{
  const bool first = column == 0 && w->most[row] == -INFINITY;
  const bool plain = !w->bias && column + panels * CPU_GEMM_PANEL <= w->keys;
  const float *k = w->k + column / CPU_GEMM_PANEL * w->k_panel;
  const float *q = w->q + row * w->q_row;
  const size_t vectors = panels * PANEL_VF, depth = w->depth;
  const size_t k_panel = w->k_panel, q_row = w->q_row;
  vf s[ROWS][VECTORS], sums[ROWS][PANEL_VF], most = vf_set (0);

  UNROLL_FOR (r, rows)
    UNROLL_FOR (v, vectors)
      s[r][v] = vf_set (plain && !first ? -w->most[row + r] : 0);
  for (size_t c = 0; c < depth; c++) {
    vf x[VECTORS];

    UNROLL_FOR (v, vectors)
      x[v] = vf_load (k + v / PANEL_VF * k_panel + c * CPU_GEMM_PANEL
                      + v % PANEL_VF * VF_N);
    UNROLL_FOR (r, rows) {
      const vf y = vf_set (q[r * q_row + c]);

      UNROLL_FOR (v, vectors)
        s[r][v] += x[v] * y;
    }
  }
  if (!plain)
    UNROLL_FOR (v, vectors) {
      const vf bias = bias_of (w, column + v * VF_N);

      UNROLL_FOR (r, rows)
        s[r][v] += bias;
    }
  if (first)
    UNROLL_FOR (r, rows) {
      vf x = s[r][0];

      UNROLL_FOR (v, vectors - 1)
        x = vf_max (s[r][v + 1], x);
      w->most[row + r] = largest (x, -FLT_MAX);
    }
  if (first || !plain)
    UNROLL_FOR (r, rows)
      UNROLL_FOR (v, vectors)
        s[r][v] -= w->most[row + r];
  UNROLL_FOR (r, rows) {
    float *weights = w->weights + (row + r) * w->weights_row + column;

    UNROLL_FOR (v, vectors) {
      const vf x = weight_of (s[r][v]);

      vf_store (weights + v * VF_N, x);
      sums[r][v % PANEL_VF] = v < PANEL_VF ? x : sums[r][v % PANEL_VF] + x;
    }
    UNROLL_FOR (v, PANEL_VF)
      most = vf_max (sums[r][v], most);
  }
  if (!raised && any_above (most, LARGE))
    return false;
  UNROLL_FOR (r, rows)
    UNROLL_FOR (v, PANEL_VF) {
      float *to = w->sums + (row + r) * CPU_GEMM_PANEL + v * VF_N;

      vf_store (to, vf_load (to) + sums[r][v]);
    }
  return true;
}

INLINE void
weigh_rows (
    const CpuWeigh *w, size_t row, size_t column, size_t rows, size_t panels)
{
  bool raised = false;

  for (; !weigh_tile (w, row, column, rows, panels, raised); raised = true)
    raise_rows (w, row, rows, column, panels * PANEL_VF);
}

INLINE void
weigh_panels (const CpuWeigh *w, size_t column, size_t panels)
{
  size_t row = 0;

  for (; row + ROWS <= w->rows; row += ROWS)
    weigh_rows (w, row, column, ROWS, panels);
#if ROWS > 4
  if (row + 4 <= w->rows) {
    weigh_rows (w, row, column, 4, panels);
    row += 4;
  }
#endif
  for (; row < w->rows; row++)
    weigh_rows (w, row, column, 1, panels);
}

void
CPU_KERNEL (weigh_f32) (const CpuWeigh *w)
{
  size_t column = 0;

#if PANELS == 3
  for (; column + 2 * CPU_GEMM_PANEL < w->keys; column += 3 * CPU_GEMM_PANEL)
    weigh_panels (w, column, 3);
  for (; column + CPU_GEMM_PANEL < w->keys; column += 2 * CPU_GEMM_PANEL)
    weigh_panels (w, column, 2);
#endif
  for (; column < w->keys; column += CPU_GEMM_PANEL)
    weigh_panels (w, column, 1);
}
