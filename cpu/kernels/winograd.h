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

/* The matrices are those of Cook and Toom for the points 0, ±A, ±B and ∞.  With
 * Lavin's 1 and 2 results are 4 to 10 times as far from the exact ones as sums
 * of direct products; these, whose powers are exact, were the best of several
 * pairs: at most 2.5 times.  Barabasz et al., "Error Analysis and Improving the
 * Accuracy of Winograd Convolution for Deep Neural Networks" (2020) say why
 * points differ. */
#define CPU_WINOGRAD_A 0.625f
#define CPU_WINOGRAD_B 1.5f

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
