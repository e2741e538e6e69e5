/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Types of the kernels of Winograd's convolution, F(4 × 4, 3 × 3) of Lavin and
 * Gray, "Fast Algorithms for Convolutional Neural Networks" (2015): 4 × 4
 * outputs Y = A' ((G g G') . (B' d B)) A of 6 × 6 inputs d and 3 × 3 weights g,
 * where the product in the middle is one of elements, so that each of the 36 is
 * a matrix product over the channels.  Channels are last; steps are in floats.
 */

#pragma once

#include <stddef.h>

#include "cpu/kernels/epilogue.h"

#define CPU_WINOGRAD_OUT 4
#define CPU_WINOGRAD_IN 6
#define CPU_WINOGRAD_PRODUCTS 36

/* out[i * step + c] = element i of B' d B for each channel c, where d is the
 * inputs in[y * row + x * column + c]; those outside of [first, last) (rows,
 * columns of the tile) count as zero and are not read. */
typedef struct
{
  const float *in;
  size_t row, column;
  size_t first[2], last[2];
  float *out;
  size_t step, channels;
} CpuWinogradInput;

typedef void cpu_winograd_input_f32_fn (const CpuWinogradInput *tile);

/* out[y * row + x * column + c] = epilogue (A' m A), where element i of m is
 * in[i * step + c]; only the first @rows and @columns. */
typedef struct
{
  const float *in;
  size_t step;
  float *out;
  size_t row, column;
  size_t rows, columns, channels;
  CpuEpilogue epilogue; /* `residual` has the same layout as `out` */
} CpuWinogradOutput;

typedef void cpu_winograd_output_f32_fn (const CpuWinogradOutput *tile);
