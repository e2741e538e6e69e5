/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A product with weights of 8 bits, whose other operand is quantised as it
 * comes: with s and z of all of x,
 *
 *     s = (max (x, 0) - min (x, 0)) / 255, z = rint (-min (x, 0) / s)
 *     q = rint (x / s) + z, within 0 … 255
 *     result[i, j] = s * scale[j] * sum over k of (q[i, k] - z) * (w[k, j] -
 *         zero[j])
 *
 * or, with s and z known before, by the range of a FakeQuantize.
 *
 * An operation of a class of its own, which only this backend makes
 * (cpu/passes/fuse/dynamic.c) of what DynamicQuantizeLinear and MatMulInteger
 * become, and of MatMul (FakeQuantize (x), w) (fuse/quantised.c): x, w [k, n],
 * scale and zero, all but x constant. */

#pragma once

#include "cpu/base/step.h"

enum
{
  CPU_DYNAMIC_X,
  CPU_DYNAMIC_W,
  CPU_DYNAMIC_SCALE,
  CPU_DYNAMIC_ZERO /* not there: zero */
};

typedef struct
{
  gboolean transposed; /* w is [n, k] */
  gboolean fixed;      /* s is @scale, and z is @zero */
  float scale;
  int zero;
} CpuDynamicAttrs;

extern const InferOpClass cpu_dynamic_matmul_class;
extern const CpuOp cpu_op_dynamic_matmul;
