/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums of products of half floats, for machines that compute with them.
 *
 * Inputs are scaled by a power of two so that the largest is below
 * CPU_HALF_LARGEST, weights so that they are at most 1: sums of so many
 * products stay below the largest half float, and what is too small for one
 * counts for nothing beside the largest.  These sums are added up in f32. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpu/epilogue.h"

/* Channels of a vector: each with two products side by side. */
#define CPU_HALF_LANES 16
#define CPU_HALF_LARGEST 256
/* At most so many are added up as half floats, in two sums, and so many such
 * sums. */
#define CPU_HALF_BLOCK 32
#define CPU_HALF_BLOCKS 4

/* Halves that one channel takes in packed weights for a segment. */
static inline size_t
cpu_half_padded (size_t length)
{
  return (length + 1) & ~(size_t) 1;
}

/* Some pixels of a row times one block of output channels:
 *
 *   out[p * out_step + c] = epilogue (scale * scales[c] * sum over s, i:
 *       in[p * in_step + segments[s] + i] * weights[s][i][c])
 *
 * Steps and offsets are in halves where they are of @in. */
typedef struct
{
  const uint16_t *in;
  size_t in_step;
  const size_t *segments;
  size_t n_segments, length; /* a segment is @length consecutive halves */
  /* [n_segments][padded length / 2][@vectors * lanes][2]: products i and i + 1
   * of a channel lie together; zero beyond @length and @channels */
  const uint16_t *weights;
  float scale;         /* powers of two */
  const float *scales; /* [@vectors * lanes] */
  size_t vectors;      /* 1 … 3 */
  size_t channels;     /* of the block, 1 … vectors * lanes */
  size_t pixels;
  float *out;
  size_t out_step;
  CpuEpilogue epilogue; /* as in CpuConvTile, and what follows */
  size_t residual_step, residual_channels;
} CpuConvTileF16;

typedef void cpu_conv_tile_f16_fn (const CpuConvTileF16 *tile);

/* dst[i] = src[i] * scale, rounded to the nearest even.  Returns the largest
 * |src[i]| that is finite; 0 where there is none. */
typedef float cpu_scale_f16_fn (
    uint16_t *dst, const float *src, size_t n, float scale);
