/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-vec.h"

/* Pixels of a tile of one to four vectors: of the largest, and of most of them;
 * four where there are 16 registers.  The sums, the vectors of weights and an
 * input must fit into the registers.  With fewer sums, the results of a tile
 * are stored in the shadow of the next tile's products; with fewer than 8,
 * products wait for each other. */
#if CPU_VEC_BYTES == 64
#define MAX_1 10
#define MAX_2 10
#define MAX_3 9
#define USUAL_1 8
#define USUAL_2 8
#define USUAL_3 6
#define MOST_VECTORS 3
#else
#define MAX_1 8
#define MAX_2 6
#define MAX_3 4
#define MAX_4 3
#define USUAL_1 MAX_1
#define USUAL_2 MAX_2
#define USUAL_3 MAX_3
#define USUAL_4 MAX_4
#define MOST_VECTORS 4
#endif

#define CACHE_LINE 16 /* floats */

/* Elements of a segment of three pixels of three channels, as models of
 * pictures begin with, and of one channel: spectra of sound. */
#define PICTURE 9
#define SOUND 3

size_t
CPU_KERNEL (conv_lanes) (void)
{
  return VF_N;
}

/* Multiplies half of a vector's elements, if the last vector of a block has no
 * more: where 512 bits take both halves of a unit, that takes half the time. */
#if CPU_VEC_BYTES == 64
#define HALF 8

INLINE vf
add_half (vf sum, vf x, vf weights)
{
  const __m256 a = _mm512_castps512_ps256 ((__m512) x);
  const __m256 b = _mm512_castps512_ps256 ((__m512) weights);
  const __m256 c = _mm512_castps512_ps256 ((__m512) sum);

  /* One instruction or two, as whole vectors: channels are computed alike. */
  return (vf) _mm512_castps256_ps512 (c + a * b);
}

INLINE vf
load_half (const float *p)
{
  return (vf) _mm512_castps256_ps512 (_mm256_loadu_ps (p));
}

/* Two of these are read in the time of one whole vector. */
INLINE vf
set_half (float x)
{
  return (vf) _mm512_castps256_ps512 (_mm256_set1_ps (x));
}
#else
#define HALF 0
#define add_half(sum, x, weights) ((sum) + (x) * (weights))
#define load_half(p) vf_load (p)
#define set_half(x) vf_set (x)
#endif

/* Whether vector @v is a half: the last of @nv or none. */
#define IS_HALF(v, nv, half) ((half) && (v) + 1 == (nv))

/* Adds the products of @k elements of @np pixels × @nv vectors, whose weights
 * begin at @w; all sizes are constants after inlining, so that @sum is in
 * registers.  Three pixels share a pointer.  Prefetches a cache line from
 * @ahead on for each element of a pixel.  @k is a multiple of @unroll. */
INLINE void
add_segment (const float *in, size_t step, const float *w, size_t k,
    const float *ahead, size_t np, size_t nv, int half, size_t unroll, vf *sum)
{
  const float *a[4];

  a[0] = in;
#pragma GCC unroll 4
  for (size_t j = 1; j < (np + 2) / 3; j++) {
    a[j] = a[j - 1] + 3 * step;
    KEEP (a[j]);
  }
  do {
#pragma GCC unroll 9
    for (size_t i = 0; i < unroll; i++) {
      vf x, weights[MOST_VECTORS];

      __builtin_prefetch (ahead + i * CACHE_LINE, 0, 2);
#pragma GCC unroll 4
      for (size_t v = 0; v < nv; v++)
        weights[v] = IS_HALF (v, nv, half) ? load_half (w + v * VF_N)
                                           : vf_load (w + v * VF_N);
#pragma GCC unroll 10
      for (size_t p = 0; p < np; p++) {
        const float number = a[p / 3][p % 3 * step];

        x = IS_HALF (0, nv, half) ? set_half (number) : vf_set (number);
#pragma GCC unroll 4
        for (size_t v = 0; v < nv; v++)
          sum[p * nv + v] = IS_HALF (v, nv, half)
                                ? add_half (sum[p * nv + v], x, weights[v])
                                : sum[p * nv + v] + x * weights[v];
      }
      w += nv * VF_N;
#pragma GCC unroll 4
      for (size_t j = 0; j < (np + 2) / 3; j++) {
        a[j]++;
        KEEP (a[j]);
      }
      /* gcc would move them from register to register, and to memory. */
      if (unroll > 1)
#pragma GCC unroll 28
        for (size_t j = 0; j < np * nv; j++)
          KEEP_VECTOR (sum[j]);
    }
    ahead += unroll * CACHE_LINE;
    k -= unroll;
  } while (k > 0);
}

/* The sums of a tile; returns what to prefetch next. */
INLINE const float *
tile_sums (const CpuConvTile *t, const float *in, const float *ahead, size_t np,
    size_t nv, int half, vf *sum)
{
  const float *w = t->weights;

  for (size_t s = 0; s < t->n_segments; s++) {
    add_segment (in + t->segments[s], t->in_step, w, t->length, ahead, np, nv,
        half, 1, sum);
    w += t->weights_step * nv * VF_N;
    ahead += t->length * CACHE_LINE;
    KEEP (t);
  }
  return ahead;
}

INLINE CpuSums
tile_target (const CpuConvTile *t, size_t first, size_t nv)
{
  const CpuEpilogue *e = &t->epilogue;
  size_t at = first * t->out_step;
  CpuSums target = { .epilogue = e,
    .last = t->channels - (nv - 1) * VF_N,
    .out = t->out + at,
    .step = t->out_step,
    .residual = e->residual ? e->residual + first * t->residual_step : NULL,
    .residual_step = t->residual_step,
    .residual_channels = t->residual_channels };

  return target;
}

/* @n tiles side by side; returns what to prefetch next. */
INLINE const float *
any_tiles (const CpuConvTile *t, size_t first, size_t n, const float *ahead,
    size_t np, size_t nv, int half)
{
  do {
    CpuSums target = tile_target (t, first, nv);
    const float *in;
    vf sum[28];

#pragma GCC unroll 4
    for (size_t v = 0; v < nv; v++) {
      sum[v] = sums_bias (&target, v, nv);
#pragma GCC unroll 10
      for (size_t p = 1; p < np; p++)
        sum[p * nv + v] = sum[v];
    }
    /* All is prefetched: prefetches of the tile's own weights cost nothing. */
    if (ahead >= t->ahead + t->n_ahead)
      ahead = t->weights;
    in = t->in + first * t->in_step;
    KEEP (in);
    ahead = tile_sums (t, in, ahead, np, nv, half, sum);
    /* Nothing of the tile stays in registers meanwhile. */
    KEEP (t);
    target = tile_target (t, first, nv);
    sums_finish (&target, sum, np, nv);
    sums_store_parts (&target, sum, np, nv, half);
    first += np;
    KEEP (t);
  } while (--n > 0);
  return ahead;
}

#if CPU_VEC_BYTES == 32
/* The sums of a tile of one segment, or of three of @length elements, which is
 * a constant; returns what to prefetch next.  Loops of few elements end in a
 * branch that processors often do not foresee: up to 15 cycles, and a tile of
 * 27 elements has products of 160. */
INLINE const float *
plain_sums (const CpuConvTile *t, const float *in, const float *ahead,
    size_t np, size_t nv, size_t segments, size_t length, vf *sum)
{
  const size_t n = segments > 1 ? length : t->length;
  const float *w = t->weights;

#pragma GCC unroll 4
  for (size_t s = 0; s < segments; s++) {
    add_segment (in + t->segments[s], t->in_step, w, n, ahead, np, nv, 0,
        segments > 1 ? length : 1, sum);
    w += n * nv * VF_N;
    ahead += n * CACHE_LINE;
  }
  return ahead;
}

/* One of those of `has_plain_act`. */
INLINE void
plain_act (const CpuSums *s, const CpuAct *act, vf *sum, size_t np, size_t nv)
{
  if (act->kind == CPU_ACT_RELU || act->kind == CPU_ACT_CLAMP)
    sums_act_bounds (act, sum, np * nv);
  else if (act->kind == CPU_ACT_PRELU)
    sums_act_slopes (s, act, sum, np, nv);
}

/* The same of tiles that are like most: of what `plain_sums` adds, whole
 * vectors and one activation, after the residual if there is one.  Between
 * tiles of few elements, what `any_tiles` asks for takes a tenth of the time.
 */
INLINE const float *
plain_tiles (const CpuConvTile *t, size_t first, size_t n, const float *ahead,
    size_t np, size_t nv, size_t segments, size_t length)
{
  static const float zeros[MOST_VECTORS * VF_N] = { 0 };
  const CpuEpilogue *e = &t->epilogue;
  const CpuAct *act = e->residual ? &e->last_act : &e->act;
  const float *bias = e->bias ? e->bias : zeros;
  const float *in = t->in + first * t->in_step;
  const size_t in_next = np * t->in_step;
  const size_t out_next = np * t->out_step;
  const size_t residual_next = e->residual ? np * t->residual_step : 0;
  CpuSums target = tile_target (t, first, nv);

  target.last = VF_N;
  target.residual_channels = nv * VF_N;
  do {
    vf sum[12];

#pragma GCC unroll 4
    for (size_t v = 0; v < nv; v++) {
      sum[v] = vf_load (bias + v * VF_N);
#pragma GCC unroll 8
      for (size_t p = 1; p < np; p++)
        sum[p * nv + v] = sum[v];
    }
    if (ahead >= t->ahead + t->n_ahead)
      ahead = t->weights;
    ahead = plain_sums (t, in, ahead, np, nv, segments, length, sum);
    if (target.residual)
      sums_add_residual (&target, sum, np, nv);
    /* Its numbers do not stay in registers. */
    KEEP (act);
    plain_act (&target, act, sum, np, nv);
    sums_store_all (&target, sum, np, nv);
    in += in_next;
    target.out += out_next;
    target.residual += residual_next;
    KEEP (t);
  } while (--n > 0);
  return ahead;
}

INLINE bool
has_plain_act (const CpuConvTile *t, size_t nv)
{
  const CpuEpilogue *e = &t->epilogue;
  const CpuAct *act = e->residual ? &e->last_act : &e->act;

  if (e->residual != NULL
      && (e->act.kind != CPU_ACT_NONE || t->residual_channels < nv * VF_N))
    return false;
  return act->kind == CPU_ACT_NONE || act->kind == CPU_ACT_RELU
         || act->kind == CPU_ACT_CLAMP || act->kind == CPU_ACT_PRELU;
}

INLINE const float *
tiles (const CpuConvTile *t, size_t first, size_t n, const float *ahead,
    size_t np, size_t nv, int half)
{
  if (np * nv >= 8 && t->channels == nv * VF_N && t->epilogue.scale == NULL
      && has_plain_act (t, nv)) {
    const bool three = t->n_segments == 3 && t->weights_step == t->length;

    if (t->n_segments == 1)
      return plain_tiles (t, first, n, ahead, np, nv, 1, 0);
    if (three && t->length == PICTURE)
      return plain_tiles (t, first, n, ahead, np, nv, 3, PICTURE);
    if (three && t->length == SOUND)
      return plain_tiles (t, first, n, ahead, np, nv, 3, SOUND);
  }
  return any_tiles (t, first, n, ahead, np, nv, half);
}
#else
#define tiles any_tiles
#endif

/* Adds the products of an element of @np pixels and of its weights. */
INLINE void
add_element (
    const float *a, size_t step, const float *w, size_t np, size_t nv, vf *sum)
{
#pragma GCC unroll 4
  for (size_t v = 0; v < nv; v++) {
    const vf weights = vf_load (w + v * VF_N);

#pragma GCC unroll 4
    for (size_t p = 0; p < np; p++)
      sum[p * nv + v] += a[p * step] * weights;
  }
}

/* Few pixels: @sets independent sums of each, so that products do not wait for
 * each other. */
INLINE void
tile_few (const CpuConvTile *t, size_t np, size_t nv, size_t sets)
{
  CpuSums target = tile_target (t, 0, nv);
  const float *w = t->weights;
  vf sum[18] = { { 0 } };

  for (size_t s = 0; s < t->n_segments; s++) {
    const float *a = t->in + t->segments[s];
    const float *next = w + t->weights_step * nv * VF_N;
    size_t k = t->length;

    for (; k >= sets; k -= sets, a += sets, w += sets * nv * VF_N)
#pragma GCC unroll 4
      for (size_t j = 0; j < sets; j++)
        add_element (
            a + j, t->in_step, w + j * nv * VF_N, np, nv, &sum[j * np * nv]);
    for (; k > 0; k--, a++, w += nv * VF_N)
      add_element (a, t->in_step, w, np, nv, sum);
    w = next;
  }
#pragma GCC unroll 4
  for (size_t v = 0; v < nv; v++) {
    const vf bias = sums_bias (&target, v, nv);

#pragma GCC unroll 4
    for (size_t p = 0; p < np; p++) {
      vf *first = &sum[p * nv + v];

      *first = sets == 4 ? (first[0] + first[np * nv])
                               + (first[2 * np * nv] + first[3 * np * nv])
                         : first[0] + first[np * nv];
      *first += bias;
    }
  }
  sums_store (&target, sum, np, nv);
}

typedef const float *TilesFunc (
    const CpuConvTile *t, size_t first, size_t n, const float *ahead);

#define TILES(np, nv, half)                                                    \
  static const float *tiles_##np##_##nv##_##half (                             \
      const CpuConvTile *t, size_t first, size_t n, const float *ahead)        \
  {                                                                            \
    return tiles (t, first, n, ahead, np, nv, half);                           \
  }
#define FEW(np, nv, sets)                                                      \
  static void few_##np##_##nv (const CpuConvTile *t)                           \
  {                                                                            \
    tile_few (t, np, nv, sets);                                                \
  }

#define TILES_6(nv, half)                                                      \
  TILES (4, nv, half) TILES (5, nv, half) TILES (6, nv, half)
#define TILES_8(nv, half)                                                      \
  TILES_6 (nv, half) TILES (7, nv, half) TILES (8, nv, half)
#define TILES_9(nv, half) TILES_8 (nv, half) TILES (9, nv, half)
#define TILES_10(nv, half) TILES_9 (nv, half) TILES (10, nv, half)

/* @two, @three: tiles of so many pixels; NULL: parts have more, and `few` is
 * for rows that have no more. */
#define ROW_4(nv, half, two, three) NULL, two, three, tiles_4_##nv##_##half
#define ROW_6(nv, half, three)                                                 \
  ROW_4 (nv, half, NULL, three), tiles_5_##nv##_##half, tiles_6_##nv##_##half
#define ROW_8(nv, half)                                                        \
  ROW_6 (nv, half, NULL), tiles_7_##nv##_##half, tiles_8_##nv##_##half
#define ROW_9(nv, half)                                                        \
  ROW_6 (nv, half, tiles_3_##nv##_##half), tiles_7_##nv##_##half,              \
      tiles_8_##nv##_##half, tiles_9_##nv##_##half
#define ROW_10(nv, half)                                                       \
  ROW_8 (nv, half), tiles_9_##nv##_##half, tiles_10_##nv##_##half

FEW (1, 1, 4)
FEW (2, 1, 4)
FEW (3, 1, 4)
FEW (1, 2, 4)
FEW (2, 2, 2)
FEW (3, 2, 2)
FEW (1, 3, 4)
FEW (2, 3, 2)
#if MOST_VECTORS == 4
FEW (1, 4, 2)
#else
FEW (3, 3, 2) /* sums do not depend on the number of vectors */
#endif

/* By vectors and pixels, less one. */
static void (*const few[MOST_VECTORS][CPU_CONV_FEW]) (const CpuConvTile *) = {
  { few_1_1, few_2_1, few_3_1 },
  { few_1_2, few_2_2, few_3_2 },
#if MOST_VECTORS == 4
  { few_1_3, few_2_3, NULL },
  { few_1_4, NULL, NULL },
#else
  { few_1_3, few_2_3, few_3_3 },
#endif
};

/* By pixels of a tile, less one, and vectors. */
#if CPU_VEC_BYTES == 64
TILES_10 (1, 0)
TILES_10 (1, 1)
TILES_10 (2, 0)
TILES_10 (2, 1)
TILES (3, 3, 0)
TILES (3, 3, 1)
TILES_9 (3, 0)
TILES_9 (3, 1)

static TilesFunc *const table[2][MOST_VECTORS][MAX_1] = {
  { { ROW_10 (1, 0) }, { ROW_10 (2, 0) }, { ROW_9 (3, 0) } },
  { { ROW_10 (1, 1) }, { ROW_10 (2, 1) }, { ROW_9 (3, 1) } },
};
#else
TILES_8 (1, 0)
TILES (3, 2, 0)
TILES_6 (2, 0)
TILES (2, 3, 0)
TILES (3, 3, 0)
TILES (4, 3, 0)
TILES (2, 4, 0)
TILES (3, 4, 0)

static TilesFunc *const table[1][MOST_VECTORS][MAX_1] = {
  { { ROW_8 (1, 0) }, { ROW_6 (2, 0, tiles_3_2_0) },
      { ROW_4 (3, 0, tiles_2_3_0, tiles_3_3_0) },
      { NULL, tiles_2_4_0, tiles_3_4_0 } },
};
#endif

void
CPU_KERNEL (conv_tile_f32) (const CpuConvTile *t)
{
#if MOST_VECTORS == 4
  static const size_t max[] = { MAX_1, MAX_2, MAX_3, MAX_4 };
  static const size_t usual[] = { USUAL_1, USUAL_2, USUAL_3, USUAL_4 };
#else
  static const size_t max[] = { MAX_1, MAX_2, MAX_3 };
  static const size_t usual[] = { USUAL_1, USUAL_2, USUAL_3 };
#endif
  const size_t v = t->vectors - 1;
  TilesFunc *const *row = table[t->channels <= v * VF_N + HALF][v];

  if (t->pixels <= CPU_CONV_FEW && few[v][t->pixels - 1] != NULL) {
    few[v][t->pixels - 1](t);
    return;
  }
  if (t->pixels <= max[v]) {
    row[t->pixels - 1](t, 0, 1, t->ahead);
    return;
  }
  /* Nearly equal parts: a small remainder would run at a fraction of the speed.
   */
  const size_t n = (t->pixels + usual[v] - 1) / usual[v];
  const size_t np = t->pixels / n, larger = t->pixels % n;
  const float *ahead = t->ahead;

  if (larger > 0)
    ahead = row[np](t, 0, larger, ahead);
  row[np - 1](t, larger * (np + 1), n - larger, ahead);
}
