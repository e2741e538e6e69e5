/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AMX: 16 pixels × 16 channels × 64 products of bytes in one instruction. */

#include "cpu/kernels/conv-u8-results.inc"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/tiles-amx.inc"

#include <string.h>

/* Fewer pixels or products are faster in vectors. */
#define LEAST_PIXELS 8
#define LEAST_PRODUCTS 64

#define DEPTH 64

/* Bytes of a segment that are a part of the next DEPTH products. */
typedef struct
{
  size_t offset; /* in the input, of what would be the first product */
  __mmask64 lanes;
} Piece;

/* A block of channels, and up to two tiles of pixels, with where they stand in
 * the products of a sum. */
typedef struct
{
  const CpuConvTileU8 *t;
  const End *end;
  const int8_t *weights;
  int8_t *last; /* the last products, filled up with zeros */
  size_t c, depth;
  const uint8_t *in[2];
  size_t n, rows, segment, at;
  /* Where the next inputs of each tile are; bytes from row to row. */
  const uint8_t *a[2];
  size_t step;
  uint8_t (*gathered)[TILE_ROWS * DEPTH];
} Group;

static size_t
next_pieces (Group *g, Piece *pieces)
{
  const CpuConvTileU8 *t = g->t;
  size_t n = 0;

  for (size_t done = 0; done < DEPTH && g->segment < t->n_segments;) {
    const size_t left = t->length - g->at;
    const size_t some = left < DEPTH - done ? left : DEPTH - done;
    const uint64_t lanes = some < 64 ? ((uint64_t) 1 << some) - 1 : ~0ull;

    pieces[n++] = (Piece){ t->segments[g->segment] + g->at - done,
      (__mmask64) (lanes << done) };
    done += some;
    g->at += some;
    if (g->at == t->length) {
      done = (done + 3) / 4 * 4;
      g->at = 0;
      g->segment++;
    }
  }
  return n;
}

/* Makes rows of inputs that are not adjacent. */
static __attribute__ ((noinline)) void
gather (Group *g)
{
  Piece pieces[DEPTH / 4];
  const size_t n = next_pieces (g, pieces);

  for (size_t i = 0; i < g->n; i++) {
    const uint8_t *in = g->in[i];

    for (size_t r = 0; r < g->rows; r++, in += g->t->in_step) {
      __m512i row = _mm512_setzero_si512 ();

      for (size_t k = 0; k < n; k++)
        row = _mm512_mask_loadu_epi8 (
            row, pieces[k].lanes, in + pieces[k].offset);
      _mm512_store_si512 ((void *) (g->gathered[i] + r * DEPTH), row);
    }
    g->a[i] = g->gathered[i];
  }
  g->step = TILE_ROW_BYTES;
  TILE_BARRIER ();
}

INLINE void
next_inputs (Group *g)
{
  const CpuConvTileU8 *t = g->t;

  if (t->length - g->at < DEPTH) {
    gather (g);
    return;
  }
  const size_t offset = t->segments[g->segment] + g->at;

  for (size_t i = 0; i < g->n; i++)
    g->a[i] = g->in[i] + offset;
  g->step = t->in_step;
  g->at += DEPTH;
  if (g->at == t->length) {
    g->at = 0;
    g->segment++;
  }
}

/* Up to two tiles of pixels × @nv vectors, a constant after inlining. */
INLINE void
sum_group (Group *g, size_t nv)
{
  const size_t row = nv * TILE_ROW_BYTES;

  g->segment = g->at = 0;
  _tile_zero (0);
  _tile_zero (1);
  _tile_zero (2);
  _tile_zero (3);
  for (size_t k = 0; k < g->depth; k += DEPTH) {
    const int8_t *w =
        g->depth - k < DEPTH ? g->last : g->weights + k * nv * CPU_U8_LANES;

    next_inputs (g);
    _tile_loadd (4, g->a[0], g->step);
    _tile_loadd (6, w, row);
    _tile_dpbusd (0, 4, 6);
    if (nv > 1) {
      _tile_loadd (7, w + TILE_ROW_BYTES, row);
      _tile_dpbusd (1, 4, 7);
    }
    if (g->n > 1) {
      _tile_loadd (5, g->a[1], g->step);
      _tile_dpbusd (2, 5, 6);
      if (nv > 1)
        _tile_dpbusd (3, 5, 7);
    }
  }
}

/* Finishes @np pixels of a vector of channels, @np a constant. */
INLINE void
finish (const Group *g, const int32_t *sums, size_t np, size_t nv, size_t c,
    const float *inputs, char *out)
{
  const CpuConvTileU8 *t = g->t;
  const vi start = vi_load (t->end.start + c);
  vi sum[4];

#pragma GCC unroll 4
  for (size_t p = 0; p < np; p++)
    sum[p] = vi_load (sums + p * nv * CPU_U8_LANES) + start;
  store_pixels (g->end, sum, 1, np, c, first_lanes (t->channels - c), t->offset,
      inputs, out, t->out_step);
}

/* Stores the sums of the tiles whose first pixels are @firsts; those before
 * @done are stored already, since the last tiles may overlap.  Returns the
 * pixel after them. */
INLINE size_t
store_group (const Group *g, const size_t *firsts, size_t done, size_t nv,
    const float *inputs, char *out)
{
  _Alignas(64) int32_t sums[2][TILE_ROWS * 2 * CPU_U8_LANES];
  const size_t size = g->t->end.to ? 1 : sizeof (float);
  const size_t row = nv * TILE_ROW_BYTES;

  _tile_stored (0, sums[0], row);
  if (nv > 1)
    _tile_stored (1, sums[0] + CPU_U8_LANES, row);
  if (g->n > 1) {
    _tile_stored (2, sums[1], row);
    if (nv > 1)
      _tile_stored (3, sums[1] + CPU_U8_LANES, row);
  }
  TILE_BARRIER ();
  for (size_t i = 0; i < g->n; i++) {
    const size_t end = firsts[i] + g->rows;

    for (size_t v = 0; v < nv; v++) {
      const int32_t *from = sums[i] + v * CPU_U8_LANES;
      const size_t c = g->c + v * CPU_U8_LANES;
      size_t p = done;

      for (; p + 4 <= end; p += 4)
        finish (g, from + (p - firsts[i]) * nv * CPU_U8_LANES, 4, nv, c,
            inputs ? inputs + p : NULL, out + p * g->t->out_step * size);
      for (; p < end; p++)
        finish (g, from + (p - firsts[i]) * nv * CPU_U8_LANES, 1, nv, c,
            inputs ? inputs + p : NULL, out + p * g->t->out_step * size);
    }
    done = end;
  }
  return done;
}

/* One row of pixels. */
INLINE void
run_row (Group *g, const uint8_t *in, const float *inputs, char *out, size_t nv)
{
  const CpuConvTileU8 *t = g->t;

  for (size_t done = 0; done < t->pixels;) {
    size_t firsts[2], next = done;

    for (g->n = 0; g->n < 2 && next < t->pixels; g->n++, next += g->rows) {
      const size_t last = t->pixels - g->rows;

      firsts[g->n] = next < last ? next : last;
      g->in[g->n] = in + firsts[g->n] * t->in_step;
    }
    sum_group (g, nv);
    done = store_group (g, firsts, done, nv, inputs, out);
  }
}

INLINE void
run_block (Group *g, size_t nv)
{
  const CpuConvTileU8 *t = g->t;
  const size_t size = t->end.to ? 1 : sizeof (float);
  const size_t whole = g->depth / DEPTH * DEPTH, row = nv * CPU_U8_LANES;

  if (whole < g->depth) {
    memcpy (g->last, g->weights + whole * row, (g->depth - whole) * row);
    memset (g->last + (g->depth - whole) * row, 0,
        (DEPTH - g->depth + whole) * row);
    TILE_BARRIER ();
  }
  for (size_t y = 0; y < t->rows; y++)
    run_row (g, t->in + y * t->in_row,
        t->offset ? t->sums + y * t->pixels : NULL,
        (char *) t->out + y * t->out_row * size, nv);
}

void
CPU_KERNEL (conv_tile_u8) (const CpuConvTileU8 *t)
{
  const size_t depth = t->n_segments * ((t->length + 3) / 4) * 4;
  _Alignas(64) uint8_t gathered[2][TILE_ROWS * DEPTH];
  _Alignas(64) int8_t last[DEPTH * 2 * CPU_U8_LANES];

  if (t->pixels < LEAST_PIXELS || depth < LEAST_PRODUCTS) {
    cpu_conv_tile_u8_vnni (t);
    return;
  }
  const End end = begin_end (&t->end);
  Group g = { .t = t,
    .end = &end,
    .depth = depth,
    .rows = t->pixels < TILE_ROWS ? t->pixels : TILE_ROWS,
    .gathered = gathered,
    .last = last };

  tiles_configure (g.rows, 6);
  for (; g.c < t->channels; g.c += CPU_U8_BLOCK) {
    g.weights = t->weights + g.c * depth;
    if (t->channels - g.c > CPU_U8_LANES)
      run_block (&g, 2);
    else
      run_block (&g, 1);
  }
  _tile_release ();
}
