/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Squares of four by four for any instruction set: transposition is limited by
 * the cache lines that it touches. */

#include "cpu/kernels/vec.h"

typedef uint32_t vq __attribute__ ((vector_size (16)));
typedef uint32_t vq_unaligned
    __attribute__ ((vector_size (16), aligned (4), may_alias));
typedef uint32_t vq_loose
    __attribute__ ((vector_size (16), aligned (1), may_alias));

static inline vq
load (const CpuLooseWord *p)
{
  return *(const vq_loose *) p;
}

static inline void
square (uint32_t *dst, size_t dst_stride, const CpuLooseWord *src,
    size_t src_stride)
{
  vq a = load (src), b = load (src + src_stride);
  vq c = load (src + 2 * src_stride), d = load (src + 3 * src_stride);
  vq ab_low = __builtin_shufflevector (a, b, 0, 4, 1, 5);
  vq ab_high = __builtin_shufflevector (a, b, 2, 6, 3, 7);
  vq cd_low = __builtin_shufflevector (c, d, 0, 4, 1, 5);
  vq cd_high = __builtin_shufflevector (c, d, 2, 6, 3, 7);

  *(vq_unaligned *) dst = __builtin_shufflevector (ab_low, cd_low, 0, 1, 4, 5);
  *(vq_unaligned *) (dst + dst_stride) =
      __builtin_shufflevector (ab_low, cd_low, 2, 3, 6, 7);
  *(vq_unaligned *) (dst + 2 * dst_stride) =
      __builtin_shufflevector (ab_high, cd_high, 0, 1, 4, 5);
  *(vq_unaligned *) (dst + 3 * dst_stride) =
      __builtin_shufflevector (ab_high, cd_high, 2, 3, 6, 7);
}

static void
plain (uint32_t *dst, size_t dst_stride, const CpuLooseWord *src,
    size_t src_stride, size_t rows, size_t cols)
{
  if (rows < 4) {
    for (size_t c = 0; c < cols; c++)
      for (size_t r = 0; r < rows; r++)
        dst[c * dst_stride + r] = src[r * src_stride + c];
    return;
  }
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < cols; c++)
      dst[c * dst_stride + r] = src[r * src_stride + c];
}

/* Interleaves two rows. */
static void
two_rows (
    uint32_t *dst, const CpuLooseWord *src, size_t src_stride, size_t cols)
{
  const size_t whole = cols & ~(size_t) 3;

  for (size_t x = 0; x < whole; x += 4, dst += 8) {
    vq a = load (src + x), b = load (src + src_stride + x);

    *(vq_unaligned *) dst = __builtin_shufflevector (a, b, 0, 4, 1, 5);
    *(vq_unaligned *) (dst + 4) = __builtin_shufflevector (a, b, 2, 6, 3, 7);
  }
  plain (dst, 2, src + whole, src_stride, 2, cols - whole);
}

/* Separates one row into two. */
static void
two_columns (
    uint32_t *dst, size_t dst_stride, const CpuLooseWord *src, size_t rows)
{
  const size_t whole = rows & ~(size_t) 3;

  for (size_t x = 0; x < whole; x += 4) {
    vq a = load (src + 2 * x), b = load (src + 2 * x + 4);

    *(vq_unaligned *) (dst + x) = __builtin_shufflevector (a, b, 0, 2, 4, 6);
    *(vq_unaligned *) (dst + dst_stride + x) =
        __builtin_shufflevector (a, b, 1, 3, 5, 7);
  }
  plain (dst + whole, dst_stride, src + 2 * whole, 2, rows - whole, 2);
}

/* Interleaves three rows, as of pictures. */
static void
three (uint32_t *dst, const CpuLooseWord *src, size_t src_stride, size_t cols)
{
  const size_t whole = cols & ~(size_t) 3;

  for (size_t x = 0; x < whole; x += 4, dst += 12) {
    vq a = load (src + x), b = load (src + src_stride + x);
    vq c = load (src + 2 * src_stride + x);
    vq ab = __builtin_shufflevector (a, b, 0, 4, 1, 5);
    vq bc = __builtin_shufflevector (b, c, 1, 5, 2, 6);
    vq ca = __builtin_shufflevector (c, a, 2, 7, 3, 3);

    *(vq_unaligned *) dst = __builtin_shufflevector (ab, c, 0, 1, 4, 2);
    *(vq_unaligned *) (dst + 4) = __builtin_shufflevector (bc, a, 0, 1, 6, 2);
    *(vq_unaligned *) (dst + 8) = __builtin_shufflevector (ca, b, 0, 1, 7, 2);
  }
  plain (dst, 3, src + whole, src_stride, 3, cols - whole);
}

void
CPU_KERNEL (transpose_u32) (uint32_t *dst, size_t dst_stride,
    const CpuLooseWord *src, size_t src_stride, size_t rows, size_t cols)
{
  const size_t whole_rows = rows & ~(size_t) 3, whole_cols = cols & ~(size_t) 3;

  if (rows == 3 && dst_stride == 3) {
    three (dst, src, src_stride, cols);
    return;
  }
  if (rows == 2 && dst_stride == 2) {
    two_rows (dst, src, src_stride, cols);
    return;
  }
  if (cols == 2 && src_stride == 2) {
    two_columns (dst, dst_stride, src, rows);
    return;
  }
  /* Sixteen rows at a time fill whole cache lines of the target. */
  for (size_t r0 = 0; r0 < whole_rows; r0 += 16)
    for (size_t c = 0; c < whole_cols; c += 4)
      for (size_t r = r0; r < r0 + 16 && r < whole_rows; r += 4)
        square (dst + c * dst_stride + r, dst_stride, src + r * src_stride + c,
            src_stride);
  plain (dst + whole_cols * dst_stride, dst_stride, src + whole_cols,
      src_stride, whole_rows, cols - whole_cols);
  plain (dst + whole_rows, dst_stride, src + whole_rows * src_stride,
      src_stride, rows - whole_rows, cols);
}
