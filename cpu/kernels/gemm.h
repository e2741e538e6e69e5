/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matrix products. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/kernels/epilogue.h"

/* Columns that lie side by side in a packed second operand. */
#define CPU_GEMM_PANEL 16

/* Floats as integers of 32 bits times @unit, written with four digits of -128 …
 * 127: digit d of number k, which counts 256^d, is digits[d * n' + k], n' being
 * the numbers up to a multiple of 64, those beyond them zero. */
typedef struct
{
  float unit;      /* NaN: some are not finite; there is nothing else */
  float sum;       /* of the numbers */
  int32_t sums[4]; /* of each digit */
  char pad[40];
  int8_t digits[];
} CpuDigits;

static inline size_t
cpu_digits_size (size_t n)
{
  return sizeof (CpuDigits) + (n + 63) / 64 * 64 * 4;
}

/* Floats as integers of -127 … 127, each group of them times a scale. */
typedef struct
{
  float scale;
  int32_t start; /* -128 times the sum of the group's integers */
} CpuBytesGroup;

typedef struct
{
  float sum; /* of the numbers as they are now; NaN: some were not finite; there
                is nothing else */
  char pad[60];
  CpuBytesGroup groups[]; /* then the integers, up to a multiple of 64, those
                             beyond the numbers zero */
} CpuBytes;

static inline size_t
cpu_bytes_groups (size_t n, size_t group)
{
  return (n + group - 1) / group;
}

/* Of integers from the beginning of CpuBytes. */
static inline size_t
cpu_bytes_at (size_t n, size_t group)
{
  return sizeof (CpuBytes) + (cpu_bytes_groups (n, group) + 7) / 8 * 64;
}

static inline size_t
cpu_bytes_size (size_t n, size_t group)
{
  return cpu_bytes_at (n, group) + (n + 63) / 64 * 64;
}

/* c[i, j] = sum over k of a[i, k] * b[k, j]  + bias[j]  (+ c[i, j])
 *
 * Strides in elements.  b is read in whole panels of 16 columns:
 * b[k, j] is at (j / 16) * b_panel + k * b_k + j % 16. */
typedef struct
{
  size_t m, n, k;
  const float *a;
  size_t a_row, a_k;
  const void *b; /* float; half floats (uint16_t) in the _f16 kernels, int8_t in
                  * the _i8 ones, uint8_t in the _digits and _bytes ones */
  size_t b_panel, b_k;
  /* _i8 only: b[k, j] stands for (b[k, j] + b_offset[j]) * b_scale[j], both
   * arrays of whole panels; @a_sums[i]: sum over k of a[i, k].  No b_offset:
   * zero. */
  const float *b_scale, *b_offset, *a_sums;
  /* _digits and _bytes only: rows of a as CpuDigits or CpuBytes, in groups of
   * a_group, so many bytes from one to the next; then b stands for the same as
   * in _i8, 128 more, and b[k, j] is at
   * (j / 16) * b_panel + k / 4 * 64 + j % 16 * 4 + k % 4.  Nothing is done to
   * the sums. */
  const void *a_packed;
  size_t a_packed_row, a_group;
  float *c;
  size_t c_row;
  const float *bias; /* NULL: none */
  bool accumulate;   /* to what c holds */
  /* Done to the sums; channels are columns, the residual lies as c does.
   * NULL: none. */
  const CpuEpilogue *epilogue;
} CpuGemm;
