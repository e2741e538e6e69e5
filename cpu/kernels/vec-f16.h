/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* f16 to f32, for the *-vec.c files. */

#pragma once

#include "cpu/kernels/vec-math.h"

#ifdef __F16C__
#include <immintrin.h>

/* One instruction, which vector types cannot express. */
static inline vf
vf_load_f16 (const uint16_t *src)
{
#if CPU_VEC_BYTES == 64
  return (vf) _mm512_cvtph_ps (_mm256_loadu_si256 ((const void *) src));
#else
  return (vf) _mm256_cvtph_ps (_mm_loadu_si128 ((const void *) src));
#endif
}

#elif defined(__aarch64__)
#include <arm_neon.h>

static inline vf
vf_load_f16 (const uint16_t *src)
{
  return (vf) vcvt_f32_f16 (vreinterpret_f16_u16 (vld1_u16 (src)));
}

#else

static inline vf
vf_load_f16 (const uint16_t *src)
{
  vu h = { 0 }, rest, bits;
  vf small;

  for (int i = 0; i < VF_N; i++)
    h[i] = src[i];
  rest = h & 0x7fff;
  /* A subnormal's bits, as an integer, are its value in units of 2^-24. */
  small = __builtin_convertvector((vi) rest, vf) * 5.9604644775390625e-8f;
  bits = (rest << 13) + (112u << 23);
  bits += (vu) (rest >= 0x7c00) & (112u << 23);
  bits |= (vu) (rest > 0x7c00) & 0x400000;
  bits = (vu) vf_select ((vi) (rest < 0x400), small, (vf) bits);
  return (vf) (bits | (h & 0x8000) << 16);
}

#endif
