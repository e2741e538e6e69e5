/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec.h"

float
CPU_KERNEL (dot_f32) (const float *a, const float *b, size_t n)
{
  vf s0 = { 0 }, s1 = s0, s2 = s0, s3 = s0;
  size_t i = 0;

  for (; i + 4 * VF_N <= n; i += 4 * VF_N) {
    s0 += vf_load (a + i) * vf_load (b + i);
    s1 += vf_load (a + i + VF_N) * vf_load (b + i + VF_N);
    s2 += vf_load (a + i + 2 * VF_N) * vf_load (b + i + 2 * VF_N);
    s3 += vf_load (a + i + 3 * VF_N) * vf_load (b + i + 3 * VF_N);
  }
  for (; i + VF_N <= n; i += VF_N)
    s0 += vf_load (a + i) * vf_load (b + i);
  if (i < n)
    s1 += vf_load_tail (a + i, n - i) * vf_load_tail (b + i, n - i);
  return vf_sum ((s0 + s1) + (s2 + s3));
}
