/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two GRUs of few units over parts of one input, as grouped ones are written,
 * become one with zeros between the groups: its steps take no longer, since a
 * vector holds the units of both. */

#include "cpu/passes/fuse/fuse.h"

#include "cpu/kernels/recurrent.h"
#include "inference/base/tensor.h"
#include "inference/graph/ops/recurrent.h"
#include "inference/graph/ops/slice.h"

#include <string.h>

enum
{
  X,
  H,
  LENGTHS,
  W,
  R,
  B,
  N_INPUTS
};

static const InferDesc *
desc_of (const InferPort *port)
{
  return &port->op->outputs[port->index].desc;
}

static gsize
hidden_of (const InferOperation *op)
{
  return (gsize) ((const InferRecurrent *) op->attrs)->hidden_size;
}

static gboolean
is_constant (const InferPort *port)
{
  const InferTensor *value = port->op != NULL ? port->op->value : NULL;

  return value != NULL && value->type == INFER_TYPE_F32;
}

static gboolean
is_small_gru (const InferOperation *op)
{
  const InferRecurrent *attrs = op->attrs;

  return infer_op_is (op, &infer_op_gru_sequence) && op->n_uses > 0
         && attrs->linear_before_reset && 2 * hidden_of (op) <= CPU_GRU_LANES
         && op->n_inputs == N_INPUTS && is_constant (&op->inputs[H])
         && is_constant (&op->inputs[W]) && is_constant (&op->inputs[R])
         && is_constant (&op->inputs[B]);
}

/* Whether @port is a Slice of the last axis alone, of *@from, whose shape is
 * static, from element *@at on. */
static gboolean
is_part (const InferPort *port, InferPort *from, gsize *at)
{
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  const InferOperation *op = port->op;
  InferSlicing slicing;

  if (!infer_op_is (op, &infer_op_slice) || op->n_inputs != 5)
    return FALSE;
  *from = op->inputs[0];
  const InferShape *shape = &desc_of (from)->shape;
  for (guint i = 1; i < 5; i++) {
    if (op->inputs[i].op == NULL || op->inputs[i].op->value == NULL)
      return FALSE;
    g_ptr_array_add (values, infer_tensor_to_ints (op->inputs[i].op->value));
  }
  if (!infer_shape_is_static (shape)
      || !infer_slice_resolve (shape, values->pdata[0], values->pdata[1],
          values->pdata[2], values->pdata[3], &slicing, NULL))
    return FALSE;
  for (int d = 0; d < shape->rank; d++)
    if (slicing.step[d] != 1
        || (d < shape->rank - 1 && slicing.count[d] != shape->dims[d]))
      return FALSE;
  *at = (gsize) slicing.begin[shape->rank - 1];
  return TRUE;
}

/* Two operations of the same kind, shapes and attributes. */
static gboolean
are_alike (const InferOperation *a, const InferOperation *b)
{
  if (memcmp (a->attrs, b->attrs, sizeof (InferRecurrent)) != 0
      || a->version != b->version
      || !infer_port_equal (&a->inputs[LENGTHS], &b->inputs[LENGTHS]))
    return FALSE;
  for (guint i = 0; i < N_INPUTS; i++)
    if (!infer_shape_equal (
            &desc_of (&a->inputs[i])->shape, &desc_of (&b->inputs[i])->shape))
      return FALSE;
  return TRUE;
}

/* Input @input of both, @n rows of each in turn, of @columns: those of
 * parts[i] begin at column at[i].  The last dim but @behind counts rows.  NULL:
 * memory is short. */
static InferTensor *
join (InferOperation *const parts[2], guint input, int behind,
    const gsize at[2], gsize columns)
{
  InferShape shape = desc_of (&parts[0]->inputs[input])->shape;
  const gsize n = hidden_of (parts[0]), all = infer_shape_count (&shape);
  const gsize k = behind > 0 ? (gsize) shape.dims[shape.rank - 1] : 1;

  shape.dims[shape.rank - 1 - behind] *= 2;
  if (behind > 0)
    shape.dims[shape.rank - 1] = (gint64) columns;
  InferTensor *joined = infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
  if (joined == NULL)
    return NULL;
  memset (joined->data, 0, joined->size);
  for (guint part = 0; part < 2; part++) {
    const float *from = parts[part]->inputs[input].op->value->data;

    for (gsize row = 0; row < all / k; row++)
      memcpy ((float *) joined->data
                  + ((row / n * 2 + part) * n + row % n) * columns + at[part],
          from + row * k, k * sizeof *from);
  }
  return joined;
}

/* @value: (transfer full) */
static void
connect (CpuFusion *fusion, InferOperation *op, guint input, InferTensor *value)
{
  InferOperation *made = infer_operation_make_const (op->name, value, NULL);

  infer_tensor_unref (value);
  infer_graph_add (fusion->graph, made);
  infer_operation_connect (op, input, (InferPort){ made, 0 });
}

/* Readers of output @index of both read the halves of that of @op.  @axis:
 * (transfer full) */
static void
split_output (CpuFusion *fusion, InferOperation *op,
    InferOperation *const parts[2], guint index, InferTensor *axis)
{
  const InferDesc *half = &parts[0]->outputs[index].desc;
  const int last = half->shape.rank - 1;
  InferOperation *split = infer_operation_make (
      "Split", op->name, 2, 2, NULL, "num_splits", "2", NULL);

  op->outputs[index].desc = *half;
  op->outputs[index].desc.shape.dims[last] *= 2;
  *(gint64 *) axis->data = last;
  infer_operation_connect (split, 0, (InferPort){ op, index });
  connect (fusion, split, 1, axis);
  infer_graph_add (fusion->graph, split);
  for (guint part = 0; part < 2; part++) {
    split->outputs[part].desc = *half;
    infer_port_replace (
        (InferPort){ parts[part], index }, (InferPort){ split, part });
  }
}

#define N_VALUES 6

/* Both of @parts, over @x from elements at[0] and at[1] on, become one. */
static void
fuse (CpuFusion *fusion, InferOperation *const parts[2], InferPort x,
    const gsize at[2])
{
  const InferShape scalar = infer_shape_make (0);
  const InferShape *shape = &desc_of (&x)->shape;
  const gsize n = hidden_of (parts[0]), units[2] = { 0, n }, none[2] = { 0 };
  InferTensor *values[N_VALUES] = { join (parts, H, 0, none, 1),
    join (parts, W, 1, at, (gsize) shape->dims[shape->rank - 1]),
    join (parts, R, 1, units, 2 * n), join (parts, B, 0, none, 1),
    infer_tensor_new (INFER_TYPE_I64, &scalar, NULL),
    infer_tensor_new (INFER_TYPE_I64, &scalar, NULL) };
  static const guint inputs[] = { H, W, R, B };

  for (guint i = 0; i < N_VALUES; i++)
    if (values[i] == NULL) {
      for (guint k = 0; k < N_VALUES; k++)
        infer_tensor_unref (values[k]);
      return;
    }
  InferOperation *op = infer_operation_new (parts[0]->klass, parts[0]->version,
      "opset5", parts[0]->name, N_INPUTS, 2);
  *(InferRecurrent *) op->attrs = *(const InferRecurrent *) parts[0]->attrs;
  ((InferRecurrent *) op->attrs)->hidden_size *= 2;
  infer_operation_connect (op, X, x);
  infer_operation_connect (op, LENGTHS, parts[0]->inputs[LENGTHS]);
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    connect (fusion, op, inputs[i], values[i]);
  infer_graph_add (fusion->graph, op);
  for (guint k = 0; k < 2; k++)
    split_output (fusion, op, parts, k, values[4 + k]);
  fusion->changed = TRUE;
}

/* One behind @index that @first can be fused with. */
static void
find_other (CpuFusion *fusion, InferOperation *first, guint index, guint n)
{
  InferPort x, other;
  gsize at[2];

  if (!is_part (&first->inputs[X], &x, &at[0]))
    return;
  for (guint i = index + 1; i < n; i++) {
    InferOperation *op = fusion->graph->operations->pdata[i];

    if (!is_small_gru (op) || !are_alike (first, op)
        || !is_part (&op->inputs[X], &other, &at[1])
        || !infer_port_equal (&x, &other))
      continue;
    fuse (fusion, (InferOperation *[]){ first, op }, x, at);
    return;
  }
}

void
cpu_fuse_recurrent (CpuFusion *fusion)
{
  const guint n = fusion->graph->operations->len;

  for (guint i = 0; i < n; i++) {
    InferOperation *op = fusion->graph->operations->pdata[i];

    if (is_small_gru (op))
      find_other (fusion, op, i, n);
  }
}
