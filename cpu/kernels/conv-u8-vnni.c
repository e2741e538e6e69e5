/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of quantised u8.  AVX-512 VNNI adds four products of bytes in
 * one instruction, which vector types cannot express. */

#include "cpu/kernels/conv-u8-results.inc"

#define MAX_PIXELS 14
#define MAX_QUAD_PIXELS 8

/* --- tiles --- */

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
  for (size_t y = 0; y < t->rows; y++, sums += t->pixels) {
    const uint8_t *in = t->in + y * t->in_row;

    for (size_t p = 0; p < t->pixels; p += 4) {
      size_t n = t->pixels - p < 4 ? t->pixels - p : 4;
      __m512i pixel[4] = { { 0 } };
      float four[4];

      for (size_t i = 0; i < n; i++)
        pixel[i] = sum_pixel (t, in + (p + i) * t->in_step);
      _mm_storeu_ps (
          four, _mm_sub_ps (four_sums (pixel), _mm_set1_ps ((float) zeros)));
      memcpy (sums + p, four, n * sizeof *sums);
    }
  }
}

/* One block of channels. */
typedef struct
{
  const CpuConvTileU8 *t;
  const End *end;
  const int8_t *weights;
  size_t c;
} Block;

/* @np pixels of @nv vectors; both are constants after inlining. */
INLINE void
tile_sums (
    const Block *b, const uint8_t *in, size_t np, size_t nv, __m512i *sum)
{
  const CpuConvTileU8 *t = b->t;
  const int8_t *w = b->weights;
  size_t step = t->in_step;

#pragma GCC unroll 32
  for (size_t i = 0; i < np * nv; i++)
    sum[i] = _mm512_loadu_si512 (t->end.start + b->c + i % nv * CPU_U8_LANES);
  for (size_t s = 0; s < t->n_segments; s++) {
    const uint8_t *a = in + t->segments[s], *end = a + t->length;

    for (; a < end; a += 4, w += nv * 64) {
      __m512i w0 = _mm512_loadu_si512 (w);
      __m512i w1 = nv > 1 ? _mm512_loadu_si512 (w + 64) : w0;

#pragma GCC unroll 16
      for (size_t p = 0; p < np; p++) {
        __m512i x = four_bytes (a + p * step);

        add_products (&sum[p * nv], x, w0);
        if (nv > 1)
          add_products (&sum[p * nv + 1], x, w1);
      }
    }
  }
}

/* Some pixels of a row and their output. */
typedef struct
{
  const uint8_t *in;
  const float *sums;
  char *out;
} Place;

INLINE void
tile (const Block *b, const Place *at, size_t np, size_t nv)
{
  const CpuConvTileU8 *t = b->t;
  __m512i sum[MAX_PIXELS * 2];

  tile_sums (b, at->in, np, nv, sum);
#pragma GCC unroll 2
  for (size_t v = 0; v < nv; v++) {
    size_t c = b->c + v * CPU_U8_LANES;

    store_pixels (b->end, sum + v, nv, np, c, first_lanes (t->channels - c),
        t->offset, at->sums, at->out, t->out_step);
  }
}

#define TILE(np, nv)                                                           \
  static void tile_##np##_##nv (const Block *b, const Place *at)               \
  {                                                                            \
    tile (b, at, np, nv);                                                      \
  }
#define TILES(np) TILE (np, 1) TILE (np, 2)
#define ENTRIES(nv)                                                            \
  tile_1_##nv, tile_2_##nv, tile_3_##nv, tile_4_##nv, tile_5_##nv,             \
      tile_6_##nv, tile_7_##nv, tile_8_##nv, tile_9_##nv, tile_10_##nv,        \
      tile_11_##nv, tile_12_##nv, tile_13_##nv, tile_14_##nv

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

/* @nv: vectors of the block. */
static void
run_block (const Block *b, size_t nv)
{
  static void (*const tiles[][MAX_PIXELS]) (
      const Block *, const Place *) = { { ENTRIES (1) }, { ENTRIES (2) } };
  const CpuConvTileU8 *t = b->t;
  const size_t size = t->end.to ? 1 : sizeof (float);
  const size_t n = (t->pixels + MAX_PIXELS - 1) / MAX_PIXELS;

  for (size_t y = 0; y < t->rows; y++) {
    Place at = { t->in + y * t->in_row,
      t->offset ? t->sums + y * t->pixels : NULL,
      (char *) t->out + y * t->out_row * size };

    for (size_t i = 0, left = t->pixels, np; i < n; i++, left -= np) {
      np = (left + n - i - 1) / (n - i);
      tiles[nv - 1][np - 1](b, &at);
      at.in += np * t->in_step;
      at.sums = at.sums ? at.sums + np : NULL;
      at.out += np * t->out_step * size;
    }
  }
}

void
CPU_KERNEL (conv_tile_u8) (const CpuConvTileU8 *t)
{
  const size_t depth = t->n_segments * ((t->length + 3) / 4) * 4;
  const End end = begin_end (&t->end);

  for (size_t c = 0; c < t->channels; c += CPU_U8_BLOCK) {
    const Block b = { t, &end, t->weights + c * depth, c };

    run_block (&b, t->channels - c > CPU_U8_LANES ? 2 : 1);
  }
}

/* --- each channel by itself --- */

INLINE void
quads (
    const CpuConvQuadsU8 *r, const End *end, size_t first, size_t np, size_t c)
{
  const size_t size = r->end.to ? 1 : sizeof (float);
  const int8_t *w = r->weights + c * r->n_terms * 4;
  const uint8_t *in = r->in + first * r->in_step + c * 4;
  __m512i sum[MAX_QUAD_PIXELS];

#pragma GCC unroll 8
  for (size_t p = 0; p < np; p++)
    sum[p] = _mm512_loadu_si512 (r->end.start + c);
  for (size_t t = 0; t < r->n_terms; t++, w += 64) {
    const uint8_t *a = in + r->terms[t];
    const __m512i weight = _mm512_loadu_si512 (w);

#pragma GCC unroll 8
    for (size_t p = 0; p < np; p++)
      add_products (&sum[p], _mm512_loadu_si512 (a + p * r->in_step), weight);
  }
  store_pixels (end, sum, 1, np, c, first_lanes (r->channels - c), NULL, NULL,
      (char *) r->out + first * r->out_step * size, r->out_step);
}

#define QUADS(np)                                                              \
  static void quads_##np (                                                     \
      const CpuConvQuadsU8 *r, const End *end, size_t first, size_t c)         \
  {                                                                            \
    quads (r, end, first, np, c);                                              \
  }

QUADS (1)
QUADS (2)
QUADS (3)
QUADS (4)
QUADS (5)
QUADS (6)
QUADS (7)
QUADS (8)

void
CPU_KERNEL (conv_quads_u8) (const CpuConvQuadsU8 *r)
{
  static void (*const some[]) (
      const CpuConvQuadsU8 *, const End *, size_t, size_t) = { quads_1, quads_2,
    quads_3, quads_4, quads_5, quads_6, quads_7, quads_8 };
  const size_t n = (r->pixels + MAX_QUAD_PIXELS - 1) / MAX_QUAD_PIXELS;
  const End end = begin_end (&r->end);

  for (size_t i = 0, first = 0, np; i < n; i++, first += np) {
    np = (r->pixels - first + n - i - 1) / (n - i);
    for (size_t c = 0; c < r->channels; c += CPU_U8_LANES)
      some[np - 1](r, &end, first, c);
  }
}
