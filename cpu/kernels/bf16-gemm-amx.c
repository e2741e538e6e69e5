/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AMX: 16 pixels × 16 channels × 32 products in one instruction. */

#include "cpu/kernels/bf16-tile.inc"
#include "cpu/kernels/tiles-amx.inc"

/* Fewer pixels are faster in vectors. */
#define LEAST_PIXELS 4

TILE (1, 1, 0)
TILE (1, 2, 0)
TILE (1, 3, 0)
TILE (2, 1, 0)
TILE (2, 2, 0)
TILE (2, 3, 0)
TILE (3, 1, 0)
TILE (3, 2, 0)
TILE (3, 3, 0)

#define DEPTH CPU_BF16_DEPTH
#define MOST_TILES 4
/* Elements of a segment that are a part of the next DEPTH products. */
typedef struct
{
  size_t offset; /* in the input, of what would be the first product */
  __mmask32 lanes;
} Piece;

/* Tiles of pixels that are computed together, and where they stand in the
 * products of a sum. */
typedef struct
{
  const CpuConvTileF16 *t;
  const uint16_t *in[MOST_TILES];
  size_t n, rows, segment, at;
  /* Where the next inputs of each tile are; bytes from row to row. */
  const uint16_t *a[MOST_TILES];
  size_t step;
  uint16_t (*gathered)[TILE_ROWS * DEPTH];
} Group;

static size_t
next_pieces (Group *g, Piece *pieces)
{
  const CpuConvTileF16 *t = g->t;
  size_t n = 0;

  for (size_t done = 0; done < DEPTH && g->segment < t->n_segments;) {
    const size_t left = t->length - g->at;
    const size_t some = left < DEPTH - done ? left : DEPTH - done;
    const uint32_t lanes = some < 32 ? ((uint32_t) 1 << some) - 1 : ~0u;

    pieces[n++] = (Piece){ t->segments[g->segment] + g->at - done,
      (__mmask32) (lanes << done) };
    done += some;
    g->at += some;
    if (g->at == t->length) {
      done += done % 2;
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
  const size_t step = g->t->in_step;
  Piece pieces[DEPTH];
  const size_t n = next_pieces (g, pieces);

  for (size_t i = 0; i < g->n; i++) {
    const uint16_t *in = g->in[i];

    for (size_t r = 0; r < g->rows; r++, in += step) {
      __m512i row = _mm512_setzero_si512 ();

      for (size_t k = 0; k < n; k++)
        row = _mm512_mask_loadu_epi16 (
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
  const CpuConvTileF16 *t = g->t;

  if (t->length - g->at < DEPTH) {
    gather (g);
    return;
  }
  const size_t offset = t->segments[g->segment] + g->at;

  for (size_t i = 0; i < g->n; i++)
    g->a[i] = g->in[i] + offset;
  g->step = t->in_step * sizeof (uint16_t);
  g->at += DEPTH;
  if (g->at == t->length) {
    g->at = 0;
    g->segment++;
  }
}

static void
clear_sums (void)
{
  _tile_zero (0);
  _tile_zero (1);
  _tile_zero (2);
  _tile_zero (3);
  _tile_zero (4);
  _tile_zero (5);
}

/* Inputs of tile @i into register @at. */
#define INPUTS(at, i) _tile_loadd (at, g->a[i], g->step)

/* Up to four tiles of pixels × one vector of channels. */
static void
sums_1 (Group *g, const uint16_t *w, size_t depth)
{
  for (; depth > 0; depth -= DEPTH, w += TILE_ROWS * DEPTH) {
    next_inputs (g);
    _tile_loadd (6, w, TILE_ROW_BYTES);
    INPUTS (4, 0);
    _tile_dpbf16ps (0, 4, 6);
    if (g->n > 1) {
      INPUTS (5, 1);
      _tile_dpbf16ps (1, 5, 6);
    }
    if (g->n > 2) {
      INPUTS (4, 2);
      _tile_dpbf16ps (2, 4, 6);
    }
    if (g->n > 3) {
      INPUTS (5, 3);
      _tile_dpbf16ps (3, 5, 6);
    }
  }
}

/* Up to two × two. */
static void
sums_2 (Group *g, const uint16_t *w, size_t depth)
{
  for (; depth > 0; depth -= DEPTH, w += 2 * TILE_ROWS * DEPTH) {
    next_inputs (g);
    INPUTS (4, 0);
    _tile_loadd (6, w, 2 * TILE_ROW_BYTES);
    _tile_dpbf16ps (0, 4, 6);
    _tile_loadd (7, w + DEPTH, 2 * TILE_ROW_BYTES);
    _tile_dpbf16ps (1, 4, 7);
    if (g->n > 1) {
      INPUTS (5, 1);
      _tile_dpbf16ps (2, 5, 6);
      _tile_dpbf16ps (3, 5, 7);
    }
  }
}

/* Up to two × three. */
static void
sums_3 (Group *g, const uint16_t *w, size_t depth)
{
  for (; depth > 0; depth -= DEPTH, w += 3 * TILE_ROWS * DEPTH) {
    next_inputs (g);
    INPUTS (6, 0);
    _tile_loadd (7, w, 3 * TILE_ROW_BYTES);
    _tile_dpbf16ps (0, 6, 7);
    _tile_loadd (7, w + DEPTH, 3 * TILE_ROW_BYTES);
    _tile_dpbf16ps (1, 6, 7);
    _tile_loadd (7, w + 2 * DEPTH, 3 * TILE_ROW_BYTES);
    _tile_dpbf16ps (2, 6, 7);
    if (g->n > 1) {
      INPUTS (6, 1);
      _tile_loadd (7, w, 3 * TILE_ROW_BYTES);
      _tile_dpbf16ps (3, 6, 7);
      _tile_loadd (7, w + DEPTH, 3 * TILE_ROW_BYTES);
      _tile_dpbf16ps (4, 6, 7);
      _tile_loadd (7, w + 2 * DEPTH, 3 * TILE_ROW_BYTES);
      _tile_dpbf16ps (5, 6, 7);
    }
  }
}

/* All sums of a group: for each pixel a vector of channels after the other. */
typedef struct
{
  vf at[6 * TILE_ROWS];
} Sums;

/* The sums of tile @i to @to[i], @step bytes from row to row. */
INLINE void
store_sums (float *const *to, size_t step, size_t n, size_t nv)
{
  _tile_stored (0, to[0], step);
  if (nv == 1) {
    if (n > 1)
      _tile_stored (1, to[1], step);
    if (n > 2)
      _tile_stored (2, to[2], step);
    if (n > 3)
      _tile_stored (3, to[3], step);
  } else if (nv == 2) {
    _tile_stored (1, to[0] + VF_N, step);
    if (n > 1) {
      _tile_stored (2, to[1], step);
      _tile_stored (3, to[1] + VF_N, step);
    }
  } else {
    _tile_stored (1, to[0] + VF_N, step);
    _tile_stored (2, to[0] + 2 * VF_N, step);
    if (n > 1) {
      _tile_stored (3, to[1], step);
      _tile_stored (4, to[1] + VF_N, step);
      _tile_stored (5, to[1] + 2 * VF_N, step);
    }
  }
  TILE_BARRIER ();
}

/* Whether the sums are the results. */
static bool
is_plain (const CpuConvTileF16 *t, size_t nv)
{
  const CpuEpilogue *e = &t->epilogue;
  __mmask16 scaled = 0;

  if (t->f16.out != NULL || t->channels != nv * VF_N || t->scale != 1
      || e->scale != NULL || e->bias != NULL || e->act.kind != CPU_ACT_NONE
      || e->residual != NULL || t->residual_bf16 != NULL)
    return false;
  for (size_t v = 0; v < nv; v++)
    scaled |= _mm512_cmp_ps_mask (_mm512_loadu_ps (t->scales + v * VF_N),
        _mm512_set1_ps (1), _CMP_NEQ_UQ);
  return scaled == 0;
}

/* Finishes @np pixels at a time while there are as many; both sizes are
 * constants after inlining. */
INLINE void
finish_some (const CpuConvTileF16 *t, size_t *first, const vf **from, size_t *n,
    size_t np, size_t nv)
{
  for (; *n >= np; *n -= np, *first += np, *from += np * nv) {
    vf sums[16];

#pragma GCC unroll 16
    for (size_t i = 0; i < np * nv; i++)
      sums[i] = (*from)[i];
    finish (t, *first, sums, np, nv);
  }
}

INLINE void
finish_rows (
    const CpuConvTileF16 *t, size_t first, const vf *from, size_t n, size_t nv)
{
  if (nv == 1)
    finish_some (t, &first, &from, &n, 14, nv);
  if (nv < 3)
    finish_some (t, &first, &from, &n, 8, nv);
  finish_some (t, &first, &from, &n, 4, nv);
  finish_some (t, &first, &from, &n, 2, nv);
  finish_some (t, &first, &from, &n, 1, nv);
}

/* The sums of tiles that begin at the pixels @firsts. */
INLINE void
sum_group (Group *g, size_t nv)
{
  const CpuConvTileF16 *t = g->t;
  const size_t depth = cpu_bf16_padded (t->n_segments, t->length);

  g->segment = g->at = 0;
  clear_sums ();
  if (nv == 1)
    sums_1 (g, t->weights, depth);
  else if (nv == 2)
    sums_2 (g, t->weights, depth);
  else
    sums_3 (g, t->weights, depth);
}

/* Finishes them; the pixels before @done are finished already, since the last
 * tiles may overlap.  Returns the pixel after them. */
INLINE size_t
finish_group (const Group *g, const size_t *firsts, size_t done, size_t nv)
{
  Sums sums;
  float *to[MOST_TILES];

  for (size_t i = 0; i < g->n; i++)
    to[i] = (float *) (void *) (sums.at + i * TILE_ROWS * nv);
  store_sums (to, nv * TILE_ROW_BYTES, g->n, nv);
  for (size_t i = 0; i < g->n; i++) {
    const size_t skip = done - firsts[i];

    finish_rows (
        g->t, done, sums.at + (i * TILE_ROWS + skip) * nv, g->rows - skip, nv);
    done = firsts[i] + g->rows;
  }
  return done;
}

INLINE size_t
store_group (const Group *g, const size_t *firsts, size_t nv)
{
  float *to[MOST_TILES];

  for (size_t i = 0; i < g->n; i++)
    to[i] = g->t->out + firsts[i] * g->t->out_step;
  store_sums (to, g->t->out_step * sizeof (float), g->n, nv);
  return firsts[g->n - 1] + g->rows;
}

INLINE void
run (const CpuConvTileF16 *t, size_t nv)
{
  _Alignas(64) uint16_t gathered[MOST_TILES][TILE_ROWS * DEPTH];
  Group g = { .t = t,
    .rows = t->pixels < TILE_ROWS ? t->pixels : TILE_ROWS,
    .gathered = gathered };
  const size_t most = nv == 1 ? MOST_TILES : 2;
  const bool plain = is_plain (t, nv);
  size_t done = 0;

  tiles_configure (g.rows, nv == 3 ? 7 : 6);
  while (done < t->pixels) {
    size_t firsts[MOST_TILES], next = done;

    for (g.n = 0; g.n < most && next < t->pixels; g.n++, next += g.rows) {
      const size_t last = t->pixels - g.rows;

      firsts[g.n] = next < last ? next : last;
      g.in[g.n] = t->in + firsts[g.n] * t->in_step;
    }
    sum_group (&g, nv);
    done = plain ? store_group (&g, firsts, nv)
                 : finish_group (&g, firsts, done, nv);
  }
  _tile_release ();
}

static void
run_1 (const CpuConvTileF16 *t)
{
  run (t, 1);
}

static void
run_2 (const CpuConvTileF16 *t)
{
  run (t, 2);
}

static void
run_3 (const CpuConvTileF16 *t)
{
  run (t, 3);
}

void
CPU_KERNEL (conv_tile_bf16) (const CpuConvTileF16 *t)
{
  static TileFunc *const few[LEAST_PIXELS - 1][3] = {
    { tile_1_1_0, tile_1_2_0, tile_1_3_0 },
    { tile_2_1_0, tile_2_2_0, tile_2_3_0 },
    { tile_3_1_0, tile_3_2_0, tile_3_3_0 },
  };

  if (t->pixels == 0)
    return;
  if (t->pixels < LEAST_PIXELS)
    few[t->pixels - 1][t->vectors - 1](t, 0, is_quick (t));
  else if (t->vectors == 1)
    run_1 (t);
  else if (t->vectors == 2)
    run_2 (t);
  else
    run_3 (t);
}
