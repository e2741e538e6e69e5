/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/epilogue-vec.h"
#include "cpu/kernels/vec-f16.h"

#define INLINE static inline __attribute__ ((always_inline))
#define UNROLL_FOR(i, n)                                                       \
  _Pragma ("GCC unroll 16") for (size_t i = 0; i < (n); i++)

#define PANEL_VF (CPU_GEMM_PANEL / VF_N) /* vectors of a panel */

/* Rows and panels of a block: as many sums as there are registers for them, a
 * few left for the operands. */
#if CPU_VEC_BYTES == 64
#define BLOCK_ROWS 12
#define BLOCK_PANELS 2
#define GEMV_PANELS 4
#define GEMV_UNROLL 2
#elif CPU_VEC_BYTES == 32
#define BLOCK_ROWS 6
#define BLOCK_PANELS 1
#define GEMV_PANELS 4
#define GEMV_UNROLL 1
#else
#define BLOCK_ROWS 2
#define BLOCK_PANELS 1
#define GEMV_PANELS 2
#define GEMV_UNROLL 1
#endif

static vf
load_part (const float *p, size_t n)
{
  return n == VF_N ? vf_load (p) : vf_load_tail (p, n);
}

static const float *
slopes_at (const CpuAct *act, size_t column)
{
  return act->slopes ? act->slopes + column : NULL;
}

/* The epilogue of @n columns from @column on, which go to @c. */
static __attribute__ ((noinline)) vf
epilogue (const CpuGemm *g, const float *c, size_t column, size_t n, vf v)
{
  const CpuEpilogue *e = g->epilogue;

  if (e->scale)
    v *= load_part (e->scale + column, n);
  if (e->bias)
    v += load_part (e->bias + column, n);
  v = epilogue_act (&e->act, v, slopes_at (&e->act, column), n);
  if (e->residual)
    v = epilogue_act (&e->last_act, v + load_part (e->residual + (c - g->c), n),
        slopes_at (&e->last_act, column), n);
  return v;
}

/* One vector of a row of c, @left columns of which exist. */
INLINE void
finish (const CpuGemm *g, float *c, size_t column, size_t left, vf sum)
{
  if (left >= VF_N) {
    if (g->bias)
      sum += vf_load (g->bias + column);
    if (g->accumulate)
      sum += vf_load (c);
    if (g->epilogue)
      sum = epilogue (g, c, column, VF_N, sum);
    vf_store (c, sum);
  } else if (left > 0) {
    if (g->bias)
      sum += vf_load_tail (g->bias + column, left);
    if (g->accumulate)
      sum += vf_load_tail (c, left);
    if (g->epilogue)
      sum = epilogue (g, c, column, left, sum);
    vf_store_tail (c, sum, left);
  }
}

INLINE void
finish_row (
    const CpuGemm *g, size_t row, size_t column, const vf *sums, size_t vectors)
{
  float *c = g->c + row * g->c_row + column;

  UNROLL_FOR (v, vectors) {
    size_t at = v * VF_N;
    size_t left = g->n - column;

    finish (g, c + at, column + at, left > at ? left - at : 0, sums[v]);
  }
}

/* Sums of products with integers are turned into those with what they stand
 * for. */
INLINE void
scale_row (
    const CpuGemm *g, size_t row, size_t column, vf *sums, size_t vectors)
{
  UNROLL_FOR (v, vectors) {
    size_t at = column + v * VF_N;

    if (g->b_offset)
      sums[v] += g->a_sums[row] * vf_load (g->b_offset + at);
    sums[v] *= vf_load (g->b_scale + at);
  }
}

#define GEMM_KERNEL gemm_f32
#define GEMM_NAME(name) name##_f32
#define GEMM_B float
#define GEMM_LOAD(p) vf_load (p)
#define GEMM_SCALE(g, row, column, sums, vectors)
#include "cpu/kernels/gemm-vec.inc"
#undef GEMM_KERNEL
#undef GEMM_NAME
#undef GEMM_B
#undef GEMM_LOAD

#define GEMM_KERNEL gemm_i8
#define GEMM_NAME(name) name##_i8
#define GEMM_B int8_t
#define GEMM_LOAD(p) vf_load_i8 (p)
#undef GEMM_SCALE
#define GEMM_SCALE(g, row, column, sums, vectors)                              \
  scale_row (g, row, column, sums, vectors)
#include "cpu/kernels/gemm-vec.inc"
#undef GEMM_KERNEL
#undef GEMM_NAME
#undef GEMM_B
#undef GEMM_LOAD
#undef GEMM_SCALE

#define GEMM_KERNEL gemm_f16
#define GEMM_NAME(name) name##_f16
#define GEMM_B uint16_t
#define GEMM_LOAD(p) vf_load_f16 (p)
#define GEMM_SCALE(g, row, column, sums, vectors)
#include "cpu/kernels/gemm-vec.inc"

typedef float v4 __attribute__ ((vector_size (16)));
typedef float v4_unaligned
    __attribute__ ((vector_size (16), aligned (4), may_alias));

/* y[r] = the sum of sums[r], four at once. */
INLINE void
store_sums (float *y, const vf *sums)
{
  v4 t[4], low, high;

  UNROLL_FOR (r, 4) {
    float parts[VF_N];

    vf_store (parts, sums[r]);
    t[r] = *(const v4_unaligned *) parts;
    for (size_t i = 4; i < VF_N; i += 4)
      t[r] += *(const v4_unaligned *) (parts + i);
  }
  low = __builtin_shufflevector (t[0], t[1], 0, 4, 1, 5)
        + __builtin_shufflevector (t[0], t[1], 2, 6, 3, 7);
  high = __builtin_shufflevector (t[2], t[3], 0, 4, 1, 5)
         + __builtin_shufflevector (t[2], t[3], 2, 6, 3, 7);
  *(v4_unaligned *) y = __builtin_shufflevector (low, high, 0, 1, 4, 5)
                        + __builtin_shufflevector (low, high, 2, 3, 6, 7);
}

/* @rows rows at once; a constant where this is inlined. */
INLINE void
dot_block (float *y, const float *a, size_t a_row, const float *x, size_t rows,
    size_t k)
{
  vf sums[4][2];
  size_t j = 0;

  UNROLL_FOR (r, rows)
    sums[r][0] = sums[r][1] = (vf){ 0 };
  for (; j + 2 * VF_N <= k; j += 2 * VF_N) {
    vf x0 = vf_load (x + j), x1 = vf_load (x + j + VF_N);

    UNROLL_FOR (r, rows) {
      sums[r][0] += vf_load (a + r * a_row + j) * x0;
      sums[r][1] += vf_load (a + r * a_row + j + VF_N) * x1;
    }
  }
  for (; j < k; j += VF_N) {
    size_t n = k - j < VF_N ? k - j : VF_N;
    vf x0 = vf_load_tail (x + j, n);

    UNROLL_FOR (r, rows)
      sums[r][0] += vf_load_tail (a + r * a_row + j, n) * x0;
  }
  UNROLL_FOR (r, rows)
    sums[r][0] += sums[r][1];
  if (rows == 4) {
    vf all[4] = { sums[0][0], sums[1][0], sums[2][0], sums[3][0] };

    store_sums (y, all);
    return;
  }
  UNROLL_FOR (r, rows)
    y[r] = vf_sum (sums[r][0]);
}

void
CPU_KERNEL (dot_rows_f32) (float *y, const float *a, size_t a_row,
    const float *x, size_t rows, size_t k)
{
  size_t i = 0;

  for (; i + 4 <= rows; i += 4)
    dot_block (y + i, a + i * a_row, a_row, x, 4, k);
  for (; i < rows; i++)
    dot_block (y + i, a + i * a_row, a_row, x, 1, k);
}
