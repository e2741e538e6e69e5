/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FEAT_BF16. */

#include "cpu/kernels/bf16-multiply-neon.inc"
#include "cpu/kernels/bf16-results-neon.inc"

/* Vectors of 16 channels, and pixels of the largest register tile. */
#define QUARTERS 4
#define MAX_PIXELS MAX_ROWS
#define MAX_SUMS 24

/* Some vectors of channels of a block. */
typedef struct
{
  const CpuConvTileF16 *t;
  const uint16_t *weights;
  size_t pair; /* elements from a pair of products to the next */
  size_t c;    /* the first channel */
} Part;

/* Finishes pixel @i, of whose channels @sums are @nv vectors. */
static __attribute__ ((noinline)) int32x4_t
finish (const Part *b, size_t i, vf *sums, size_t n, int32x4_t largest)
{
  const CpuConvTileF16 *t = b->t;
  const CpuEpilogue *e = &t->epilogue;
  const size_t nv = (n + VF_N - 1) / VF_N, at = i * t->out_step + b->c;
  const size_t from = i * t->residual_step + b->c;
  const CpuSums target = { .epilogue = e,
    .c = b->c,
    .last = n - (nv - 1) * VF_N,
    .out = t->f16.out ? NULL : t->out + at,
    .residual = e->residual ? e->residual + from : NULL,
    .residual_bf16 = t->residual_bf16 ? t->residual_bf16 + from : NULL,
    .residual_channels =
        t->residual_channels > b->c ? t->residual_channels - b->c : 0 };
  const float *scales = t->scales + b->c;

  if (!t->f16.bf16)
    return finish_pixel (
        &target, &t->f16, scales, t->scale, at, sums, nv, largest);
  for (size_t v = 0; v < nv; v++)
    sums[v] = sums[v] * (vf_load (scales + v * VF_N) * t->scale)
              + sums_bias (&target, v, nv);
  sums_store_bf16 (&target, t->f16.out + at, sums, 1, nv);
  return largest;
}

/* @np pixels from @first on, of @nq vectors, constants after inlining. */
INLINE void
tile (const Part *b, size_t first, size_t np, size_t nq)
{
  const CpuConvTileF16 *t = b->t;
  const size_t left = t->channels - b->c, most = nq * VF_N;
  const uint16_t *w = b->weights, *in = t->in + first * t->in_step;
  int32x4_t largest = vdupq_n_s32 (0);
  const float start[MAX_PIXELS] = { 0 };
  vf sums[MAX_SUMS], copy[MAX_SUMS];

  begin_rows (sums, start, np, nq);
  for (size_t s = 0; s < t->n_segments; s++) {
    add_rows (
        sums, in + t->segments[s], t->in_step, w, b->pair, t->length, np, nq);
    w += (t->length + 1) / 2 * b->pair;
  }
  /* Only the copy is in memory; else sums begin there. */
  end_rows (copy, sums, np, nq);
  for (size_t p = 0; p < np; p++)
    largest = finish (
        b, first + p, copy + p * nq, left < most ? left : most, largest);
  if (!t->f16.bf16)
    finish_largest (&t->f16, largest);
}

#define TILE(np)                                                               \
  static void tile_##np (const Part *b, size_t first)                          \
  {                                                                            \
    tile (b, first, np, QUARTERS);                                             \
  }

TILE (1)
TILE (2)
TILE (3)
TILE (4)
TILE (5)
TILE (6)

static void
run_part (const Part *b)
{
  static void (*const tiles[MAX_PIXELS]) (const Part *, size_t) = { tile_1,
    tile_2, tile_3, tile_4, tile_5, tile_6 };
  const size_t pixels = b->t->pixels;

  for (size_t first = 0, np; first < pixels; first += np) {
    np = pixels - first < MAX_PIXELS ? pixels - first : MAX_PIXELS;
    tiles[np - 1](b, first);
  }
}

/* One pixel: as many sums as latency needs. */
static void
run_single (const Part *b)
{
  tile (b, 0, 1, 2 * QUARTERS);
}

void
CPU_KERNEL (conv_tile_bf16) (const CpuConvTileF16 *t)
{
  Part b = {
    .t = t, .weights = t->weights, .pair = t->vectors * 2 * CPU_F16_LANES
  };

  while (b.c < t->channels) {
    const bool two =
        t->pixels == 1 && t->vectors * CPU_F16_LANES - b.c >= 2 * CPU_F16_LANES;
    const size_t width = two ? 2 * CPU_F16_LANES : CPU_F16_LANES;

    if (two)
      run_single (&b);
    else
      run_part (&b);
    b.c += width;
    b.weights += 2 * width;
  }
}
