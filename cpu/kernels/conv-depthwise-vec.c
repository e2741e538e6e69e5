/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-vec.h"

/* Pixels of a block: each column is loaded once for all pixels of the block
 * that use it. */
#define MAX_PIXELS 8

/* Some pixels of a row. */
typedef struct
{
  const CpuConvDepthwise *row;
  size_t first;
  /* Columns at its ends that are not, or only partly, within the row. */
  size_t left, right;
} Block;

/* Parameters of a block that are constants after inlining. */
typedef struct
{
  size_t np, taps, step;
  int part; /* fewer channels than a vector */
  int pair; /* of rows */
} Known;

/* Loads column @x and following ones, from channel @c on; zeros beyond the row.
 */
INLINE vf
load_edge (const CpuConvDepthwise *r, const float *row, ptrdiff_t x, size_t c,
    size_t n)
{
  ptrdiff_t at = x * (ptrdiff_t) r->column + (ptrdiff_t) c;
  ptrdiff_t hi = (ptrdiff_t) (r->columns * r->column) - at;
  ptrdiff_t lo = at < 0 ? -at : 0;

  hi = hi < (ptrdiff_t) n ? hi : (ptrdiff_t) n;
  if (hi <= lo)
    return vf_set (0);
  return vf_load_range (row + at, (size_t) lo, (size_t) hi);
}

/* Rows of weights by which a row of inputs is multiplied, one for each output
 * row. */
typedef struct
{
  const float *w;
  vf *sum;
} Taps;

/* Adds rows of adjacent taps: each column is loaded once into a register; the
 * compiler would load it for each tap. */
INLINE void
add_rows (const Block *b, Known k, const float *row, const Taps *taps,
    size_t rows, size_t c, size_t n)
{
  const CpuConvDepthwise *r = b->row;
  const size_t columns = (k.np - 1) * k.step + k.taps, edge = k.taps - 1;
  const size_t column = r->column;
  const ptrdiff_t x = r->first + (ptrdiff_t) (b->first * k.step);
  const float *a = row + x * (ptrdiff_t) column + c;
  vf weights[2][5];

#pragma GCC unroll 2
  for (size_t j = 0; j < rows; j++)
#pragma GCC unroll 5
    for (size_t t = 0; t < k.taps; t++)
      weights[j][t] = k.part ? vf_load_tail (taps[j].w + t * r->channels, n)
                             : vf_load (taps[j].w + t * r->channels);
#pragma GCC unroll 19
  for (size_t i = 0; i < columns; i++) {
    vf v;

    if ((i < edge && i < b->left)
        || (i + edge >= columns && i + b->right >= columns))
      v = load_edge (r, row, x + (ptrdiff_t) i, c, n);
    else if (k.part)
      v = vf_load_tail (a + i % 3 * column, n);
    else
      v = vf_load (a + i % 3 * column);
    KEEP_VECTOR (v);
#pragma GCC unroll 2
    for (size_t j = 0; j < rows; j++)
#pragma GCC unroll 5
      for (size_t t = 0; t < k.taps; t++)
        if (t <= i && (i - t) % k.step == 0 && (i - t) / k.step < k.np)
          taps[j].sum[(i - t) / k.step] += v * weights[j][t];
    if (i % 3 == 2) {
      a += 3 * column;
      KEEP (a);
    }
  }
}

/* The same for any taps; skips those that no pixel uses. */
INLINE void
add_any_row (const Block *b, Known k, const float *row, const float *w,
    size_t c, size_t n, vf *sum)
{
  const CpuConvDepthwise *r = b->row;
  const size_t step = r->step * r->column;
  const ptrdiff_t end = (ptrdiff_t) (r->columns * r->column);
  /* Input range of the first to the last pixel. */
  ptrdiff_t from =
      (r->first + (ptrdiff_t) (b->first * r->step)) * (ptrdiff_t) r->column
      + (ptrdiff_t) c;
  ptrdiff_t to = from + (ptrdiff_t) ((k.np - 1) * step + n);
  ptrdiff_t column = r->first + (ptrdiff_t) (b->first * r->step);

  for (size_t t = 0; t < r->n[2]; t++, w += r->channels) {
    if (from >= 0 && to <= end) {
      const vf weight = k.part ? vf_load_tail (w, n) : vf_load (w);

      if (k.part) {
        for (size_t p = 0; p < k.np; p++)
          sum[p] += weight * vf_load_tail (row + from + p * step, n);
      } else {
#pragma GCC unroll 8
        for (size_t p = 0; p < k.np; p++)
          sum[p] += weight * vf_load (row + from + p * step);
      }
    } else if (to > 0 && from < end) {
      const vf weight = k.part ? vf_load_tail (w, n) : vf_load (w);

      for (size_t p = 0; p < k.np; p++)
        sum[p] +=
            weight
            * load_edge (r, row, column + (ptrdiff_t) (p * r->step), c, n);
    }
    from += (ptrdiff_t) (r->dilation * r->column);
    to += (ptrdiff_t) (r->dilation * r->column);
    column += (ptrdiff_t) r->dilation;
  }
}

/* @n channels from @c on. */
INLINE void
block_vector (const Block *b, Known k, size_t c, size_t n)
{
  const CpuConvDepthwise *r = b->row;
  const CpuEpilogue *e = &r->epilogue;
  const size_t at = b->first * r->out_step + c;
  CpuSums target = { .epilogue = e,
    .c = c,
    .last = k.part ? n : VF_N,
    .out = r->out + at,
    .step = r->out_step,
    .residual = e->residual ? e->residual + at : NULL,
    .residual_step = r->out_step,
    .residual_channels = k.part ? n : VF_N };
  vf sum[MAX_PIXELS];

  sum[0] = sums_bias (&target, 0, 1);
#pragma GCC unroll 8
  for (size_t p = 1; p < k.np; p++)
    sum[p] = sum[0];
  for (size_t z = 0; z < r->n[0]; z++) {
    const float *row = r->in + z * r->in_stride[0];
    const float *w = r->weights + z * r->weight_stride[0] + c;

    for (size_t y = 0; y < r->n[1]; y++) {
      if (k.taps > 0)
        add_rows (b, k, row, &(Taps){ w, sum }, 1, c, n);
      else
        add_any_row (b, k, row, w, c, n, sum);
      row += r->in_stride[1];
      w += r->weight_stride[1];
    }
  }
  sums_store (&target, sum, k.np, 1);
}

#if CPU_VEC_BYTES == 64
/* The same for two rows, which share inputs. */
INLINE void
block_pair (const Block *b, Known k, size_t c, size_t n)
{
  const CpuConvDepthwise *r = b->row;
  const CpuEpilogue *e = &r->epilogue;
  const size_t at = b->first * r->out_step + c, wide = r->weight_stride[1];
  CpuSums target = { .epilogue = e,
    .c = c,
    .last = k.part ? n : VF_N,
    .out = r->out + at,
    .step = r->out_step,
    .residual = e->residual ? e->residual + at : NULL,
    .residual_step = r->out_step,
    .residual_channels = k.part ? n : VF_N };
  vf sum[2][MAX_PIXELS];

  sum[0][0] = sums_bias (&target, 0, 1);
#pragma GCC unroll 8
  for (size_t p = 0; p < k.np; p++)
    sum[0][p] = sum[1][p] = sum[0][0];
  for (size_t z = 0; z < r->n[0]; z++) {
    const float *row = r->in + z * r->in_stride[0];
    const float *w = r->weights + z * r->weight_stride[0] + c;

    add_rows (b, k, row, &(Taps){ w, sum[0] }, 1, c, n);
    row += r->in_stride[1];
    for (size_t y = 1; y < r->n[1]; y++) {
      const Taps taps[2] = { { w + wide, sum[0] }, { w, sum[1] } };

      add_rows (b, k, row, taps, 2, c, n);
      row += r->in_stride[1];
      w += wide;
    }
    add_rows (b, k, row, &(Taps){ w, sum[1] }, 1, c, n);
  }
  sums_store (&target, sum[0], k.np, 1);
  target.out += r->out_row;
  target.residual += target.residual ? r->out_row : 0;
  sums_store (&target, sum[1], k.np, 1);
}
#endif

INLINE void
block_rows (const Block *b, Known k, size_t c, size_t n)
{
#if CPU_VEC_BYTES == 64
  if (k.pair) {
    block_pair (b, k, c, n);
    return;
  }
#endif
  block_vector (b, k, c, n);
}

/* Computes the first @channels of the pixels, vector by vector. */
INLINE void
block_channels (const Block *b, Known k, size_t channels)
{
  size_t c = 0;

  for (; c + VF_N <= channels; c += VF_N)
    block_rows (b, k, c, VF_N);
  k.part = 1;
  if (c < channels)
    block_rows (b, k, c, channels - c);
}

typedef void BlockFunc (const Block *b, size_t channels);

#define BLOCK(name, n, n_taps, a_step)                                         \
  static void name##_##n (const Block *b, size_t channels)                     \
  {                                                                            \
    block_channels (                                                           \
        b, (Known){ .np = n, .taps = n_taps, .step = a_step }, channels);      \
  }
/* Only some numbers of pixels have code of their own. */
#define BLOCKS_1248(name, taps, step)                                          \
  BLOCK (name, 1, taps, step)                                                  \
  BLOCK (name, 2, taps, step)                                                  \
  BLOCK (name, 4, taps, step)                                                  \
  BLOCK (name, 8, taps, step)
#define BLOCKS_356(name, taps, step)                                           \
  BLOCK (name, 3, taps, step)                                                  \
  BLOCK (name, 5, taps, step)                                                  \
  BLOCK (name, 6, taps, step)

BLOCKS_1248 (three, 3, 1)
BLOCKS_1248 (three_by_2, 3, 2)
BLOCKS_1248 (five, 5, 1)
BLOCKS_1248 (five_by_2, 5, 2)
BLOCKS_356 (three, 3, 1)
BLOCKS_356 (three_by_2, 3, 2)

#define BLOCKS_OF_3(name)                                                      \
  {                                                                            \
    name##_1, name##_2, name##_3, name##_4, name##_5, name##_6, NULL, name##_8 \
  }
#define BLOCKS_OF_5(name)                                                      \
  {                                                                            \
    name##_1, name##_2, NULL, name##_4, NULL, NULL, NULL, name##_8             \
  }

/* By taps and step; [pixels - 1]. */
static BlockFunc *const tables[2][2][MAX_PIXELS] = {
  { BLOCKS_OF_3 (three), BLOCKS_OF_3 (three_by_2) },
  { BLOCKS_OF_5 (five), BLOCKS_OF_5 (five_by_2) },
};

/* From a few pixels on, pairs of rows have enough independent sums. */
#if CPU_VEC_BYTES == 64
#define PAIR(name, n, n_taps)                                                  \
  static void name##_pair_##n (const Block *b, size_t channels)                \
  {                                                                            \
    block_channels (b,                                                         \
        (Known){ .np = n, .taps = n_taps, .step = 1, .pair = 1 }, channels);   \
  }
#define PAIRS(name, taps)                                                      \
  PAIR (name, 1, taps)                                                         \
  PAIR (name, 2, taps)                                                         \
  PAIR (name, 4, taps)                                                         \
  PAIR (name, 6, taps)                                                         \
  PAIR (name, 8, taps)
#define PAIRS_OF(name)                                                         \
  {                                                                            \
    name##_pair_1, name##_pair_2, NULL, name##_pair_4, NULL, name##_pair_6,    \
        NULL, name##_pair_8                                                    \
  }

PAIRS (three, 3)
PAIRS (five, 5)

/* By taps; [pixels - 1]. */
static BlockFunc *const pairs[2][MAX_PIXELS] = { PAIRS_OF (three),
  PAIRS_OF (five) };
#endif

BLOCK (any, 1, 0, 0)
BLOCK (any, 4, 0, 0)
BLOCK (any, 8, 0, 0)

static BlockFunc *const *
choose (const CpuConvDepthwise *r)
{
  if (r->dilation != 1 || r->step > 2 || (r->n[2] != 3 && r->n[2] != 5))
    return NULL;
#if CPU_VEC_BYTES == 64
  if (r->rows == 2)
    return pairs[r->n[2] == 5];
#endif
  return tables[r->n[2] == 5][r->step - 1];
}

/* Both rows at once. */
static int
is_pair (const CpuConvDepthwise *r)
{
  ptrdiff_t past = r->first + (ptrdiff_t) (r->pixels + r->n[2] - 2)
                   + (ptrdiff_t) ((r->channels + r->column - 1) / r->column)
                   - (ptrdiff_t) r->columns;

  return CPU_VEC_BYTES == 64 && r->rows == 2 && r->n[1] > 0 && r->dilation == 1
         && r->step == 1 && (r->n[2] == 3 || r->n[2] == 5)
         && r->first > -(ptrdiff_t) r->n[2] && past < (ptrdiff_t) r->n[2];
}

static void
run_any (Block *b, size_t np, size_t channels)
{
  for (; np >= 8; np -= 8, b->first += 8)
    any_8 (b, channels);
  for (; np >= 4; np -= 4, b->first += 4)
    any_4 (b, channels);
  for (; np > 0; np--, b->first++)
    any_1 (b, channels);
}

/* @np ≤ MAX_PIXELS pixels from b->first on. */
static void
run_block (Block *b, BlockFunc *const *blocks, size_t np, size_t channels)
{
  const CpuConvDepthwise *r = b->row;
  ptrdiff_t x = r->first + (ptrdiff_t) (b->first * r->step), beyond;

  if (blocks == NULL) {
    run_any (b, np, channels);
    return;
  }
  /* A vector may span the columns of a pixel. */
  beyond = x + (ptrdiff_t) ((np - 1) * r->step + r->n[2] - 1)
           + (ptrdiff_t) ((r->channels + r->column - 1) / r->column)
           - (ptrdiff_t) r->columns;
  b->left = x < 0 ? (size_t) -x : 0;
  b->right = beyond > 0 ? (size_t) beyond : 0;
  if (b->left < r->n[2] && b->right < r->n[2])
    blocks[np - 1](b, channels);
  else
    run_any (b, np, channels);
}

static void
run_rows (const CpuConvDepthwise *r)
{
  BlockFunc *const *blocks = choose (r);
  size_t pixels = r->pixels - (r->last < r->channels), np;

  for (size_t p = 0; p < pixels; p += np) {
    Block b = { .row = r, .first = p };

    np = pixels - p;
    /* Avoids a small remainder: two blocks share it. */
    if (np > MAX_PIXELS)
      np = np < 2 * MAX_PIXELS ? (np + 1) / 2 : MAX_PIXELS;
    while (blocks != NULL && blocks[np - 1] == NULL)
      np--;
    run_block (&b, blocks, np, r->channels);
  }
  if (pixels < r->pixels)
    run_block (&(Block){ .row = r, .first = pixels }, blocks, 1, r->last);
}

void
CPU_KERNEL (conv_depthwise_f32) (const CpuConvDepthwise *r)
{
  CpuConvDepthwise row = *r;

  if (r->rows < 2 || is_pair (r)) {
    run_rows (r);
    return;
  }
  row.rows = 1;
  run_rows (&row);
  row.in += row.in_stride[1];
  row.out += row.out_row;
  if (row.epilogue.residual)
    row.epilogue.residual += row.out_row;
  run_rows (&row);
}
