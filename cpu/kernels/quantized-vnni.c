/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums of four products of bytes in one instruction: AVX-512 VNNI, which vector
 * types cannot name. */

#include "cpu/kernels/epilogue-vec.h"

#include <immintrin.h>

#define INLINE static inline __attribute__ ((always_inline))
#define MAX_PIXELS 14

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
  return (__mmask16) ((1u << n) - 1);
}

INLINE vf
from_levels (const CpuQuant *q, const uint8_t *src, __mmask16 mask)
{
  vf v = (vf) _mm512_cvtepi32_ps (
      _mm512_cvtepu8_epi32 (_mm_maskz_loadu_epi8 (mask, src)));

  return v * q->step + q->out_low;
}

void
CPU_KERNEL (quantize_u8) (
    uint8_t *dst, const float *src, size_t n, const CpuQuant *q)
{
  const Levels l = levels_of (q);
  size_t i = 0;

  for (; i + 16 <= n; i += 16)
    _mm_storeu_si128 ((void *) (dst + i),
        _mm512_cvtepi32_epi8 (to_levels (&l, vf_load (src + i))));
  if (i < n)
    _mm512_mask_cvtepi32_storeu_epi8 (dst + i, first_lanes (n - i),
        to_levels (&l, vf_load_tail (src + i, n - i)));
}

void
CPU_KERNEL (dequantize_u8) (
    float *dst, const uint8_t *src, size_t n, const CpuQuant *q)
{
  size_t i = 0;

  for (; i + 16 <= n; i += 16)
    vf_store (dst + i, from_levels (q, src + i, 0xffff));
  if (i < n)
    vf_store_tail (
        dst + i, from_levels (q, src + i, first_lanes (n - i)), n - i);
}

void
CPU_KERNEL (add_u8) (uint8_t *dst, const uint8_t *a, const CpuQuant *qa,
    const uint8_t *b, const CpuQuant *qb, size_t n, const CpuQuant *to)
{
  const Levels l = levels_of (to);

  for (size_t i = 0; i < n; i += 16) {
    __mmask16 mask = n - i < 16 ? first_lanes (n - i) : 0xffff;
    vf sum = from_levels (qa, a + i, mask) + from_levels (qb, b + i, mask);

    _mm512_mask_cvtepi32_storeu_epi8 (dst + i, mask, to_levels (&l, sum));
  }
}

/* --- what becomes of sums ----------------------------------------------------
 */

/* Of one store: read once. */
typedef struct
{
  Levels levels;
  vf lo, hi;
  int simple; /* the activation is to stay between lo and hi */
} End;

INLINE End
begin_end (const CpuQuantEnd *e)
{
  End end = { .lo = vf_set (-INFINITY), .hi = vf_set (INFINITY), .simple = 1 };

  if (e->to)
    end.levels = levels_of (e->to);
  if (e->act.kind == CPU_ACT_RELU) {
    end.lo = vf_set (0);
  } else if (e->act.kind == CPU_ACT_CLAMP) {
    end.lo = vf_set (e->act.alpha);
    end.hi = vf_set (e->act.beta);
  } else {
    end.simple = e->act.kind == CPU_ACT_NONE;
  }
  return end;
}

static __attribute__ ((noinline)) vf
any_act (const CpuAct *act, vf v)
{
  return epilogue_act (act, v, NULL, VF_N);
}

/* Comparisons are such that NaN stays. */
INLINE void
store_end (const CpuQuantEnd *e, const End *end, vf v, void *out, size_t at,
    __mmask16 mask)
{
  if (end->simple) {
    v = vf_select (v < end->lo, end->lo, v);
    v = vf_select (v > end->hi, end->hi, v);
  } else {
    v = any_act (&e->act, v);
  }
  if (e->to)
    _mm512_mask_cvtepi32_storeu_epi8 (
        (uint8_t *) out + at, mask, to_levels (&end->levels, v));
  else
    _mm512_mask_storeu_ps ((float *) out + at, mask, (__m512) v);
}

/* --- tiles -------------------------------------------------------------------
 */

/* The sums of 16 lanes of each of 4 vectors, as float. */
INLINE __m128
four_sums (const __m512i *v)
{
  __m256i a[4];
  __m256i ab, cd, all;

  for (int i = 0; i < 4; i++)
    a[i] = _mm256_add_epi32 (
        _mm512_castsi512_si256 (v[i]), _mm512_extracti64x4_epi64 (v[i], 1));
  ab = _mm256_hadd_epi32 (a[0], a[1]);
  cd = _mm256_hadd_epi32 (a[2], a[3]);
  all = _mm256_hadd_epi32 (ab, cd);
  return _mm_cvtepi32_ps (_mm_add_epi32 (
      _mm256_castsi256_si128 (all), _mm256_extracti128_si256 (all, 1)));
}

INLINE __m512i
sum_pixel (const CpuConvTileU8 *t, const uint8_t *in)
{
  const __m512i ones = _mm512_set1_epi8 (1);
  __m512i sum = _mm512_setzero_si512 ();

  for (size_t s = 0; s < t->n_segments; s++) {
    const uint8_t *a = in + t->segments[s];
    size_t i = 0;

    for (; i + 64 <= t->length; i += 64)
      sum = _mm512_dpbusd_epi32 (sum, _mm512_loadu_si512 (a + i), ones);
    if (i < t->length)
      sum = _mm512_dpbusd_epi32 (sum,
          _mm512_maskz_loadu_epi8 (
              ((__mmask64) 1 << (t->length - i)) - 1, a + i),
          ones);
  }
  return sum;
}

void
CPU_KERNEL (conv_sums_u8) (const CpuConvTileU8 *t, int32_t zeros, float *sums)
{
  for (size_t p = 0; p < t->pixels; p += 4) {
    size_t n = t->pixels - p < 4 ? t->pixels - p : 4;
    __m512i pixel[4] = { { 0 } };
    float four[4];

    for (size_t i = 0; i < n; i++)
      pixel[i] = sum_pixel (t, t->in + (p + i) * t->in_step);
    _mm_storeu_ps (
        four, _mm_sub_ps (four_sums (pixel), _mm_set1_ps ((float) zeros)));
    memcpy (sums + p, four, n * sizeof *sums);
  }
}

INLINE __m512i
four_bytes (const uint8_t *p)
{
  int32_t bytes;

  memcpy (&bytes, p, sizeof bytes);
  return _mm512_set1_epi32 (bytes);
}

/* @np pixels of @nv vectors, both constants where this is inlined. */
INLINE void
tile_sums (const CpuConvTileU8 *t, const uint8_t *in, size_t np, size_t nv,
    __m512i *sum)
{
  const int8_t *w = t->weights;
  size_t step = t->in_step;

#pragma GCC unroll 28
  for (size_t i = 0; i < np * nv; i++)
    sum[i] = _mm512_loadu_si512 (t->end.start + i % nv * CPU_U8_LANES);
  for (size_t s = 0; s < t->n_segments; s++) {
    const uint8_t *a = in + t->segments[s], *end = a + t->length;

    for (; a < end; a += 4, w += nv * 64) {
      __m512i w0 = _mm512_loadu_si512 (w);
      __m512i w1 = nv > 1 ? _mm512_loadu_si512 (w + 64) : w0;

#pragma GCC unroll 14
      for (size_t p = 0; p < np; p++) {
        __m512i x = four_bytes (a + p * step);

        sum[p * nv] = _mm512_dpbusd_epi32 (sum[p * nv], x, w0);
        if (nv > 1)
          sum[p * nv + 1] = _mm512_dpbusd_epi32 (sum[p * nv + 1], x, w1);
      }
    }
  }
}

INLINE void
tile_store (const CpuConvTileU8 *t, size_t first, size_t np, size_t nv,
    const __m512i *sum)
{
  const End end = begin_end (&t->end);

  for (size_t v = 0; v < nv; v++) {
    size_t c = v * CPU_U8_LANES, left = t->channels - c;
    __mmask16 mask = left < 16 ? first_lanes (left) : 0xffff;
    vf scale = vf_load (t->end.scale + c), bias = vf_load (t->end.bias + c);

#pragma GCC unroll 14
    for (size_t p = 0; p < np; p++) {
      vf x = (vf) _mm512_cvtepi32_ps (sum[p * nv + v]);

      if (t->offset)
        x += vf_load (t->offset + c) * t->sums[first + p];
      store_end (&t->end, &end, x * scale + bias, t->out,
          (first + p) * t->out_step + c, mask);
    }
  }
}

INLINE void
tile (const CpuConvTileU8 *t, size_t first, size_t np, size_t nv)
{
  const uint8_t *in = t->in + first * t->in_step;
  __m512i sum[MAX_PIXELS * 2];

  tile_sums (t, in, np, nv, sum);
  tile_store (t, first, np, nv, sum);
}

#define TILE(np, nv)                                                           \
  static void tile_##np##_##nv (const CpuConvTileU8 *t, size_t first)          \
  {                                                                            \
    tile (t, first, np, nv);                                                   \
  }
#define TILES(np) TILE (np, 1) TILE (np, 2)
#define ENTRY(np)                                                              \
  {                                                                            \
    tile_##np##_1, tile_##np##_2                                               \
  }

TILES (1)
TILES (2)
TILES (3)
TILES (4)
TILES (5)
TILES (6)
TILES (7)
TILES (8)
TILES (9)
TILES (10)
TILES (11)
TILES (12)
TILES (13)
TILES (14)

void
CPU_KERNEL (conv_tile_u8) (const CpuConvTileU8 *t)
{
  static void (*const tiles[][2]) (const CpuConvTileU8 *, size_t) = { ENTRY (1),
    ENTRY (2), ENTRY (3), ENTRY (4), ENTRY (5), ENTRY (6), ENTRY (7), ENTRY (8),
    ENTRY (9), ENTRY (10), ENTRY (11), ENTRY (12), ENTRY (13), ENTRY (14) };
  size_t n = (t->pixels + MAX_PIXELS - 1) / MAX_PIXELS, first = 0;

  for (size_t i = 0; i < n; i++) {
    size_t np = (t->pixels - first + n - i - 1) / (n - i);

    tiles[np - 1][t->vectors - 1](t, first);
    first += np;
  }
}

/* --- depthwise ---------------------------------------------------------------
 */

INLINE void
depthwise_pixels (const CpuConvDepthwiseU8 *r, const End *end, size_t first,
    size_t np, size_t c, __mmask16 mask)
{
  const uint8_t *in = r->in + first * r->in_step + c;
  const int32_t *w = r->weights + c;
  __m512i sum[8];
  vf scale = (vf) _mm512_maskz_loadu_ps (mask, r->end.scale + c);
  vf bias = (vf) _mm512_maskz_loadu_ps (mask, r->end.bias + c);

#pragma GCC unroll 8
  for (size_t p = 0; p < np; p++)
    sum[p] = _mm512_maskz_loadu_epi32 (mask, r->end.start + c);
  for (size_t z = 0; z < r->n[0]; z++) {
    for (size_t y = 0; y < r->n[1]; y++) {
      const uint8_t *a = in + z * r->in_stride[0] + y * r->in_stride[1];

      for (size_t x = 0; x < r->n[2]; x++, w += r->channels) {
        __m512i weight = _mm512_maskz_loadu_epi32 (mask, w);

#pragma GCC unroll 8
        for (size_t p = 0; p < np; p++)
          sum[p] = _mm512_dpwssd_epi32 (sum[p],
              _mm512_cvtepu8_epi32 (
                  _mm_maskz_loadu_epi8 (mask, a + p * r->in_step)),
              weight);
        a += r->in_stride[2];
      }
    }
  }
#pragma GCC unroll 8
  for (size_t p = 0; p < np; p++)
    store_end (&r->end, end, (vf) _mm512_cvtepi32_ps (sum[p]) * scale + bias,
        r->out, (first + p) * r->out_step + c, mask);
}

void
CPU_KERNEL (conv_depthwise_u8) (const CpuConvDepthwiseU8 *r)
{
  const End end = begin_end (&r->end);

  for (size_t c = 0; c < r->channels; c += CPU_U8_LANES) {
    size_t left = r->channels - c, p = 0;
    __mmask16 mask = left < 16 ? first_lanes (left) : 0xffff;

    for (; p + 8 <= r->pixels; p += 8)
      depthwise_pixels (r, &end, p, 8, c, mask);
    for (; p + 2 <= r->pixels; p += 2)
      depthwise_pixels (r, &end, p, 2, c, mask);
    if (p < r->pixels)
      depthwise_pixels (r, &end, p, 1, c, mask);
  }
}
