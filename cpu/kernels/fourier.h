/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fourier transforms of a few points down the columns of a matrix, of which
 * cpu/gemm/fourier makes longer ones (Cooley and Tukey, Math. Comp. 19, 1965).
 *
 * Whole vectors are read and written: each row has room for its columns rounded
 * up to CPU_FOURIER_ALIGN. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#define CPU_FOURIER_MOST 64 /* points */
#define CPU_FOURIER_FACTORS 6
#define CPU_FOURIER_ALIGN 16 /* floats */

typedef struct
{
  size_t n; /* points */
  size_t n_factors;
  uint8_t factors[CPU_FOURIER_FACTORS]; /* of n: 2 to 5, or 8 */
  const float *roots; /* [n][2]: cos, sin of 2 pi j / n for each j */
} CpuFourierPoints;

/* out[k * out_row + c] = sum over j of in[j * in_row + c] e^(-2 pi i j k / n)
 * for each column c; [0] are real, [1] imaginary parts.  out may be in. */
typedef struct
{
  const CpuFourierPoints *points;
  const float *in[2];
  size_t in_row;
  float *out[2];
  size_t out_row;
  size_t columns;
} CpuFourierColumns;

typedef void cpu_fourier_columns_f32_fn (const CpuFourierColumns *t);

/* Two real columns make a complex one: out[h][…][k * out_row + c] for k <= n /
 * 2 is twice the transform of in[h], a real column, times twist[h][…][k *
 * twist_row + c]; parts as above. */
typedef struct
{
  const CpuFourierPoints *points;
  const float *in[2];
  size_t in_row;
  float *out[2][2];
  size_t out_row;
  const float *twist[2][2];
  size_t twist_row;
  size_t columns;
} CpuFourierReal;

typedef void cpu_fourier_real_f32_fn (const CpuFourierReal *t);

/* The transpose of that: out[h][j * out_row + c] is the sum over k <= n / 2 of
 * the real part of twice in[h][…][k * in_row + c], times twist[h] conjugated,
 * times e^(2 pi i j k / n). */
typedef struct
{
  const CpuFourierPoints *points;
  const float *in[2][2];
  size_t in_row;
  const float *twist[2][2];
  size_t twist_row;
  float *out[2];
  size_t out_row;
  size_t columns;
} CpuFourierBack;

typedef void cpu_fourier_back_f32_fn (const CpuFourierBack *t);

/* Rows of results that lie one after the other, forwards or backwards. */
typedef struct
{
  uint32_t from, n;
  int32_t step; /* 1 or -1 */
} CpuFourierRun;

/* Row r of out, the next of its run, is scale[r] times what it has in @in;
 * @n_runs together have @rows.  Whole vectors are read: there is memory for one
 * beyond both ends of @in, and behind @scale. */
typedef struct
{
  const float *in, *scale;
  float *out;
  const CpuFourierRun *runs;
  size_t n_runs, rows;
} CpuFourierRows;

typedef void cpu_fourier_rows_f32_fn (const CpuFourierRows *rows);
