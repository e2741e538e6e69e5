/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parameters of the u8 kernels in vectors, for all instruction sets. */

#pragma once

#include "cpu/kernels/epilogue-vec.h"
#include "cpu/kernels/quantized.h"

typedef struct
{
  vf in_low, in_scale, top;
} Levels;

INLINE Levels
levels_of (const CpuQuant *q)
{
  return (Levels){ vf_set (q->in_low), vf_set (q->in_scale), vf_set (q->top) };
}

/* Coefficients of a sum, from the ranges of both operands and the result. */
typedef struct
{
  vf a, b, offset, top;
} Sum;

INLINE Sum
sum_of (const CpuQuant *a, const CpuQuant *b, const CpuQuant *to)
{
  const double low = (double) a->out_low + b->out_low - to->in_low;

  return (Sum){ vf_set ((float) ((double) a->step * to->in_scale)),
    vf_set ((float) ((double) b->step * to->in_scale)),
    vf_set ((float) (low * to->in_scale)), vf_set (to->top) };
}
