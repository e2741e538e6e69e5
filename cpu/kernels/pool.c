/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "cpu/kernels/kernels.h"

static float
pool_one (const CpuPoolBox *b, const float *in)
{
  float largest = *in, sum = 0;

  for (size_t z = 0; z < b->n[0]; z++) {
    for (size_t y = 0; y < b->n[1]; y++) {
      for (size_t x = 0; x < b->n[2]; x++) {
        float v = in[z * b->stride[0] + y * b->stride[1] + x * b->stride[2]];

        sum += v;
        largest = v > largest || isnan (v) ? v : largest;
      }
    }
  }
  return b->max ? largest : sum * b->scale;
}

void
cpu_pool_box_f32_c (const CpuPoolBox *b)
{
  for (size_t p = 0; p < b->pixels; p++)
    for (size_t c = 0; c < b->channels; c++)
      b->out[p * b->channels + c] = pool_one (b, b->in + p * b->in_step + c);
}
