/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preparing operands for the gemm kernels. */

#pragma once

#include "cpu/step.h"

G_BEGIN_DECLS

/* Floats that @k by @n take in panels. */
static inline gsize
cpu_gemm_packed_size (gsize k, gsize n)
{
  return (n + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL * CPU_GEMM_PANEL * k;
}

/* The element (k, j) of the operand is b[k * k_stride + j * n_stride]; columns
 * beyond @n become zero. */
void cpu_gemm_pack (float *packed, const float *b, gsize k, gsize n,
    gsize k_stride, gsize n_stride);

G_END_DECLS
