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
skip_rows (CpuConvDepthwise *r, size_t n)
{
  r->in += n * r->in_row;
  r->out += n * r->out_row;
}

#include "cpu/kernels/conv-depthwise.inc"

/* Pixels that are as far apart as the taps are a row of their own, in which the
 * taps are adjacent. */
static void
run_dilated (const CpuConvDepthwise *r)
{
  const size_t apart = r->dilation;

  for (size_t i = 0; i < apart && i < r->pixels; i++) {
    const ptrdiff_t at = r->first + (ptrdiff_t) i, n = (ptrdiff_t) apart;
    const size_t from = (size_t) ((at % n + n) % n);
    CpuConvDepthwise row = *r;

    row.in += from * r->column;
    row.first = (at - (ptrdiff_t) from) / n;
    row.columns = (r->columns + apart - 1 - from) / apart;
    row.column *= apart;
    row.dilation = 1;
    row.pixels = (r->pixels + apart - 1 - i) / apart;
    row.out += i * r->out_step;
    row.out_step *= apart;
    if (row.epilogue.residual != NULL)
      row.epilogue.residual += i * r->out_step;
    run (&row);
  }
}

void
CPU_KERNEL (conv_depthwise_f32) (const CpuConvDepthwise *r)
{
  if (r->dilation > 1 && r->step == 1 && r->channels == r->column
      && r->last == r->channels)
    run_dilated (r);
  else
    run (r);
}
