/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums of products of f16 and of bf16, for machines that compute with them.
 *
 * f16:
 * Inputs are scaled by a power of two so that the largest is below
 * CPU_F16_LARGEST, weights so that they are at most 1: sums of so many
 * products stay below the largest f16 value, and what is too small for one
 * counts for nothing beside the largest.  These sums are added up in f32. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/kernels/epilogue.h"

/* Channels of a vector, each with two adjacent products. */
#define CPU_F16_LANES 16
#define CPU_F16_LARGEST 256
/* Products added up as f16, in two sums; and such sums. */
#define CPU_F16_BLOCK 32
#define CPU_F16_BLOCKS 4

/* f16 elements of one channel of a segment in packed weights. */
static inline size_t
cpu_f16_padded (size_t length)
{
  return (length + 1) & ~(size_t) 1;
}

/* Results stored as f16, or bf16. */
typedef struct
{
  uint16_t *out;  /* NULL: results are f32; the same steps as for f32 */
  float scale;    /* results are multiplied by this power of two */
  float *largest; /* raised to the largest finite |result| */
  bool bf16;      /* conv_tile_bf16 only: scale is 1, largest not used */
} CpuF16Results;

/* Lane of channel @c in a block of @vectors: of two vectors, one has the even
 * channels, the other the odd ones. */
static inline size_t
cpu_f16_lane (size_t c, size_t vectors)
{
  return vectors == 2 ? c % 2 * CPU_F16_LANES + c / 2 : c;
}

/* Some pixels of a row times one block of output channels:
 *
 *   out[p * out_step + c] = epilogue (scale * scales[c] * sum over s, i:
 *       in[p * in_step + segments[s] + i] * weights[s][i][c])
 *
 * Steps and offsets are in f16 elements for @in. */
typedef struct
{
  const uint16_t *in;
  size_t in_step;
  const size_t *segments;
  size_t n_segments, length; /* a segment is @length consecutive f16 elements */
  /* [n_segments][padded length / 2][@vectors * lanes][2]: products i and i + 1
   * of a channel lie together, at cpu_f16_lane; zero beyond @length and
   * @channels */
  const uint16_t *weights;
  float scale;         /* powers of two */
  const float *scales; /* [@vectors * lanes] */
  size_t vectors;      /* 1 … 3 */
  size_t channels;     /* of the block, 1 … vectors * lanes */
  size_t pixels;
  float *out;
  size_t out_step;
  CpuEpilogue epilogue; /* these as in CpuConvTile */
  size_t residual_step, residual_channels;
  /* conv_tile_bf16 only: instead of the epilogue's; nullable. */
  const uint16_t *residual_bf16;
  CpuF16Results f16;
} CpuConvTileF16;

typedef void cpu_conv_tile_f16_fn (const CpuConvTileF16 *tile);

/* Products that a tile of bf16 adds up in one instruction. */
#define CPU_BF16_DEPTH 32

/* bf16 elements of one channel in packed weights. */
static inline size_t
cpu_bf16_padded (size_t n_segments, size_t length)
{
  return (n_segments * cpu_f16_padded (length) + CPU_BF16_DEPTH - 1)
         & ~(size_t) (CPU_BF16_DEPTH - 1);
}

/* The same with @in and @weights of bf16 and sums of f32, which need no scale
 * to fit; denormal numbers count as zero.  The channels of a block lie in their
 * order, and after the last segment zeros follow, up to cpu_bf16_padded. */
typedef void cpu_conv_tile_bf16_fn (const CpuConvTileF16 *tile);

/* As CpuConvDepthwise, one row:
 *
 *   out[p * out_step + c] = epilogue (scale * scales[c] * sum over taps …)
 *
 * Steps are in elements; at most CPU_F16_BLOCK taps are one f16 sum. */
typedef struct
{
  const uint16_t *in, *weights;
  size_t n[3], in_stride[2], weight_stride[2];
  size_t column, columns;
  ptrdiff_t first;
  size_t step, dilation;
  size_t pixels, channels, last;
  float scale;         /* powers of two */
  const float *scales; /* [channels], up to a multiple of a vector */
  float *out;
  size_t out_step;
  CpuEpilogue epilogue; /* without a scale or a residual */
  CpuF16Results f16;
} CpuConvDepthwiseF16;

typedef void cpu_conv_depthwise_f16_fn (const CpuConvDepthwiseF16 *row);

/* dst[i] = src[i] * scale, rounded to the nearest even.  Returns the largest
 * |src[i]| that is finite; 0 where there is none. */
typedef float cpu_scale_f16_fn (
    uint16_t *dst, const float *src, size_t n, float scale);

/* Rounds to the nearest even bf16, denormal numbers to zero.  Returns the
 * largest |src[i]| that is finite; 0 where there is none. */
typedef float cpu_f32_to_bf16_fn (uint16_t *dst, const float *src, size_t n);

/* dst[2 i] = a[i], dst[2 i + 1] = b[i], rounded likewise; @b: NULL: zeros. */
typedef void cpu_pairs_bf16_fn (
    uint16_t *dst, const float *a, const float *b, size_t n);

/* dst[i] = 2^(scale * scores[i] - m), m the largest of these, n >= 1.  Returns
 * the sum before rounding; NaN if a score is. */
typedef float cpu_weights_bf16_fn (
    uint16_t *dst, const float *scores, size_t n, float scale);

typedef void cpu_f16_to_bf16_fn (uint16_t *dst, const uint16_t *src, size_t n);
