/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FEAT_FP16: 16 channels at a time. */

#include "cpu/kernels/f16-results-neon.inc"
#include "cpu/kernels/kernels.h"

#define LANES 16
#define MAX_PIXELS 4

/* A vector of channels of some pixels. */
typedef struct
{
  const CpuConvDepthwiseF16 *row;
  size_t c, n; /* the first channel; number of channels */
  int32x4_t largest;
} Block;

typedef struct
{
  vh v[2];
} Lanes;

/* Elements [@lo, @hi) of @p, which alone are read; the others are zero. */
static __attribute__ ((noinline)) Lanes
load_range (const uint16_t *p, size_t lo, size_t hi)
{
  uint16_t some[LANES] = { 0 };

  memcpy (some + lo, p + lo, (hi - lo) * sizeof *some);
  return (Lanes){ { load_halves (some), load_halves (some + 8) } };
}

INLINE Lanes
load_lanes (const uint16_t *p, size_t n)
{
  if (n == LANES)
    return (Lanes){ { load_halves (p), load_halves (p + 8) } };
  return load_range (p, 0, n);
}

/* Loads from element @at of a row on; zeros beyond it. */
static Lanes
load_edge (const Block *b, const uint16_t *row, ptrdiff_t at)
{
  const ptrdiff_t end = (ptrdiff_t) (b->row->columns * b->row->column);
  const ptrdiff_t n = (ptrdiff_t) b->n, lo = at < 0 ? -at : 0;
  const ptrdiff_t hi = end - at < n ? end - at : n;

  if (lo >= hi)
    return (Lanes){ { vdupq_n_f16 (0), vdupq_n_f16 (0) } };
  return load_range (row + at, (size_t) lo, (size_t) hi);
}

/* The sums of @np pixels from @first on.  @inside: nothing is read beyond the
 * row; @n: number of channels.  All but @first are constants after inlining, @n
 * where it is LANES. */
INLINE void
block_sums (const Block *b, vh (*sums)[2], size_t first, size_t np, size_t n,
    bool inside)
{
  const CpuConvDepthwiseF16 *r = b->row;
  const ptrdiff_t step = (ptrdiff_t) (r->step * r->column);
  const ptrdiff_t wide = (ptrdiff_t) (r->dilation * r->column);
  const ptrdiff_t from =
      (r->first + (ptrdiff_t) (first * r->step)) * (ptrdiff_t) r->column
      + (ptrdiff_t) b->c;

#pragma GCC unroll 4
  for (size_t p = 0; p < np; p++)
    sums[p][0] = sums[p][1] = vdupq_n_f16 (0);
  for (size_t zy = 0; zy < r->n[0] * r->n[1]; zy++) {
    const size_t z = zy / r->n[1], y = zy % r->n[1];
    const uint16_t *row = r->in + z * r->in_stride[0] + y * r->in_stride[1];
    const uint16_t *w =
        r->weights + z * r->weight_stride[0] + y * r->weight_stride[1] + b->c;
    ptrdiff_t at = from;

    for (size_t x = 0; x < r->n[2]; x++, w += r->channels, at += wide) {
      const Lanes weights = load_lanes (w, n);

#pragma GCC unroll 4
      for (size_t p = 0; p < np; p++) {
        const ptrdiff_t i = at + (ptrdiff_t) p * step;
        const Lanes in =
            inside ? load_lanes (row + i, n) : load_edge (b, row, i);

        sums[p][0] = vfmaq_f16 (sums[p][0], in.v[0], weights.v[0]);
        sums[p][1] = vfmaq_f16 (sums[p][1], in.v[1], weights.v[1]);
      }
    }
  }
}

INLINE void
block (Block *b, size_t first, size_t np, size_t n, bool inside)
{
  const CpuConvDepthwiseF16 *r = b->row;
  const size_t nv = (b->n + VF_N - 1) / VF_N;
  vh sums[MAX_PIXELS][2];

  block_sums (b, sums, first, np, n, inside);
  for (size_t p = 0; p < np; p++) {
    const size_t at = (first + p) * r->out_step + b->c;
    const CpuSums target = { .epilogue = &r->epilogue,
      .c = b->c,
      .last = b->n - (nv - 1) * VF_N,
      .out = r->f16.out ? NULL : r->out + at };
    vf v[4] = { vf_set (0), vf_set (0), vf_set (0), vf_set (0) };

    add_widened (v, sums[p][0]);
    add_widened (v + 2, sums[p][1]);
    b->largest = finish_pixel (
        &target, &r->f16, r->scales + b->c, r->scale, at, v, nv, b->largest);
  }
}

#define BLOCK(np)                                                              \
  static void block_##np (Block *b, size_t first, bool inside)                 \
  {                                                                            \
    if (!inside)                                                               \
      block (b, first, np, b->n, false);                                       \
    else if (b->n < LANES)                                                     \
      block (b, first, np, b->n, true);                                        \
    else                                                                       \
      block (b, first, np, LANES, true);                                       \
  }

BLOCK (1)
BLOCK (4)

static bool
is_inside (const CpuConvDepthwiseF16 *r, size_t p)
{
  const ptrdiff_t from = r->first + (ptrdiff_t) (p * r->step);
  const ptrdiff_t to =
      (from + (ptrdiff_t) ((r->n[2] - 1) * r->dilation)) * (ptrdiff_t) r->column
      + (ptrdiff_t) r->channels;

  return from >= 0 && to <= (ptrdiff_t) (r->columns * r->column);
}

static void
run_pixels (Block *b, size_t first, size_t last, bool inside)
{
  for (; first + MAX_PIXELS <= last; first += MAX_PIXELS)
    block_4 (b, first, inside);
  for (; first < last; first++)
    block_1 (b, first, inside);
}

/* Pixels [@first, @last) of @channels; those in @inside read nothing beyond the
 * row. */
static void
run_channels (const CpuConvDepthwiseF16 *r, size_t channels, size_t first,
    size_t last, const size_t inside[2])
{
  if (first == last)
    return;
  for (size_t c = 0; c < channels; c += LANES) {
    Block b = { .row = r,
      .c = c,
      .n = channels - c < LANES ? channels - c : LANES,
      .largest = vdupq_n_s32 (0) };

    run_pixels (&b, first, inside[0], false);
    run_pixels (&b, inside[0], inside[1], true);
    run_pixels (&b, inside[1], last, false);
    finish_largest (&r->f16, b.largest);
  }
}

void
CPU_KERNEL (conv_depthwise_f16) (const CpuConvDepthwiseF16 *r)
{
  const size_t pixels = r->pixels - (r->last < r->channels);
  size_t inside[2] = { 0, pixels };

  if (r->n[0] == 0 || r->n[1] == 0 || r->n[2] == 0)
    inside[1] = 0;
  while (inside[0] < inside[1] && !is_inside (r, inside[0]))
    inside[0]++;
  while (inside[1] > inside[0] && !is_inside (r, inside[1] - 1))
    inside[1]--;
  run_channels (r, r->channels, 0, pixels, inside);
  inside[0] = inside[1] = pixels;
  run_channels (r, r->last, pixels, r->pixels, inside);
}
