/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Dimensions and strides of a MatMul. */

#pragma once

#include "cpu/base/step.h"

/* Per product: c[i, j] = sum over k of a[i * a_row + k * a_k]
 *                                      * b[k * b_k + j * b_n], strides in
 * elements; c is dense. */
typedef struct
{
  gsize m, n, k;
  gsize a_row, a_k, b_k, b_n;
  gsize batch;
  gsize *a_offsets, *b_offsets; /* per product, in elements */
} CpuMatMulDims;

gboolean cpu_matmul_dims (
    CpuMatMulDims *dims, const CpuStep *step, GError **error);
void cpu_matmul_dims_clear (CpuMatMulDims *dims);

/* Plain loops for any whole-byte numeric type, in that type (sums of f16 and
 * bf16 in float). */
void cpu_matmul_ref (const CpuStep *step, const CpuMatMulDims *dims,
    InferType type, gpointer c, gconstpointer a, gconstpointer b);
gboolean cpu_matmul_ref_supports (InferType type);
