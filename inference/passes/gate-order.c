/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* LSTM whose weights were put into another order of gates, as importers do: the
 * constant is read as the file stores it, in the order that the attributes then
 * tell.  Without this pass, folding copies the weights.  For backends that read
 * gates in any order. */

#include "inference/passes/pass.h"

#include "inference/base/tensor.h"
#include "inference/graph/evaluate.h"
#include "inference/graph/ops/concat.h"
#include "inference/graph/ops/recurrent.h"

#include <string.h>

#define GATES G_N_ELEMENTS (((InferRecurrent *) NULL)->order)

/* Weights as they are stored; the gates lie in @parts of equal size. */
typedef struct
{
  InferTensor *value;
  const char *parts[GATES];
  gsize size; /* of a part, in bytes */
  guint n;
  guint8 order[GATES];
} Stored;

static void
stored_clear (Stored *stored)
{
  infer_tensor_unref (stored->value);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Stored, stored_clear)

#define MOST_INPUTS 5
#define MOST_DEPTH 4

/* The value of @port without folding it: a constant, or part of one.  (transfer
 * full, nullable) */
static InferTensor *
find_value (const InferPort *port, guint depth)
{
  const InferOperation *op = port->op;
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);

  if (op != NULL && op->value != NULL)
    return infer_tensor_ref (op->value);
  if (op == NULL || depth == MOST_DEPTH || op->n_inputs > MOST_INPUTS
      || (!infer_op_is (op, &infer_op_split)
          && !infer_op_is (op, &infer_op_slice)))
    return NULL;
  for (guint i = 0; i < op->n_inputs; i++) {
    InferTensor *value = find_value (&op->inputs[i], depth + 1);

    if (value == NULL)
      return NULL;
    g_ptr_array_add (values, value);
  }
  g_ptr_array_set_size (values, (gint) (op->n_inputs + op->n_outputs));
  InferTensor **outputs = (InferTensor **) values->pdata + op->n_inputs;
  return infer_evaluate_move (
             op, (const InferTensor *const *) values->pdata, outputs)
             ? infer_tensor_ref (outputs[port->index])
             : NULL;
}

static void
unref_values (gpointer values)
{
  g_ptr_array_unref (values);
}

/* One tensor of the memory of @values, which are next to each other.  (transfer
 * full, nullable) */
static InferTensor *
join (GPtrArray *values, const char *begin, const InferDesc *desc)
{
  const gsize bytes =
      infer_shape_count (&desc->shape) * infer_type_size (desc->type);
  gboolean mapped = TRUE;

  for (guint i = 0; i < values->len; i++)
    mapped = mapped && ((const InferTensorPrivate *) values->pdata[i])->mapped;
  InferTensor *whole = infer_tensor_new_wrapped (desc->type, &desc->shape,
      (gpointer) (gsize) begin, bytes, g_ptr_array_ref (values), unref_values,
      NULL);
  if (whole != NULL)
    ((InferTensorPrivate *) whole)->mapped = mapped;
  return whole;
}

/* Where the gates lie; FALSE: not next to each other. */
static gboolean
find_order (Stored *stored, const char **begin)
{
  guint seen = 0;

  *begin = stored->parts[0];
  for (guint g = 1; g < GATES; g++)
    *begin = MIN (*begin, stored->parts[g]);
  for (guint g = 0; g < GATES; g++) {
    const gsize offset = (gsize) (stored->parts[g] - *begin);
    const gsize at = offset / stored->size;

    if (offset % stored->size != 0 || at >= GATES)
      return FALSE;
    stored->order[g] = (guint8) at;
    seen |= 1u << at;
  }
  return seen == (1u << GATES) - 1;
}

/* The Concat of @port along the first axis that has more than one element;
 * NULL: it is none. */
static const InferOperation *
find_concat (const InferPort *port)
{
  const InferOperation *op = port->op;

  while (infer_op_is (op, &infer_op_unsqueeze)
         || infer_op_is (op, &infer_op_reshape))
    op = op->inputs[0].op;
  if (!infer_op_is (op, &infer_op_concat))
    return NULL;
  const InferShape *shape = &op->outputs[0].desc.shape;
  gint64 axis = ((const InferConcat *) op->attrs)->axis;
  return infer_shape_is_static (shape)
                 && infer_shape_normalize_axis (shape, &axis, NULL)
                 && infer_shape_count_range (shape, 0, (int) axis) == 1
             ? op
             : NULL;
}

static gboolean
add_parts (Stored *stored, const InferTensor *value)
{
  if (value == NULL || !value->dense || value->size % stored->size != 0)
    return FALSE;
  for (gsize at = 0; at < value->size; at += stored->size) {
    if (stored->n == GATES)
      return FALSE;
    stored->parts[stored->n++] = (const char *) value->data + at;
  }
  return TRUE;
}

static gboolean
find_stored (const InferPort *port, Stored *stored)
{
  const InferDesc *desc = &port->op->outputs[port->index].desc;
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);
  const char *begin;

  if (port->op->value != NULL) {
    stored->value = infer_tensor_ref (port->op->value);
    for (guint g = 0; g < GATES; g++)
      stored->order[g] = (guint8) g;
    return TRUE;
  }
  const InferOperation *concat = find_concat (port);
  if (concat == NULL || !infer_shape_is_static (&desc->shape))
    return FALSE;
  stored->size =
      infer_shape_count (&desc->shape) / GATES * infer_type_size (desc->type);
  for (guint i = 0; stored->size > 0 && i < concat->n_inputs; i++) {
    InferTensor *value = find_value (&concat->inputs[i], 0);

    if (value != NULL)
      g_ptr_array_add (values, value);
    if (!add_parts (stored, value) || value->type != desc->type)
      return FALSE;
  }
  if (stored->n < GATES || !find_order (stored, &begin))
    return FALSE;
  stored->value = join (values, begin, desc);
  return stored->value != NULL;
}

static void
set_order (InferOperation *op, const guint8 *order)
{
  const InferRecurrent attrs = *(const InferRecurrent *) op->attrs;

  infer_operation_renew_attrs (op);
  *(InferRecurrent *) op->attrs = attrs;
  memcpy (((InferRecurrent *) op->attrs)->order, order, GATES);
  op->attrs_hash = infer_hash (order, GATES, &op->attrs_hash);
}

static gboolean
rewrite (InferGraph *graph, InferOperation *op)
{
  g_auto (Stored) w = { 0 }, r = { 0 };
  Stored *const both[] = { &w, &r };

  if (!infer_op_is (op, &infer_op_lstm_sequence)
      && !infer_op_is (op, &infer_op_lstm_cell))
    return FALSE;
  const guint first = infer_recurrent_w (op->attrs);
  if ((op->inputs[first].op->value != NULL
          && op->inputs[first + 1].op->value != NULL)
      || infer_recurrent_is_reordered (op->attrs)
      || !find_stored (&op->inputs[first], &w)
      || !find_stored (&op->inputs[first + 1], &r)
      || memcmp (w.order, r.order, GATES) != 0)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (both); i++) {
    const InferPort from = op->inputs[first + i];

    if (from.op->value != NULL)
      continue;
    InferOperation *constant =
        infer_operation_make_const (from.op->name, both[i]->value, NULL);
    if (constant == NULL)
      return FALSE;
    infer_graph_add (graph, constant);
    infer_operation_connect (op, first + i, (InferPort){ constant, 0 });
  }
  set_order (op, w.order);
  return TRUE;
}

const InferPass infer_pass_gate_order = { "gate-order", .rewrite = rewrite,
  .as_stored = TRUE };
