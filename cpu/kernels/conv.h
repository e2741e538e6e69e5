/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Types of the convolution and pooling kernels.  Everything is channels last;
 * steps and offsets are in floats. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpu/kernels/epilogue.h"

/* Some pixels of a row times one block of output channels:
 *
 *   out[p * out_step + c] = epilogue (sum over s, i:
 *       in[p * in_step + segments[s] + i] * weights[s * weights_step + i][c])
 */
typedef struct
{
  const float *in;
  size_t in_step;
  const size_t *segments;
  /* A segment is @length ≥ 1 consecutive floats; there may be none. */
  size_t n_segments, length;
  /* [at least (n_segments - 1) * weights_step + length][@vectors * lanes], zero
   * beyond @channels */
  const float *weights;
  size_t weights_step; /* ≥ length: elements that are not used may be between */
  /* Width of the block, 1 to cpu_conv_most_vectors (lanes). */
  size_t vectors;
  size_t channels; /* of the block, 1 … vectors * lanes */
  size_t pixels;
  float *out;
  size_t out_step;
  /* Arrays of the epilogue start at the block; its residual has its own pixel
   * step, and `residual_channels` of the block's channels. */
  CpuEpilogue epilogue;
  size_t residual_step, residual_channels;
  /* Floats to prefetch, as far as that is free. */
  const float *ahead;
  size_t n_ahead;
  /* Of conv_dots_f32.  Two rows: the first half of a pixel's channels belongs
   * to one, the other to the next, @out_row floats further. */
  size_t dot, rows, out_row;
} CpuConvTile;

typedef void cpu_conv_tile_f32_fn (const CpuConvTile *tile);

/* So many pixels or fewer are summed in another order than more of them. */
#define CPU_CONV_FEW 3

/* The same for 1, 2 or 4 output channels, which one vector takes @dot times,
 * with as many elements of a pixel: weights are
 * [n_segments][ceil (length / dot)][channels][dot], all of a vector, zero
 * beyond @length.  @dot is 2 or more.  Outputs and the residual lie side by
 * side; what `out_step` and the like, `vectors` and `ahead` are does not
 * matter.  Arrays of the epilogue come @dot times over.  Outputs of two rows
 * have no residual. */
typedef void cpu_conv_dots_f32_fn (const CpuConvTile *tile);

/* Floats of a vector of conv_tile_f32. */
typedef size_t cpu_conv_lanes_fn (void);

/* Vectors of a block: with fewer pixels a tile of more would not fill the
 * registers, 16 of up to 256 bits. */
static inline size_t
cpu_conv_most_vectors (size_t lanes)
{
  return lanes < 16 ? 4 : 3;
}

/* A row of pixels where each channel has its own filter: sums of a box of
 * n[0] × n[1] × n[2] taps, the last of them along the row.
 *
 *   out[p * out_step + c] = epilogue (sum over taps z, y, x of
 *       in[z * in_stride[0] + y * in_stride[1] + i] *
 *       weights[z * weight_stride[0] + y * weight_stride[1]
 *               + x * channels + c])
 *   where i = (first + p * step + x * dilation) * column + c,
 *
 * and what is not within a row, 0 <= i < columns * column, counts as zero.  So
 * several columns may be one pixel of as many channels (each with its own
 * weights), of which the last may be cut short.
 *
 * So much for the first of @rows; each of the others is made by the same taps
 * of what lies @in_row further than what the one before it reads, and goes
 * @out_row further. */
typedef struct
{
  const float *in; /* the row of the first tap */
  const float *weights;
  float *out;
  size_t n[3], in_stride[2], weight_stride[2];
  size_t column, columns; /* floats of a column; columns of a row */
  ptrdiff_t first;        /* column */
  size_t step, dilation;  /* in columns */
  size_t pixels, channels, out_step;
  size_t rows, in_row, out_row;
  size_t last;          /* channels of the last pixel, at most `channels` */
  CpuEpilogue epilogue; /* `residual` has the same layout as `out` */
  /* conv_depthwise_bf16: instead of `in`; and, unless NULL, of `out`. */
  const uint16_t *in_bf16;
  uint16_t *out_bf16;
  /* conv_depthwise_bf16: the weights as bf16, each together with that of the
   * next row of taps, those of the last row with zeros or any numbers:
   * [n[2]][channels][2] for each row of taps; `pair_stride` in elements.
   * NULL: there are none. */
  const uint16_t *pairs;
  size_t pair_stride[2];
} CpuConvDepthwise;

typedef void cpu_conv_depthwise_f32_fn (const CpuConvDepthwise *row);
/* The same with inputs stored as bf16.  Sums are f32; weights are read from
 * `pairs` or from `weights`, where both are nearly the same. */
typedef void cpu_conv_depthwise_bf16_fn (const CpuConvDepthwise *row);

/* Pixels side by side of a pooling: the largest or the sum times @scale of a
 * box of n[0] × n[1] × n[2] ≥ 1 pixels, channel by channel.  The box of the
 * next pixel begins @in_step floats after that of one, its result @channels. */
typedef struct
{
  const float *in;
  float *out;
  size_t n[3], stride[3];
  size_t in_step, pixels, channels;
  int max;
  float scale;
} CpuPoolBox;

typedef void cpu_pool_box_f32_fn (const CpuPoolBox *box);
