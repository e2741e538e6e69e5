/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attention in tiles of bf16: both products of some rows, with all their scores
 * between them. */

#include "cpu/ops/attention-private.h"

#include "cpu/base/f16-gemm.h"

#include <string.h>

#define Q CPU_ATTENTION_Q
#define K CPU_ATTENTION_K
#define V CPU_ATTENTION_V
#define OUT CPU_ATTENTION_OUT

/* Rows of scores that exist at once, and columns of a block. */
#define ROWS 64
#define WIDTH (2 * CPU_F16_LANES)
#define LOG2_E 1.44269504f

/* Smaller sizes do not fill tiles. */
#define LEAST 16

static gsize
padded (gsize n)
{
  return (n + WIDTH - 1) / WIDTH * WIDTH;
}

/* Vectors of a block of @n columns. */
static gsize
vectors_of (gsize n)
{
  return n > CPU_F16_LANES ? 2 : 1;
}

gboolean
cpu_attention_has_bf16 (const CpuStep *step, const CpuAttention *a)
{
  const CpuAttentionOperand *o = a->operands;

  return cpu_bf16_products_wanted (step) && a->l >= LEAST && a->s >= LEAST
         && a->e >= LEAST && a->ev >= LEAST && o[Q].column == 1
         && o[K].column == 1 && o[V].column == 1 && a->s <= G_MAXSIZE / 1024
         && a->e <= G_MAXSIZE / 1024 && a->ev <= G_MAXSIZE / 1024;
}

gsize
cpu_attention_bf16_room (CpuAttention *a)
{
  const gsize s = padded (a->s), e = padded (a->e);
  gsize keys, values;

  if (!g_size_checked_mul (&keys, s, e)
      || !g_size_checked_mul (&values, s, padded (a->ev)))
    return G_MAXSIZE;
  gsize total = cpu_scratch_add (0, keys, sizeof (guint16));
  a->at_values = total / sizeof (float);
  total = cpu_scratch_add (total, values, sizeof (guint16));
  a->at_scores = total / sizeof (float);
  total = cpu_scratch_add (total, ROWS * s, sizeof (float));
  a->at_weights = total / sizeof (float);
  total = cpu_scratch_add (total, ROWS * s, sizeof (guint16));
  a->at_q = total / sizeof (float);
  total = cpu_scratch_add (total, ROWS * e, sizeof (guint16));
  a->at_mask = total / sizeof (float);
  if (a->mask_input >= 0)
    total = cpu_scratch_add (total, a->s, sizeof (float));
  a->at_drop = total / sizeof (float);
  if (a->drop_input >= 0)
    total = cpu_scratch_add (total, a->s + 64, 1);
  return total;
}

static guint16 *
bf16_at (const CpuAttentionProduct *p, gsize at)
{
  return (guint16 *) (gpointer) (p->memory + at);
}

/* Rows of an operand, filled up with zeros to @width. */
static void
take_rows (const CpuKernels *kernels, guint16 *to, gsize width,
    const float *from, gsize from_row, gsize rows, gsize n)
{
  for (gsize r = 0; r < rows; r++, to += width, from += from_row) {
    kernels->f32_to_bf16 (to, from, n);
    memset (to + n, 0, (width - n) * sizeof *to);
  }
}

/* Blocks of keys: pairs of elements as words are transposed. */
void
cpu_attention_bf16_keys (const CpuAttentionProduct *p)
{
  const CpuAttention *a = p->a;
  const gsize e = padded (a->e), row = a->operands[K].row;
  guint16 *rows = bf16_at (p, a->at_q), *to = bf16_at (p, 0);

  for (gsize j = 0; j < a->s; j += WIDTH, to += WIDTH * e) {
    const gsize n = MIN (WIDTH, a->s - j);

    take_rows (p->step->kernels, rows, e, p->k + j * row, row, n, a->e);
    memset (rows + n * e, 0, (WIDTH - n) * e * sizeof *rows);
    p->step->kernels->transpose_u32 (
        (gpointer) to, WIDTH, (gpointer) rows, e / 2, WIDTH, e / 2);
  }
}

/* Blocks of columns: pairs of rows. */
void
cpu_attention_bf16_values (const CpuAttentionProduct *p)
{
  const CpuAttention *a = p->a;
  const gsize s = padded (a->s), row = a->operands[V].row;
  guint16 *to = bf16_at (p, a->at_values);

  memset (to, 0, s * padded (a->ev) * sizeof *to);
  for (gsize c = 0; c < a->ev; c += WIDTH, to += WIDTH * s) {
    const gsize n = MIN (WIDTH, a->ev - c);
    const gsize width = vectors_of (n) * CPU_F16_LANES;

    for (gsize j = 0; j < a->s; j += 2) {
      const float *from = p->v + j * row + c;

      p->step->kernels->pairs_bf16 (
          to + j * width, from, j + 1 < a->s ? from + row : NULL, n);
    }
  }
}

static const gsize segment = 0;
static const float ones[WIDTH] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

/* Rows of @length elements times blocks of @n columns. */
static void
multiply (const CpuAttentionProduct *p, const guint16 *rows, gsize n_rows,
    gsize row, gsize length, const guint16 *blocks, gsize block, float *out,
    gsize out_row, gsize n)
{
  for (gsize j = 0; j < n; j += WIDTH, blocks += block) {
    const CpuConvTileF16 tile = { .in = rows,
      .in_step = row,
      .segments = &segment,
      .n_segments = 1,
      .length = length,
      .weights = blocks,
      .scale = 1,
      .scales = ones,
      .vectors = vectors_of (n - j),
      .channels = MIN (WIDTH, n - j),
      .pixels = n_rows,
      .out = out + j,
      .out_step = out_row };

    p->step->kernels->conv_tile_bf16 (&tile);
  }
}

/* Weights of row @i, up to whole tiles of @keys; returns their sum. */
static float
weigh (const CpuAttentionProduct *p, guint16 *weights, float *scores, gsize i,
    gsize keys)
{
  const CpuKernels *kernels = p->step->kernels;
  float sum;

  if (p->mask == NULL && p->drop == NULL && !p->a->causal) {
    sum = kernels->weights_bf16 (weights, scores, keys, p->scale * LOG2_E);
  } else {
    sum = cpu_attention_weigh_row (p, scores, i, keys);
    kernels->f32_to_bf16 (weights, scores, keys);
  }
  memset (weights + keys, 0, (padded (keys) - keys) * sizeof *weights);
  return sum;
}

void
cpu_attention_bf16 (const CpuAttentionProduct *p)
{
  const CpuAttention *a = p->a;
  const CpuAttentionOperand *o = a->operands;
  const CpuKernels *kernels = p->step->kernels;
  const gsize s = padded (a->s), e = padded (a->e);
  float *scores = p->memory + a->at_scores, sums[ROWS];
  guint16 *weights = bf16_at (p, a->at_weights), *q = bf16_at (p, a->at_q);

  for (gsize i = 0; i < a->l; i += ROWS) {
    const gsize rows = MIN (ROWS, a->l - i);
    const gsize keys = a->causal ? MIN (a->s, i + rows) : a->s;
    float *out = p->out + i * o[OUT].row;

    take_rows (kernels, q, e, p->q + i * o[Q].row, o[Q].row, rows, a->e);
    multiply (
        p, q, rows, e, e, bf16_at (p, 0), WIDTH * e, scores, s, padded (keys));
    for (gsize r = 0; r < rows; r++)
      sums[r] = weigh (p, weights + r * s, scores + r * s, i + r, keys);
    multiply (p, weights, rows, s, padded (keys), bf16_at (p, a->at_values),
        WIDTH * s, out, o[OUT].row, a->ev);
    for (gsize r = 0; r < rows; r++)
      kernels->unary_f32 (CPU_UNARY_AFFINE, out + r * o[OUT].row,
          out + r * o[OUT].row, a->ev, 1 / sums[r], 0);
  }
}
