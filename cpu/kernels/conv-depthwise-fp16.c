/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AVX512-FP16: 32 channels at a time. */

#include "cpu/kernels/f16-gemm-fp16.inc"

#define LANES 32
#define MAX_PIXELS 8

/* Some pixels of a row, a vector of channels. */
typedef struct
{
  const CpuConvDepthwiseF16 *row;
  size_t first, c, n; /* n: number of channels */
  __mmask32 lanes;    /* the channels as a mask */
  bool in_f16;        /* sums and epilogue in f16 */
  F16End end;
} Block;

INLINE CpuSums
target_of (const CpuConvDepthwiseF16 *r, size_t first, size_t c, size_t n)
{
  const size_t at = r->f16.out ? 0 : first * r->out_step + c;

  return (CpuSums){ .epilogue = &r->epilogue,
    .c = c,
    .last = n > VF_N ? n - VF_N : n,
    .out = r->out + at,
    .step = r->out_step };
}

/* @nv vectors of floats of @np pixels. */
INLINE void
finish (const Block *b, vf *sums, size_t np, size_t nv)
{
  const CpuConvDepthwiseF16 *r = b->row;
  const CpuSums target = target_of (r, b->first, b->c, b->n);

  unscale (&target, &r->f16, r->scales + b->c, r->scale, sums, np, nv);
  store_results (&target, &r->f16, b->first * r->out_step + b->c, sums, np, nv);
}

INLINE vh
load_lanes (const uint16_t *p, __mmask32 lanes)
{
  return (vh) _mm512_maskz_loadu_epi16 (lanes, p);
}

/* Loads from element @at of a row on; zeros beyond it. */
static __attribute__ ((noinline)) vh
load_edge (const Block *b, const uint16_t *row, ptrdiff_t at)
{
  const ptrdiff_t end = (ptrdiff_t) (b->row->columns * b->row->column);
  __mmask32 lanes = b->lanes;

  if (at <= -LANES || at >= end)
    return _mm512_setzero_ph ();
  if (at < 0)
    lanes &= ~(__mmask32) 0 << -at;
  if (end - at < LANES)
    lanes &= ((__mmask32) 1 << (end - at)) - 1;
  return load_lanes (row + at, lanes);
}

/* Adds a row of @taps.  @inside: nothing is read beyond the row; @part: not all
 * lanes are channels.  Both and often @taps are constants after inlining. */
INLINE void
add_row (const Block *b, vh *sums, const uint16_t *row, const uint16_t *w,
    size_t np, size_t taps, bool inside, bool part)
{
  const CpuConvDepthwiseF16 *r = b->row;
  const size_t step = r->step * r->column, wide = r->dilation * r->column;
  ptrdiff_t at =
      (r->first + (ptrdiff_t) (b->first * r->step)) * (ptrdiff_t) r->column
      + (ptrdiff_t) b->c;

#pragma GCC unroll 3
  for (size_t t = 0; t < taps; t++, w += r->channels, at += (ptrdiff_t) wide) {
    const vh weight = part ? load_lanes (w, b->lanes) : load_weights (w);

#pragma GCC unroll 8
    for (size_t p = 0; p < np; p++) {
      const ptrdiff_t from = at + (ptrdiff_t) (p * step);
      const vh x = !inside ? load_edge (b, row, from)
                   : part  ? load_lanes (row + from, b->lanes)
                           : load_weights (row + from);

      sums[p] = _mm512_fmadd_ph (x, weight, sums[p]);
    }
  }
}

INLINE void
block_sums (const Block *b, vh *sums, size_t np, bool inside, bool part)
{
  const CpuConvDepthwiseF16 *r = b->row;

#pragma GCC unroll 8
  for (size_t p = 0; p < np; p++)
    sums[p] = _mm512_setzero_ph ();
  for (size_t z = 0; z < r->n[0]; z++) {
    const uint16_t *row = r->in + z * r->in_stride[0];
    const uint16_t *w = r->weights + z * r->weight_stride[0] + b->c;

    for (size_t y = 0; y < r->n[1]; y++) {
      if (inside && r->n[2] == 3)
        add_row (b, sums, row, w, np, 3, inside, part);
      else
        add_row (b, sums, row, w, np, r->n[2], inside, part);
      row += r->in_stride[1];
      w += r->weight_stride[1];
    }
  }
}

INLINE void
block (Block *b, size_t np, bool inside, bool part)
{
  const CpuConvDepthwiseF16 *r = b->row;
  const size_t at = b->first * r->out_step + b->c;
  vh sums[MAX_PIXELS];
  vf wide[2 * MAX_PIXELS];

  block_sums (b, sums, np, inside, part);
  if (b->in_f16) {
    f16_end_store (&b->end, r->f16.out + at, r->out_step, sums, np);
    return;
  }
#pragma GCC unroll 8
  for (size_t p = 0; p < np; p++) {
    const __m512i v = (__m512i) sums[p];

    wide[2 * p] = (vf) _mm512_cvtph_ps (_mm512_castsi512_si256 (v));
    wide[2 * p + 1] = (vf) _mm512_cvtph_ps (_mm512_extracti64x4_epi64 (v, 1));
  }
  if (b->n > VF_N) {
    finish (b, wide, np, 2);
    return;
  }
#pragma GCC unroll 8
  for (size_t p = 1; p < np; p++)
    wide[p] = wide[2 * p];
  finish (b, wide, np, 1);
}

#define BLOCK(np)                                                              \
  static void block_##np (Block *b, bool inside)                               \
  {                                                                            \
    if (!inside)                                                               \
      block (b, np, false, true);                                              \
    else if (b->n < LANES)                                                     \
      block (b, np, true, true);                                               \
    else                                                                       \
      block (b, np, true, false);                                              \
  }

BLOCK (1)
BLOCK (2)
BLOCK (4)
BLOCK (8)

static bool
is_inside (const CpuConvDepthwiseF16 *r, size_t first, size_t np)
{
  const ptrdiff_t from = r->first + (ptrdiff_t) (first * r->step);
  const ptrdiff_t to =
      (from + (ptrdiff_t) ((np - 1) * r->step + (r->n[2] - 1) * r->dilation))
          * (ptrdiff_t) r->column
      + (ptrdiff_t) r->channels;

  return from >= 0 && to <= (ptrdiff_t) (r->columns * r->column);
}

static void
run_pixels (Block *b, size_t first, size_t last, bool inside)
{
  b->first = first;
  for (size_t n; b->first < last; b->first += n) {
    const size_t left = last - b->first;

    if (left >= 8) {
      block_8 (b, inside);
      n = 8;
    } else if (left >= 4) {
      block_4 (b, inside);
      n = 4;
    } else if (left >= 2) {
      block_2 (b, inside);
      n = 2;
    } else {
      block_1 (b, inside);
      n = 1;
    }
  }
}

/* Computes channels from @c on of pixels [@first, @last); those in [@begin,
 * @end) read nothing beyond the row. */
static void
run_channels (const CpuConvDepthwiseF16 *r, size_t c, size_t channels,
    size_t first, size_t last, const size_t inside[2])
{
  const size_t left = channels - c, n = left < LANES ? left : LANES;
  const CpuSums target = target_of (r, 0, c, n);
  Block b = { .row = r,
    .c = c,
    .n = n,
    .lanes = n < LANES ? ((__mmask32) 1 << n) - 1 : ~(__mmask32) 0,
    .in_f16 = ends_in_f16 (&target, &r->f16) };

  if (b.in_f16)
    b.end =
        f16_end (&target, &r->f16, r->scales + c, r->scale, n > VF_N ? 2 : 1);
  run_pixels (&b, first, inside[0], false);
  run_pixels (&b, inside[0], inside[1], true);
  run_pixels (&b, inside[1], last, false);
  if (b.in_f16)
    f16_end_finish (&b.end, &r->f16, r->f16.out + first * r->out_step + c,
        r->out_step, last - first, n);
}

void
CPU_KERNEL (conv_depthwise_f16) (const CpuConvDepthwiseF16 *r)
{
  const size_t pixels = r->pixels - (r->last < r->channels);
  size_t inside[2] = { 0, pixels };

  if (r->n[0] == 0 || r->n[1] == 0 || r->n[2] == 0)
    inside[1] = 0;
  while (inside[0] < inside[1] && !is_inside (r, inside[0], 1))
    inside[0]++;
  while (inside[1] > inside[0] && !is_inside (r, inside[1] - 1, 1))
    inside[1]--;
  for (size_t c = 0; c < r->channels && pixels > 0; c += LANES)
    run_channels (r, c, r->channels, 0, pixels, inside);
  inside[0] = inside[1] = pixels;
  for (size_t c = 0; c < r->last && pixels < r->pixels; c += LANES)
    run_channels (r, c, r->last, pixels, r->pixels, inside);
}
