/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec-f16.h"

#ifdef __F16C__
static inline void
narrow (uint16_t *dst, vf x)
{
#if CPU_VEC_BYTES == 64
  _mm256_storeu_si256 (
      (void *) dst, _mm512_cvtps_ph ((__m512) x, _MM_FROUND_TO_NEAREST_INT));
#else
  _mm_storeu_si128 (
      (void *) dst, _mm256_cvtps_ph ((__m256) x, _MM_FROUND_TO_NEAREST_INT));
#endif
}

#elif defined(__aarch64__)
static inline void
narrow (uint16_t *dst, vf x)
{
  vst1_u16 (dst, vreinterpret_u16_f16 (vcvt_f16_f32 ((float32x4_t) x)));
}

#else

static inline void
narrow (uint16_t *dst, vf x)
{
  vu bits = (vu) x, sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
  vf magnitude = (vf) rest;
  vu r = ((rest + 0xfff + (rest >> 13 & 1)) >> 13) - (112u << 10);
  /* The last bit of 0.5 is 2^-24: adding it rounds a subnormal. */
  vu small = (vu) (magnitude + 0.5f) - 0x3f000000u;

  r = (vu) vf_select (magnitude < 6.103515625e-5f, (vf) small, (vf) r);
  r = (vu) vf_select (magnitude >= 65520.0f, (vf) (r * 0 + 0x7c00), (vf) r);
  r = (vu) vf_select (x != x, (vf) (0x7e00 | (bits >> 13 & 0x3ff)), (vf) r);
  r |= sign;
  for (int i = 0; i < VF_N; i++)
    dst[i] = (uint16_t) r[i];
}

#endif

void
CPU_KERNEL (f16_to_f32) (float *dst, const uint16_t *src, size_t n)
{
  uint16_t t[VF_N] = { 0 };
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N)
    vf_store (dst + i, vf_load_f16 (src + i));
  if (i < n) {
    memcpy (t, src + i, (n - i) * sizeof *t);
    vf_store_tail (dst + i, vf_load_f16 (t), n - i);
  }
}

void
CPU_KERNEL (f32_to_f16) (uint16_t *dst, const float *src, size_t n)
{
  uint16_t t[VF_N];
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N)
    narrow (dst + i, vf_load (src + i));
  if (i < n) {
    narrow (t, vf_load_tail (src + i, n - i));
    memcpy (dst + i, t, (n - i) * sizeof *t);
  }
}
