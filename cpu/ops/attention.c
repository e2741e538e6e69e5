/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/attention.h"

#include "cpu/ops/attention-private.h"
#include "cpu/gemm/gemm.h"
#include "inference/graph/ops/attention.h"

#include <math.h>
#include <string.h>

#define Q CPU_ATTENTION_Q
#define K CPU_ATTENTION_K
#define V CPU_ATTENTION_V
#define OUT CPU_ATTENTION_OUT
#define MASK CPU_ATTENTION_MASK
#define DROP CPU_ATTENTION_DROP

static void
attention_release (gpointer priv)
{
  CpuAttention *a = priv;
  for (guint i = 0; i < CPU_ATTENTION_OPERANDS; i++)
    g_free (a->operands[i].offsets);
  g_free (a);
}

/* --- where things are --- */

/* Strides of @value by dimension; 0 for size 1. */
static void
value_strides (const CpuValue *value, gsize *strides)
{
  const InferShape *shape = &value->desc.shape;
  const gsize dense =
      infer_shape_count_range (shape, MAX (shape->rank - 2, 0), shape->rank);
  gint64 steps[INFER_MAX_RANK];
  infer_shape_strides (shape, steps);
  for (int d = 0; d < shape->rank; d++) {
    strides[d] = shape->dims[d] == 1 ? 0 : (gsize) steps[d];
    if (value->block > 0 && d < shape->rank - 2)
      strides[d] = strides[d] / MAX (dense, 1) * value->block;
  }
}

/* Offsets of the matrix of each product; dims of size 1 repeat.  Dimension i of
 * the operand is dimension order[i] of the value (NULL: i). */
static gboolean
set_up_operand (CpuAttentionOperand *o, const CpuValue *value,
    const guint8 *order, const InferShape *batch, GError **error)
{
  const int rank = value->desc.shape.rank;
  gsize n = infer_shape_count (batch), offset = 0;
  gsize by_value[INFER_MAX_RANK], strides[INFER_MAX_RANK] = { 0 };
  gsize index[INFER_MAX_RANK] = { 0 };
  value_strides (value, by_value);
  if (rank > 0)
    o->column = by_value[order ? order[rank - 1] : rank - 1];
  if (rank > 1)
    o->row = by_value[order ? order[rank - 2] : rank - 2];
  for (int i = batch->rank - 1, d = rank - 3; i >= 0 && d >= 0; i--, d--)
    strides[i] = by_value[order ? order[d] : d];
  o->offsets = g_try_new (gsize, MAX (n, 1));
  if (!o->offsets)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for %" G_GSIZE_FORMAT " products", n);
  for (gsize i = 0; i < n; i++) {
    o->offsets[i] = offset;
    for (int d = batch->rank - 1; d >= 0; d--) {
      offset += strides[d];
      if (++index[d] < (gsize) batch->dims[d])
        break;
      offset -= strides[d] * index[d];
      index[d] = 0;
    }
  }
  return TRUE;
}

static gsize
dim_of (const InferShape *shape, const guint8 *order, int from_end)
{
  int d = shape->rank - from_end;
  return (gsize) shape->dims[order ? order[d] : d];
}

/* Exporters pass zeros where there is no mask. */
static gboolean
changes_nothing (const CpuValue *mask)
{
  const guint8 *bytes = mask->data;

  return mask->constant && bytes != NULL && mask->bytes > 0 && bytes[0] == 0
         && memcmp (bytes, bytes + 1, mask->bytes - 1) == 0;
}

/* @attrs: NULL: dimensions are not permuted. */
static gboolean
set_up (CpuAttention *a, const CpuStep *step, const CpuAttentionAttrs *attrs,
    GError **error)
{
  const InferShape *q = cpu_in_shape (step, Q), *k = cpu_in_shape (step, K);
  const InferShape *out = cpu_out_shape (step, 0);
  const guint8 *orders[4] = { NULL };
  InferShape batch = { .rank = out->rank - 2 };
  for (guint i = 0; i < 4; i++)
    orders[i] = attrs ? attrs->order[i] : NULL;
  for (int d = 0; d < batch.rank; d++)
    batch.dims[d] = (gint64) dim_of (out, orders[OUT], out->rank - d);
  a->ev = dim_of (out, orders[OUT], 1);
  a->l = dim_of (q, orders[Q], 2);
  a->e = dim_of (q, orders[Q], 1);
  a->s = dim_of (k, orders[K], 2);
  a->batch = infer_shape_count (&batch);
  for (guint i = 0; i < 4; i++)
    if (!set_up_operand (&a->operands[i], i == OUT ? step->out[0] : step->in[i],
            orders[i], &batch, error))
      return FALSE;
  if (a->mask_input >= 0 && changes_nothing (step->in[a->mask_input]))
    a->mask_input = -1;
  if (a->mask_input >= 0
      && !set_up_operand (
          &a->operands[MASK], step->in[a->mask_input], NULL, &batch, error))
    return FALSE;
  return a->drop_input < 0
         || set_up_operand (
             &a->operands[DROP], step->in[a->drop_input], NULL, &batch, error);
}

/* Units shared among threads: tiled products have several parts. */
static gsize
units (const CpuAttention *a)
{
  return a->method == CPU_ATTENTION_TILES
             ? a->batch
                   * ((a->l + CPU_ATTENTION_BLOCK - 1) / CPU_ATTENTION_BLOCK)
             : a->batch;
}

/* Panels pay off from a few rows on, and are needed if elements are not
 * adjacent; columns of size 1 have a stride of 0. */
static gboolean
wants_panels (const CpuAttention *a)
{
  const CpuAttentionOperand *o = a->operands;
  return a->l >= 4 || (o[Q].column != 1 && a->e > 1)
         || (o[K].column != 1 && a->e > 1) || (o[V].column != 1 && a->ev > 1);
}

/* By shape alone, so that two runs choose the same. */
static CpuAttentionMethod
choose (const CpuStep *step, const CpuAttention *a, InferType type)
{
  if (type == INFER_TYPE_F64)
    return CPU_ATTENTION_F64;
  if (!wants_panels (a))
    return CPU_ATTENTION_DOTS;
  if (cpu_attention_has_bf16 (step, a))
    return CPU_ATTENTION_BF16;
  return cpu_attention_has_tiles (a) ? CPU_ATTENTION_TILES : CPU_ATTENTION_ROWS;
}

static gboolean
prepare (CpuStep *step, CpuAttention *a, GError **error)
{
  static const char *const names[] = { "ref_f64", "dot_f32", "gemm_f32",
    "tiles_f32", "tiles_bf16" };
  InferType to = cpu_widen_type (step->in[0]->desc.type);
  a->method = choose (step, a, to);
  a->bytes = a->method == CPU_ATTENTION_TILES  ? cpu_attention_tiles_room (a)
             : a->method == CPU_ATTENTION_BF16 ? cpu_attention_bf16_room (a)
                                               : cpu_attention_rows_room (a);
  step->kernel = names[a->method];
  return cpu_widen_prepare (&a->widen, step, to, 0,
      cpu_scratch_add (0, a->bytes, MIN (step->threads, MAX (units (a), 1))),
      error);
}

static gboolean
sdpa_prepare (CpuStep *step, GError **error)
{
  const InferAttention *attrs = step->op->attrs;
  CpuAttention *a = g_new0 (CpuAttention, 1);
  step->priv = a;
  a->mask_input = a->drop_input = -1;
  a->scale_input = 4;
  a->causal = attrs->causal;
  a->fill = -INFINITY;
  if (!a->causal && cpu_has_in (step, 3)) {
    if (step->in[3]->desc.type == INFER_TYPE_BOOLEAN)
      a->drop_input = 3;
    else
      a->mask_input = 3;
  }
  return set_up (a, step, NULL, error) && prepare (step, a, error);
}

static gboolean
fused_prepare (CpuStep *step, GError **error)
{
  const CpuAttentionAttrs *attrs = step->op->attrs;
  CpuAttention *a = g_new0 (CpuAttention, 1);
  step->priv = a;
  a->mask_input = attrs->mask_input;
  a->drop_input = attrs->drop_input;
  a->drop_where = attrs->drop_where;
  a->fill = attrs->fill;
  a->causal = attrs->causal;
  a->scale = attrs->scale;
  a->scale_input = attrs->scale_input;
  a->fused = TRUE;
  return set_up (a, step, attrs, error) && prepare (step, a, error);
}

/* --- double --- */

/* The mask value added to the score of row @i and column @j. */
static double
bias_at (const CpuAttention *a, const double *mask, const guint8 *drop, gsize i,
    gsize j)
{
  const CpuAttentionOperand *o = a->operands;
  if (a->causal)
    return j > i ? -(double) INFINITY : 0;
  if (drop)
    return drop[i * o[DROP].row + j * o[DROP].column] ? 0 : -(double) INFINITY;
  return mask ? mask[i * o[MASK].row + j * o[MASK].column] : 0;
}

/* Only if dimensions are not permuted. */
static void
product_f64 (const CpuAttention *a, const double *q, const double *k,
    const double *v, const double *mask, const guint8 *drop, double scale,
    double *scores, double *out)
{
  for (gsize i = 0; i < a->l; i++) {
    double largest = -(double) INFINITY, total = 0;
    for (gsize j = 0; j < a->s; j++) {
      double sum = 0;
      for (gsize c = 0; c < a->e; c++)
        sum += q[i * a->e + c] * k[j * a->e + c];
      scores[j] = sum * scale + bias_at (a, mask, drop, i, j);
      largest = MAX (largest, scores[j]);
    }
    for (gsize j = 0; j < a->s; j++)
      total += scores[j] = exp (scores[j] - largest);
    for (gsize c = 0; c < a->ev; c++) {
      double sum = 0;
      for (gsize j = 0; j < a->s; j++)
        sum += scores[j] * v[j * a->ev + c];
      out[i * a->ev + c] = sum / total;
    }
  }
}

/* --- running --- */

static double
read_scale (const CpuStep *step, const CpuAttention *a)
{
  double scale = a->scale != 0 ? a->scale : 1 / sqrt ((double) a->e), by;
  if (a->scale_input < 0 || !cpu_has_in (step, (guint) a->scale_input))
    return scale;
  const CpuValue *value = step->in[a->scale_input];
  infer_convert (&by, INFER_TYPE_F64, value->data, value->desc.type, 1);
  return a->fused ? scale * by : by;
}

static gconstpointer
at (gconstpointer base, gsize offset, gsize size)
{
  return base ? (const char *) base + offset * size : NULL;
}

typedef struct
{
  CpuStep *step;
  const CpuAttention *a;
  gsize units;
  gconstpointer in[CPU_ATTENTION_OPERANDS];
  char *out, *memory;
  double scale;
} Run;

/* Multiplications per thread from which on waking it pays. */
#define THREAD_GRAIN (1 << 20)

/* Operand @which of product @b. */
static gconstpointer
operand_at (const Run *run, CpuAttentionWhich which, gsize b)
{
  const CpuAttentionOperand *o = &run->a->operands[which];
  gsize size = which == DROP ? 1 : infer_type_size (run->a->widen.to);
  return run->in[which] ? at (run->in[which], o->offsets[b], size) : NULL;
}

static gboolean
is_same (const Run *run, CpuAttentionWhich which, gsize begin, gsize b)
{
  const gsize *offsets = run->a->operands[which].offsets;
  return b > begin && offsets[b] == offsets[b - 1];
}

static void
make_panels (const CpuAttentionProduct *p, gboolean same_k, gboolean same_v)
{
  const CpuAttention *a = p->a;
  const CpuKernels *kernels = p->step->kernels;
  const CpuAttentionOperand *k = &a->operands[K], *v = &a->operands[V];
  gsize whole = a->ev / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  float *values = p->memory + a->at_values;
  if (a->method == CPU_ATTENTION_DOTS) {
    if (!same_v && whole < a->ev)
      cpu_gemm_pack_by (
          kernels, values, p->v + whole, a->s, a->ev - whole, v->row, 1);
    return;
  }
  if (a->method == CPU_ATTENTION_BF16) {
    if (!same_k)
      cpu_attention_bf16_keys (p);
    if (!same_v)
      cpu_attention_bf16_values (p);
    return;
  }
  if (!same_k)
    cpu_gemm_pack_by (kernels, p->memory, p->k, a->e, a->s, k->column, k->row);
  if (!same_v)
    cpu_gemm_pack_by (kernels, values, p->v, a->s, a->ev, v->row, v->column);
}

static void
run_f64 (const Run *run, gsize b, gpointer memory)
{
  const CpuAttention *a = run->a;
  product_f64 (a, operand_at (run, Q, b), operand_at (run, K, b),
      operand_at (run, V, b), operand_at (run, MASK, b),
      operand_at (run, DROP, b), run->scale, (double *) memory + a->at_scores,
      (double *) (gpointer) run->out + a->operands[OUT].offsets[b]);
}

/* Computes units [begin, end); each product has the same number of units. */
static void
run_units (gpointer data, gsize begin, gsize end, guint thread)
{
  const Run *run = data;
  const CpuAttention *a = run->a;
  const gsize each = run->units / a->batch;
  gpointer memory = run->memory + thread * a->bytes;
  for (gsize b = begin / each; b * each < end; b++) {
    CpuAttentionProduct p = { .step = run->step,
      .a = a,
      .q = operand_at (run, Q, b),
      .k = operand_at (run, K, b),
      .v = operand_at (run, V, b),
      .mask = operand_at (run, MASK, b),
      .drop = operand_at (run, DROP, b),
      .scale = (float) run->scale,
      .memory = memory,
      .out = (float *) (gpointer) run->out + a->operands[OUT].offsets[b] };
    if (a->method == CPU_ATTENTION_F64) {
      run_f64 (run, b, memory);
      continue;
    }
    make_panels (&p, is_same (run, K, begin / each, b),
        is_same (run, V, begin / each, b));
    if (a->method == CPU_ATTENTION_BF16)
      cpu_attention_bf16 (&p);
    else if (a->method != CPU_ATTENTION_TILES)
      cpu_attention_rows (&p);
    else if (each == 1)
      cpu_attention_tiles (&p, 0, units (a) / a->batch);
    else
      cpu_attention_tiles (&p, begin > b * each ? begin - b * each : 0,
          MIN (end - b * each, each));
  }
}

static gboolean
attention_run (CpuStep *step, GError **error)
{
  const CpuAttention *a = step->priv;
  if (step->out[0]->n == 0)
    return TRUE;
  if (a->s == 0) {
    memset (step->out[0]->data, 0,
        step->out[0]->n * infer_type_size (step->out[0]->desc.type));
    return TRUE;
  }
  Run run = { .step = step,
    .a = a,
    .out = cpu_widen_out (&a->widen, step, 0),
    .memory = cpu_widen_more (&a->widen, step),
    .scale = read_scale (step, a) };
  for (guint i = Q; i <= V; i++)
    run.in[i] = cpu_widen_in (&a->widen, step, i);
  if (a->mask_input >= 0)
    run.in[MASK] = cpu_widen_in (&a->widen, step, (guint) a->mask_input);
  if (a->drop_input >= 0)
    run.in[DROP] = step->in[a->drop_input]->data;
  /* Threads that share a product make panels of their own. */
  run.units = a->batch < 8 * step->threads && a->batch % step->threads != 0
                  ? units (a)
                  : a->batch;
  gsize grain =
      THREAD_GRAIN / MAX (a->l * a->s * a->e * a->batch / run.units, 1) + 1;
  if (step->threads > 1 && run.units > grain)
    cpu_step_parallel (step, run.units, grain, run_units, &run);
  else
    run_units (&run, 0, run.units, 0);
  cpu_widen_finish (&a->widen, step);
  return TRUE;
}

/* Keys and values that need no widening. */
static gboolean
attention_takes_blocks (const InferOperation *op, guint input)
{
  return (input == 1 || input == 2)
         && op->inputs[input].op->outputs[op->inputs[input].index].desc.type
                == INFER_TYPE_F32;
}

const CpuOp cpu_op_scaled_dot_product_attention = {
  .takes_blocks = attention_takes_blocks,
  .prepare = sdpa_prepare,
  .run = attention_run,
  .release = attention_release,
};

/* The operation that cpu/passes/fuse/attention.c creates. */
const CpuOp cpu_op_fused_attention = {
  .takes_blocks = attention_takes_blocks,
  .prepare = fused_prepare,
  .run = attention_run,
  .release = attention_release,
};
