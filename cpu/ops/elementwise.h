/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernels of element-wise operations, for steps that absorb them. */

#pragma once

#include "cpu/base/step.h"

/* FALSE: @op is not element-wise, or has parameters that are no constants in
 * @in (its inputs; nullable). */
gboolean cpu_unary_of (const InferOperation *op, const CpuValue *const *in,
    CpuUnary *what, float *a, float *b);
gboolean cpu_binary_of (const InferOperation *op, CpuBinary *what);
