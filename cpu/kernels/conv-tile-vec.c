/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-vec.h"

/* Pixels of the largest register tiles of one, two and three vectors: the sums,
 * the vectors of weights and an input must fit into the registers. */
#if CPU_VEC_BYTES == 64
#define MAX_1 14
#define MAX_2 14
#define MAX_3 9
#else
#define MAX_1 8
#define MAX_2 6
#define MAX_3 4
#endif

#define CACHE_LINE 16 /* floats */

size_t
CPU_KERNEL (conv_lanes) (void)
{
  return VF_N;
}

/* Prefetches a part for each tile: a cache line for each element of a pixel; if
 * nothing is left, a line that is in the cache anyway. */
typedef struct
{
  const float *at;
  size_t step;
} Ahead;

INLINE Ahead
tile_ahead (const CpuConvTile *t, size_t index)
{
  size_t begin = index * t->n_segments * t->length * CACHE_LINE;

  if (begin >= t->n_ahead)
    return (Ahead){ t->weights, 0 };
  return (Ahead){ t->ahead + begin, CACHE_LINE };
}

/* The sums of @np pixels × @nv vectors; both are constants after inlining, so
 * that @sum is in registers.  Three pixels share a pointer. */
INLINE void
tile_sums (const CpuConvTile *t, const float *in, Ahead ahead, size_t np,
    size_t nv, vf *sum)
{
  const size_t step = t->in_step, bases = (np + 2) / 3;
  const float *w = t->weights;

  for (size_t s = 0; s < t->n_segments; s++) {
    const float *a[5];
    size_t k = t->length;

#pragma GCC unroll 5
    for (size_t j = 0; j < bases; j++)
      a[j] = in + t->segments[s] + 3 * j * step;
    do {
      vf x, weights[3];

      __builtin_prefetch (ahead.at, 0, 2);
      ahead.at += ahead.step;
#pragma GCC unroll 3
      for (size_t v = 0; v < nv; v++)
        weights[v] = vf_load (w + v * VF_N);
#pragma GCC unroll 14
      for (size_t p = 0; p < np; p++) {
        x = vf_set (a[p / 3][p % 3 * step]);
#pragma GCC unroll 3
        for (size_t v = 0; v < nv; v++)
          sum[p * nv + v] += x * weights[v];
      }
#pragma GCC unroll 5
      for (size_t j = 0; j < bases; j++) {
        a[j]++;
        KEEP (a[j]);
      }
      w += nv * VF_N;
    } while (--k > 0);
  }
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

INLINE void
tile (const CpuConvTile *t, size_t first, Ahead ahead, size_t np, size_t nv)
{
  CpuSums target = tile_target (t, first, nv);
  vf sum[28];

#pragma GCC unroll 3
  for (size_t v = 0; v < nv; v++) {
    sum[v] = sums_bias (&target, v, nv);
#pragma GCC unroll 14
    for (size_t p = 1; p < np; p++)
      sum[p * nv + v] = sum[v];
  }
  tile_sums (t, t->in + first * t->in_step, ahead, np, nv, sum);
  sums_store (&target, sum, np, nv);
}

/* One pixel: four independent sums for each vector. */
INLINE void
tile_single (const CpuConvTile *t, size_t first, size_t nv)
{
  CpuSums target = tile_target (t, first, nv);
  const float *in = t->in + first * t->in_step, *w = t->weights;
  vf sum[4][3] = { { { 0 } } };

  for (size_t s = 0; s < t->n_segments; s++) {
    const float *a = in + t->segments[s];
    size_t i = 0;

    for (; i + 4 <= t->length; i += 4, w += 4 * nv * VF_N) {
#pragma GCC unroll 4
      for (size_t j = 0; j < 4; j++)
#pragma GCC unroll 3
        for (size_t v = 0; v < nv; v++)
          sum[j][v] += a[i + j] * vf_load (w + (j * nv + v) * VF_N);
    }
    for (; i < t->length; i++, w += nv * VF_N)
#pragma GCC unroll 3
      for (size_t v = 0; v < nv; v++)
        sum[0][v] += a[i] * vf_load (w + v * VF_N);
  }
#pragma GCC unroll 3
  for (size_t v = 0; v < nv; v++)
    sum[0][v] = ((sum[0][v] + sum[1][v]) + (sum[2][v] + sum[3][v]))
                + sums_bias (&target, v, nv);
  sums_store (&target, sum[0], 1, nv);
}

#define TILE(np, nv)                                                           \
  static void tile_##np##_##nv (                                               \
      const CpuConvTile *t, size_t first, Ahead ahead)                         \
  {                                                                            \
    tile (t, first, ahead, np, nv);                                            \
  }
#define SINGLE(nv)                                                             \
  static void tile_1_##nv (const CpuConvTile *t, size_t first, Ahead ahead)    \
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
TILE (5, 1)
TILE (6, 1)
TILE (7, 1)
TILE (8, 1)
TILE (5, 2)
TILE (6, 2)
#if CPU_VEC_BYTES == 64
TILE (9, 1)
TILE (10, 1)
TILE (11, 1)
TILE (12, 1)
TILE (13, 1)
TILE (14, 1)
TILE (7, 2)
TILE (8, 2)
TILE (9, 2)
TILE (10, 2)
TILE (11, 2)
TILE (12, 2)
TILE (13, 2)
TILE (14, 2)
TILE (5, 3)
TILE (6, 3)
TILE (7, 3)
TILE (8, 3)
TILE (9, 3)
#endif

typedef void TileFunc (const CpuConvTile *t, size_t first, Ahead ahead);

static TileFunc *const tiles_1[MAX_1] = { tile_1_1, tile_2_1, tile_3_1,
  tile_4_1, tile_5_1, tile_6_1, tile_7_1, tile_8_1,
#if CPU_VEC_BYTES == 64
  tile_9_1, tile_10_1, tile_11_1, tile_12_1, tile_13_1, tile_14_1
#endif
};
static TileFunc *const tiles_2[MAX_2] = {
  tile_1_2, tile_2_2, tile_3_2, tile_4_2, tile_5_2, tile_6_2,
#if CPU_VEC_BYTES == 64
  tile_7_2, tile_8_2, tile_9_2, tile_10_2, tile_11_2, tile_12_2, tile_13_2,
  tile_14_2
#endif
};
static TileFunc *const tiles_3[MAX_3] = {
  tile_1_3, tile_2_3, tile_3_3, tile_4_3,
#if CPU_VEC_BYTES == 64
  tile_5_3, tile_6_3, tile_7_3, tile_8_3, tile_9_3
#endif
};

void
CPU_KERNEL (conv_tile_f32) (const CpuConvTile *t)
{
  static TileFunc *const *const tiles[] = { tiles_1, tiles_2, tiles_3 };
  static const size_t most[] = { MAX_1, MAX_2, MAX_3 };
  TileFunc *const *table = tiles[t->vectors - 1];
  /* Nearly equal parts: a small remainder would run at a fraction of the speed.
   */
  size_t max = most[t->vectors - 1], n = (t->pixels + max - 1) / max;
  size_t first = 0;

  for (size_t i = 0; i < n; i++) {
    size_t np = (t->pixels - first + n - i - 1) / (n - i);

    table[np - 1](t, first, tile_ahead (t, i));
    first += np;
  }
}
