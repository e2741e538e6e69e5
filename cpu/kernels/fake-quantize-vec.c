/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec-math.h"

typedef struct
{
  vf low, high, in_low, scale, step, out_low, out_high;
} Range;

/* @ordered: in_low < in_high, where the lowest level is out_low by itself; a
 * constant after inlining.  Not vf_select: gcc makes two operations of it. */
INLINE vf
quantize (const Range *r, vf x, bool ordered)
{
  const vf held = ordered ? vf_max (r->low, x) : x;
  vf y = vf_rint ((held - r->in_low) * r->scale) * r->step + r->out_low;

#if CPU_VEC_BYTES == 64
  y = (vf) _mm512_mask_mov_ps ((__m512) y,
      _mm512_cmp_ps_mask ((__m512) x, (__m512) r->high, _CMP_GT_OQ),
      (__m512) r->out_high);
#else
  y = vf_select (x > r->high, r->out_high, y);
#endif
  return ordered ? y : vf_select (x <= r->low, r->out_low, y);
}

INLINE void
quantize_all (
    float *dst, const float *src, size_t n, const Range *r, bool ordered)
{
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N)
    vf_store (dst + i, quantize (r, vf_load (src + i), ordered));
  if (i < n)
    vf_store_tail (
        dst + i, quantize (r, vf_load_tail (src + i, n - i), ordered), n - i);
}

void
CPU_KERNEL (fake_quantize_f32) (float *dst, const float *src, size_t n,
    float in_low, float in_high, float out_low, float out_high, float levels)
{
  const Range r = {
    .low = vf_set (in_low < in_high ? in_low : in_high),
    .high = vf_set (in_low < in_high ? in_high : in_low),
    .in_low = vf_set (in_low),
    .scale = vf_set ((levels - 1.0f) / (in_high - in_low)),
    .step = vf_set ((out_high - out_low) / (levels - 1.0f)),
    .out_low = vf_set (out_low),
    .out_high = vf_set (out_high),
  };

  if (in_low < in_high)
    quantize_all (dst, src, n, &r, true);
  else
    quantize_all (dst, src, n, &r, false);
}
