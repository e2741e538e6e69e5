/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of quantised u8: each instruction adds four products of bytes
 * for each of four channels. */

#include "cpu/kernels/conv-u8-vec.h"
#include "cpu/kernels/quantized-neon.inc"

/* Pixels of the largest register tiles. */
#define MAX_PIXELS 6
#define MAX_QUAD_PIXELS 4

/* Bytes of four products of a vector's channels. */
#define QUAD (CPU_U8_LANES * 4)

/* --- results --- */

/* NaN passes the minimum and becomes 0, then the lowest level. */
INLINE int32x4_t
plain_levels (const End *end, vf v)
{
  return vmaxq_s32 (
      vcvtnq_s32_f32 (vminq_f32 ((float32x4_t) v, (float32x4_t) end->high)),
      (int32x4_t) end->low);
}

/* Where results of some pixels go. */
typedef struct
{
  const float *offset,
      *sums; /* as in CpuConvTileU8; @sums of the first pixel */
  size_t c, channels;
  void *out; /* of the first pixel */
  size_t step;
} Target;

/* Of the @np pixels whose sums are @sum. */
static void
store_pixels (const End *end, const Target *to, const int32x4_t *sum, size_t np)
{
  const CpuQuantEnd *e = end->e;
  const size_t c = to->c, left = to->channels - c;
  const size_t n = left < CPU_U8_LANES ? left : CPU_U8_LANES;
  vf scale[QUARTERS], bias[QUARTERS];

#pragma GCC unroll 4
  for (size_t q = 0; q < QUARTERS; q++) {
    scale[q] = vf_load (e->scale + c + q * VF_N);
    bias[q] = vf_load (e->bias + c + q * VF_N);
  }
  for (size_t p = 0; p < np; p++, sum += QUARTERS) {
    int32x4_t levels[QUARTERS];
    vf v[QUARTERS];

#pragma GCC unroll 4
    for (size_t q = 0; q < QUARTERS; q++) {
      v[q] = (vf) vcvtq_f32_s32 (sum[q]);
      if (to->offset)
        v[q] += vf_load (to->offset + c + q * VF_N) * to->sums[p];
      v[q] = v[q] * scale[q] + bias[q];
      if (!e->plain)
        v[q] = end_act (end, v[q]);
      levels[q] =
          e->plain ? plain_levels (end, v[q]) : to_levels (&end->levels, v[q]);
    }
    if (e->to == NULL) {
      store_some ((float *) to->out + p * to->step + c, v, n);
    } else if (n == CPU_U8_LANES) {
      vst1q_u8 ((uint8_t *) to->out + p * to->step + c, pack_bytes (levels));
    } else {
      uint8_t bytes[CPU_U8_LANES];

      vst1q_u8 (bytes, pack_bytes (levels));
      memcpy ((uint8_t *) to->out + p * to->step + c, bytes, n);
    }
  }
}

/* Initial sums of 16 channels, including what operands without mixed dot
 * products lack: of weights @w, @n groups, @step bytes apart. */
static void
begin_sums (int32x4_t *sum, const int32_t *start, const int8_t *w, size_t n,
    size_t step)
{
  int32x4_t lack[QUARTERS];

#pragma GCC unroll 4
  for (size_t q = 0; q < QUARTERS; q++)
    lack[q] = vdupq_n_s32 (0);
  for (; n > 0 && !HAS_MIXED_DOTS; n--, w += step)
#pragma GCC unroll 4
    for (size_t q = 0; q < QUARTERS; q++)
      lack[q] = vdotq_s32 (lack[q], vld1q_s8 (w + q * 16), vdupq_n_s8 (-128));
#pragma GCC unroll 4
  for (size_t q = 0; q < QUARTERS; q++)
    sum[q] = vsubq_s32 (vld1q_s32 (start + q * 4), lack[q]);
}

/* --- sums of inputs --- */

static uint32_t
sum_pixel (const CpuConvTileU8 *t, const uint8_t *in)
{
  const uint8x16_t ones = vdupq_n_u8 (1);
  uint32x4_t sum = vdupq_n_u32 (0);
  uint32_t rest = 0;

  for (size_t s = 0; s < t->n_segments; s++) {
    const uint8_t *a = in + t->segments[s];
    size_t i = 0;

    for (; i + 16 <= t->length; i += 16)
      sum = vdotq_u32 (sum, vld1q_u8 (a + i), ones);
    for (; i < t->length; i++)
      rest += a[i];
  }
  return vaddvq_u32 (sum) + rest;
}

void
CPU_KERNEL (conv_sums_u8) (const CpuConvTileU8 *t, int32_t zeros, float *sums)
{
  for (size_t y = 0; y < t->rows; y++)
    for (size_t p = 0; p < t->pixels; p++)
      *sums++ = (float) sum_pixel (t, t->in + y * t->in_row + p * t->in_step)
                - (float) zeros;
}

/* --- tiles --- */

/* A vector of channels. */
typedef struct
{
  const CpuConvTileU8 *t;
  const End *end;
  const int8_t *weights;
  size_t quad; /* bytes from a group of four products to the next */
  size_t c;
  int32x4_t start[QUARTERS];
} Block;

/* Quad @i of each input times a group of weights. */
INLINE void
add_quad (
    int32x4_t *sum, const int8_t *w, const Unsigned *x, size_t np, size_t i)
{
#pragma GCC unroll 4
  for (size_t q = 0; q < QUARTERS; q++) {
    const int8x16_t weights = vld1q_s8 (w + q * 16);

#pragma GCC unroll 6
    for (size_t p = 0; p < np; p++)
      sum[p * QUARTERS + q] =
          dot_unsigned_quad (sum[p * QUARTERS + q], weights, x[p], i);
  }
}

/* Adds the products of a segment of @n inputs of @np pixels, a constant after
 * inlining. */
INLINE void
dot_pixels (int32x4_t *sum, const uint8_t *a, size_t step, const int8_t *w,
    size_t quad, size_t n, size_t np)
{
  Unsigned x[MAX_PIXELS];
  size_t i = 0;

  for (; i + 16 <= n; i += 16, w += 4 * quad) {
#pragma GCC unroll 6
    for (size_t p = 0; p < np; p++)
      x[p] = operand (vld1q_u8 (a + p * step + i));
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; j++)
      add_quad (sum, w + j * quad, x, np, j);
  }
  for (; i < n; i += 4, w += quad) {
#pragma GCC unroll 6
    for (size_t p = 0; p < np; p++)
      x[p] = operand (four_bytes (a + p * step + i));
    add_quad (sum, w, x, np, 0);
  }
}

#if HAS_MIXED_DOTS
#include "cpu/kernels/conv-u8-i8mm.inc"
#else
#include "cpu/kernels/conv-u8-dotprod.inc"
#endif

/* @np pixels, a constant after inlining. */
INLINE void
tile (const Block *b, const uint8_t *in, const Target *to, size_t np)
{
  const CpuConvTileU8 *t = b->t;
  const size_t groups = (t->length + 3) / 4;
  const int8_t *w = b->weights;
  int32x4_t pairs[MAX_PIXELS * QUARTERS], sum[MAX_PIXELS * QUARTERS];

  begin_pixels (pairs, b->start, np);
  for (size_t s = 0; s < t->n_segments; s++, w += groups * b->quad)
    add_pixels (
        pairs, in + t->segments[s], t->in_step, w, b->quad, t->length, np);
  end_pixels (sum, pairs, np);
  store_pixels (b->end, to, sum, np);
}

#define TILE(np)                                                               \
  static void tile_##np (const Block *b, const uint8_t *in, const Target *to)  \
  {                                                                            \
    tile (b, in, to, np);                                                      \
  }

TILE (1)
TILE (2)
TILE (3)
TILE (4)
TILE (5)
TILE (6)

static void
run_block (const Block *b)
{
  static void (*const tiles[]) (const Block *, const uint8_t *,
      const Target *) = { tile_1, tile_2, tile_3, tile_4, tile_5, tile_6 };
  const CpuConvTileU8 *t = b->t;
  const size_t size = t->end.to ? 1 : sizeof (float);
  const size_t n = (t->pixels + MAX_PIXELS - 1) / MAX_PIXELS;

  for (size_t y = 0; y < t->rows; y++) {
    const uint8_t *in = t->in + y * t->in_row;
    Target to = { .offset = t->offset,
      .sums = t->offset ? t->sums + y * t->pixels : NULL,
      .c = b->c,
      .channels = t->channels,
      .out = (char *) t->out + y * t->out_row * size,
      .step = t->out_step };

    for (size_t i = 0, left = t->pixels, np; i < n; i++, left -= np) {
      np = (left + n - i - 1) / (n - i);
      tiles[np - 1](b, in, &to);
      in += np * t->in_step;
      to.sums = to.sums ? to.sums + np : NULL;
      to.out = (char *) to.out + np * t->out_step * size;
    }
  }
}

void
CPU_KERNEL (conv_tile_u8) (const CpuConvTileU8 *t)
{
  const size_t groups = t->n_segments * ((t->length + 3) / 4);
  const End end = begin_end (&t->end);

  for (size_t c = 0; c < t->channels; c += CPU_U8_LANES) {
    const size_t first = c / CPU_U8_BLOCK * CPU_U8_BLOCK;
    Block b = { .t = t,
      .end = &end,
      .weights = t->weights + first * groups * 4 + (c - first) * 4,
      .quad = t->channels - first > CPU_U8_LANES ? 2 * QUAD : QUAD,
      .c = c };

    begin_sums (b.start, t->end.start + c, b.weights, groups, b.quad);
    run_block (&b);
  }
}

/* --- each channel by itself --- */

/* @np pixels from @first on, a constant after inlining; @start: their initial
 * sums. */
INLINE void
quads (const CpuConvQuadsU8 *r, const End *end, const int32x4_t *start,
    size_t first, size_t np, size_t c)
{
  const size_t size = r->end.to ? 1 : sizeof (float);
  const int8_t *w = r->weights + c * r->n_terms * 4;
  const uint8_t *in = r->in + first * r->in_step + c * 4;
  const Target to = { .c = c,
    .channels = r->channels,
    .out = (char *) r->out + first * r->out_step * size,
    .step = r->out_step };
  int32x4_t sum[MAX_QUAD_PIXELS * QUARTERS];

#pragma GCC unroll 16
  for (size_t i = 0; i < np * QUARTERS; i++)
    sum[i] = start[i % QUARTERS];
  for (size_t t = 0; t < r->n_terms; t++, w += QUAD) {
    const uint8_t *a = in + r->terms[t];

#pragma GCC unroll 4
    for (size_t q = 0; q < QUARTERS; q++) {
      const int8x16_t weights = vld1q_s8 (w + q * 16);

#pragma GCC unroll 4
      for (size_t p = 0; p < np; p++)
        sum[p * QUARTERS + q] = dot (sum[p * QUARTERS + q],
            operand (vld1q_u8 (a + p * r->in_step + q * 16)), weights);
    }
  }
  store_pixels (end, &to, sum, np);
}

void
CPU_KERNEL (conv_quads_u8) (const CpuConvQuadsU8 *r)
{
  const End end = begin_end (&r->end);

  for (size_t c = 0; c < r->channels; c += CPU_U8_LANES) {
    int32x4_t start[QUARTERS];
    size_t first = 0;

    begin_sums (start, r->end.start + c, r->weights + c * r->n_terms * 4,
        r->n_terms, QUAD);
    for (; first + 4 <= r->pixels; first += 4)
      quads (r, &end, start, first, 4, c);
    if (first + 2 <= r->pixels) {
      quads (r, &end, start, first, 2, c);
      first += 2;
    }
    if (first < r->pixels)
      quads (r, &end, start, first, 1, c);
  }
}
