/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FEAT_BF16: rows stored as bf16, which a shift widens to f32; weights and sums
 * of f32. */

#include "cpu/kernels/bf16-results-neon.inc"

typedef uint16_t In;

INLINE const In *
rows_of (const CpuConvDepthwise *r)
{
  return r->in_bf16;
}

INLINE vf
load_in (const In *p)
{
  return load_bf16_part (p, VF_N);
}

INLINE vf
load_in_tail (const In *p, size_t n)
{
  return load_bf16_part (p, n);
}

INLINE vf
load_in_range (const In *p, size_t lo, size_t hi)
{
  uint16_t some[VF_N] = { 0 };

  memcpy (some + lo, p + lo, (hi - lo) * sizeof *some);
  return widen_bf16 (vld1_u16 (some));
}

/* @at: the first element of the row of results. */
INLINE void
store_sums (const CpuConvDepthwise *r, const CpuSums *target, size_t at,
    vf *sums, size_t np)
{
  if (r->out_bf16)
    sums_store_bf16 (target, r->out_bf16 + at, sums, np, 1);
  else
    sums_store (target, sums, np, 1);
}

INLINE void
next_row (CpuConvDepthwise *row)
{
  row->in_bf16 += row->in_stride[1];
  if (row->out_bf16)
    row->out_bf16 += row->out_row;
  else
    row->out += row->out_row;
}

#include "cpu/kernels/conv-depthwise.inc"

void
CPU_KERNEL (conv_depthwise_bf16) (const CpuConvDepthwise *r)
{
  run (r);
}
