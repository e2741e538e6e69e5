/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "cpu/kernels/kernels.h"

/* In float: for values halfway between two quantised values, a wider type would
 * round differently from the operation's formula. */
void
cpu_fake_quantize_f32_c (float *dst, const float *src, size_t n, float in_low,
    float in_high, float out_low, float out_high, float levels)
{
  const float low = in_low < in_high ? in_low : in_high;
  const float high = in_low < in_high ? in_high : in_low;
  const float scale = (levels - 1.0f) / (in_high - in_low);
  const float step = (out_high - out_low) / (levels - 1.0f);

  for (size_t i = 0; i < n; i++) {
    float x = src[i];

    if (x <= low)
      dst[i] = out_low;
    else if (x > high)
      dst[i] = out_high;
    else
      dst[i] = rintf ((x - in_low) * scale) * step + out_low;
  }
}
