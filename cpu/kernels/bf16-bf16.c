/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AVX512-BF16: conversions, and the weights of attention. */

#include "cpu/kernels/f16-results.inc"
#include "cpu/kernels/kernels.h"

/* The largest magnitude of those that are finite. */
static float
largest_finite (const float *src, size_t n)
{
  __m512i largest = _mm512_setzero_si512 ();

  for (size_t i = 0; i < n; i += VF_N) {
    const __m512i bits =
        magnitude (vf_load_tail (src + i, n - i < VF_N ? n - i : VF_N));

    largest = _mm512_mask_max_epi32 (largest,
        _mm512_cmplt_epi32_mask (bits, _mm512_set1_epi32 (0x7f800000)), largest,
        bits);
  }
  return largest_of (largest);
}

float
CPU_KERNEL (f32_to_bf16) (uint16_t *dst, const float *src, size_t n)
{
  __m512i largest = _mm512_setzero_si512 ();
  size_t i = 0;
  float most;

  for (; i + 2 * VF_N <= n; i += 2 * VF_N) {
    const vf a = vf_load (src + i), b = vf_load (src + i + VF_N);

    largest = _mm512_max_epi32 (
        largest, _mm512_max_epi32 (magnitude (a), magnitude (b)));
    _mm512_storeu_si512 ((void *) (dst + i),
        (__m512i) _mm512_cvtne2ps_pbh ((__m512) b, (__m512) a));
  }
  for (; i < n; i += VF_N) {
    const size_t some = n - i < VF_N ? n - i : VF_N;
    const vf v = vf_load_tail (src + i, some);

    largest = _mm512_max_epi32 (largest, magnitude (v));
    _mm256_mask_storeu_epi16 (dst + i, (__mmask16) ((1u << some) - 1),
        (__m256i) _mm512_cvtneps_pbh ((__m512) v));
  }
  most = largest_of (largest);
  return most - most == 0 ? most : largest_finite (src, n);
}

void
CPU_KERNEL (f16_to_bf16) (uint16_t *dst, const uint16_t *src, size_t n)
{
  size_t i = 0;

  for (; i + 2 * VF_N <= n; i += 2 * VF_N)
    _mm512_storeu_si512 ((void *) (dst + i),
        (__m512i) _mm512_cvtne2ps_pbh (_mm512_cvtph_ps (_mm256_loadu_si256 (
                                           (const void *) (src + i + VF_N))),
            _mm512_cvtph_ps (_mm256_loadu_si256 ((const void *) (src + i)))));
  for (; i < n; i += VF_N) {
    const __mmask16 lanes =
        (__mmask16) (n - i < VF_N ? (1u << (n - i)) - 1 : 0xffff);

    _mm256_mask_storeu_epi16 (dst + i, lanes,
        (__m256i) _mm512_cvtneps_pbh (
            _mm512_cvtph_ps (_mm256_maskz_loadu_epi16 (lanes, src + i))));
  }
}

INLINE __m512i
widened (vf v)
{
  return _mm512_cvtepu16_epi32 ((__m256i) _mm512_cvtneps_pbh ((__m512) v));
}

void
CPU_KERNEL (pairs_bf16) (
    uint16_t *dst, const float *a, const float *b, size_t n)
{
  for (size_t i = 0; i < n; i += VF_N) {
    const size_t some = n - i < VF_N ? n - i : VF_N;
    const __mmask16 lanes = (__mmask16) ((1u << some) - 1);
    __m512i pairs = widened (load_part (a + i, some));

    if (b != NULL)
      pairs = _mm512_or_si512 (
          pairs, _mm512_slli_epi32 (widened (load_part (b + i, some)), 16));
    _mm512_mask_storeu_epi32 (dst + 2 * i, lanes, pairs);
  }
}

float
CPU_KERNEL (weights_bf16) (
    uint16_t *dst, const float *scores, size_t n, float scale)
{
  const size_t whole = n / VF_N * VF_N;
  const __mmask16 rest = (__mmask16) ((1u << (n - whole)) - 1);
  const __m512 lowest = _mm512_set1_ps (-INFINITY);
  vf most = (vf) lowest, last, sum = vf_set (0);

  for (size_t i = 0; i < whole; i += VF_N)
    most = vf_max (vf_load (scores + i) * scale, most);
  last = (vf) _mm512_mask_mul_ps (lowest, rest,
      _mm512_maskz_loadu_ps (rest, scores + whole), _mm512_set1_ps (scale));
  most = vf_max (last, most);
  most = vf_set (_mm512_reduce_max_ps ((__m512) most));
  for (size_t i = 0; i < whole; i += VF_N) {
    const vf weight = vf_exp2_fast (vf_load (scores + i) * scale - most);

    sum += weight;
    _mm256_storeu_si256 (
        (void *) (dst + i), (__m256i) _mm512_cvtneps_pbh ((__m512) weight));
  }
  if (rest != 0) {
    const __m512 weight =
        _mm512_maskz_mov_ps (rest, (__m512) vf_exp2_fast (last - most));

    sum += (vf) weight;
    _mm256_mask_storeu_epi16 (
        dst + whole, rest, (__m256i) _mm512_cvtneps_pbh (weight));
  }
  return _mm512_reduce_add_ps ((__m512) sum);
}
