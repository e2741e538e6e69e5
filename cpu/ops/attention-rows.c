/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/attention-private.h"

#include "cpu/gemm/gemm.h"

#include <math.h>
#include <string.h>

#define Q CPU_ATTENTION_Q
#define K CPU_ATTENTION_K
#define V CPU_ATTENTION_V
#define OUT CPU_ATTENTION_OUT
#define MASK CPU_ATTENTION_MASK
#define DROP CPU_ATTENTION_DROP

/* Rows of scores that exist at once. */
#define ROWS 48

gsize
cpu_attention_rows_room (CpuAttention *a)
{
  const gboolean panels = a->method == CPU_ATTENTION_ROWS;
  gsize size = a->method == CPU_ATTENTION_F64 ? 8 : 4, total = 0;

  if (panels)
    total = cpu_scratch_add (total, cpu_gemm_packed_size (a->e, a->s), size);
  a->at_values = total / size;
  total = cpu_scratch_add (total,
      panels ? cpu_gemm_packed_size (a->s, a->ev) : CPU_GEMM_PANEL * a->s,
      size);
  a->at_scores = total / size;
  total = cpu_scratch_add (total, panels ? ROWS * a->s : a->s, size);
  a->at_mask = total / size;
  if (a->mask_input >= 0)
    total = cpu_scratch_add (total, a->s, size);
  a->at_drop = total / size;
  if (a->drop_input >= 0)
    total = cpu_scratch_add (total, a->s + 64, 1);
  return total;
}

/* Threads share the products, or the rows of a single product. */
static void
gemm (const CpuAttentionProduct *p, const CpuGemm *g)
{
  if (p->a->batch == 1)
    cpu_gemm_run (p->step, g, CPU_GEMM_F32);
  else
    p->step->kernels->gemm_f32 (g);
}

/* The mask of row @i.  One value for a whole row does not change its weights,
 * unless it is not finite. */
static const float *
mask_row (const CpuAttentionProduct *p, gsize i)
{
  const CpuAttentionOperand *o = &p->a->operands[MASK];
  const float *row = p->mask ? p->mask + i * o->row : NULL;
  float *made = p->memory + p->a->at_mask;
  if (!row || o->column == 1 || p->a->s == 1)
    return row;
  if (isfinite (*row))
    return NULL;
  for (gsize j = 0; j < p->a->s; j++)
    made[j] = *row;
  return made;
}

/* The same for the boolean mask; a row shared by all is made once. */
static const guint8 *
drop_row (const CpuAttentionProduct *p, gsize i)
{
  const CpuAttentionOperand *o = &p->a->operands[DROP];
  guint8 *made = (guint8 *) (p->memory + p->a->at_drop);
  if (!p->drop || (i > 0 && o->row == 0))
    return p->drop ? made : NULL;
  for (gsize j = 0; j < p->a->s; j++)
    made[j] = (p->drop[i * o->row + j * o->column] != 0) == p->a->drop_where;
  return made;
}

float
cpu_attention_weigh_row (
    const CpuAttentionProduct *p, float *row, gsize i, gsize keys)
{
  gsize n = p->a->causal ? MIN (i + 1, keys) : keys;
  CpuScores scores = { p->scale, p->a->fill, mask_row (p, i), drop_row (p, i) };
  memset (row + n, 0, (keys - n) * sizeof *row);
  return p->step->kernels->scores_f32 (row, n, &scores);
}

static void
weigh_values (const CpuAttentionProduct *p, float *out, gsize rows, gsize keys)
{
  const CpuAttention *a = p->a;
  gsize whole = a->ev / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  CpuGemm g = { .m = rows,
    .n = a->ev,
    .k = keys,
    .a = p->memory + a->at_scores,
    .a_row = a->s,
    .a_k = 1,
    .c = out,
    .c_row = a->operands[OUT].row };
  if (a->method == CPU_ATTENTION_ROWS) {
    g.b = p->memory + a->at_values;
    g.b_panel = a->s * CPU_GEMM_PANEL;
    g.b_k = CPU_GEMM_PANEL;
    gemm (p, &g);
    return;
  }
  g.b = p->v;
  g.b_panel = CPU_GEMM_PANEL;
  g.b_k = a->operands[V].row;
  g.n = whole;
  if (whole > 0)
    gemm (p, &g);
  if (whole < a->ev) {
    g.b = p->memory + a->at_values; /* the columns left over */
    g.b_k = CPU_GEMM_PANEL;
    g.n = a->ev - whole;
    g.c = out + whole;
    gemm (p, &g);
  }
}

void
cpu_attention_rows (const CpuAttentionProduct *p)
{
  const CpuAttention *a = p->a;
  const CpuAttentionOperand *o = a->operands;
  const gboolean panels = a->method == CPU_ATTENTION_ROWS;
  float *scores = p->memory + a->at_scores, sums[ROWS];
  gsize step = panels ? ROWS : 1;
  for (gsize i = 0; i < a->l; i += step) {
    gsize rows = MIN (step, a->l - i);
    gsize keys = a->causal ? MIN (a->s, i + rows) : a->s;
    const float *q = p->q + i * o[Q].row;
    float *out = p->out + i * o[OUT].row;
    if (panels) {
      CpuGemm g = { .m = rows,
        .n = keys,
        .k = a->e,
        .a = q,
        .a_row = o[Q].row,
        .a_k = o[Q].column,
        .b = p->memory,
        .b_panel = a->e * CPU_GEMM_PANEL,
        .b_k = CPU_GEMM_PANEL,
        .c = scores,
        .c_row = a->s };
      gemm (p, &g);
    } else {
      p->step->kernels->dot_rows_f32 (scores, p->k, o[K].row, q, keys, a->e);
    }
    for (gsize r = 0; r < rows; r++)
      sums[r] = cpu_attention_weigh_row (p, scores + r * a->s, i + r, keys);
    weigh_values (p, out, rows, keys);
    for (gsize r = 0; r < rows; r++)
      p->step->kernels->unary_f32 (CPU_UNARY_AFFINE, out + r * o[OUT].row,
          out + r * o[OUT].row, a->ev, 1 / sums[r], 0);
  }
}
