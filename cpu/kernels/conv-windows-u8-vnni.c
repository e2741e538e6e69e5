/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Depthwise convolutions of three columns of quantised u8: bytes of four rows
 * are interleaved in registers, once for all results that they are part of. */

#include "cpu/kernels/conv-u8-results.inc"

/* Results at once, of all lines. */
#define RESULTS 4
#define MAX_QUADS (CPU_U8_WINDOW - 2 + RESULTS * 2)
#define MAX_WEIGHTS (CPU_U8_WINDOW * 2 * 2)

/* Channels that share a cache line, and columns of as many: what is read once
 * for all of their vectors stays in the first-level cache. */
#define LINE 64
#define LINE_COLUMNS 64

/* A vector of channels from @c on, and @pixels from @first on. */
typedef struct
{
  size_t c, first, pixels;
  Lanes lanes;
} Block;

INLINE void
load_weights (const CpuConvWindowsU8 *w, size_t c, size_t lines, size_t planes,
    vi *weight)
{
  const size_t vectors = (w->channels + CPU_U8_LANES - 1) / CPU_U8_LANES;
  const size_t n = CPU_U8_WINDOW * planes;

#pragma GCC unroll 2
  for (size_t l = 0; l < lines; l++) {
    const size_t vector = l * vectors + c / CPU_U8_LANES;
    const int8_t *p =
        w->weights + (vector * n * CPU_U8_LANES + c % CPU_U8_LANES) * 4;

#pragma GCC unroll 6
    for (size_t i = 0; i < n; i++)
      weight[l * n + i] = vi_load (p + i * CPU_U8_LANES * 4);
  }
}

/* Columns in front of and behind those that exist are all zeros. */
INLINE vi
load_edge (
    const CpuConvWindowsU8 *w, ptrdiff_t x, size_t c, Lanes lanes, bool whole)
{
  if ((size_t) x >= w->columns)
    return all_bytes (w->zero);
  return load_quads (w->rows, (size_t) x * w->column + c, lanes, whole);
}

/* @n columns from @x on. */
INLINE void
load_columns (const CpuConvWindowsU8 *w, ptrdiff_t x, size_t n, size_t c,
    Lanes lanes, bool whole, vi *quad)
{
  if (x >= 0 && (size_t) x + n <= w->columns) {
    size_t at = (size_t) x * w->column + c;

#pragma GCC unroll 8
    for (size_t i = 0; i < n; i++, at += w->column)
      quad[i] = load_quads (w->rows, at, lanes, whole);
  } else {
#pragma GCC unroll 8
    for (size_t i = 0; i < n; i++)
      quad[i] = load_edge (w, x + (ptrdiff_t) i, c, lanes, whole);
  }
}

/* Where results go: those of a line are @step apart. */
typedef struct
{
  char *lines[2];
  size_t step, n; /* n: pixels that there are */
} Place;

INLINE char *
place (const Place *at, size_t lines, size_t i)
{
  const size_t np = RESULTS / lines;

  return at->lines[i / np] + i % np * at->step;
}

INLINE void
store_levels (vi bytes, const Place *at, size_t lines, Lanes lanes)
{
  const size_t np = RESULTS / lines;

  if (at->n >= np) {
#pragma GCC unroll 4
    for (size_t i = 0; i < RESULTS; i++)
      store_packed (place (at, lines, i), bytes, i, lanes);
  } else {
#pragma GCC unroll 4
    for (size_t i = 0; i < RESULTS; i++)
      if (i % np < at->n)
        store_packed (place (at, lines, i), bytes, i, lanes);
  }
}

static __attribute__ ((noinline)) void
store_others (const CpuQuantEnd *e, const vf *v, const Place *at, size_t lines,
    Lanes lanes)
{
  const End end = begin_end (e);

  for (size_t i = 0; i < RESULTS; i++)
    if (i % (RESULTS / lines) < at->n)
      store_end (&end, v[i], place (at, lines, i), 0, lanes);
}

/* All but @w and @b are constants after inlining. */
INLINE void
run_block (const CpuConvWindowsU8 *w, const Block *b, bool whole,
    size_t advance, size_t lines, size_t planes)
{
  const size_t np = RESULTS / lines, kept = CPU_U8_WINDOW - advance;
  const size_t more = np * advance, size = w->end.to ? 1 : sizeof (float);
  const Lanes lanes = whole ? first_lanes (VF_N) : b->lanes;
  const vi start = vi_load (w->end.start + b->c);
  const vf scale = vf_load (w->end.scale + b->c),
           bias = vf_load (w->end.bias + b->c);
  char *out = (char *) w->out + (b->c + b->first * w->out_step) * size;
  Place at = { .lines = { out, out + w->out_line * size },
    .step = w->out_step * size };
  ptrdiff_t x = w->first + (ptrdiff_t) (b->first * advance);
  const vi low = all_bytes ((unsigned) w->end.low),
           high = all_bytes ((unsigned) w->end.high);
  vi weight[MAX_WEIGHTS], quad[MAX_QUADS];

  load_weights (w, b->c, lines, planes, weight);
#pragma GCC unroll 2
  for (size_t i = 0; i < kept; i++)
    quad[i] = load_edge (w, x++, b->c, lanes, whole);
  for (size_t p = 0; p < b->pixels; p += np, x += (ptrdiff_t) more) {
    vi sum[RESULTS] = { start, start, start, start };
    vf v[RESULTS];

    load_columns (w, x, more, b->c, lanes, whole, quad + kept);
#pragma GCC unroll 6
    for (size_t t = 0; t < CPU_U8_WINDOW * planes; t++)
#pragma GCC unroll 4
      for (size_t i = 0; i < RESULTS; i++)
        add_products (&sum[i], quad[i % np * advance + t / planes],
            weight[i / np * CPU_U8_WINDOW * planes + t]);
#pragma GCC unroll 4
    for (size_t i = 0; i < RESULTS; i++)
      v[i] = vf_of (sum[i]) * scale + bias;
    at.n = b->pixels - p;
    if (w->end.plain) {
      store_levels (plain_levels (low, high, v, RESULTS), &at, lines, lanes);
    } else {
      const vf all[RESULTS] = { v[0], v[1], v[2], v[3] };
      const Place there = at;

      store_others (&w->end, all, &there, lines, lanes);
    }
#pragma GCC unroll 2
    for (size_t l = 0; l < lines; l++)
      at.lines[l] += np * at.step;
#pragma GCC unroll 2
    for (size_t i = 0; i < kept; i++)
      quad[i] = quad[i + more];
  }
}

/* Whole vectors of channels; constants as above. */
INLINE void
run_whole (
    const CpuConvWindowsU8 *all, size_t advance, size_t lines, size_t planes)
{
  const CpuConvWindowsU8 w = *all;
  const size_t whole = w.channels / VF_N * VF_N, most = LINE_COLUMNS / advance;

  for (size_t line = 0; line < whole; line += LINE)
    for (size_t p = 0; p < w.pixels; p += most)
      for (size_t c = line; c < line + LINE && c < whole; c += VF_N) {
        const Block b = { c, p, w.pixels - p < most ? w.pixels - p : most,
          first_lanes (VF_N) };

        run_block (&w, &b, true, advance, lines, planes);
      }
}

#define WINDOWS(name, advance, lines, planes)                                  \
  static void whole_##name (const CpuConvWindowsU8 *w)                         \
  {                                                                            \
    run_whole (w, advance, lines, planes);                                     \
  }                                                                            \
  static void some_##name (const CpuConvWindowsU8 *w)                          \
  {                                                                            \
    const size_t c = w->channels / VF_N * VF_N;                                \
    const Block b = { c, 0, w->pixels, first_lanes (w->channels - c) };        \
                                                                               \
    run_block (w, &b, false, advance, lines, planes);                          \
  }

WINDOWS (line, 1, 1, 1)
WINDOWS (lines, 1, 2, 1)
WINDOWS (apart, 2, 1, 1)
WINDOWS (line_planes, 1, 1, 2)
WINDOWS (lines_planes, 1, 2, 2)
WINDOWS (apart_planes, 2, 1, 2)

typedef void WindowsFunc (const CpuConvWindowsU8 *w);

/* By planes; of one line, of two, of one whose pixels are two columns apart. */
static WindowsFunc *const whole_vectors[2][3] = { { whole_line, whole_lines,
                                                      whole_apart },
  { whole_line_planes, whole_lines_planes, whole_apart_planes } };
static WindowsFunc *const last_channels[2][3] = { { some_line, some_lines,
                                                      some_apart },
  { some_line_planes, some_lines_planes, some_apart_planes } };

void
CPU_KERNEL (conv_windows_u8) (const CpuConvWindowsU8 *w)
{
  const size_t kind = w->advance == 2 ? 2 : w->lines - 1;

  whole_vectors[w->planes - 1][kind](w);
  if (w->channels % VF_N != 0)
    last_channels[w->planes - 1][kind](w);
}
