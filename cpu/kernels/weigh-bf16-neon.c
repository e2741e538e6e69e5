/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FEAT_BF16: weights of attention from operands of bf16. */

#include "cpu/kernels/bf16-multiply-neon.inc"
#include "cpu/kernels/bf16-results-neon.inc"

/* Keys of a block, and those that are weighed together. */
#define KEYS 32
#define SOME 16
#define VECTORS (SOME / VF_N)

/* 2^x, also where that is denormal; a large number where it is no float. */
INLINE vf
exp2_all (vf x)
{
  const vi small = x < -64;

  x = vf_min (vf_set (127), x);
  return vf_exp2_fast (x + (vf) (small & (vi) vf_set (64)))
         * vf_select (small, vf_set (0x1p-64f), vf_set (1));
}

/* Weights of SOME keys for a row, zeros behind @n. */
static __attribute__ ((noinline)) float
finish (uint16_t *to, const vf *scores, size_t n)
{
  vf total = vf_set (0);

  for (size_t v = 0; v < VECTORS; v++) {
    vf weight = vf_set (0);

    if (n >= (v + 1) * VF_N) {
      weight = exp2_all (scores[v]);
    } else if (n > v * VF_N) {
      float some[VF_N] = { 0 };

      vf_store_tail (some, exp2_all (scores[v]), n - v * VF_N);
      weight = vf_load (some);
    }
    total += weight;
    vst1_u16 (to + v * VF_N, to_bf16 (weight));
  }
  return vf_sum (total);
}

/* @rows rows from @row on, a constant after inlining, and keys from @column on.
 */
INLINE void
weigh_tile (const CpuWeighBf16 *w, size_t row, size_t column, size_t rows)
{
  const size_t n = w->keys > column ? w->keys - column : 0;
  const uint16_t *k = w->k + column / KEYS * w->k_block + column % KEYS * 2;
  float start[MAX_ROWS];
  vf sums[MAX_ROWS * VECTORS], copy[MAX_ROWS * VECTORS];

#pragma GCC unroll 6
  for (size_t r = 0; r < rows; r++)
    start[r] = -w->least[row + r];
  begin_rows (sums, start, rows, VECTORS);
  add_rows (sums, w->q + row * w->q_row, w->q_row, k, 2 * KEYS, w->depth, rows,
      VECTORS);
  /* Only the copy is in memory; else sums begin there. */
  end_rows (copy, sums, rows, VECTORS);
  for (size_t r = row; r < row + rows; r++)
    w->sums[r] += finish (w->weights + r * w->weights_row + column,
        copy + (r - row) * VECTORS, n);
}

void
CPU_KERNEL (weigh_bf16) (const CpuWeighBf16 *w)
{
  const size_t whole = (w->keys + KEYS - 1) / KEYS * KEYS;

  for (size_t r = 0; r < w->rows; r++)
    w->sums[r] = 0;
  for (size_t column = 0; column < whole; column += SOME) {
    size_t row = 0;

    for (; row + MAX_ROWS <= w->rows; row += MAX_ROWS)
      weigh_tile (w, row, column, MAX_ROWS);
    for (; row + 2 <= w->rows; row += 2)
      weigh_tile (w, row, column, 2);
    if (row < w->rows)
      weigh_tile (w, row, column, 1);
  }
}
