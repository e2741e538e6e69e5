/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights of values in attention, by blocks of keys. */

#pragma once

#include <stddef.h>
#include <stdint.h>

/* How far a score may exceed its reference score. */
#define CPU_WEIGH_SLACK 16.0f

/* Scores of some rows with some keys,
 *
 *     s[r, j] = sum over c < depth of q[r, c] * k[c, j]  (+ bias[j])
 *
 * become weights[r, j] = 2^(s[r, j] - most[r]), and their sum is added to any
 * of sums[16 * r + i], i < 16.  most[r] is a score of the row that none seen so
 * far exceeds by more than CPU_WEIGH_SLACK, -INFINITY in the beginning; where
 * it has to be raised, all that has been made with the old one is made smaller:
 * sums, weights and out[r, …].  Strides in elements; k[c, j] is at (j / 16) *
 * k_panel + c * 16 + j % 16, and weights are written in whole panels of 16, 0
 * beyond the keys. */
typedef struct
{
  size_t rows, keys, depth;
  const float *q;
  size_t q_row;
  const float *k;
  size_t k_panel;
  const float *bias; /* of whole panels; NULL: none */
  float *weights;
  size_t weights_row;
  float *most, *sums;
  float *out; /* weighted values of the keys before; NULL: none yet */
  size_t out_row, columns;
} CpuWeigh;

/* Rows of CpuWeighBf16 at most. */
#define CPU_WEIGH_ROWS 65

/* Scores of some rows with some keys,
 *
 *     s[r, j] = sum over c < depth of q[r, c] * k[c, j] - least[r]
 *
 * of bf16, become weights[r, j] = 2^s[r, j] of bf16; sums[r] is their sum
 * before rounding.  The depth is even.  Strides in elements; k[c, j] is at
 * (j / 32) * k_block + c / 2 * 64 + j % 32 * 2 + c % 2, and weights are written
 * in whole blocks of 32, 0 beyond the keys. */
typedef struct
{
  size_t rows, keys, depth;
  const uint16_t *q;
  size_t q_row;
  const uint16_t *k;
  size_t k_block;
  const float *least;
  uint16_t *weights;
  size_t weights_row;
  float *sums;
} CpuWeighBf16;
