/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/attention.h"

#include "cpu/ops/gemm.h"
#include "cpu/ops/widen.h"
#include "inference/ops/attention.h"

#include <math.h>
#include <string.h>

/* Rows of scores that exist at once. */
#define ROWS 48

typedef enum
{
  Q,
  K,
  V,
  OUT,
  MASK, /* added to scores */
  DROP, /* boolean: scores that are replaced */
  N_OPERANDS
} Which;

/* A matrix for each product; strides and offsets in elements. */
typedef struct
{
  gsize *offsets;
  gsize row, column;
} Operand;

typedef struct
{
  gboolean f64;
  CpuWiden widen;
  gsize batch, l, s, e, ev;
  Operand operands[N_OPERANDS];
  int mask_input, drop_input; /* -1: none */
  gboolean drop_where;        /* what is dropped: TRUE or FALSE */
  float fill;                 /* what it becomes */
  gboolean causal;
  double scale;    /* 0: 1 / sqrt (e) */
  int scale_input; /* read instead; -1: none */
  gboolean fused;  /* … times scale */
  gboolean pack;   /* keys and values are made panels */
  gsize at_keys, at_values, at_scores, at_mask, at_drop; /* floats */
  gsize bytes; /* of working memory for a thread */
} Attention;

static void
attention_release (gpointer priv)
{
  Attention *a = priv;
  for (guint i = 0; i < N_OPERANDS; i++)
    g_free (a->operands[i].offsets);
  g_free (a);
}

/* --- where things are
 * --------------------------------------------------------------------- */

/* Strides of @value by dimension, 0 where there is one element. */
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

/* Where the matrix of each product begins; dims of one repeat.  Dimension i of
 * the operand is dimension order[i] of the value (NULL: i). */
static gboolean
set_up_operand (Operand *o, const CpuValue *value, const guint8 *order,
    const InferShape *batch, GError **error)
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

/* @attrs: NULL where operands lie as they are. */
static gboolean
set_up (Attention *a, const CpuStep *step, const CpuAttentionAttrs *attrs,
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
  if (a->mask_input >= 0
      && !set_up_operand (
          &a->operands[MASK], step->in[a->mask_input], NULL, &batch, error))
    return FALSE;
  return a->drop_input < 0
         || set_up_operand (
             &a->operands[DROP], step->in[a->drop_input], NULL, &batch, error);
}

/* Panels are worth making for a few rows and needed where elements do not lie
 * side by side; columns of one element have a stride of 0. */
static gboolean
wants_panels (const Attention *a)
{
  const Operand *o = a->operands;
  return !a->f64
         && (a->l >= 4 || (o[Q].column != 1 && a->e > 1)
             || (o[K].column != 1 && a->e > 1)
             || (o[V].column != 1 && a->ev > 1));
}

static gboolean
prepare (CpuStep *step, Attention *a, GError **error)
{
  InferType to = cpu_widen_type (step->in[0]->desc.type);
  gsize size = infer_type_size (to), total = 0;
  a->f64 = to == INFER_TYPE_F64;
  a->pack = wants_panels (a);
  if (a->pack) {
    total = cpu_scratch_add (total, cpu_gemm_packed_size (a->e, a->s), size);
    a->at_values = total / size;
    total = cpu_scratch_add (total, cpu_gemm_packed_size (a->s, a->ev), size);
  } else {
    total = cpu_scratch_add (total, CPU_GEMM_PANEL * a->s, size);
  }
  a->at_scores = total / size;
  total = cpu_scratch_add (total, a->pack ? ROWS * a->s : a->s, size);
  a->at_mask = total / size;
  if (a->mask_input >= 0)
    total = cpu_scratch_add (total, a->s, size);
  a->at_drop = total / size;
  if (a->drop_input >= 0)
    total = cpu_scratch_add (total, a->s + 64, 1);
  a->bytes = total;
  total = cpu_scratch_add (0, total, MIN (step->threads, MAX (a->batch, 1)));
  step->kernel = a->f64 ? "ref_f64" : a->pack ? "gemm_f32" : "dot_f32";
  return cpu_widen_prepare (&a->widen, step, to, 0, total, error);
}

static gboolean
sdpa_prepare (CpuStep *step, GError **error)
{
  const InferAttention *attrs = step->op->attrs;
  Attention *a = g_new0 (Attention, 1);
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
  Attention *a = g_new0 (Attention, 1);
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

/* --- double
 * ---------------------------------------------------------------------- */

/* What is added to the score of row @i and column @j. */
static double
bias_at (const Attention *a, const double *mask, const guint8 *drop, gsize i,
    gsize j)
{
  const Operand *o = a->operands;
  if (a->causal)
    return j > i ? -(double) INFINITY : 0;
  if (drop)
    return drop[i * o[DROP].row + j * o[DROP].column] ? 0 : -(double) INFINITY;
  return mask ? mask[i * o[MASK].row + j * o[MASK].column] : 0;
}

/* Only of operands that lie as they are. */
static void
product_f64 (const Attention *a, const double *q, const double *k,
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

/* --- float
 * ----------------------------------------------------------------------- */

typedef struct
{
  CpuStep *step;
  const Attention *a;
  const float *q, *k, *v, *mask; /* of one product; mask may be NULL */
  const guint8 *drop;            /* may be NULL */
  float scale;
  float *keys, *values, *scores, *mask_row, *out;
  guint8 *drop_row;
  float sums[ROWS];
} Product;

/* Threads share out the products; a single one is shared out itself. */
static void
gemm (const Product *p, const CpuGemm *g)
{
  if (p->a->batch == 1)
    cpu_gemm_run (p->step, g, CPU_GEMM_F32);
  else
    p->step->kernels->gemm_f32 (g);
}

/* The mask of row @i.  One number for all of a row changes none of its weights,
 * unless it is none. */
static const float *
mask_row (const Product *p, gsize i)
{
  const Operand *o = &p->a->operands[MASK];
  const float *row = p->mask ? p->mask + i * o->row : NULL;
  if (!row || o->column == 1 || p->a->s == 1)
    return row;
  if (isfinite (*row))
    return NULL;
  for (gsize j = 0; j < p->a->s; j++)
    p->mask_row[j] = *row;
  return p->mask_row;
}

/* The same of what is dropped; one row for all is made once. */
static const guint8 *
drop_row (const Product *p, gsize i)
{
  const Operand *o = &p->a->operands[DROP];
  if (!p->drop || (i > 0 && o->row == 0))
    return p->drop ? p->drop_row : NULL;
  for (gsize j = 0; j < p->a->s; j++)
    p->drop_row[j] =
        (p->drop[i * o->row + j * o->column] != 0) == p->a->drop_where;
  return p->drop_row;
}

/* Row @i of scores becomes weights of @keys values; returns their sum. */
static float
weigh_row (const Product *p, float *row, gsize i, gsize keys)
{
  gsize n = p->a->causal ? MIN (i + 1, keys) : keys;
  CpuScores scores = { p->scale, p->a->fill, mask_row (p, i), drop_row (p, i) };
  memset (row + n, 0, (keys - n) * sizeof *row);
  return p->step->kernels->scores_f32 (row, n, &scores);
}

static void
weigh_values (const Product *p, float *out, gsize rows, gsize keys)
{
  const Attention *a = p->a;
  gsize whole = a->ev / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  CpuGemm g = { .m = rows,
    .n = a->ev,
    .k = keys,
    .a = p->scores,
    .a_row = a->s,
    .a_k = 1,
    .c = out,
    .c_row = a->operands[OUT].row };
  if (a->pack) {
    g.b = p->values;
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
    g.b = p->values; /* the columns left over */
    g.b_k = CPU_GEMM_PANEL;
    g.n = a->ev - whole;
    g.c = out + whole;
    gemm (p, &g);
  }
}

static void
product_rows (Product *p)
{
  const Attention *a = p->a;
  const Operand *o = a->operands;
  gsize step = a->pack ? ROWS : 1;
  for (gsize i = 0; i < a->l; i += step) {
    gsize rows = MIN (step, a->l - i);
    gsize keys = a->causal ? MIN (a->s, i + rows) : a->s;
    const float *q = p->q + i * o[Q].row;
    float *out = p->out + i * o[OUT].row;
    if (a->pack) {
      CpuGemm g = { .m = rows,
        .n = keys,
        .k = a->e,
        .a = q,
        .a_row = o[Q].row,
        .a_k = o[Q].column,
        .b = p->keys,
        .b_panel = a->e * CPU_GEMM_PANEL,
        .b_k = CPU_GEMM_PANEL,
        .c = p->scores,
        .c_row = a->s };
      gemm (p, &g);
    } else {
      p->step->kernels->dot_rows_f32 (p->scores, p->k, o[K].row, q, keys, a->e);
    }
    for (gsize r = 0; r < rows; r++)
      p->sums[r] = weigh_row (p, p->scores + r * a->s, i + r, keys);
    weigh_values (p, out, rows, keys);
    for (gsize r = 0; r < rows; r++)
      p->step->kernels->unary_f32 (CPU_UNARY_AFFINE, out + r * o[OUT].row,
          out + r * o[OUT].row, a->ev, 1 / p->sums[r], 0);
  }
}

static void
product_f32 (Product *p, gboolean same_k, gboolean same_v)
{
  const Attention *a = p->a;
  const CpuKernels *kernels = p->step->kernels;
  const Operand *k = &a->operands[K], *v = &a->operands[V];
  gsize whole = a->ev / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  if (a->pack && !same_k)
    cpu_gemm_pack_by (kernels, p->keys, p->k, a->e, a->s, k->column, k->row);
  if (a->pack && !same_v)
    cpu_gemm_pack_by (kernels, p->values, p->v, a->s, a->ev, v->row, v->column);
  if (!a->pack && !same_v && whole < a->ev)
    cpu_gemm_pack_by (
        kernels, p->values, p->v + whole, a->s, a->ev - whole, v->row, 1);
  product_rows (p);
}

/* --- running
 * --------------------------------------------------------------------- */

static double
read_scale (const CpuStep *step, const Attention *a)
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
  const Attention *a;
  gconstpointer in[N_OPERANDS];
  char *out, *memory;
  double scale;
} Run;

/* Multiplications that are worth a thread. */
#define THREAD_GRAIN (1 << 20)

/* Operand @which of product @b. */
static gconstpointer
operand_at (const Run *run, Which which, gsize b)
{
  const Operand *o = &run->a->operands[which];
  gsize size = which == DROP ? 1 : infer_type_size (run->a->widen.to);
  return run->in[which] ? at (run->in[which], o->offsets[b], size) : NULL;
}

static gboolean
is_same (const Run *run, Which which, gsize begin, gsize b)
{
  const gsize *offsets = run->a->operands[which].offsets;
  return b > begin && offsets[b] == offsets[b - 1];
}

static void
run_products (gpointer data, gsize begin, gsize end, guint thread)
{
  const Run *run = data;
  const Attention *a = run->a;
  float *memory = (gpointer) (run->memory + thread * a->bytes);
  for (gsize b = begin; b < end; b++) {
    gsize out = a->operands[OUT].offsets[b];
    if (a->f64) {
      product_f64 (a, operand_at (run, Q, b), operand_at (run, K, b),
          operand_at (run, V, b), operand_at (run, MASK, b),
          operand_at (run, DROP, b), run->scale,
          (double *) (gpointer) memory + a->at_scores,
          (double *) (gpointer) run->out + out);
      continue;
    }
    Product p = { .step = run->step,
      .a = a,
      .q = operand_at (run, Q, b),
      .k = operand_at (run, K, b),
      .v = operand_at (run, V, b),
      .mask = operand_at (run, MASK, b),
      .drop = operand_at (run, DROP, b),
      .scale = (float) run->scale,
      .keys = memory + a->at_keys,
      .values = memory + a->at_values,
      .scores = memory + a->at_scores,
      .mask_row = memory + a->at_mask,
      .drop_row = (guint8 *) (memory + a->at_drop),
      .out = (float *) (gpointer) run->out + out };
    product_f32 (&p, is_same (run, K, begin, b), is_same (run, V, begin, b));
  }
}

static gboolean
attention_run (CpuStep *step, GError **error)
{
  const Attention *a = step->priv;
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
  gsize grain = THREAD_GRAIN / MAX (a->l * a->s * a->e, 1) + 1;
  if (step->threads > 1 && a->batch > grain)
    cpu_step_parallel (step, a->batch, grain, run_products, &run);
  else
    run_products (&run, 0, a->batch, 0);
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
  .type = "ScaledDotProductAttention",
  .takes_blocks = attention_takes_blocks,
  .prepare = sdpa_prepare,
  .run = attention_run,
  .release = attention_release,
};

/* --- operands in any order
 * --------------------------------------------------------------------- */

/* The dimension of the matrices @from_end from the last. */
static gint64
matrix_dim (const InferInference *inference, guint input, int from_end)
{
  const CpuAttentionAttrs *attrs = inference->op->attrs;
  int d = attrs->rank - from_end;
  return inference->inputs[input].shape.dims[attrs->order[input][d]];
}

/* One more operand's dims before the last two. */
static gboolean
merge_batch (InferShape *batch, const InferShape *shape, const guint8 *order,
    GError **error)
{
  InferShape dims = { .rank = MAX (shape->rank - 2, 0) };
  for (int d = 0; d < dims.rank; d++)
    dims.dims[d] = shape->dims[order ? order[d] : d];
  return infer_shape_broadcast (
      batch, &dims, INFER_BROADCAST_NUMPY, -1, batch, error);
}

/* The mask and what is dropped broadcast to the scores. */
static gboolean
check_scores (const InferInference *inference, int input, InferShape *batch,
    GError **error)
{
  if (input < 0)
    return TRUE;
  const InferShape *shape = &inference->inputs[input].shape;
  const gint64 dims[2] = { matrix_dim (inference, K, 2),
    matrix_dim (inference, Q, 2) };
  gint64 merged;
  if (shape->rank < 0)
    return TRUE;
  for (int i = 1; i <= 2 && i <= shape->rank; i++) {
    gint64 have = shape->dims[shape->rank - i];
    if (have != 1
        && !infer_merge_dims (have, dims[i - 1], &merged, "the mask", error))
      return FALSE;
  }
  return merge_batch (batch, shape, NULL, error);
}

static gboolean
fused_infer (InferInference *inference, GError **error)
{
  const CpuAttentionAttrs *attrs = inference->op->attrs;
  InferDesc *out = &inference->outputs[0];
  InferShape batch = { 0 };
  gint64 unused;
  out->type = INFER_TYPE_F32;
  for (guint i = Q; i <= V; i++)
    if (!infer_require_rank (inference, i, attrs->rank, attrs->rank, error))
      return FALSE;
  for (guint i = Q; i <= V; i++)
    if (inference->inputs[i].shape.rank < 0)
      return TRUE;
  for (guint i = Q; i <= V; i++)
    if (!merge_batch (
            &batch, &inference->inputs[i].shape, attrs->order[i], error))
      return FALSE;
  if (!infer_merge_dims (matrix_dim (inference, Q, 1),
          matrix_dim (inference, K, 1), &unused, "the embedding size", error)
      || !infer_merge_dims (matrix_dim (inference, K, 2),
          matrix_dim (inference, V, 2), &unused, "the source length", error)
      || !check_scores (inference, attrs->mask_input, &batch, error)
      || !check_scores (inference, attrs->drop_input, &batch, error))
    return FALSE;
  if (batch.rank > attrs->rank - 2)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "the mask has too many dimensions");
  out->shape.rank = attrs->rank;
  batch.rank = attrs->rank;
  batch.dims[attrs->rank - 2] = matrix_dim (inference, Q, 2);
  batch.dims[attrs->rank - 1] = matrix_dim (inference, V, 1);
  for (int d = 0; d < attrs->rank; d++)
    out->shape.dims[attrs->order[OUT][d]] = batch.dims[d];
  return TRUE;
}

const InferOpClass cpu_attention_class = {
  .type = "ScaledDotProductAttention",
  .versions = "13",
  .min_inputs = 3,
  .max_inputs = 6,
  .n_outputs = 1,
  .attrs_size = sizeof (CpuAttentionAttrs),
  .infer = fused_infer,
};

/* What cpu/fuse-attention.c makes. */
const CpuOp cpu_op_fused_attention = {
  .type = "ScaledDotProductAttention",
  .takes_blocks = attention_takes_blocks,
  .prepare = fused_prepare,
  .run = attention_run,
  .release = attention_release,
};
