/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Levels of 8 bits on vectors of AVX-512, inlined into the kernels of them. */

#pragma once

#include "cpu/kernels/epilogue-vec.h"

#include <immintrin.h>

#define INLINE static inline __attribute__ ((always_inline))

typedef struct
{
  vf in_low, in_scale;
  __m512 top;
} Levels;

INLINE Levels
levels_of (const CpuQuant *q)
{
  return (Levels){ vf_set (q->in_low), vf_set (q->in_scale),
    _mm512_set1_ps (q->top) };
}

/* NaN passes the minimum and becomes the smallest integer, so level 0. */
INLINE __m512i
to_levels (const Levels *l, vf x)
{
  __m512 v = _mm512_min_ps (l->top, (__m512) ((x - l->in_low) * l->in_scale));

  return _mm512_max_epi32 (_mm512_cvtps_epi32 (v), _mm512_setzero_si512 ());
}

INLINE __mmask16
first_lanes (size_t n)
{
  return n < 16 ? (__mmask16) ((1u << n) - 1) : 0xffff;
}

/* The bytes of four vectors one after the other, each within 0 … 255. */
INLINE __m512i
pack_bytes (__m512i a, __m512i b, __m512i c, __m512i d)
{
  const __m512i order =
      _mm512_setr_epi32 (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);

  return _mm512_permutexvar_epi32 (
      order, _mm512_packus_epi16 (
                 _mm512_packs_epi32 (a, b), _mm512_packs_epi32 (c, d)));
}

/* Quarter @i, a constant where this is inlined. */
INLINE __m128i
quarter (__m512i v, size_t i)
{
  return i == 0   ? _mm512_castsi512_si128 (v)
         : i == 1 ? _mm512_extracti32x4_epi32 (v, 1)
         : i == 2 ? _mm512_extracti32x4_epi32 (v, 2)
                  : _mm512_extracti32x4_epi32 (v, 3);
}
