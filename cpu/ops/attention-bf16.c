/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attention in tiles of bf16: both products of some rows, with all their scores
 * between them. */

#include "cpu/ops/attention-private.h"

#include "cpu/base/f16-gemm.h"

#include <math.h>
#include <string.h>

#define Q CPU_ATTENTION_Q
#define K CPU_ATTENTION_K
#define V CPU_ATTENTION_V
#define OUT CPU_ATTENTION_OUT

/* Rows of weights that exist at once, and columns of a block. */
#define ROWS CPU_WEIGH_ROWS
#define WIDTH (2 * CPU_F16_LANES)
#define LOG2_E 1.44269504f

/* Keys from one to the next that the mean is made of. */
#define MEAN_STEP 16
/* Sums of weights between which the values' weighted sums keep their precision
 * and do not overflow. */
#define LEAST_SUM 0x1p-40f
#define MOST_SUM 0x1p64f

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
  total = cpu_scratch_add (total, ROWS * MAX (s, e), sizeof (float));
  a->at_weights = total / sizeof (float);
  total = cpu_scratch_add (total, ROWS * s, sizeof (guint16));
  a->at_q = total / sizeof (float);
  total = cpu_scratch_add (total, ROWS * e, sizeof (guint16));
  a->at_mean = total / sizeof (float);
  total = cpu_scratch_add (total, e, sizeof (float));
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

/* Whether weights are made together with the scores.  AMX makes scores faster.
 */
static gboolean
weighs_at_once (const CpuAttentionProduct *p)
{
  return p->mask == NULL && p->drop == NULL && !p->a->causal
         && !(p->step->isa & CPU_ISA_AMX);
}

/* Rows of an operand, filled up with zeros to @width. */
static void
take_rows (const CpuKernels *kernels, guint16 *to, gsize width,
    const float *from, gsize from_row, gsize rows, gsize n)
{
  if (from_row == n && width == n) {
    kernels->f32_to_bf16 (to, from, rows * n);
    return;
  }
  for (gsize r = 0; r < rows; r++, to += width, from += from_row) {
    kernels->f32_to_bf16 (to, from, n);
    memset (to + n, 0, (width - n) * sizeof *to);
  }
}

/* The mean of some keys: its score is not above the largest of a row. */
static void
make_mean (const CpuAttentionProduct *p)
{
  const CpuAttention *a = p->a;
  const CpuKernels *kernels = p->step->kernels;
  const gsize n = (a->s + MEAN_STEP - 1) / MEAN_STEP;
  const gsize step = MEAN_STEP * a->operands[K].row;
  float *mean = p->memory + a->at_mean;

  memset (mean, 0, a->e * sizeof *mean);
  for (gsize j = 0; j < n; j++)
    kernels->binary_f32 (
        CPU_BINARY_ADD, mean, mean, 1, p->k + j * step, 1, a->e);
  kernels->unary_f32 (CPU_UNARY_AFFINE, mean, mean, a->e, 1 / (float) n, 0);
}

/* Blocks of keys: pairs of elements as words are transposed. */
void
cpu_attention_bf16_keys (const CpuAttentionProduct *p)
{
  const CpuAttention *a = p->a;
  const gsize e = padded (a->e), row = a->operands[K].row;
  guint16 *rows = bf16_at (p, a->at_q), *to = bf16_at (p, 0);

  if (weighs_at_once (p))
    make_mean (p);

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

/* Weights of @rows rows from @row on while their scores are in registers: they
 * refer to the score of the mean key.  FALSE: it is too far from the largest
 * one, or scores are not finite. */
static gboolean
weigh_at_once (const CpuAttentionProduct *p, gsize row, gsize rows, float *sums)
{
  const CpuAttention *a = p->a;
  const CpuKernels *kernels = p->step->kernels;
  const gsize e = padded (a->e), q_row = a->operands[Q].row;
  const float *from = p->q + row * q_row;
  float *scaled = p->memory + a->at_scores, least[ROWS];
  guint16 *q = bf16_at (p, a->at_q);
  const float scale = p->scale * LOG2_E;
  const CpuBinaryRows scaling = { .dst = scaled,
    .a = from,
    .a_row = q_row,
    .a_step = 1,
    .b = &scale,
    .rows = rows,
    .n = a->e };
  const CpuWeighBf16 weigh = { .rows = rows,
    .keys = a->s,
    .depth = e,
    .q = q,
    .q_row = e,
    .k = bf16_at (p, 0),
    .k_block = WIDTH * e,
    .least = least,
    .weights = bf16_at (p, a->at_weights),
    .weights_row = padded (a->s),
    .sums = sums };

  kernels->dot_rows_f32 (
      least, from, q_row, p->memory + a->at_mean, rows, a->e);
  for (gsize r = 0; r < rows; r++)
    least[r] *= scale;
  kernels->binary_rows_f32 (CPU_BINARY_MUL, &scaling);
  take_rows (kernels, q, e, scaled, a->e, rows, a->e);
  kernels->weigh_bf16 (&weigh);
  for (gsize r = 0; r < rows; r++)
    if (!(sums[r] > LEAST_SUM && sums[r] < MOST_SUM))
      return FALSE;
  return TRUE;
}

/* Weights of the first @keys keys. */
static void
weigh_rows (const CpuAttentionProduct *p, gsize row, gsize rows, gsize keys,
    float *sums)
{
  const CpuAttention *a = p->a;
  const gsize s = padded (a->s), e = padded (a->e), q_row = a->operands[Q].row;
  float *scores = p->memory + a->at_scores;
  guint16 *weights = bf16_at (p, a->at_weights), *q = bf16_at (p, a->at_q);

  take_rows (p->step->kernels, q, e, p->q + row * q_row, q_row, rows, a->e);
  multiply (
      p, q, rows, e, e, bf16_at (p, 0), WIDTH * e, scores, s, padded (keys));
  for (gsize r = 0; r < rows; r++)
    sums[r] = weigh (p, weights + r * s, scores + r * s, row + r, keys);
}

void
cpu_attention_bf16 (const CpuAttentionProduct *p)
{
  const CpuAttention *a = p->a;
  const gsize s = padded (a->s), out_row = a->operands[OUT].row;
  const gboolean at_once = weighs_at_once (p);
  const gsize blocks = (a->l + ROWS - 1) / ROWS;
  const guint16 *weights = bf16_at (p, a->at_weights);
  float sums[ROWS];

  /* Blocks are nearly equal: a short one would not fill tiles. */
  for (gsize b = 0, i = 0, rows; b < blocks; b++, i += rows) {
    rows = (a->l - i + blocks - b - 1) / (blocks - b);
    const gsize keys = a->causal ? MIN (a->s, i + rows) : a->s;
    float *out = p->out + i * out_row;

    if (!at_once || !weigh_at_once (p, i, rows, sums))
      weigh_rows (p, i, rows, keys, sums);
    multiply (p, weights, rows, s, padded (keys), bf16_at (p, a->at_values),
        WIDTH * s, out, out_row, a->ev);
    for (gsize r = 0; r < rows; r++)
      p->step->kernels->unary_f32 (CPU_UNARY_AFFINE, out + r * out_row,
          out + r * out_row, a->ev, 1 / sums[r], 0);
  }
}
