/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of quantised u8.  VNNI adds four products of bytes in one
 * instruction, which vector types cannot express. */

#include "cpu/kernels/conv-u8-results.inc"

#define MAX_QUAD_PIXELS 8

/* Sums of a tile, and vectors of a block of channels. */
#define MAX_SUMS (CPU_VEC_BYTES == 64 ? 28 : 12)
#define MAX_VECTORS (CPU_U8_BLOCK / VF_N)

/* --- tiles --- */

/* @one: a segment of at most a vector. */
INLINE vi
sum_pixel (const CpuConvTileU8 *t, const uint8_t *in, bool one)
{
  vi sum = vi_set (0);

  if (one)
    return octet_sums (load_bytes (in + t->segments[0], t->length));
  for (size_t s = 0; s < t->n_segments; s++) {
    const uint8_t *a = in + t->segments[s];
    size_t i = 0;

    for (; i + CPU_VEC_BYTES <= t->length; i += CPU_VEC_BYTES)
      sum += octet_sums (vi_load (a + i));
    if (i < t->length)
      sum += octet_sums (load_bytes (a + i, t->length - i));
  }
  return sum;
}

/* Sums of eight bytes are below 2^31 together, so that lanes of 32 bits can be
 * added. */
INLINE void
sum_row (const CpuConvTileU8 *t, const uint8_t *in, int32_t zeros, float *sums,
    bool one)
{
  const __m256 less = _mm256_set1_ps ((float) zeros);
  vi pixel[8] = { { 0 } };
  size_t p = 0;

  for (; p + 8 <= t->pixels; p += 8) {
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++)
      pixel[i] = sum_pixel (t, in + (p + i) * t->in_step, one);
    _mm256_storeu_ps (sums + p, _mm256_sub_ps (eight_sums (pixel), less));
  }
  if (p < t->pixels) {
    const size_t n = t->pixels - p;
    float eight[8];

    for (size_t i = 0; i < n; i++)
      pixel[i] = sum_pixel (t, in + (p + i) * t->in_step, one);
    _mm256_storeu_ps (eight, _mm256_sub_ps (eight_sums (pixel), less));
    memcpy (sums + p, eight, n * sizeof *sums);
  }
}

void
CPU_KERNEL (conv_sums_u8) (const CpuConvTileU8 *t, int32_t zeros, float *sums)
{
  const bool one = t->n_segments == 1 && t->length <= CPU_VEC_BYTES;

  for (size_t y = 0; y < t->rows; y++) {
    const uint8_t *in = t->in + y * t->in_row;

    if (one)
      sum_row (t, in, zeros, sums + y * t->pixels, true);
    else
      sum_row (t, in, zeros, sums + y * t->pixels, false);
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

/* Four products of each sum; the fewer of inputs and weights stay in
 * registers. */
INLINE void
add_quads (vi *sum, const uint8_t *a, size_t step, const int8_t *w, size_t np,
    size_t nv)
{
  if (nv <= np) {
    vi weights[MAX_VECTORS];

#pragma GCC unroll 4
    for (size_t v = 0; v < nv; v++)
      weights[v] = vi_load (w + v * CPU_VEC_BYTES);
#pragma GCC unroll 16
    for (size_t p = 0; p < np; p++) {
      const vi x = four_bytes (a + p * step);

#pragma GCC unroll 4
      for (size_t v = 0; v < nv; v++)
        add_products (&sum[p * nv + v], x, weights[v]);
    }
  } else {
    vi x[MAX_VECTORS];

#pragma GCC unroll 4
    for (size_t p = 0; p < np; p++)
      x[p] = four_bytes (a + p * step);
#pragma GCC unroll 4
    for (size_t v = 0; v < nv; v++) {
      const vi weights = vi_load (w + v * CPU_VEC_BYTES);

#pragma GCC unroll 4
      for (size_t p = 0; p < np; p++)
        add_products (&sum[p * nv + v], x[p], weights);
    }
  }
}

/* @np pixels of @nv vectors; both are constants after inlining. */
INLINE void
tile_sums (const Block *b, const uint8_t *in, size_t np, size_t nv, vi *sum)
{
  const CpuConvTileU8 *t = b->t;
  const size_t lanes = nv > PANEL_VECTORS ? CPU_U8_BLOCK : CPU_U8_LANES;
  const int8_t *w = b->weights;

#pragma GCC unroll 32
  for (size_t i = 0; i < np * nv; i++)
    sum[i] = vi_load (t->end.start + b->c + i % nv * VF_N);
  for (size_t s = 0; s < t->n_segments; s++) {
    const uint8_t *a = in + t->segments[s], *end = a + t->length;

    for (; a < end; a += 4, w += lanes * 4)
      add_quads (sum, a, t->in_step, w, np, nv);
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
  vi sum[MAX_SUMS];

  tile_sums (b, at->in, np, nv, sum);
#pragma GCC unroll 4
  for (size_t v = 0; v < nv; v++) {
    size_t c = b->c + v * VF_N;

    store_pixels (b->end, sum + v, nv, np, c, first_lanes (t->channels - c),
        t->offset, at->sums, at->out, t->out_step);
  }
}

typedef void TileFunc (const Block *b, const Place *at);

#define TILE(np, nv)                                                           \
  static void tile_##np##_##nv (const Block *b, const Place *at)               \
  {                                                                            \
    tile (b, at, np, nv);                                                      \
  }
#define ENTRY(np, nv) tile_##np##_##nv,
#define UP_TO_3(X, nv) X (1, nv) X (2, nv) X (3, nv)
#define UP_TO_4(X, nv) UP_TO_3 (X, nv) X (4, nv)
#define UP_TO_6(X, nv) UP_TO_4 (X, nv) X (5, nv) X (6, nv)
#define UP_TO_12(X, nv)                                                        \
  UP_TO_6 (X, nv)                                                              \
  X (7, nv) X (8, nv) X (9, nv) X (10, nv) X (11, nv) X (12, nv)
#define UP_TO_14(X, nv) UP_TO_12 (X, nv) X (13, nv) X (14, nv)

/* Tiles of one, two, … vectors. */
#if CPU_VEC_BYTES == 64
UP_TO_14 (TILE, 1)
UP_TO_14 (TILE, 2)
static TileFunc *const tiles_1[] = { UP_TO_14 (ENTRY, 1) };
static TileFunc *const tiles_2[] = { UP_TO_14 (ENTRY, 2) };
static TileFunc *const *const tiles[] = { tiles_1, tiles_2 };
static const size_t max_pixels[] = { 14, 14 };
#else
UP_TO_12 (TILE, 1)
UP_TO_6 (TILE, 2)
UP_TO_4 (TILE, 3)
UP_TO_3 (TILE, 4)
static TileFunc *const tiles_1[] = { UP_TO_12 (ENTRY, 1) };
static TileFunc *const tiles_2[] = { UP_TO_6 (ENTRY, 2) };
static TileFunc *const tiles_3[] = { UP_TO_4 (ENTRY, 3) };
static TileFunc *const tiles_4[] = { UP_TO_3 (ENTRY, 4) };
static TileFunc *const *const tiles[] = { tiles_1, tiles_2, tiles_3, tiles_4 };
static const size_t max_pixels[] = { 12, 6, 4, 3 };
#endif

/* @nv: vectors of the block. */
static void
run_block (const Block *b, size_t nv)
{
  const CpuConvTileU8 *t = b->t;
  const size_t size = t->end.to ? 1 : sizeof (float);
  const size_t most = max_pixels[nv - 1];
  const size_t n = (t->pixels + most - 1) / most;

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
    const size_t left = t->channels - c;

    run_block (
        &b, left < CPU_U8_BLOCK ? (left + VF_N - 1) / VF_N : MAX_VECTORS);
  }
}

/* --- each channel by itself --- */

INLINE void
quads (
    const CpuConvQuadsU8 *r, const End *end, size_t first, size_t np, size_t c)
{
  const size_t size = r->end.to ? 1 : sizeof (float);
  const size_t lane = c % CPU_U8_LANES;
  const int8_t *w = r->weights + ((c - lane) * r->n_terms + lane) * 4;
  const uint8_t *in = r->in + first * r->in_step + c * 4;
  vi sum[MAX_QUAD_PIXELS];

#pragma GCC unroll 8
  for (size_t p = 0; p < np; p++)
    sum[p] = vi_load (r->end.start + c);
  for (size_t t = 0; t < r->n_terms; t++, w += CPU_U8_LANES * 4) {
    const uint8_t *a = in + r->terms[t];
    const vi weight = vi_load (w);

#pragma GCC unroll 8
    for (size_t p = 0; p < np; p++)
      add_products (&sum[p], vi_load (a + p * r->in_step), weight);
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
    for (size_t c = 0; c < r->channels; c += VF_N)
      some[np - 1](r, &end, first, c);
  }
}
