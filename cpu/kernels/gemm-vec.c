/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/epilogue-vec.h"
#include "cpu/kernels/vec-f16.h"

#define UNROLL_FOR(i, n)                                                       \
  _Pragma ("GCC unroll 16") for (size_t i = 0; i < (n); i++)

/* Rows and panels of a block: as many sums as there are registers for them, a
 * few left for the operands.  Wide blocks have fewer loads for each product. */
#if CPU_VEC_BYTES == 64
#define BLOCK_ROWS 12
#define BLOCK_PANELS 2
#define WIDE_ROWS 8
#define WIDE_PANELS 3
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
#ifndef WIDE_ROWS
#define WIDE_ROWS BLOCK_ROWS
#define WIDE_PANELS BLOCK_PANELS
#endif
/* Rows behind the last large block; up to as many at once. */
#define MOST_FEW 4
#define MOST_ROWS (BLOCK_ROWS > MOST_FEW ? BLOCK_ROWS : MOST_FEW)
#define TILE_VECTORS                                                           \
  (WIDE_PANELS * PANEL_VF > GEMV_PANELS * PANEL_VF ? WIDE_PANELS * PANEL_VF    \
                                                   : GEMV_PANELS * PANEL_VF)

/* Rows of a that share a pointer: with more, the compiler runs out of registers
 * and reads offsets from the stack at every step. */
#define ROWS_A_POINTER 3

static vf
load_part (const float *p, size_t n)
{
  return n == VF_N ? vf_load (p) : vf_load_tail (p, n);
}

/* Storing the sums of a block to c. */
typedef struct
{
  size_t row, column; /* in c */
  size_t rows;
  size_t vectors,
      last; /* vectors of a row that have columns; columns of the last one */
  bool started; /* the bias is in the sums */
  vf (*sums)[TILE_VECTORS];
} Tile;

static size_t
columns_of (const Tile *t, size_t v)
{
  return v + 1 < t->vectors ? VF_N : t->last;
}

/* Per-column values to be added or multiplied. */
static void
tile_columns (const Tile *t, const float *numbers, bool multiply)
{
  for (size_t v = 0; v < t->vectors; v++) {
    vf x = load_part (numbers + t->column + v * VF_N, columns_of (t, v));

    for (size_t r = 0; r < t->rows; r++)
      t->sums[r][v] = multiply ? t->sums[r][v] * x : t->sums[r][v] + x;
  }
}

/* Operands with the layout of c, to be added. */
static void
tile_add (const CpuGemm *g, const Tile *t, const float *matrix)
{
  for (size_t r = 0; r < t->rows; r++) {
    const float *from = matrix + (t->row + r) * g->c_row + t->column;

    for (size_t v = 0; v < t->vectors; v++)
      t->sums[r][v] += load_part (from + v * VF_N, columns_of (t, v));
  }
}

#define TILE_ACT(what)                                                         \
  case what:                                                                   \
    for (size_t r = 0; r < t->rows; r++)                                       \
      for (size_t v = 0; v < t->vectors; v++) {                                \
        CpuAct one = { what, act->alpha, act->beta, NULL };                    \
                                                                               \
        t->sums[r][v] = epilogue_plain (&one, t->sums[r][v]);                  \
      }                                                                        \
    break;

/* The kind is a constant in each loop. */
static void
tile_act (const Tile *t, const CpuAct *act)
{
  switch (act->kind) {
    case CPU_ACT_NONE:
      break;
      TILE_ACT (CPU_ACT_RELU)
      TILE_ACT (CPU_ACT_CLAMP)
      TILE_ACT (CPU_ACT_SIGMOID)
      TILE_ACT (CPU_ACT_TANH)
      TILE_ACT (CPU_ACT_HSWISH)
      TILE_ACT (CPU_ACT_HSWISH_AFFINE)
      TILE_ACT (CPU_ACT_SWISH)
      TILE_ACT (CPU_ACT_GELU_ERF)
      TILE_ACT (CPU_ACT_GELU_TANH)
    default:
      for (size_t r = 0; r < t->rows; r++)
        for (size_t v = 0; v < t->vectors; v++)
          t->sums[r][v] = epilogue_act (act, t->sums[r][v],
              act->slopes ? act->slopes + t->column + v * VF_N : NULL,
              columns_of (t, v));
  }
}

static void
tile_store (const CpuGemm *g, const Tile *t)
{
  for (size_t r = 0; r < t->rows; r++) {
    float *to = g->c + (t->row + r) * g->c_row + t->column;

    for (size_t v = 0; v + 1 < t->vectors; v++)
      vf_store (to + v * VF_N, t->sums[r][v]);
    if (t->last == VF_N)
      vf_store (to + (t->vectors - 1) * VF_N, t->sums[r][t->vectors - 1]);
    else
      vf_store_tail (
          to + (t->vectors - 1) * VF_N, t->sums[r][t->vectors - 1], t->last);
  }
}

/* Applies the whole epilogue before storing. */
static __attribute__ ((noinline)) void
finish_tile (const CpuGemm *g, Tile *t)
{
  const CpuEpilogue *e = g->epilogue;
  size_t left = g->n - t->column;

  if (left < t->vectors * VF_N)
    t->vectors = (left + VF_N - 1) / VF_N;
  t->last = left < t->vectors * VF_N ? (left - 1) % VF_N + 1 : VF_N;
  if (g->bias && !t->started)
    tile_columns (t, g->bias, false);
  if (g->accumulate)
    tile_add (g, t, g->c);
  if (e) {
    if (e->scale)
      tile_columns (t, e->scale, true);
    if (e->bias && !t->started)
      tile_columns (t, e->bias, false);
    tile_act (t, &e->act);
    if (e->residual) {
      tile_add (g, t, e->residual);
      tile_act (t, &e->last_act);
    }
  }
  tile_store (g, t);
}

/* Initial sums.  FALSE: zeros; the bias is still to be added. */
INLINE bool
start_sums (const CpuGemm *g, size_t column, size_t vectors, vf *sums)
{
  const CpuEpilogue *e = g->epilogue;
  const float *bias = g->bias ? g->bias : e && !e->scale ? e->bias : NULL;
  const size_t left = g->n - column;

  if (!bias || (g->bias && e && e->bias)) {
    UNROLL_FOR (v, vectors)
      sums[v] = (vf){ 0 };
    return false;
  }
  if (left >= vectors * VF_N)
    UNROLL_FOR (v, vectors)
      sums[v] = vf_load (bias + column + v * VF_N);
  else
    UNROLL_FOR (v, vectors) {
      const size_t at = v * VF_N, n = left > at ? left - at : 0;

      sums[v] = n == 0 ? (vf){ 0 }
                       : load_part (bias + column + at, n < VF_N ? n : VF_N);
    }
  return true;
}

/* Only what can be done in registers. */
INLINE bool
is_simple (const CpuGemm *g, bool started)
{
  const CpuEpilogue *e = g->epilogue;

  if (g->bias && !started)
    return false;
  return !e
         || (!e->scale && (!e->bias || started)
             && (e->act.kind == CPU_ACT_NONE || e->act.kind == CPU_ACT_RELU)
             && (!e->residual || e->last_act.kind == CPU_ACT_NONE));
}

/* Adds operands with the layout of c. */
INLINE void
add_rows (const CpuGemm *g, const float *matrix, size_t row, size_t column,
    vf (*sums)[TILE_VECTORS], size_t rows, size_t vectors)
{
  const float *from = matrix + row * g->c_row + column;

  UNROLL_FOR (r, rows)
    UNROLL_FOR (v, vectors)
      sums[r][v] += vf_load (from + r * g->c_row + v * VF_N);
}

/* @rows and @vectors are constants after inlining. */
INLINE void
finish (const CpuGemm *g, size_t row, size_t column, vf (*sums)[TILE_VECTORS],
    size_t rows, size_t vectors, bool started)
{
  const CpuEpilogue *e = g->epilogue;

  if (g->n - column >= vectors * VF_N && is_simple (g, started)) {
    float *c = g->c + row * g->c_row + column;

    if (g->accumulate)
      add_rows (g, g->c, row, column, sums, rows, vectors);
    if (e && e->act.kind == CPU_ACT_RELU)
      UNROLL_FOR (r, rows)
        UNROLL_FOR (v, vectors)
          sums[r][v] = vf_max (vf_set (0), sums[r][v]);
    if (e && e->residual)
      add_rows (g, e->residual, row, column, sums, rows, vectors);
    UNROLL_FOR (r, rows)
      UNROLL_FOR (v, vectors)
        vf_store (c + r * g->c_row + v * VF_N, sums[r][v]);
  } else {
    vf copy[MOST_ROWS][TILE_VECTORS];
    Tile t = { .row = row,
      .column = column,
      .rows = rows,
      .vectors = vectors,
      .started = started };

    UNROLL_FOR (r, rows)
      UNROLL_FOR (v, vectors)
        copy[r][v] = sums[r][v];
    t.sums = copy;
    finish_tile (g, &t);
  }
}

/* Prefetches the output and residual lines while sums are computed. */
INLINE void
fetch_result (
    const CpuGemm *g, size_t row, size_t column, size_t rows, size_t panels)
{
  const size_t at = row * g->c_row + column;
  const float *residual = g->epilogue ? g->epilogue->residual : NULL;

  UNROLL_FOR (r, rows)
    UNROLL_FOR (p, panels)
      __builtin_prefetch (g->c + at + r * g->c_row + p * CPU_GEMM_PANEL, 1);
  if (residual)
    UNROLL_FOR (r, rows)
      UNROLL_FOR (p, panels)
        __builtin_prefetch (residual + at + r * g->c_row + p * CPU_GEMM_PANEL);
}

/* Converts sums of products with integers to f32 sums. */
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
#define GEMM_STARTS 1
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
#undef GEMM_STARTS
#define GEMM_STARTS 0 /* sums are only meaningful after scaling */
#define GEMM_SCALE(g, row, column, sums, vectors)                              \
  scale_row (g, row, column, sums, vectors)
#include "cpu/kernels/gemm-vec.inc"
#undef GEMM_KERNEL
#undef GEMM_NAME
#undef GEMM_B
#undef GEMM_LOAD
#undef GEMM_SCALE
#undef GEMM_STARTS

#define GEMM_KERNEL gemm_f16
#define GEMM_NAME(name) name##_f16
#define GEMM_B uint16_t
#define GEMM_LOAD(p) vf_load_f16 (p)
#define GEMM_SCALE(g, row, column, sums, vectors)
#define GEMM_STARTS 1
#include "cpu/kernels/gemm-vec.inc"

typedef float v4 __attribute__ ((vector_size (16)));
typedef float v4_unaligned
    __attribute__ ((vector_size (16), aligned (4), may_alias));

/* y[r] = the sum of the elements of sums[r], four at once. */
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

/* @rows rows at once; a constant after inlining. */
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
