/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AVX512-FP16: 32 products in one instruction, two for each of 16 channels.
 * Vector types cannot express them in all compilers. */

#include "cpu/kernels/f16-gemm-fp16.inc"

/* Pixels of the largest register tiles of one, two and three vectors. */
#define MAX_1 14
#define MAX_2 13
#define MAX_3 8
#define MAX_SUMS 26

/* Pairs of products in one f16 sum; sums added up in f16 before conversion to
 * f32. */
#define PAIRS (CPU_F16_BLOCK / 2)
#define BLOCKS CPU_F16_BLOCKS

/* Two inputs, for each channel. */
INLINE vh
load_pair (const uint16_t *p)
{
  int32_t pair;

  memcpy (&pair, p, sizeof pair);
  return (vh) _mm512_set1_epi32 (pair);
}

/* The last of an odd number of inputs: the element after it is not multiplied,
 * since it may be NaN. */
INLINE vh
load_last (const uint16_t *p)
{
  return (vh) _mm512_set1_epi32 (*p);
}

/* The sums of two vectors, two products per channel, as f32. */
INLINE void
widen_two (vf *to, vh a, vh b)
{
  const __m512i even =
      _mm512_set_epi16 (62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36,
          34, 32, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_or_si512 (even, _mm512_set1_epi16 (1));
  const vh sums = _mm512_add_ph (
      (vh) _mm512_permutex2var_epi16 ((__m512i) a, even, (__m512i) b),
      (vh) _mm512_permutex2var_epi16 ((__m512i) a, odd, (__m512i) b));

  to[0] = (vf) _mm512_cvtph_ps (_mm512_castsi512_si256 ((__m512i) sums));
  to[1] = (vf) _mm512_cvtph_ps (_mm512_extracti64x4_epi64 ((__m512i) sums, 1));
}

/* The same for a block of two vectors, one with the even channels, the other
 * with the odd ones: the sums are in the order of channels. */
INLINE vh
join_two (vh a, vh b)
{
  const __mmask32 odd = 0xaaaaaaaa;
  const __m512i first = (__m512i) a, second = (__m512i) b;

  return _mm512_add_ph (
      (vh) _mm512_mask_blend_epi16 (odd, first, _mm512_rol_epi32 (second, 16)),
      (vh) _mm512_mask_blend_epi16 (odd, _mm512_rol_epi32 (first, 16), second));
}

INLINE void
split (vf *to, vh sums)
{
  to[0] = (vf) _mm512_cvtph_ps (_mm512_castsi512_si256 ((__m512i) sums));
  to[1] = (vf) _mm512_cvtph_ps (_mm512_extracti64x4_epi64 ((__m512i) sums, 1));
}

/* Stores all @n of @sums, @nv vectors per pixel, to @to; @more: adds to it. */
INLINE void
widen (vf *to, const vh *sums, size_t n, size_t nv, bool more)
{
#pragma GCC unroll 13
  for (size_t i = 0; i < n; i += 2) {
    vf two[2];

    if (nv == 2)
      split (two, join_two (sums[i], sums[i + 1]));
    else
      widen_two (two, sums[i], sums[i + 1 < n ? i + 1 : i]);
    to[i] = more ? to[i] + two[0] : two[0];
    if (i + 1 < n)
      to[i + 1] = more ? to[i + 1] + two[1] : two[1];
  }
}

/* f16 sums of few products are added up, some of them in f16, which is cheaper
 * than converting each to f32. */
typedef struct
{
  vf *to;
  vh *blocks;        /* sums of some blocks */
  size_t room, used; /* pairs that the current sums can still take; blocks */
  bool more;         /* `to` holds sums */
  size_t nv;         /* vectors of a block; a constant after inlining */
  bool few;          /* upper bound of blocks; a constant after inlining */
} Filled;

INLINE void
add_blocks (const Filled *f, vh *sums, size_t n)
{
#pragma GCC unroll 26
  for (size_t i = 0; i < n; i++)
    sums[i] = _mm512_add_ph (sums[i], f->blocks[i]);
}

/* Converts the sums to f32. */
INLINE void
fill_end (Filled *f, vh *sums, size_t n)
{
  if (f->used > 0)
    add_blocks (f, sums, n);
  if (f->more)
    widen (f->to, sums, n, f->nv, true);
  else
    widen (f->to, sums, n, f->nv, false);
}

/* Flushes the sums if they can take fewer than @least pairs. */
INLINE void
make_room (Filled *f, size_t least, vh *sums, size_t n)
{
  if (f->room >= least)
    return;
  f->room = PAIRS;
  if (f->few) {
    add_blocks (f, sums, n);
#pragma GCC unroll 26
    for (size_t i = 0; i < n; i++)
      f->blocks[i] = sums[i];
  } else if (f->used + 1 == BLOCKS) {
    fill_end (f, sums, n);
    f->more = true;
    f->used = 0;
  } else {
    if (f->used > 0)
      add_blocks (f, sums, n);
#pragma GCC unroll 26
    for (size_t i = 0; i < n; i++)
      f->blocks[i] = sums[i];
    f->used++;
  }
#pragma GCC unroll 26
  for (size_t i = 0; i < n; i++)
    sums[i] = _mm512_setzero_ph ();
}

INLINE void
multiply (vh *sums, const uint16_t *const *a, size_t step, const vh *weights,
    size_t np, size_t nv, bool last)
{
#pragma GCC unroll 14
  for (size_t p = 0; p < np; p++) {
    const uint16_t *at = a[p / 3] + p % 3 * step;
    vh x = last ? load_last (at) : load_pair (at);

#pragma GCC unroll 3
    for (size_t v = 0; v < nv; v++)
      sums[p * nv + v] = _mm512_fmadd_ph (x, weights[v], sums[p * nv + v]);
  }
}

INLINE void
load_row (vh *weights, const uint16_t *w, size_t nv)
{
#pragma GCC unroll 3
  for (size_t v = 0; v < nv; v++)
    weights[v] = load_weights (w + v * 2 * CPU_F16_LANES);
}

/* The sums of @np pixels × @nv vectors, both constants after inlining; those in
 * @filled are still to be added.  Three pixels share a pointer. */
INLINE void
tile_sums (const CpuConvTileF16 *t, const uint16_t *in, size_t np, size_t nv,
    vh *sums, Filled *filled)
{
  const size_t step = t->in_step, bases = (np + 2) / 3;
  const uint16_t *w = t->weights;
  vh weights[3];

#pragma GCC unroll 26
  for (size_t i = 0; i < np * nv; i++)
    sums[i] = _mm512_setzero_ph ();
  for (size_t s = 0; s < t->n_segments; s++) {
    size_t left = t->length / 2;
    const uint16_t *a[5];

#pragma GCC unroll 5
    for (size_t j = 0; j < bases; j++)
      a[j] = in + t->segments[s] + 3 * j * step;
    while (left > 0) {
      make_room (filled, 1, sums, np * nv);
      size_t k = left < filled->room ? left : filled->room;
      left -= k;
      filled->room -= k;
      do {
        load_row (weights, w, nv);
        multiply (sums, a, step, weights, np, nv, false);
#pragma GCC unroll 5
        for (size_t j = 0; j < bases; j++) {
          a[j] += 2;
          KEEP (a[j]);
        }
        w += nv * 2 * CPU_F16_LANES;
      } while (--k > 0);
    }
    if (t->length % 2 == 1) {
      make_room (filled, 1, sums, np * nv);
      load_row (weights, w, nv);
      multiply (sums, a, step, weights, np, nv, true);
      w += nv * 2 * CPU_F16_LANES;
      filled->room--;
    }
  }
}

INLINE CpuSums
tile_target (const CpuConvTileF16 *t, size_t first, size_t nv)
{
  const CpuEpilogue *e = &t->epilogue;

  return (CpuSums){ .epilogue = e,
    .last = t->channels - (nv - 1) * VF_N,
    .out = t->out + first * t->out_step,
    .step = t->out_step,
    .residual = e->residual ? e->residual + first * t->residual_step : NULL,
    .residual_step = t->residual_step,
    .residual_channels = t->residual_channels };
}

INLINE void
tile (const CpuConvTileF16 *t, size_t first, size_t np, size_t nv)
{
  const CpuSums target = tile_target (t, first, nv);
  vf wide[MAX_SUMS];
  vh sums[MAX_SUMS], blocks[MAX_SUMS];
  Filled filled = { .to = wide, .blocks = blocks, .room = PAIRS, .nv = nv };

#pragma GCC unroll 26
  for (size_t i = 0; i < np * nv; i++) {
    blocks[i] = _mm512_setzero_ph ();
    wide[i] = vf_set (0);
  }
  tile_sums (t, t->in + first * t->in_step, np, nv, sums, &filled);
  fill_end (&filled, sums, np * nv);
  unscale (&target, &t->f16, t->scales, t->scale, wide, np, nv);
  store_results (&target, &t->f16, first * t->out_step, wide, np, nv);
}

/* Products that one sum takes before conversion to f32. */
#define MOST_PAIRS (PAIRS * BLOCKS)

static bool
fits_f16 (const CpuConvTileF16 *t)
{
  const CpuSums target = tile_target (t, 0, 2);

  return t->vectors == 2 && ends_in_f16 (&target, &t->f16)
         && t->n_segments * (cpu_f16_padded (t->length) / 2) <= MOST_PAIRS;
}

/* Two vectors with few products: computed in f16 throughout. */
INLINE void
tile_in_f16 (const CpuConvTileF16 *t, size_t first, size_t np, F16End *end)
{
  vh sums[MAX_SUMS], blocks[MAX_SUMS];
  Filled filled = { .blocks = blocks, .room = PAIRS, .nv = 2, .few = true };

#pragma GCC unroll 26
  for (size_t i = 0; i < np * 2; i++)
    blocks[i] = _mm512_setzero_ph ();
  tile_sums (t, t->in + first * t->in_step, np, 2, sums, &filled);
  add_blocks (&filled, sums, np * 2);
#pragma GCC unroll 13
  for (size_t p = 0; p < np; p++)
    sums[p] = join_two (sums[2 * p], sums[2 * p + 1]);
  f16_end_store (end, t->f16.out + first * t->out_step, t->out_step, sums, np);
}

/* @n pairs for each of @chains sums of every vector. */
INLINE void
multiply_pairs (vh *sums, const uint16_t **in, const uint16_t **w, size_t n,
    size_t nv, size_t chains)
{
  const uint16_t *a = *in, *weights = *w;

  for (; n > 0; n--) {
#pragma GCC unroll 4
    for (size_t j = 0; j < chains; j++) {
      const vh x = load_pair (a + 2 * j);

#pragma GCC unroll 3
      for (size_t v = 0; v < nv; v++)
        sums[j * nv + v] = _mm512_fmadd_ph (x,
            load_weights (weights + (j * nv + v) * 2 * CPU_F16_LANES),
            sums[j * nv + v]);
    }
    a += 2 * chains;
    weights += chains * nv * 2 * CPU_F16_LANES;
  }
  *in = a;
  *w = weights;
}

/* One pixel: four independent sums for each vector. */
INLINE void
single_sums (const CpuConvTileF16 *t, const uint16_t *in, size_t nv, vf *to)
{
  const uint16_t *w = t->weights;
  vh sums[12], blocks[12];
  Filled filled = { .to = to, .blocks = blocks, .room = PAIRS, .nv = nv };

#pragma GCC unroll 12
  for (size_t i = 0; i < 4 * nv; i++)
    sums[i] = blocks[i] = _mm512_setzero_ph ();
  for (size_t s = 0; s < t->n_segments; s++) {
    const uint16_t *a = in + t->segments[s];
    size_t fours = t->length / 8;

    while (fours > 0) {
      make_room (&filled, 1, sums, 4 * nv);
      size_t n = fours < filled.room ? fours : filled.room;
      multiply_pairs (sums, &a, &w, n, nv, 4);
      fours -= n;
      filled.room -= n;
    }
    if (t->length % 8 == 0)
      continue;
    /* Up to four remain for the first sum. */
    make_room (&filled, 4, sums, 4 * nv);
    multiply_pairs (sums, &a, &w, t->length % 8 / 2, nv, 1);
    if (t->length % 2 == 1) {
      const vh x = load_last (a);

#pragma GCC unroll 3
      for (size_t v = 0; v < nv; v++)
        sums[v] = _mm512_fmadd_ph (
            x, load_weights (w + v * 2 * CPU_F16_LANES), sums[v]);
      w += nv * 2 * CPU_F16_LANES;
    }
    filled.room -= (t->length % 8 + 1) / 2;
  }
  fill_end (&filled, sums, 4 * nv);
}

INLINE void
tile_single (const CpuConvTileF16 *t, size_t first, size_t nv)
{
  const CpuSums target = tile_target (t, first, nv);
  vf sums[12];

  single_sums (t, t->in + first * t->in_step, nv, sums);
#pragma GCC unroll 3
  for (size_t v = 0; v < nv; v++)
    sums[v] = (sums[v] + sums[nv + v]) + (sums[2 * nv + v] + sums[3 * nv + v]);
  unscale (&target, &t->f16, t->scales, t->scale, sums, 1, nv);
  store_results (&target, &t->f16, first * t->out_step, sums, 1, nv);
}

#define TILE(np, nv)                                                           \
  static void tile_##np##_##nv (const CpuConvTileF16 *t, size_t first)         \
  {                                                                            \
    tile (t, first, np, nv);                                                   \
  }
#define SINGLE(nv)                                                             \
  static void tile_1_##nv (const CpuConvTileF16 *t, size_t first)              \
  {                                                                            \
    tile_single (t, first, nv);                                                \
  }
#define TILES(np) TILE (np, 1) TILE (np, 2) TILE (np, 3)

SINGLE (1)
SINGLE (2)
SINGLE (3)
TILES (2)
TILES (3)
TILES (4)
TILES (5)
TILES (6)
TILES (7)
TILES (8)
TILE (9, 1)
TILE (10, 1)
TILE (11, 1)
TILE (12, 1)
TILE (13, 1)
TILE (14, 1)
TILE (9, 2)
TILE (10, 2)
TILE (11, 2)
TILE (12, 2)
TILE (13, 2)

#define IN_F16(np)                                                             \
  static void tile_##np##_f16 (                                                \
      const CpuConvTileF16 *t, size_t first, F16End *end)                      \
  {                                                                            \
    tile_in_f16 (t, first, np, end);                                           \
  }

IN_F16 (1)
IN_F16 (2)
IN_F16 (3)
IN_F16 (4)
IN_F16 (5)
IN_F16 (6)
IN_F16 (7)
IN_F16 (8)
IN_F16 (9)
IN_F16 (10)
IN_F16 (11)
IN_F16 (12)
IN_F16 (13)

typedef void TileFunc (const CpuConvTileF16 *t, size_t first);

static TileFunc *const tiles_1[MAX_1] = { tile_1_1, tile_2_1, tile_3_1,
  tile_4_1, tile_5_1, tile_6_1, tile_7_1, tile_8_1, tile_9_1, tile_10_1,
  tile_11_1, tile_12_1, tile_13_1, tile_14_1 };
static TileFunc *const tiles_2[MAX_2] = { tile_1_2, tile_2_2, tile_3_2,
  tile_4_2, tile_5_2, tile_6_2, tile_7_2, tile_8_2, tile_9_2, tile_10_2,
  tile_11_2, tile_12_2, tile_13_2 };
static TileFunc *const tiles_3[MAX_3] = { tile_1_3, tile_2_3, tile_3_3,
  tile_4_3, tile_5_3, tile_6_3, tile_7_3, tile_8_3 };

typedef void F16Func (const CpuConvTileF16 *t, size_t first, F16End *end);

static F16Func *const tiles_f16[MAX_2] = { tile_1_f16, tile_2_f16, tile_3_f16,
  tile_4_f16, tile_5_f16, tile_6_f16, tile_7_f16, tile_8_f16, tile_9_f16,
  tile_10_f16, tile_11_f16, tile_12_f16, tile_13_f16 };

static void
run_in_f16 (const CpuConvTileF16 *t)
{
  const CpuSums target = tile_target (t, 0, 2);
  const size_t n = (t->pixels + MAX_2 - 1) / MAX_2;
  F16End end = f16_end (&target, &t->f16, t->scales, t->scale, 2);

  for (size_t i = 0, first = 0; i < n; i++) {
    const size_t np = (t->pixels - first + n - i - 1) / (n - i);

    tiles_f16[np - 1](t, first, &end);
    first += np;
  }
  f16_end_finish (
      &end, &t->f16, t->f16.out, t->out_step, t->pixels, t->channels);
}

void
CPU_KERNEL (conv_tile_f16) (const CpuConvTileF16 *t)
{
  static TileFunc *const *const tiles[] = { tiles_1, tiles_2, tiles_3 };
  static const size_t most[] = { MAX_1, MAX_2, MAX_3 };
  TileFunc *const *table = tiles[t->vectors - 1];
  /* Nearly equal parts: a small remainder would run at a fraction of the speed.
   */
  size_t max = most[t->vectors - 1], n = (t->pixels + max - 1) / max;
  size_t first = 0;

  if (fits_f16 (t)) {
    run_in_f16 (t);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    size_t np = (t->pixels - first + n - i - 1) / (n - i);

    table[np - 1](t, first);
    first += np;
  }
}

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

/* @scaled is a constant after inlining. */
INLINE __m512i
scale_all (uint16_t *dst, const float *src, size_t n, float scale, bool scaled)
{
  __m512i largest = _mm512_setzero_si512 ();
  size_t i = 0;

  for (; i + VF_N <= n; i += VF_N) {
    const vf v = vf_load (src + i);

    largest = _mm512_max_epi32 (largest, magnitude (v));
    _mm256_storeu_si256 ((void *) (dst + i), narrow (scaled ? v * scale : v));
  }
  if (i < n) {
    const vf v = vf_load_tail (src + i, n - i);

    largest = _mm512_max_epi32 (largest, magnitude (v));
    _mm256_mask_storeu_epi16 (
        dst + i, (__mmask16) ((1u << (n - i)) - 1), narrow (v * scale));
  }
  return largest;
}

float
CPU_KERNEL (scale_f16) (uint16_t *dst, const float *src, size_t n, float scale)
{
  const float largest =
      largest_of (scale == 1 ? scale_all (dst, src, n, 1, false)
                             : scale_all (dst, src, n, scale, true));

  return largest - largest == 0 ? largest : largest_finite (src, n);
}
