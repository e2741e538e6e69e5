/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attention in tiles of keys: the weighted values of a tile are added up while
 * its scores are in the cache; when the largest score grows, earlier sums are
 * rescaled (cpu/kernels/weigh.h). */

#include "cpu/ops/attention-private.h"

#include "cpu/gemm/gemm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROWS CPU_ATTENTION_BLOCK
#define KEYS 384
#define WEIGHTS_ROW                                                            \
  (KEYS + CPU_GEMM_PANEL) /* rows fall into different sets of the cache */
#define LOG2_E 1.44269504f

/* Rows below which tiles do not pay off. */
#define LEAST_ROWS 8

/* Whether masks are the same for all rows, so that they are known before the
 * scores. */
gboolean
cpu_attention_has_tiles (const CpuAttention *a)
{
  const CpuAttentionOperand *o = a->operands;
  if (a->l < LEAST_ROWS || a->causal)
    return FALSE;
  if (a->mask_input >= 0 && o[CPU_ATTENTION_MASK].row != 0)
    return FALSE;
  return a->drop_input < 0
         || (o[CPU_ATTENTION_DROP].row == 0 && a->fill == -INFINITY);
}

gsize
cpu_attention_tiles_room (CpuAttention *a)
{
  gsize total =
      cpu_scratch_add (0, cpu_gemm_packed_size (a->e, a->s), sizeof (float));
  a->at_values = total / sizeof (float);
  total = cpu_scratch_add (
      total, cpu_gemm_packed_size (a->s, a->ev), sizeof (float));
  a->at_scores = total / sizeof (float);
  total = cpu_scratch_add (total, ROWS * WEIGHTS_ROW, sizeof (float));
  a->at_mask = total / sizeof (float);
  if (a->mask_input >= 0 || a->drop_input >= 0)
    total =
        cpu_scratch_add (total, cpu_gemm_packed_size (1, a->s), sizeof (float));
  a->at_q = total / sizeof (float);
  return cpu_scratch_add (total, ROWS * a->e, sizeof (float));
}

/* The value added to the scores of each key; NULL: nothing. */
static const float *
make_bias (const CpuAttentionProduct *p)
{
  const CpuAttention *a = p->a;
  const gsize mask = a->operands[CPU_ATTENTION_MASK].column;
  const gsize drop = a->operands[CPU_ATTENTION_DROP].column;
  float *bias = p->memory + a->at_mask;
  if (p->mask == NULL && p->drop == NULL)
    return NULL;
  for (gsize j = 0; j < a->s; j++) {
    float by = p->mask ? p->mask[j * mask] : 0;
    /* Values that mask a key must stay finite: if all keys are masked, their
     * weights are equal. */
    if (isfinite (by))
      by = CLAMP (by, -FLT_MAX / 4, FLT_MAX / 4) * LOG2_E;
    if (p->drop && (p->drop[j * drop] != 0) == a->drop_where)
      by = -INFINITY;
    bias[j] = by;
  }
  return bias;
}

typedef struct
{
  const CpuAttentionProduct *p;
  const float *bias;
  gsize rows;
  float *out;
  float most[ROWS], sums[ROWS * CPU_GEMM_PANEL];
} Block;

static gsize
rows_of (const CpuAttention *a, gsize block)
{
  return MIN (ROWS, a->l - block * ROWS);
}

/* Copies rows of q, scaled, to dense memory. */
static void
take_rows (const CpuAttentionProduct *p, gsize row, gsize rows, float *to)
{
  const CpuAttention *a = p->a;
  const CpuAttentionOperand *o = &a->operands[CPU_ATTENTION_Q];
  const float scale = p->scale * LOG2_E;
  const CpuBinaryRows scaled = { .dst = to,
    .a = p->q + row * o->row,
    .a_row = o->row,
    .a_step = 1,
    .b = &scale,
    .rows = rows,
    .n = a->e };
  if (o->column == 1) {
    p->step->kernels->binary_rows_f32 (CPU_BINARY_MUL, &scaled);
    return;
  }
  for (gsize r = 0; r < rows; r++, to += a->e)
    for (gsize c = 0; c < a->e; c++)
      to[c] = p->q[(row + r) * o->row + c * o->column] * scale;
}

/* Reads rows of q ahead, which lie apart, while earlier ones are used. */
static void
fetch_rows (const CpuAttentionProduct *p, gsize row, gsize rows)
{
  const CpuAttention *a = p->a;
  const CpuAttentionOperand *o = &a->operands[CPU_ATTENTION_Q];

  for (gsize r = 0; r < rows && o->column == 1; r++)
    for (gsize c = 0; c < a->e; c += 16)
      __builtin_prefetch (p->q + (row + r) * o->row + c);
}

static void
add_keys (Block *block, gsize key, gsize keys)
{
  const CpuAttentionProduct *p = block->p;
  const CpuAttention *a = p->a;
  const gsize out_row = a->operands[CPU_ATTENTION_OUT].row;
  const CpuWeigh weigh = { .rows = block->rows,
    .keys = keys,
    .depth = a->e,
    .q = p->memory + a->at_q,
    .q_row = a->e,
    .k = p->memory + key * a->e,
    .k_panel = CPU_GEMM_PANEL * a->e,
    .bias = block->bias ? block->bias + key : NULL,
    .weights = p->memory + a->at_scores,
    .weights_row = WEIGHTS_ROW,
    .most = block->most,
    .sums = block->sums,
    .out = key > 0 ? block->out : NULL,
    .out_row = out_row,
    .columns = a->ev };
  const CpuGemm values = { .m = block->rows,
    .n = a->ev,
    .k = keys,
    .a = weigh.weights,
    .a_row = WEIGHTS_ROW,
    .a_k = 1,
    .b = p->memory + a->at_values + key * CPU_GEMM_PANEL,
    .b_panel = CPU_GEMM_PANEL * a->s,
    .b_k = CPU_GEMM_PANEL,
    .c = block->out,
    .c_row = out_row,
    .accumulate = key > 0 };
  p->step->kernels->weigh_f32 (&weigh);
  p->step->kernels->gemm_f32 (&values);
}

void
cpu_attention_tiles (const CpuAttentionProduct *p, gsize begin, gsize end)
{
  const CpuAttention *a = p->a;
  const CpuKernels *kernels = p->step->kernels;
  const gsize out_row = a->operands[CPU_ATTENTION_OUT].row;
  Block block = { .p = p, .bias = make_bias (p) };
  for (gsize b = begin; b < end; b++) {
    block.rows = rows_of (a, b);
    block.out = p->out + b * ROWS * out_row;
    memset (block.sums, 0, sizeof block.sums);
    for (gsize r = 0; r < ROWS; r++)
      block.most[r] = -INFINITY;
    take_rows (p, b * ROWS, block.rows, p->memory + a->at_q);
    if (b + 1 < end)
      fetch_rows (p, (b + 1) * ROWS, rows_of (a, b + 1));
    for (gsize key = 0; key < a->s; key += KEYS)
      add_keys (&block, key, MIN (KEYS, a->s - key));
    for (gsize r = 0; r < block.rows; r++) {
      float *out = block.out + r * out_row;
      float sum = kernels->reduce_f32 (
          CPU_REDUCE_SUM, block.sums + r * CPU_GEMM_PANEL, CPU_GEMM_PANEL);
      kernels->unary_f32 (CPU_UNARY_AFFINE, out, out, a->ev, 1 / sum, 0);
    }
  }
}
