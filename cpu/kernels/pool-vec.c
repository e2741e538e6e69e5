/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-vec.h"

/* Once NaN, always NaN: neither comparison holds for it. */
INLINE vf
larger (vf a, vf b)
{
  return vf_select ((b > a) | (b != b), b, a);
}

INLINE void
pool_channels (const CpuPoolBox *box, size_t c, size_t n)
{
  vf result = box->max ? load_part (box->in + c, n) : vf_set (0);

  for (size_t z = 0; z < box->n[0]; z++) {
    for (size_t y = 0; y < box->n[1]; y++) {
      const float *in = box->in + z * box->stride[0] + y * box->stride[1] + c;

      if (box->max) {
        for (size_t x = 0; x < box->n[2]; x++)
          result = larger (result, load_part (in + x * box->stride[2], n));
      } else {
        for (size_t x = 0; x < box->n[2]; x++)
          result += load_part (in + x * box->stride[2], n);
      }
    }
  }
  if (!box->max)
    result *= box->scale;
  store_part (box->out + c, result, n);
}

void
CPU_KERNEL (pool_box_f32) (const CpuPoolBox *box)
{
  size_t c = 0;

  for (; c + VF_N <= box->channels; c += VF_N)
    pool_channels (box, c, VF_N);
  if (c < box->channels)
    pool_channels (box, c, box->channels - c);
}
