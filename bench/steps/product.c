/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/steps/product.h"

#include <string.h>

#include "inference/graph/op.h"
#include "inference/graph/ops/convolution.h"
#include "inference/graph/ops/matmul.h"
#include "tools/time/fused.h"

static const InferDesc *
input_desc (const InferOperation *op, guint k)
{
  const InferPort *port = &op->inputs[k];

  return &port->op->outputs[port->index].desc;
}

static gboolean
is_product (const InferOperation *op)
{
  return strcmp (op->klass->type, "Convolution") == 0
         || strcmp (op->klass->type, "GroupConvolution") == 0
         || strcmp (op->klass->type, "MatMul") == 0;
}

/* Constants in fewer bits become floats by these. */
static gboolean
is_constant (const InferOperation *op)
{
  static const char *const unpacking[] = { "Convert", "Subtract", "Multiply",
    "Reshape", "Transpose", "FakeQuantize", NULL };

  if (op->value != NULL)
    return TRUE;
  if (op->n_inputs == 0 || !g_strv_contains (unpacking, op->klass->type))
    return FALSE;
  for (guint k = 0; k < op->n_inputs; k++)
    if (op->inputs[k].op == NULL || !is_constant (op->inputs[k].op))
      return FALSE;
  return TRUE;
}

static double
count (const gint64 *dims, guint n)
{
  double product = 1;

  for (guint i = 0; i < n; i++)
    product *= (double) dims[i];
  return product;
}

/* --- dimensions --- */

static gboolean
fill_convolution (const InferOperation *op, BenchProduct *p)
{
  const InferConvolution *attrs = op->attrs;
  const InferShape *data = &input_desc (op, 0)->shape;
  const InferShape *filters = &input_desc (op, 1)->shape;
  const InferShape *out = &op->outputs[0].desc.shape;
  const guint n = (guint) data->rank - 2;
  const gint64 *kernel = filters->dims + filters->rank - (gint) n;
  InferWindowDim dims[INFER_MAX_SPATIAL];

  if (n < 1 || n > INFER_MAX_SPATIAL
      || !infer_window_resolve_all (
          &attrs->window, n, data->dims + 2, kernel, dims, NULL))
    return FALSE;
  p->kind = BENCH_CONVOLUTION;
  p->data_dims = (guint) data->rank;
  p->weights_dims = (guint) filters->rank;
  memcpy (p->data, data->dims, p->data_dims * sizeof *p->data);
  memcpy (p->weights, filters->dims, p->weights_dims * sizeof *p->weights);
  memcpy (p->out, out->dims, p->data_dims * sizeof *p->out);
  for (guint i = 0; i < n; i++) {
    const gint64 reach = (dims[i].out - 1) * attrs->window.strides[i]
                         + (kernel[i] - 1) * attrs->window.dilations[i] + 1;

    p->strides[i] = attrs->window.strides[i];
    p->dilations[i] = attrs->window.dilations[i];
    p->before[i] = dims[i].pad_begin;
    p->after[i] = reach - data->dims[2 + i] - dims[i].pad_begin;
  }
  p->products = count (p->out, p->data_dims)
                * (double) filters->dims[filters->rank - (gint) n - 1]
                * count (kernel, n);
  return TRUE;
}

/* The dimensions of one operand of @rank, with ones in front; the last two in
 * the order of the product. */
static void
fill_operand (
    const InferShape *shape, gboolean transposed, guint rank, gint64 *dims)
{
  const guint missing = rank - (guint) shape->rank;

  for (guint i = 0; i < rank; i++)
    dims[i] = i < missing ? 1 : shape->dims[i - missing];
  if (transposed) {
    const gint64 swap = dims[rank - 1];

    dims[rank - 1] = dims[rank - 2];
    dims[rank - 2] = swap;
  }
}

static gboolean
fill_matmul (const InferOperation *op, BenchProduct *p)
{
  const InferMatMul *attrs = op->attrs;
  const InferShape *a = &input_desc (op, 0)->shape;
  const InferShape *b = &input_desc (op, 1)->shape;
  const guint rank = (guint) MAX (a->rank, b->rank);

  if (a->rank < 2 || b->rank < 2 || rank > BENCH_MOST_DIMS)
    return FALSE;
  fill_operand (a, attrs->transpose_a, rank, p->data);
  fill_operand (b, attrs->transpose_b, rank, p->weights);
  for (guint i = 0; i < rank; i++)
    p->out[i] = MAX (p->data[i], p->weights[i]);
  p->out[rank - 2] = p->data[rank - 2];
  p->out[rank - 1] = p->weights[rank - 1];
  p->data_dims = p->weights_dims = rank;
  p->kind = BENCH_MATMUL;
  p->transposed_a = attrs->transpose_a;
  p->transposed_b = attrs->transpose_b;
  p->products = count (p->out, rank) * (double) p->data[rank - 1];
  if (b->rank == 2 && !attrs->transpose_a && is_constant (op->inputs[1].op)) {
    const gint64 k = p->data[rank - 1], n = p->weights[rank - 1];
    const gint64 m = (gint64) count (p->data, rank - 1);

    p->kind = BENCH_INNER_PRODUCT;
    p->data_dims = p->weights_dims = 2;
    p->data[0] = p->out[0] = m;
    p->data[1] = p->weights[1] = k;
    p->weights[0] = p->out[1] = n;
  }
  return TRUE;
}

static gboolean
is_static (const InferOperation *op)
{
  for (guint k = 0; k < 2; k++)
    if (op->inputs[k].op == NULL
        || !infer_type_is_real (input_desc (op, k)->type)
        || !infer_shape_is_static (&input_desc (op, k)->shape))
      return FALSE;
  return infer_shape_is_static (&op->outputs[0].desc.shape);
}

/* --- what is applied to the result --- */

static BenchAct
act_of (const InferOperation *op)
{
  static const struct
  {
    const char *type;
    BenchAct act;
  } acts[] = {
    { "ReLU", BENCH_RELU },
    { "PRelu", BENCH_RELU },
    { "Clamp", BENCH_CLAMP },
    { "Sigmoid", BENCH_SIGMOID },
    { "Tanh", BENCH_TANH },
    { "HSwish", BENCH_HSWISH },
    { "Swish", BENCH_SWISH },
    { "Elu", BENCH_ELU },
    { "Gelu", BENCH_GELU },
  };

  for (guint i = 0; i < G_N_ELEMENTS (acts); i++)
    if (strcmp (op->klass->type, acts[i].type) == 0)
      return acts[i].act;
  return BENCH_NO_ACT;
}

/* Follows the result of @op as long as the same step computes with it. */
static void
find_posts (GHashTable *fused, const InferOperation *op, const char *step,
    BenchProduct *p)
{
  while (op->n_uses == 1) {
    op = op->uses[0].op;
    g_autofree char *key = tool_step_key (op->klass->type, op->name);
    const char *into = g_hash_table_lookup (fused, key);
    const BenchAct act = act_of (op);

    if (into == NULL || strcmp (into, step) != 0 || is_product (op))
      return;
    if (act != BENCH_NO_ACT)
      p->act = act;
    if (strcmp (op->klass->type, "Add") != 0)
      continue;
    if (is_constant (op->inputs[0].op) || is_constant (op->inputs[1].op))
      p->bias = TRUE;
    else
      p->residual = TRUE;
  }
}

/* --- steps --- */

static void
clear_step (gpointer data)
{
  BenchStep *step = data;

  g_clear_pointer (&step->products, g_array_unref);
}

/* Index + 1 of the step with @key, which is added where it is not there. */
static BenchStep *
get_step (GArray *steps, GHashTable *places, const char *key)
{
  gpointer place = g_hash_table_lookup (places, key);

  if (place == NULL) {
    const BenchStep step = { .products = g_array_new (
                                 FALSE, TRUE, sizeof (BenchProduct)) };

    g_array_append_val (steps, step);
    place = GUINT_TO_POINTER (steps->len);
    g_hash_table_insert (places, g_strdup (key), place);
  }
  return &g_array_index (steps, BenchStep, GPOINTER_TO_UINT (place) - 1);
}

GArray *
bench_find_steps (InferRequest *request, const InferModel *model)
{
  const InferGraph *graph = infer_model_get_graph (model);
  g_autoptr (GHashTable) fused = tool_find_fused (request);
  g_autoptr (GHashTable) places =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GArray *steps = g_array_new (FALSE, TRUE, sizeof (BenchStep));

  g_array_set_clear_func (steps, clear_step);
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];
    g_autofree char *key = tool_step_key (op->klass->type, op->name);
    const char *step_key = tool_step_of (fused, key);
    BenchProduct product = { 0 };

    if (!is_product (op) || !is_static (op)
        || !(strcmp (op->klass->type, "MatMul") == 0
                 ? fill_matmul (op, &product)
                 : fill_convolution (op, &product)))
      continue;
    find_posts (fused, op, step_key, &product);
    BenchStep *step = get_step (steps, places, step_key);
    if (strcmp (step_key, key) == 0)
      step->op = op;
    g_array_append_val (step->products, product);
  }
  for (guint i = steps->len; i-- > 0;)
    if (g_array_index (steps, BenchStep, i).op == NULL)
      g_array_remove_index (steps, i);
  return steps;
}
