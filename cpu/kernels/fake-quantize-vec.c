/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec-math.h"

typedef struct
{
  vf low, high, in_low, scale, step, out_low, out_high;
} Range;

static inline vf
quantize (const Range *r, vf x)
{
  vf y = vf_rint ((x - r->in_low) * r->scale) * r->step + r->out_low;

  y = vf_select (x > r->high, r->out_high, y);
  return vf_select (x <= r->low, r->out_low, y);
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
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N)
    vf_store (dst + i, quantize (&r, vf_load (src + i)));
  if (i < n)
    vf_store_tail (
        dst + i, quantize (&r, vf_load_tail (src + i, n - i)), n - i);
}
