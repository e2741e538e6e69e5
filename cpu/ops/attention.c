/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/ops/attention.h"

#include "cpu/ops/gemm.h"
#include "cpu/ops/widen.h"

#include <math.h>
#include <string.h>

/* Rows of scores that exist at once. */
#define ROWS 48

typedef struct
{
  gboolean f64;
  CpuWiden widen;
  gsize batch, l, s, e, ev;
  gsize *offsets[4]; /* of q, k, v, mask per product, in elements */
  gsize mask_row, mask_column;
  gboolean masked, mask_boolean;
  gboolean pack; /* enough rows to be worth packing keys and values */
  gsize at_keys, at_values, at_scores; /* floats */
  gsize bytes;                         /* of working memory for a thread */
} Attention;

static void
attention_release (gpointer priv)
{
  Attention *a = priv;
  for (guint i = 0; i < G_N_ELEMENTS (a->offsets); i++)
    g_free (a->offsets[i]);
  g_free (a);
}

/* Where each product's part of an operand begins; dims of one repeat. */
static gsize *
batch_offsets (const CpuValue *value, const InferShape *batch, gsize n)
{
  const InferShape *shape = &value->desc.shape;
  const gsize dense =
      infer_shape_count_range (shape, MAX (shape->rank - 2, 0), shape->rank);
  const gsize block = value->block > 0 ? value->block : dense;
  gsize strides[INFER_MAX_RANK] = { 0 }, index[INFER_MAX_RANK] = { 0 };
  gsize *offsets = g_try_new (gsize, MAX (n, 1)), offset = 0;
  gint64 steps[INFER_MAX_RANK];
  infer_shape_strides (shape, steps);
  for (int i = batch->rank - 1, d = shape->rank - 3; i >= 0 && d >= 0; i--, d--)
    strides[i] =
        shape->dims[d] == 1 ? 0 : (gsize) steps[d] / MAX (dense, 1) * block;
  for (gsize i = 0; i < n && offsets; i++) {
    offsets[i] = offset;
    for (int d = batch->rank - 1; d >= 0; d--) {
      offset += strides[d];
      if (++index[d] < (gsize) batch->dims[d])
        break;
      offset -= strides[d] * index[d];
      index[d] = 0;
    }
  }
  return offsets;
}

static void
set_up_mask (Attention *a, const CpuStep *step)
{
  const InferAttention *attrs = step->op->attrs;
  if (attrs->causal || !cpu_has_in (step, 3))
    return;
  const InferShape *shape = cpu_in_shape (step, 3);
  gint64 columns = shape->rank > 0 ? shape->dims[shape->rank - 1] : 1;
  gint64 rows = shape->rank > 1 ? shape->dims[shape->rank - 2] : 1;
  a->masked = TRUE;
  a->mask_boolean = step->in[3]->desc.type == INFER_TYPE_BOOLEAN;
  a->mask_column = columns == 1 ? 0 : 1;
  a->mask_row = rows == 1 ? 0 : (gsize) columns;
}

static gboolean
set_up (Attention *a, const CpuStep *step, GError **error)
{
  const InferShape *q = cpu_in_shape (step, 0), *k = cpu_in_shape (step, 1);
  InferShape batch = *cpu_out_shape (step, 0);
  a->ev = (gsize) batch.dims[batch.rank - 1];
  a->l = (gsize) q->dims[q->rank - 2];
  a->e = (gsize) q->dims[q->rank - 1];
  a->s = (gsize) k->dims[k->rank - 2];
  batch.rank -= 2;
  a->batch = infer_shape_count (&batch);
  set_up_mask (a, step);
  for (guint i = 0; i < (a->masked ? 4 : 3); i++) {
    a->offsets[i] = batch_offsets (step->in[i], &batch, a->batch);
    if (!a->offsets[i])
      return infer_fail (error, INFER_ERROR_NO_MEMORY,
          "no memory for %" G_GSIZE_FORMAT " products", a->batch);
  }
  return TRUE;
}

static gboolean
attention_prepare (CpuStep *step, GError **error)
{
  Attention *a = g_new0 (Attention, 1);
  InferType to = cpu_widen_type (step->in[0]->desc.type);
  gsize size = infer_type_size (to), total = 0;
  step->priv = a;
  if (!set_up (a, step, error))
    return FALSE;
  a->f64 = to == INFER_TYPE_F64;
  a->pack = a->l >= 4 && !a->f64;
  if (a->pack) {
    total = cpu_scratch_add (total, cpu_gemm_packed_size (a->e, a->s), size);
    a->at_values = total / size;
    total = cpu_scratch_add (total, cpu_gemm_packed_size (a->s, a->ev), size);
  } else {
    total = cpu_scratch_add (total, CPU_GEMM_PANEL * a->s, size);
  }
  a->at_scores = total / size;
  total = cpu_scratch_add (total, a->pack ? ROWS * a->s : a->s, size);
  a->bytes = total;
  total = cpu_scratch_add (0, total, MIN (step->threads, MAX (a->batch, 1)));
  step->kernel = a->f64 ? "ref_f64" : a->pack ? "gemm_f32" : "dot_f32";
  return cpu_widen_prepare (&a->widen, step, to, 0, total, error);
}

/* What is added to the score of row @i and column @j. */
static double
bias_at (
    const Attention *a, gconstpointer mask, gboolean causal, gsize i, gsize j)
{
  gsize at = i * a->mask_row + j * a->mask_column;
  if (causal)
    return j > i ? -(double) INFINITY : 0;
  if (!a->masked)
    return 0;
  if (a->mask_boolean)
    return ((const guint8 *) mask)[at] ? 0 : -(double) INFINITY;
  return a->f64 ? ((const double *) mask)[at]
                : (double) ((const float *) mask)[at];
}

/* --- double
 * ---------------------------------------------------------------------- */

static void
product_f64 (const Attention *a, const double *q, const double *k,
    const double *v, gconstpointer mask, gboolean causal, double scale,
    double *scores, double *out)
{
  for (gsize i = 0; i < a->l; i++) {
    double largest = -(double) INFINITY, total = 0;
    for (gsize j = 0; j < a->s; j++) {
      double sum = 0;
      for (gsize c = 0; c < a->e; c++)
        sum += q[i * a->e + c] * k[j * a->e + c];
      scores[j] = sum * scale + bias_at (a, mask, causal, i, j);
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
  const float *q, *k, *v; /* of one product */
  gconstpointer mask;
  gboolean causal;
  float scale;
  float *keys, *values, *scores;
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

static void
finish_scores (const Product *p, float *row, gsize i)
{
  const Attention *a = p->a;
  const CpuKernels *kernels = p->step->kernels;
  kernels->unary_f32 (CPU_UNARY_AFFINE, row, row, a->s, p->scale, 0);
  if (p->causal) {
    for (gsize j = i + 1; j < a->s; j++)
      row[j] = -INFINITY;
  } else if (a->masked && a->mask_boolean) {
    for (gsize j = 0; j < a->s; j++)
      row[j] += (float) bias_at (a, p->mask, FALSE, i, j);
  } else if (a->masked) {
    kernels->binary_f32 (CPU_BINARY_ADD, row, row, 1,
        (const float *) p->mask + i * a->mask_row, a->mask_column, a->s);
  }
  kernels->softmax_f32 (row, row, a->s);
}

static void
weigh_values (const Product *p, float *out, gsize rows)
{
  const Attention *a = p->a;
  gsize whole = a->ev / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  CpuGemm g = { .m = rows,
    .n = a->ev,
    .k = a->s,
    .a = p->scores,
    .a_row = a->s,
    .a_k = 1,
    .c = out,
    .c_row = a->ev };
  if (a->pack) {
    g.b = p->values;
    g.b_panel = a->s * CPU_GEMM_PANEL;
    g.b_k = CPU_GEMM_PANEL;
    gemm (p, &g);
    return;
  }
  g.b = p->v;
  g.b_panel = CPU_GEMM_PANEL;
  g.b_k = a->ev;
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
product_rows (const Product *p, float *out)
{
  const Attention *a = p->a;
  gsize step = a->pack ? ROWS : 1;
  for (gsize i = 0; i < a->l; i += step) {
    gsize rows = MIN (step, a->l - i);
    const float *q = p->q + i * a->e;
    if (a->pack) {
      CpuGemm g = { .m = rows,
        .n = a->s,
        .k = a->e,
        .a = q,
        .a_row = a->e,
        .a_k = 1,
        .b = p->keys,
        .b_panel = a->e * CPU_GEMM_PANEL,
        .b_k = CPU_GEMM_PANEL,
        .c = p->scores,
        .c_row = a->s };
      gemm (p, &g);
    } else {
      p->step->kernels->dot_rows_f32 (p->scores, p->k, a->e, q, a->s, a->e);
    }
    for (gsize r = 0; r < rows; r++)
      finish_scores (p, p->scores + r * a->s, i + r);
    weigh_values (p, out + i * a->ev, rows);
  }
}

static void
product_f32 (Product *p, float *out, gboolean same_k, gboolean same_v)
{
  const Attention *a = p->a;
  gsize whole = a->ev / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  if (a->pack && !same_k)
    cpu_gemm_pack (p->keys, p->k, a->e, a->s, 1, a->e);
  if (a->pack && !same_v)
    cpu_gemm_pack (p->values, p->v, a->s, a->ev, a->ev, 1);
  if (!a->pack && !same_v && whole < a->ev)
    cpu_gemm_pack (p->values, p->v + whole, a->s, a->ev - whole, a->ev, 1);
  product_rows (p, out);
}

/* --- running
 * --------------------------------------------------------------------- */

static double
read_scale (const CpuStep *step, const Attention *a)
{
  double scale = 1 / sqrt ((double) a->e);
  if (cpu_has_in (step, 4))
    infer_convert (
        &scale, INFER_TYPE_F64, step->in[4]->data, step->in[4]->desc.type, 1);
  return scale;
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
  gconstpointer in[4];
  char *out, *memory;
  double scale;
} Run;

/* Multiplications that are worth a thread. */
#define THREAD_GRAIN (1 << 20)

static void
run_products (gpointer data, gsize begin, gsize end, guint thread)
{
  const Run *run = data;
  const Attention *a = run->a;
  const InferAttention *attrs = run->step->op->attrs;
  gsize size = infer_type_size (a->widen.to);
  gpointer memory = run->memory + thread * a->bytes;
  for (gsize b = begin; b < end; b++) {
    gpointer out = run->out + b * a->l * a->ev * size;
    gconstpointer q = at (run->in[0], a->offsets[0][b], size);
    gconstpointer k = at (run->in[1], a->offsets[1][b], size);
    gconstpointer v = at (run->in[2], a->offsets[2][b], size);
    gconstpointer mask = at (run->in[3], a->masked ? a->offsets[3][b] : 0,
        a->mask_boolean ? 1 : size);
    if (a->f64) {
      product_f64 (a, q, k, v, mask, attrs->causal, run->scale,
          (double *) memory + a->at_scores, out);
      continue;
    }
    Product p = { .step = run->step,
      .a = a,
      .q = q,
      .k = k,
      .v = v,
      .mask = mask,
      .causal = attrs->causal,
      .scale = (float) run->scale,
      .keys = (float *) memory + a->at_keys,
      .values = (float *) memory + a->at_values,
      .scores = (float *) memory + a->at_scores };
    product_f32 (&p, out, b > begin && a->offsets[1][b] == a->offsets[1][b - 1],
        b > begin && a->offsets[2][b] == a->offsets[2][b - 1]);
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
  for (guint i = 0; i < (a->masked ? 4 : 3); i++)
    run.in[i] = cpu_widen_in (&a->widen, step, i);
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
  .prepare = attention_prepare,
  .run = attention_run,
  .release = attention_release,
};
