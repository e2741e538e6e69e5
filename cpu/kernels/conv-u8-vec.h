/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From sums of u8 convolutions to their results, on all instruction sets. */

#pragma once

#include <math.h>

#include "cpu/kernels/quantized-vec.h"

/* Parameters of all stores, loaded once. */
typedef struct
{
  const CpuQuantEnd *e;
  Levels levels;
  vf lo, hi; /* of a simple activation */
  int simple;
  vf high; /* bounds of plain quantised values */
  vi low;
  vi low_bytes, high_bytes; /* the same in all bytes */
} End;

INLINE vi
all_bytes (unsigned byte)
{
  return vi_set ((int32_t) (byte * 0x01010101u));
}

INLINE End
begin_end (const CpuQuantEnd *e)
{
  End end = { .e = e,
    .lo = vf_set (-INFINITY),
    .hi = vf_set (INFINITY),
    .simple = 1,
    .high = vf_set (e->high),
    .low = vi_set ((int) e->low),
    .low_bytes = all_bytes ((unsigned) e->low),
    .high_bytes = all_bytes ((unsigned) e->high) };

  if (e->to)
    end.levels = levels_of (e->to);
  if (e->act.kind == CPU_ACT_RELU) {
    end.lo = vf_set (0);
  } else if (e->act.kind == CPU_ACT_CLAMP) {
    end.lo = vf_set (e->act.alpha);
    end.hi = vf_set (e->act.beta);
  } else {
    end.simple = e->act.kind == CPU_ACT_NONE;
  }
  return end;
}

static __attribute__ ((noinline)) vf
any_act (const CpuAct *act, vf v)
{
  return epilogue_plain (act, v);
}

/* Comparisons are ordered so that NaN stays. */
INLINE vf
end_act (const End *end, vf v)
{
  if (!end->simple)
    return any_act (&end->e->act, v);
  v = vf_select (v < end->lo, end->lo, v);
  return vf_select (v > end->hi, end->hi, v);
}
