/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For the *-vec.c files: vectors as wide as the instruction set being compiled,
 * over GCC's and clang's vector types.  A function's name is made with
 * CPU_KERNEL (exp_f32), which appends the suffix of the instruction set. */

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/kernels/inline.h"
#include "cpu/kernels/kernels.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

#define CPU_KERNEL_PASTE(name, suffix) cpu_##name##_##suffix
#define CPU_KERNEL_EXPAND(name, suffix) CPU_KERNEL_PASTE (name, suffix)
#define CPU_KERNEL(name) CPU_KERNEL_EXPAND (name, CPU_ISA_SUFFIX)

/* A file may name less than the instruction set has. */
#if defined(CPU_VEC_BYTES)
#elif defined(__AVX512F__)
#define CPU_VEC_BYTES 64
#elif defined(__AVX__)
#define CPU_VEC_BYTES 32
#else
#define CPU_VEC_BYTES 16
#endif

#define VF_N (CPU_VEC_BYTES / 4)         /* floats of a vector */
#define PANEL_VF (CPU_GEMM_PANEL / VF_N) /* vectors of a panel */

typedef float vf __attribute__ ((vector_size (CPU_VEC_BYTES)));
typedef int32_t vi __attribute__ ((vector_size (CPU_VEC_BYTES)));
typedef uint32_t vu __attribute__ ((vector_size (CPU_VEC_BYTES)));

typedef float vf_unaligned
    __attribute__ ((vector_size (CPU_VEC_BYTES), aligned (4), may_alias));
typedef int32_t vi_unaligned
    __attribute__ ((vector_size (CPU_VEC_BYTES), aligned (4), may_alias));

static inline vf
vf_load (const float *p)
{
  return *(const vf_unaligned *) p;
}

static inline void
vf_store (float *p, vf v)
{
  *(vf_unaligned *) p = v;
}

#if CPU_VEC_BYTES == 64
/* Masked moves are several times faster than a copy of variable size. */
static inline vf
vf_load_tail (const float *p, size_t n)
{
  return (vf) _mm512_maskz_loadu_ps ((__mmask16) ((1u << n) - 1), p);
}

static inline void
vf_store_tail (float *p, vf v, size_t n)
{
  _mm512_mask_storeu_ps (p, (__mmask16) ((1u << n) - 1), (__m512) v);
}
#elif CPU_VEC_BYTES == 32
static inline __m256i
vf_tail_mask (size_t n)
{
  static const int32_t ones[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };

  return _mm256_loadu_si256 ((const __m256i *) (ones + 8 - n));
}

static inline vf
vf_load_tail (const float *p, size_t n)
{
  return (vf) _mm256_maskload_ps (p, vf_tail_mask (n));
}

/* Stores of whole parts: AMD's processors take a dozen cycles for a masked one.
 */
static inline void
vf_store_tail (float *p, vf v, size_t n)
{
  __m128 part = _mm256_castps256_ps128 ((__m256) v);

  if (n & 8) {
    vf_store (p, v);
    return;
  }
  if (n & 4) {
    _mm_storeu_ps (p, part);
    part = _mm256_extractf128_ps ((__m256) v, 1);
    p += 4;
  }
  if (n & 2) {
    _mm_storel_pi ((void *) p, part);
    part = _mm_movehl_ps (part, part);
    p += 2;
  }
  if (n & 1)
    _mm_store_ss (p, part);
}
#else
/* The first @n elements, the others zero. */
static inline vf
vf_load_tail (const float *p, size_t n)
{
  float t[VF_N] = { 0 };

  memcpy (t, p, n * sizeof *t);
  return vf_load (t);
}

static inline void
vf_store_tail (float *p, vf v, size_t n)
{
  float t[VF_N];

  vf_store (t, v);
  memcpy (p, t, n * sizeof *t);
}
#endif

/* Elements [lo, hi), the others zero and not read; lo < hi <= VF_N. */
static inline vf
vf_load_range (const float *p, size_t lo, size_t hi)
{
#if CPU_VEC_BYTES == 64
  return (vf) _mm512_maskz_loadu_ps ((__mmask16) ((1u << hi) - (1u << lo)), p);
#elif CPU_VEC_BYTES == 32
  return (vf) _mm256_maskload_ps (
      p, _mm256_andnot_si256 (vf_tail_mask (lo), vf_tail_mask (hi)));
#else
  float t[VF_N] = { 0 };

  memcpy (t + lo, p + lo, (hi - lo) * sizeof *t);
  return vf_load (t);
#endif
}

/* An integer vector with as many elements. */
static inline vf
vf_load_i8 (const int8_t *p)
{
#if CPU_VEC_BYTES == 64
  return (vf) _mm512_cvtepi32_ps (
      _mm512_cvtepi8_epi32 (_mm_loadu_si128 ((const void *) p)));
#elif CPU_VEC_BYTES == 32
  return (vf) _mm256_cvtepi32_ps (
      _mm256_cvtepi8_epi32 (_mm_loadl_epi64 ((const void *) p)));
#else
  vf v = { p[0], p[1], p[2], p[3] };

  return v;
#endif
}

static inline vf
vf_set (float x)
{
  return x - (vf){ 0 };
}

static inline vi
vi_set (int32_t x)
{
  return x - (vi){ 0 };
}

/* mask (all bits of an element set or none) ? a : b */
static inline vf
vf_select (vi mask, vf a, vf b)
{
  return (vf) (((vi) a & mask) | ((vi) b & ~mask));
}

/* The larger; @b where either is NaN. */
static inline vf
vf_max (vf a, vf b)
{
#if CPU_VEC_BYTES == 64
  return (vf) _mm512_max_ps ((__m512) a, (__m512) b);
#elif CPU_VEC_BYTES == 32
  return (vf) _mm256_max_ps ((__m256) a, (__m256) b);
#else
  return vf_select (a > b, a, b);
#endif
}

static inline vf
vf_min (vf a, vf b)
{
#if CPU_VEC_BYTES == 64
  return (vf) _mm512_min_ps ((__m512) a, (__m512) b);
#elif CPU_VEC_BYTES == 32
  return (vf) _mm256_min_ps ((__m256) a, (__m256) b);
#else
  return vf_select (a < b, a, b);
#endif
}

static inline vf
vf_abs (vf x)
{
  return (vf) ((vi) x & 0x7fffffff);
}

/* |x| with the sign of @sign. */
static inline vf
vf_copysign (vf x, vf sign)
{
  return (vf) (((vi) x & 0x7fffffff) | ((vi) sign & INT32_MIN));
}

/* The sum of all elements, pairwise. */
static inline float
vf_sum (vf v)
{
  float t[VF_N];

  vf_store (t, v);
  for (int half = VF_N / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++)
      t[i] += t[i + half];
  return t[0];
}

/* NaN where any element is. */
static inline float
vf_largest (vf v)
{
  float t[VF_N], m;

  vf_store (t, v);
  m = t[0];
  for (int i = 1; i < VF_N; i++)
    if (!(t[i] <= m))
      m = m != m ? m : t[i];
  return m;
}
