/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"

void
cpu_transpose_u32_c (uint32_t *dst, size_t dst_stride, const CpuLooseWord *src,
    size_t src_stride, size_t rows, size_t cols)
{
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < cols; c++)
      dst[c * dst_stride + r] = src[r * src_stride + c];
}
