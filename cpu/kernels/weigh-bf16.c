/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AVX512-BF16: weights of attention from operands of bf16. */

#include "cpu/kernels/bf16-math.inc"
#include "cpu/kernels/bf16-multiply.inc"
#include "cpu/kernels/conv-vec.h"

/* Keys of a block, and rows of the largest register tile. */
#define BLOCK (2 * CPU_F16_LANES)
#define MOST_ROWS 13

/* Sums of @rows rows from @row on, a constant after inlining, for a block. */
INLINE void
block_sums (
    const CpuWeighBf16 *w, size_t row, const uint16_t *k, size_t rows, vf *sums)
{
  const size_t step = w->q_row, bases = (rows + 2) / 3;
  const uint16_t *a[5];

#pragma GCC unroll 13
  for (size_t r = 0; r < rows; r++)
    sums[2 * r] = sums[2 * r + 1] = vf_set (-w->least[row + r]);
#pragma GCC unroll 5
  for (size_t j = 0; j < bases; j++)
    a[j] = w->q + (row + 3 * j) * step;
  for (size_t c = w->depth / 2; c > 0; c--, k += 2 * BLOCK) {
    multiply (sums, a, step, k, rows, 2, false, false);
#pragma GCC unroll 5
    for (size_t j = 0; j < bases; j++) {
      a[j] += 2;
      KEEP (a[j]);
    }
  }
}

/* Weights of @rows rows from @row on and of some of the keys of the block at
 * @column. */
INLINE void
weigh_tile (const CpuWeighBf16 *w, size_t row, size_t column, size_t rows,
    __mmask32 keys, vf *totals)
{
  const __mmask16 low = (__mmask16) keys, high = (__mmask16) (keys >> 16);
  uint16_t *to = w->weights + row * w->weights_row + column;
  vf sums[2 * MOST_ROWS], copy[2 * MOST_ROWS];

  block_sums (w, row, w->k + column / BLOCK * w->k_block, rows, sums);
  /* Only the copy is in memory while it is finished; else sums begin there. */
#pragma GCC unroll 26
  for (size_t i = 0; i < 2 * rows; i++) {
    KEEP_VECTOR (sums[i]);
    copy[i] = sums[i];
  }
#pragma GCC unroll 13
  for (size_t r = 0; r < rows; r++, to += w->weights_row) {
    const vf a = exp2_bf16 (copy[2 * r], low);
    const vf b = exp2_bf16 (copy[2 * r + 1], high);

    totals[row + r] += a + b;
    _mm512_storeu_si512 (
        (void *) to, (__m512i) _mm512_cvtne2ps_pbh ((__m512) b, (__m512) a));
  }
}

#define ROWS(n)                                                                \
  case n:                                                                      \
    weigh_tile (w, row, column, n, keys, totals);                              \
    break;

static void
weigh_rows (const CpuWeighBf16 *w, size_t row, size_t rows, size_t column,
    __mmask32 keys, vf *totals)
{
  switch (rows) {
    ROWS (1)
    ROWS (2)
    ROWS (3)
    ROWS (4)
    ROWS (5)
    ROWS (6)
    ROWS (7)
    ROWS (8)
    ROWS (9)
    ROWS (10)
    ROWS (11)
    ROWS (12)
    ROWS (13)
    default:
      break;
  }
}

void
CPU_KERNEL (weigh_bf16) (const CpuWeighBf16 *w)
{
  const size_t tiles = (w->rows + MOST_ROWS - 1) / MOST_ROWS;
  vf totals[CPU_WEIGH_ROWS];

  for (size_t r = 0; r < w->rows; r++)
    totals[r] = vf_set (0);
  for (size_t column = 0; column < w->keys; column += BLOCK) {
    const size_t left = w->keys - column;
    const __mmask32 keys = left < BLOCK ? (1u << left) - 1 : UINT32_MAX;

    for (size_t i = 0, row = 0, rows; i < tiles; i++, row += rows) {
      rows = (w->rows - row + tiles - i - 1) / (tiles - i);
      weigh_rows (w, row, rows, column, keys, totals);
    }
  }
  for (size_t r = 0; r < w->rows; r++)
    w->sums[r] = _mm512_reduce_add_ps ((__m512) totals[r]);
}
