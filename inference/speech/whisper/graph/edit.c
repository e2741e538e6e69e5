/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/graph/edit.h"

#include <string.h>

guint8 *
whisper_dependence (const InferGraph *graph, const InferOperation *encoder)
{
  guint8 *on = g_new0 (guint8, graph->operations->len + 1);

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (op == encoder)
      on[i] = WHISPER_ON_ENCODER;
    else if (infer_op_is (op, &infer_op_parameter)
             || (op->klass->flags & (INFER_OP_STATEFUL | INFER_OP_IMPURE)) != 0
             || op->n_bodies > 0)
      on[i] = WHISPER_ON_REST;
    for (guint k = 0; k < op->n_inputs; k++)
      if (op->inputs[k].op != NULL)
        on[i] |= on[op->inputs[k].op->index];
  }
  return on;
}

const InferDesc *
whisper_port_desc (const InferPort *port)
{
  return &port->op->outputs[port->index].desc;
}

static void
set_name (InferOperation *op, const char *name)
{
  g_strfreev (op->outputs[0].names);
  op->outputs[0].names = g_new0 (char *, 2);
  op->outputs[0].names[0] = g_strdup (name);
}

InferOperation *
whisper_add_parameter (
    InferModel *model, const char *name, const InferDesc *desc, GError **error)
{
  g_autofree char *shape = infer_shape_to_string (&desc->shape);

  /* "[1,?]" → "1,?" */
  shape[strlen (shape) - 1] = '\0';
  InferOperation *op = infer_operation_make ("Parameter", name, 0, 1, error,
      "element_type", infer_type_name (desc->type), "shape", shape + 1, NULL);
  if (op == NULL)
    return NULL;
  set_name (op, name);
  infer_graph_add (model->graph, op);
  return op;
}

InferOperation *
whisper_add_result (
    InferModel *model, const char *name, InferPort from, GError **error)
{
  InferOperation *op = infer_operation_make ("Result", name, 1, 1, error, NULL);

  if (op == NULL)
    return NULL;
  infer_operation_connect (op, 0, from);
  set_name (op, name);
  infer_graph_add (model->graph, op);
  return op;
}

InferOperation *
whisper_add_ints (InferModel *model, const char *name, gboolean scalar,
    gint64 n, const gint64 *values, GError **error)
{
  InferShape shape =
      scalar ? infer_shape_scalar () : infer_shape_make (1, (gint64) n);
  g_autoptr (InferTensor) tensor =
      infer_tensor_new (INFER_TYPE_I64, &shape, error);

  if (tensor == NULL)
    return NULL;
  memcpy (tensor->data, values, (gsize) n * sizeof *values);
  InferOperation *op = infer_operation_make_const (name, tensor, error);
  if (op != NULL)
    infer_graph_add (model->graph, op);
  return op;
}

gboolean
whisper_add_last (
    InferModel *model, InferPort *port, gint64 axis, GError **error)
{
  static const gint64 last = -1, end = G_MAXINT32, step = 1;
  const gint64 *const values[] = { &last, &end, &step, &axis };
  InferOperation *slice =
      infer_operation_make ("Slice", "last", 5, 1, error, NULL);

  if (slice == NULL)
    return FALSE;
  infer_operation_connect (slice, 0, *port);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    InferOperation *ints =
        whisper_add_ints (model, "last", FALSE, 1, values[i], error);

    if (ints == NULL) {
      infer_operation_free (slice);
      return FALSE;
    }
    infer_operation_connect (slice, i + 1, (InferPort){ ints, 0 });
  }
  infer_graph_add (model->graph, slice);
  *port = (InferPort){ slice, 0 };
  return TRUE;
}

static void
drop_all (InferGraph *graph, GPtrArray *ops)
{
  while (ops->len > 0)
    infer_graph_remove (graph, ops->pdata[ops->len - 1]);
}

void
whisper_drop_results (InferModel *model)
{
  drop_all (model->graph, model->graph->results);
}

void
whisper_drop_assigns (InferModel *model)
{
  drop_all (model->graph, model->graph->assigns);
}

gboolean
whisper_settle (InferModel *model, GError **error)
{
  /* The sweep goes through the operations in their order. */
  if (infer_graph_sort (model->graph, error)) {
    infer_graph_sweep (model->graph);
    if (infer_model_settle (model, error))
      return TRUE;
  }
  g_prefix_error (error, "%s: ", model->path);
  return FALSE;
}
