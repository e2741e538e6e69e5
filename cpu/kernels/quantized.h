/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Types of the kernels for quantised u8 values.  q stands for q * step +
 * out_low; x is quantised to rint ((x - in_low) * in_scale), clamped to 0 …
 * top. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpu/kernels/epilogue.h"

typedef struct
{
  float in_low, in_scale, top;
  float step, out_low;
} CpuQuant;

/* dst[i] = table[src[i]]; dst may be src. */
typedef void cpu_lookup_u8_fn (
    uint8_t *dst, const uint8_t *src, size_t n, const uint8_t table[256]);

/* Output channels of a vector, and of a block of weights. */
#define CPU_U8_LANES 16
#define CPU_U8_BLOCK 32

/* How sums of products are written:
 *
 *   to == NULL   act (v * scale[c] + bias[c]), as floats; @act has no slopes
 *   else         the level of that in @to
 *   plain        the level is v * scale[c] + bias[c] to the nearest integer,
 *                within low … high: @scale and @bias have the range of levels
 *                in them, and the ends of a ReLU or Clamp are in the others;
 * its magnitude is less than 2^31
 *
 * Arrays by channel go on to a multiple of CPU_U8_LANES. */
typedef struct
{
  const int32_t *start; /* initial sums */
  const float *scale, *bias;
  CpuAct act;
  const CpuQuant *to;
  int plain;
  float low, high;
} CpuQuantEnd;

/* Some pixels of some rows, and all channels of them.  Channels are in blocks
 * of CPU_U8_BLOCK, the last of one or two vectors; of block b
 *
 *   sum[p][c] = start[c] + sum over s, i: in[p * in_step + segments[s] + i]
 *       * weights[b][s][i / 4][c][i % 4]
 *
 * Up to three bytes behind a segment are read. */
typedef struct
{
  const uint8_t *in;
  size_t in_step, in_row;
  const size_t *segments;
  size_t n_segments, length;
  const int8_t *weights; /* zero beyond @length and @channels */
  size_t channels;
  size_t pixels, rows;
  void *out; /* uint8_t or float */
  size_t out_step, out_row;
  CpuQuantEnd end;
  /* NULL, or a value to be added to each weight of a channel; then @sums are
   * the sums of the inputs of each pixel, from conv_sums_u8. */
  const float *offset;
  const float *sums;
} CpuConvTileU8;

/* Some pixels of a row where each channel has its own filter, of inputs that
 * are interleaved: quads of bytes, one of each of four rows or columns.
 *
 *   sum[p][c] = start[c] + sum over t, j: in[p * in_step + terms[t] + c * 4
 *       + j] * weights[c / 16][t][c % 16][j]
 *
 * Up to 60 bytes behind the last quad are read. */
typedef struct
{
  const uint8_t *in;
  size_t in_step;
  const size_t *terms;
  size_t n_terms;
  const int8_t *weights; /* zero beyond @channels */
  size_t channels, pixels;
  void *out;
  size_t out_step;
  CpuQuantEnd end;
} CpuConvQuadsU8;

/* Columns of a window. */
#define CPU_U8_WINDOW 3

/* One or two lines of pixels where each channel has its own filter.  A window
 * is three columns of the input, of each four bytes of a channel, one of each
 * of @rows:
 *
 *   sum[l][p][c] = start[c] + sum over t < 3, j < 4, k < planes:
 *       rows[j][(first + p * advance + t) * column + c]
 *       * weights[l][c / 16][t][k][c % 16][j]
 *
 * where columns before 0 and from @columns on are all @zero. */
typedef struct
{
  const uint8_t *rows[4];
  size_t column;           /* bytes from one column to the next */
  ptrdiff_t first;         /* column of the first pixel's window */
  size_t columns, advance; /* advance: 1; of one line also 2 */
  uint8_t zero;
  const int8_t *weights; /* zero beyond @channels */
  size_t lines, planes;  /* 1 or 2 of each */
  size_t channels, pixels;
  void *out;
  size_t out_step, out_line;
  CpuQuantEnd end;
} CpuConvWindowsU8;
