/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FEAT_BF16: conversions, and the weights of attention. */

#include "cpu/kernels/bf16-results-neon.inc"
#include "cpu/kernels/kernels.h"

/* Denormal numbers become zero. */
INLINE uint16x4_t
round_normal (vf v)
{
  const vi bits = (vi) v, normal = (bits & 0x7f800000) != 0;

  return to_bf16 ((vf) (bits & (normal | INT32_MIN)));
}

float
CPU_KERNEL (f32_to_bf16) (uint16_t *dst, const float *src, size_t n)
{
  int32x4_t largest = vdupq_n_s32 (0);

  for (size_t i = 0; i < n; i += VF_N) {
    const size_t some = n - i < VF_N ? n - i : VF_N;
    const vf v = load_part (src + i, some);

    largest = larger_finite (largest, v);
    store_u16 (dst + i, round_normal (v), some);
  }
  return largest_of (largest);
}

void
CPU_KERNEL (f16_to_bf16) (uint16_t *dst, const uint16_t *src, size_t n)
{
  uint16_t part[VF_N] = { 0 };
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N)
    vst1_u16 (dst + i, to_bf16 ((vf) vcvt_f32_f16 (
                           vreinterpret_f16_u16 (vld1_u16 (src + i)))));
  if (i < n) {
    memcpy (part, src + i, (n - i) * sizeof *part);
    vst1_u16 (part,
        to_bf16 ((vf) vcvt_f32_f16 (vreinterpret_f16_u16 (vld1_u16 (part)))));
    memcpy (dst + i, part, (n - i) * sizeof *part);
  }
}

void
CPU_KERNEL (pairs_bf16) (
    uint16_t *dst, const float *a, const float *b, size_t n)
{
  for (size_t i = 0; i < n; i += VF_N) {
    const size_t some = n - i < VF_N ? n - i : VF_N;
    uint16x4x2_t pairs = { { round_normal (load_part (a + i, some)),
        vdup_n_u16 (0) } };
    uint16_t part[2 * VF_N];

    if (b != NULL)
      pairs.val[1] = round_normal (load_part (b + i, some));
    if (some == VF_N) {
      vst2_u16 (dst + 2 * i, pairs);
    } else {
      vst2_u16 (part, pairs);
      memcpy (dst + 2 * i, part, 2 * some * sizeof *dst);
    }
  }
}

float
CPU_KERNEL (weights_bf16) (
    uint16_t *dst, const float *scores, size_t n, float scale)
{
  const size_t whole = n / VF_N * VF_N, rest = n - whole;
  vf most = vf_set (-INFINITY), last = most, sum = vf_set (0);
  float lanes[VF_N];

  for (size_t i = 0; i < whole; i += VF_N)
    most = vf_max (vf_load (scores + i) * scale, most);
  if (rest > 0) {
    vf_store (lanes, last);
    vf_store_tail (lanes, vf_load_tail (scores + whole, rest) * scale, rest);
    last = vf_load (lanes);
    most = vf_max (last, most);
  }
  most = vf_set (vmaxvq_f32 ((float32x4_t) most));
  for (size_t i = 0; i < whole; i += VF_N) {
    const vf weight = vf_exp2_fast (vf_load (scores + i) * scale - most);

    sum += weight;
    vst1_u16 (dst + i, to_bf16 (weight));
  }
  if (rest > 0) {
    const vf weight = vf_exp2_fast (last - most);

    vf_store (lanes, vf_set (0));
    vf_store_tail (lanes, weight, rest);
    sum += vf_load (lanes);
    store_bf16_part (dst + whole, weight, rest);
  }
  return vf_sum (sum);
}
