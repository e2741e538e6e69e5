/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Types of the kernels of Strassen's product ("Gaussian Elimination is not
 * Optimal", 1969): the product of two matrices of 2 by 2 blocks,
 *
 *   ( c0 c1 )   ( a0 a1 ) ( b0 b1 )
 *   ( c2 c3 ) = ( a2 a3 ) ( b2 b3 )
 *
 * in seven products of blocks instead of eight:
 *
 *   c0 = p0 + p4 - p5 + p6    p0 = (a0 + a3) (b0 + b3)   p4 = a3 (b2 - b0)
 *   c1 = p2 + p5              p1 = (a2 + a3) b0          p5 = (a0 + a1) b3
 *   c2 = p1 + p4              p2 = a0 (b1 - b3)          p6 = (a1 - a3) (b2 +
 * b3) c3 = p0 - p1 + p2 + p3    p3 = (a2 - a0) (b0 + b1)
 *
 * Both operands need the same five sums.  Steps are in floats. */

#pragma once

#include <stddef.h>

typedef enum
{
  CPU_STRASSEN_0_PLUS_3,
  CPU_STRASSEN_2_PLUS_3,
  CPU_STRASSEN_0_PLUS_1,
  CPU_STRASSEN_2_MINUS_0,
  CPU_STRASSEN_1_MINUS_3,
  CPU_STRASSEN_SUMS
} CpuStrassenSum;

/* Sum s of element i in row r of the blocks becomes
 * sums[s * sum + r * n + i]. */
typedef struct
{
  const float *blocks[4];
  size_t row, rows, n;
  float *sums;
  size_t sum;
} CpuStrassenSums;

typedef void cpu_strassen_sums_f32_fn (const CpuStrassenSums *sums);

/* c[0 … 3] hold p0, p2, p1 and p3, and become the result but for p6; rows of p4
 * and p5 are @n floats apart. */
typedef struct
{
  float *c[4];
  size_t c_row, rows, n;
  const float *p4, *p5;
} CpuStrassenResult;

typedef void cpu_strassen_result_f32_fn (const CpuStrassenResult *result);
