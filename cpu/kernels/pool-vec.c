/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-vec.h"

/* NaN stays: neither comparison holds for it. */
INLINE vf
larger (vf a, vf b)
{
  return vf_select (b != b, b, vf_max (b, a));
}

/* Four independent sums. */
INLINE void
add_row (const CpuPoolBox *box, const float *in, size_t taps, size_t n, vf *sum)
{
  const size_t step = box->stride[2];
  size_t x = 0;

  for (; x + 4 <= taps; x += 4, in += 4 * step) {
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++)
      sum[i] += load_part (in + i * step, n);
  }
  for (; x < taps; x++, in += step)
    sum[0] += load_part (in, n);
}

/* @taps: of a box; may be a constant after inlining. */
INLINE vf
pool_vector (
    const CpuPoolBox *box, const size_t *taps, const float *in, size_t n)
{
  vf result = load_part (in, n), sum[4] = { { 0 } };

  for (size_t z = 0; z < taps[0]; z++) {
    for (size_t y = 0; y < taps[1]; y++) {
      const float *row = in + z * box->stride[0] + y * box->stride[1];

      if (!box->max) {
        add_row (box, row, taps[2], n, sum);
        continue;
      }
      for (size_t x = 0; x < taps[2]; x++)
        result = larger (result, load_part (row + x * box->stride[2], n));
    }
  }
  return box->max ? result
                  : ((sum[0] + sum[1]) + (sum[2] + sum[3])) * box->scale;
}

INLINE void
pool_pixels (const CpuPoolBox *box, const size_t *taps)
{
  const float *in = box->in;
  float *out = box->out;

  for (size_t p = 0; p < box->pixels; p++) {
    size_t c = 0;

    for (; c + VF_N <= box->channels; c += VF_N)
      vf_store (out + c, pool_vector (box, taps, in + c, VF_N));
    if (c < box->channels)
      vf_store_tail (out + c,
          pool_vector (box, taps, in + c, box->channels - c),
          box->channels - c);
    in += box->in_step;
    out += box->channels;
  }
}

void
CPU_KERNEL (pool_box_f32) (const CpuPoolBox *box)
{
  static const size_t two[3] = { 1, 2, 2 }, three[3] = { 1, 3, 3 };

  if (box->n[0] == 1 && box->n[1] == 2 && box->n[2] == 2)
    pool_pixels (box, two);
  else if (box->n[0] == 1 && box->n[1] == 3 && box->n[2] == 3)
    pool_pixels (box, three);
  else
    pool_pixels (box, box->n);
}
