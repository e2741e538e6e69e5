/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which kernel computes an element-wise operation: for steps that absorb it. */

#pragma once

#include "cpu/base/step.h"

G_BEGIN_DECLS

/* FALSE: @op is none, or has parameters that are tensors which @in (its inputs;
 * nullable) does not give as constants. */
gboolean cpu_unary_of (const InferOperation *op, const CpuValue *const *in,
    CpuUnary *what, float *a, float *b);
gboolean cpu_binary_of (const InferOperation *op, CpuBinary *what);

G_END_DECLS
