/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-vec.h"

typedef float In;

INLINE const In *
rows_of (const CpuConvDepthwise *r)
{
  return r->in;
}

INLINE vf
load_in (const In *p)
{
  return vf_load (p);
}

INLINE vf
load_in_tail (const In *p, size_t n)
{
  return vf_load_tail (p, n);
}

INLINE vf
load_in_range (const In *p, size_t lo, size_t hi)
{
  return vf_load_range (p, lo, hi);
}

/* @at: the first element of the row of results. */
INLINE void
store_sums (const CpuConvDepthwise *r, const CpuSums *target, size_t at,
    vf *sums, size_t np)
{
  (void) r;
  (void) at;
  sums_store (target, sums, np, 1);
}

INLINE void
next_row (CpuConvDepthwise *row)
{
  row->in += row->in_stride[1];
  row->out += row->out_row;
}

#include "cpu/kernels/conv-depthwise.inc"

void
CPU_KERNEL (conv_depthwise_f32) (const CpuConvDepthwise *r)
{
  run (r);
}
