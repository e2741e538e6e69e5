/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FEAT_FP16: eight products in one instruction, two for each of four channels.
 */

#include "cpu/kernels/f16-results-neon.inc"
#include "cpu/kernels/kernels.h"

/* Vectors of 16 channels, and pixels of the largest register tiles of one and
 * two of them. */
#define QUARTERS 4
#define MAX_1 6
#define MAX_2 3
#define MAX_SUMS 24

/* Pairs of products in one f16 sum; sums added up in f16 before conversion to
 * f32. */
#define PAIRS (CPU_F16_BLOCK / 2)
#define BLOCKS CPU_F16_BLOCKS

/* Some vectors of channels of a block. */
typedef struct
{
  const CpuConvTileF16 *t;
  const uint16_t *weights;
  size_t pair; /* elements from a pair of products to the next */
  size_t c;    /* the first channel */
} Part;

/* f16 sums of few products are added up, some of them in f16, which is cheaper
 * than converting each to f32. */
typedef struct
{
  vf wide[2 * MAX_SUMS];
  vh blocks[MAX_SUMS];
  size_t room, used; /* pairs that the current sums can still take; blocks */
  bool mixed;        /* even channels are in the first vector, odd ones in the
                        second */
} Filled;

/* Two inputs, for each channel. */
INLINE vh
load_pair (const uint16_t *p)
{
  uint32_t pair;

  memcpy (&pair, p, sizeof pair);
  return vreinterpretq_f16_u32 (vdupq_n_u32 (pair));
}

/* The last of an odd number of inputs: the element after it is not multiplied,
 * since it may be NaN. */
INLINE vh
load_last (const uint16_t *p)
{
  return vreinterpretq_f16_u32 (vdupq_n_u32 (*p));
}

/* The sums of eight channels in their order, @i of those of a pixel. */
INLINE vh
join (const vh *sums, size_t i, bool mixed)
{
  if (!mixed)
    return vpaddq_f16 (sums[2 * i], sums[2 * i + 1]);
  return vaddq_f16 (vtrn1q_f16 (sums[i], sums[i + QUARTERS]),
      vtrn2q_f16 (sums[i], sums[i + QUARTERS]));
}

INLINE void
add_blocks (const Filled *f, vh *sums, size_t n)
{
#pragma GCC unroll 24
  for (size_t i = 0; i < n; i++)
    sums[i] = vaddq_f16 (sums[i], f->blocks[i]);
}

/* Converts the sums of @np pixels of @nq vectors to f32 and adds them. */
INLINE void
widen (Filled *f, vh *sums, size_t np, size_t nq)
{
  if (f->used > 0)
    add_blocks (f, sums, np * nq);
  f->used = 0;
#pragma GCC unroll 6
  for (size_t p = 0; p < np; p++)
#pragma GCC unroll 4
    for (size_t i = 0; i < nq / 2; i++)
      add_widened (f->wide + p * nq + 2 * i,
          join (sums + p * nq, i, nq == 2 * QUARTERS && f->mixed));
}

INLINE void
make_room (Filled *f, vh *sums, size_t np, size_t nq)
{
  if (f->room > 0)
    return;
  f->room = PAIRS;
  if (f->used + 1 == BLOCKS) {
    widen (f, sums, np, nq);
  } else {
    if (f->used > 0)
      add_blocks (f, sums, np * nq);
#pragma GCC unroll 24
    for (size_t i = 0; i < np * nq; i++)
      f->blocks[i] = sums[i];
    f->used++;
  }
#pragma GCC unroll 24
  for (size_t i = 0; i < np * nq; i++)
    sums[i] = vdupq_n_f16 (0);
}

INLINE void
multiply (vh *sums, const uint16_t *a, size_t step, const uint16_t *w,
    size_t np, size_t nq, bool last)
{
  vh x[MAX_1];

#pragma GCC unroll 6
  for (size_t p = 0; p < np; p++)
    x[p] = last ? load_last (a + p * step) : load_pair (a + p * step);
#pragma GCC unroll 8
  for (size_t q = 0; q < nq; q++) {
    const vh weights = load_halves (w + q * 8);

#pragma GCC unroll 6
    for (size_t p = 0; p < np; p++)
      sums[p * nq + q] = vfmaq_f16 (sums[p * nq + q], weights, x[p]);
  }
}

/* The f32 sums of @np pixels of @nq vectors, constants after inlining. */
INLINE void
tile_sums (const Part *b, const uint16_t *in, size_t np, size_t nq, Filled *f)
{
  const CpuConvTileF16 *t = b->t;
  const uint16_t *w = b->weights;
  vh sums[MAX_SUMS];

#pragma GCC unroll 24
  for (size_t i = 0; i < np * nq; i++) {
    sums[i] = vdupq_n_f16 (0);
    f->wide[i] = vf_set (0);
  }
  for (size_t s = 0; s < t->n_segments; s++) {
    const uint16_t *a = in + t->segments[s];
    size_t left = t->length / 2;

    while (left > 0) {
      make_room (f, sums, np, nq);
      size_t k = left < f->room ? left : f->room;
      left -= k;
      f->room -= k;
      for (; k > 0; k--, a += 2, w += b->pair)
        multiply (sums, a, t->in_step, w, np, nq, false);
    }
    if (t->length % 2 == 1) {
      make_room (f, sums, np, nq);
      multiply (sums, a, t->in_step, w, np, nq, true);
      w += b->pair;
      f->room--;
    }
  }
  widen (f, sums, np, nq);
}

/* Finishes @np pixels from @first on, of @nq vectors. */
static void
finish (const Part *b, size_t first, size_t np, size_t nq, Filled *f)
{
  const CpuConvTileF16 *t = b->t;
  const CpuEpilogue *e = &t->epilogue;
  const size_t rest = t->channels - b->c;
  const size_t n = rest < nq * VF_N ? rest : nq * VF_N,
               nv = (n + VF_N - 1) / VF_N;
  int32x4_t largest = vdupq_n_s32 (0);

  for (size_t p = 0; p < np; p++) {
    const size_t i = first + p, at = i * t->out_step + b->c;
    const CpuSums target = { .epilogue = e,
      .c = b->c,
      .last = n - (nv - 1) * VF_N,
      .out = t->f16.out ? NULL : t->out + at,
      .residual =
          e->residual ? e->residual + i * t->residual_step + b->c : NULL,
      .residual_channels =
          t->residual_channels > b->c ? t->residual_channels - b->c : 0 };

    largest = finish_pixel (&target, &t->f16, t->scales + b->c, t->scale, at,
        f->wide + p * nq, nv, largest);
  }
  finish_largest (&t->f16, largest);
}

INLINE void
tile (const Part *b, size_t first, size_t np, size_t nq)
{
  const CpuConvTileF16 *t = b->t;
  Filled f = { .room = PAIRS, .mixed = t->vectors == 2 };

  tile_sums (b, t->in + first * t->in_step, np, nq, &f);
  finish (b, first, np, nq, &f);
}

#define TILE(np, nv)                                                           \
  static void tile_##np##_##nv (const Part *b, size_t first)                   \
  {                                                                            \
    tile (b, first, np, (nv) *QUARTERS);                                       \
  }

TILE (1, 1)
TILE (2, 1)
TILE (3, 1)
TILE (4, 1)
TILE (5, 1)
TILE (6, 1)
TILE (1, 2)
TILE (2, 2)
TILE (3, 2)

typedef void TileFunc (const Part *b, size_t first);

/* @nv: one or two vectors of 16 channels. */
static void
run_part (const Part *b, size_t nv)
{
  static TileFunc *const tiles_1[MAX_1] = { tile_1_1, tile_2_1, tile_3_1,
    tile_4_1, tile_5_1, tile_6_1 };
  static TileFunc *const tiles_2[MAX_2] = { tile_1_2, tile_2_2, tile_3_2 };
  TileFunc *const *table = nv == 1 ? tiles_1 : tiles_2;
  const size_t pixels = b->t->pixels, max = nv == 1 ? MAX_1 : MAX_2;
  const size_t n = (pixels + max - 1) / max;

  for (size_t i = 0, first = 0, np; i < n; i++, first += np) {
    np = (pixels - first + n - i - 1) / (n - i);
    table[np - 1](b, first);
  }
}

void
CPU_KERNEL (conv_tile_f16) (const CpuConvTileF16 *t)
{
  Part b = {
    .t = t, .weights = t->weights, .pair = t->vectors * 2 * CPU_F16_LANES
  };

  run_part (&b, t->vectors == 1 ? 1 : 2);
  if (t->vectors == 3 && t->channels > 2 * CPU_F16_LANES) {
    b.c = 2 * CPU_F16_LANES;
    b.weights += 4 * CPU_F16_LANES;
    run_part (&b, 1);
  }
}

float
CPU_KERNEL (scale_f16) (uint16_t *dst, const float *src, size_t n, float scale)
{
  int32x4_t largest = vdupq_n_s32 (0);

  for (size_t i = 0; i < n; i += VF_N) {
    const size_t some = n - i < VF_N ? n - i : VF_N;
    const vf v = load_part (src + i, some);

    largest = larger_finite (largest, v);
    store_u16 (dst + i, narrow (v * scale), some);
  }
  return largest_of (largest);
}
