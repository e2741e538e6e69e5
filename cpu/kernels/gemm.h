/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matrix products. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/kernels/epilogue.h"

/* Adjacent columns of a packed second operand. */
#define CPU_GEMM_PANEL 16

/* Whether panels of this size together are best read from first to last
 * (b_in_order).  More come from memory or a cache of the third level, and short
 * panels arrive side by side at down to 40 % of the processor's rate. */
static inline bool
cpu_gemm_is_large (size_t bytes)
{
  return bytes > (size_t) 128 * 1024;
}

/* Floats as 32-bit integers times @unit, in four digits of -128 … 127 to the
 * base 256: digit d of element k is digits[d * n' + k], where n' is n rounded
 * up to a multiple of 64; the rest is zero. */
typedef struct
{
  float
      unit;  /* NaN: some elements are not finite; the other fields are unset */
  float sum; /* sum of the elements */
  int32_t sums[4]; /* sum of each digit */
  char pad[40];
  int8_t digits[];
} CpuDigits;

static inline size_t
cpu_digits_size (size_t n)
{
  return sizeof (CpuDigits) + (n + 63) / 64 * 64 * 4;
}

/* Floats as integers of -127 … 127 with a scale for each group. */
typedef struct
{
  float scale;
  int32_t start; /* -128 times the sum of the group's integers */
} CpuBytesGroup;

typedef struct
{
  float sum; /* sum of the quantised elements; NaN: some elements were not
                finite, the other fields are unset */
  char pad[60];
  CpuBytesGroup
      groups[]; /* then the integers, padded with zeros to a multiple of 64 */
} CpuBytes;

static inline size_t
cpu_bytes_groups (size_t n, size_t group)
{
  return (n + group - 1) / group;
}

/* Offset of the integers in CpuBytes. */
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
  const void *b; /* float; f16 (uint16_t) in the _f16 kernels, int8_t in the _i8
                    ones, uint8_t in the _digits and _bytes ones */
  size_t b_panel, b_k;
  /* _i8 only: b[k, j] stands for (b[k, j] + b_offset[j]) * b_scale[j], both
   * arrays of whole panels; @a_sums[i]: sum over k of a[i, k].  No b_offset:
   * zero. */
  const float *b_scale, *b_offset, *a_sums;
  /* Whether one row, up to three in the _bytes kernels, and all in the _digits
   * ones read panels one after the other instead of side by side, which is
   * faster in a cache. */
  bool b_in_order;
  /* _digits and _bytes only: rows of a as CpuDigits or CpuBytes (groups of
   * a_group), a_packed_row bytes apart.  b is that of _i8 plus 128, and b[k, j]
   * is at (j / 16) * b_panel + k / 4 * 64 + j % 16 * 4 + k % 4.  Bias and
   * epilogue are ignored. */
  const void *a_packed;
  size_t a_packed_row, a_group;
  float *c;
  size_t c_row;
  const float *bias; /* NULL: none */
  bool accumulate;   /* adds to c */
  /* Applied to the sums; channels are columns, the residual has the layout of
   * c. NULL: none. */
  const CpuEpilogue *epilogue;
} CpuGemm;

/* c[i, j] = a_scale * b_scale[j]
 *     * sum over k of (a[i, k] - a_zero) * (b[k, j] - b_zero[j]), the sum exact
 *
 * for k < 2^15.  Strides in elements; b lies as in the _digits kernels, each
 * plus 128.  Arrays of whole panels. */
typedef struct
{
  size_t m, n, k;
  const int8_t *a;
  size_t a_row; /* a multiple of 4, at least k; zeros behind element k */
  const int32_t *a_sums; /* of the elements of each row */
  int32_t a_zero;
  const uint8_t *b; /* 0 behind row k */
  size_t b_panel;
  bool b_in_order;        /* as in the _bytes kernels */
  const int32_t *b_sums;  /* sum over k of b[k, j] - b_zero[j] */
  const int32_t *b_zeros; /* NULL: zero */
  float a_scale;
  const float *b_scale;
  float *c;
  size_t c_row;
} CpuGemmLevels;

/* c[i, j] = sum over groups g: scale[g, j] * (sum over k in g of a[i, k]
 *     * (code[k, j] - 8)) - shift[g, j] * a_sums[i, g]
 *
 * for codes of 4 bits.  Strides in elements; a's rows are dense.  Codes 8 q …
 * 8 q + 7 of column j, from the lowest bits on, are the word at
 * b[(j / 16) * b_panel + q * 16 + j % 16]; scale and shift of group g and
 * column j are at (j / 16) * number_panel + g * 16 + j % 16, of whole panels.
 */
typedef struct
{
  size_t m, n, k; /* k: a multiple of @group */
  size_t group;   /* a multiple of 8 */
  const float *a;
  size_t a_row;
  const uint32_t *b;
  size_t b_panel;
  const float *scale, *shift; /* shift: NULL: zero */
  size_t number_panel;
  const float *a_sums; /* of the groups of each row; unused without shift */
  float *c;
  size_t c_row;
} CpuGemmNibbles;
