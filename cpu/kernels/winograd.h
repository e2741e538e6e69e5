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

/* Along one dimension, three weights g0, g1, g2: four outputs are
 *
 * - stride 1, F(4, 3): A' ((G g) . (B' d)) of 6 inputs d, with the matrices
 *   above: 6 products instead of 12;
 * - stride 2: g0 and g2 meet every second input alone, so that they are
 *   A' ((G (g0, g2)) . (B' e)) + g1 o, F(4, 2), of 5 inputs e = d[0], d[2], …,
 *   d[8] and 4 inputs o = d[1], d[3], d[5], d[7]: 5 + 4 products instead of 12.
 *   The points are 0, ±C, D and ∞; errors are 1.5 times those of direct sums,
 *   with 1 and 2 they are 1.8 times. */
#define CPU_WINOGRAD_C 0.75f
#define CPU_WINOGRAD_D 2.0f

#define CPU_WINOGRAD_LINE_PRODUCTS 6
#define CPU_WINOGRAD_LINE_PRODUCTS_2 9 /* stride 2 */

/* out[i * step + c] = element i of B' d, or of B' e and then of o, for each
 * channel c, where d is the inputs in[x * column + c]; those outside of
 * [first, last) count as zero and are not read. */
typedef struct
{
  const float *in;
  size_t column;
  size_t first, last;
  size_t stride;
  float *out;
  size_t step, channels;
} CpuWinogradLineInput;

typedef void cpu_winograd_line_input_f32_fn (const CpuWinogradLineInput *tile);

/* out[x * column + c] = epilogue of the output x, made of the products
 * in[i * step + c]; only the first @columns. */
typedef struct
{
  const float *in;
  size_t step;
  size_t stride;
  float *out;
  size_t column, columns, channels;
  CpuEpilogue epilogue; /* `residual` has the same layout as `out` */
} CpuWinogradLineOutput;

typedef void cpu_winograd_line_output_f32_fn (
    const CpuWinogradLineOutput *tile);
