/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes the batch of a model dynamic.  Shape inference with a trial batch of
 * seven must show the batch at every output and in every variable. */

#include "inference/runtime/batch/private.h"

#include <string.h>

#include "inference/graph/model-private.h"
#include "inference/graph/ops/parameter.h"
#include "inference/graph/ops/state.h"

#define TRIAL 7

static gboolean
check_input (const InferModel *model, guint index, GError **error)
{
  const InferShape *shape = &infer_model_input_desc (model, index)->shape;

  if (shape->rank >= 1
      && (shape->dims[0] == 1 || shape->dims[0] == INFER_DYNAMIC))
    return TRUE;
  g_autofree char *text = infer_shape_to_string (shape);
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "%s: cannot be batched: input '%s' is %s, not of batch 1",
      infer_model_get_path (model), infer_model_input_name (model, index),
      text);
}

/* --- variables --- */

/* The first dimension from @from on that can be the batch, or -1. */
static int
next_axis (const InferShape *shape, int from)
{
  for (int i = from; i < shape->rank; i++)
    if (shape->dims[i] == 1 || shape->dims[i] == INFER_DYNAMIC)
      return i;
  return -1;
}

static gboolean
guess_axes (const InferModel *model, GArray *axes, GError **error)
{
  g_array_set_size (axes, 0);
  for (guint i = 0; i < infer_model_n_variables (model); i++) {
    const InferVariable *variable = infer_model_variable (model, i);
    int axis = next_axis (&variable->desc.shape, 0);
    g_autofree char *shape = infer_shape_to_string (&variable->desc.shape);

    if (axis < 0)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "%s: cannot be batched: variable '%s' is %s, without a dimension of "
          "1 for the batch",
          infer_model_get_path (model), variable->name, shape);
    g_array_append_val (axes, axis);
  }
  return TRUE;
}

/* The reader limits the depth of bodies. */
static void
open_variables (const InferModel *model, InferGraph *graph, const GArray *axes)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    InferOperation *op = graph->operations->pdata[i];

    for (guint b = 0; b < op->n_bodies; b++)
      open_variables (model, op->bodies[b].graph, axes);
    if (!infer_op_is (op, &infer_op_read_value)
        && !infer_op_is (op, &infer_op_assign))
      continue;
    int variable = infer_model_find_variable (model, infer_op_variable_id (op));
    if (variable >= 0)
      infer_op_variable_open (op, g_array_index (axes, int, variable));
  }
}

/* --- sequence lengths --- */

static int
lengths_input (const InferOperation *op)
{
  if (infer_op_is (op, &infer_op_lstm_sequence))
    return 3;
  return infer_op_is (op, &infer_op_gru_sequence)
                 || infer_op_is (op, &infer_op_rnn_sequence)
             ? 2
             : -1;
}

/* Adds @op (transfer full, nullable) with its @inputs connected. */
static InferPort
add (InferGraph *graph, InferOperation *op, guint n, const InferPort *inputs)
{
  if (op == NULL)
    return (InferPort){ NULL, 0 };
  for (guint i = 0; i < n; i++)
    infer_operation_connect (op, i, inputs[i]);
  infer_graph_add (graph, op);
  return (InferPort){ op, 0 };
}

static InferPort
add_number (InferGraph *graph, gint64 number, int rank, GError **error)
{
  const InferShape shape = { .rank = rank, .dims = { 1 } };
  g_autoptr (InferTensor) value =
      infer_tensor_new (INFER_TYPE_I64, &shape, error);

  if (value == NULL)
    return (InferPort){ NULL, 0 };
  *(gint64 *) value->data = number;
  return add (
      graph, infer_operation_make_const ("batch", value, error), 0, NULL);
}

/* Broadcast (lengths, ShapeOf (sequence)[0]). */
static gboolean
widen_lengths (
    InferGraph *graph, InferOperation *op, guint index, GError **error)
{
  const InferPort zero = add_number (graph, 0, 1, error);
  const InferPort axis = add_number (graph, 0, 0, error);
  const InferPort shape = add (graph,
      infer_operation_make (
          "ShapeOf", "batch", 1, 1, error, "output_type", "i64", NULL),
      1, &op->inputs[0]);
  const InferPort gather[] = { shape, zero, axis };
  const InferPort batch = add (graph,
      infer_operation_make ("Gather", "batch", 3, 1, error, NULL), 3, gather);
  const InferPort broadcast[] = { op->inputs[index], batch };
  const InferPort wide = add (graph,
      infer_operation_make (
          "Broadcast", op->name, 2, 1, error, "mode", "numpy", NULL),
      2, broadcast);

  if (zero.op == NULL || axis.op == NULL || shape.op == NULL || batch.op == NULL
      || wide.op == NULL)
    return FALSE;
  infer_operation_connect (op, index, wide);
  return TRUE;
}

static gboolean
widen_all_lengths (InferGraph *graph, GError **error)
{
  guint n = graph->operations->len;

  for (guint i = 0; i < n; i++) {
    InferOperation *op = graph->operations->pdata[i];
    int index = lengths_input (op);
    const InferPort *port = index >= 0 ? &op->inputs[index] : NULL;
    const InferShape *shape =
        port != NULL ? &port->op->outputs[port->index].desc.shape : NULL;

    if (shape != NULL && shape->rank == 1 && shape->dims[0] == 1
        && !widen_lengths (graph, op, (guint) index, error))
      return FALSE;
  }
  return TRUE;
}

static InferModel *
with_batch (
    const InferModel *model, gint64 batch, const GArray *axes, GError **error)
{
  g_autoptr (InferModel) copy = infer_model_copy (model);
  guint n = infer_model_n_inputs (model);
  g_autofree guint *inputs = g_new (guint, n + 1);
  g_autofree InferShape *shapes = g_new (InferShape, n + 1);

  for (guint i = 0; i < n; i++) {
    inputs[i] = i;
    shapes[i] = infer_model_input_desc (model, i)->shape;
    shapes[i].dims[0] = batch;
  }
  open_variables (model, copy->graph, axes);
  if (!widen_all_lengths (copy->graph, error))
    return NULL;
  return infer_model_reshape (copy, n, inputs, shapes, error);
}

/* The shape assigned to @name, which shows the batch dimension. */
static const InferShape *
assigned_shape (const InferGraph *graph, const char *name)
{
  const InferShape *found = NULL;

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint b = 0; b < op->n_bodies && found == NULL; b++)
      found = assigned_shape (op->bodies[b].graph, name);
    if (infer_op_is (op, &infer_op_assign)
        && strcmp (infer_op_variable_id (op), name) == 0)
      found = &op->inputs[0].op->outputs[op->inputs[0].index].desc.shape;
  }
  return found;
}

/* TRUE if all axes fit; else moves the first wrong one to a dimension that
 * could be the batch, or to -1. */
static gboolean
adjust_axes (const InferModel *model, const InferModel *trial, GArray *axes)
{
  for (guint i = 0; i < axes->len; i++) {
    const InferVariable *variable = infer_model_variable (model, i);
    const InferShape *shape =
        assigned_shape (infer_model_get_graph (trial), variable->name);
    int *axis = &g_array_index (axes, int, i);

    if (shape == NULL || shape->rank < 0 || shape->dims[*axis] == TRIAL
        || shape->dims[*axis] == INFER_DYNAMIC)
      continue;
    *axis = next_axis (&variable->desc.shape, *axis + 1);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_outputs (const InferModel *trial, GError **error)
{
  for (guint i = 0; i < infer_model_n_outputs (trial); i++) {
    const InferShape *shape = &infer_model_output_desc (trial, i)->shape;
    g_autofree char *text = infer_shape_to_string (shape);

    if (shape->rank < 0 || (shape->rank > 0 && shape->dims[0] == INFER_DYNAMIC)
        || (shape->rank > 0 && shape->dims[0] == TRIAL))
      continue;
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: cannot be batched: with a batch of %d, output '%s' is %s",
        infer_model_get_path (trial), TRIAL, infer_model_output_name (trial, i),
        text);
  }
  return TRUE;
}

static InferModel *
try_batch (const InferModel *model, GArray *axes, GError **error)
{
  for (;;) {
    g_autoptr (GError) cause = NULL;
    g_autoptr (InferModel) trial = with_batch (model, TRIAL, axes, &cause);

    if (trial == NULL) {
      infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "cannot be batched: with a batch of %d: %s", TRIAL, cause->message);
      return NULL;
    }
    if (adjust_axes (model, trial, axes))
      return g_steal_pointer (&trial);
    for (guint i = 0; i < axes->len; i++)
      if (g_array_index (axes, int, i) < 0) {
        infer_fail (error, INFER_ERROR_UNSUPPORTED,
            "%s: cannot be batched: the batch does not reach variable '%s'",
            infer_model_get_path (model),
            infer_model_variable (model, i)->name);
        return NULL;
      }
  }
}

InferModel *
infer_model_open_batch (const InferModel *model, GArray *axes, GError **error)
{
  for (guint i = 0; i < infer_model_n_inputs (model); i++)
    if (!check_input (model, i, error))
      return NULL;
  if (!guess_axes (model, axes, error))
    return NULL;
  g_autoptr (InferModel) trial = try_batch (model, axes, error);
  if (trial == NULL || !check_outputs (trial, error))
    return NULL;
  return with_batch (model, INFER_DYNAMIC, axes, error);
}
