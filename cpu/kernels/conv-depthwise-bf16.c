/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AVX512-BF16: rows and, in pairs, weights stored as bf16, sums of f32. */

#include "cpu/kernels/bf16-results.inc"

INLINE vf
load_in_range (const uint16_t *p, size_t lo, size_t hi)
{
  const __m256i bits = _mm256_maskz_loadu_epi16 (
      (__mmask16) ((1u << hi) - (1u << lo)), (const void *) p);

  return (vf) _mm512_slli_epi32 (_mm512_cvtepu16_epi32 (bits), 16);
}

#define DEPTHWISE_ROWS "cpu/kernels/conv-depthwise-pairs.inc"
#include "cpu/kernels/conv-depthwise-bf16.inc"
