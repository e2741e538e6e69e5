/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/edit.h"

#include <string.h>

guint8 *
speech_dependence (const InferGraph *graph, const InferOperation *encoder)
{
  guint8 *on = g_new0 (guint8, graph->operations->len + 1);

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (op == encoder)
      on[i] = SPEECH_ON_ENCODER;
    else if (infer_op_is (op, &infer_op_parameter)
             || (op->klass->flags & (INFER_OP_STATEFUL | INFER_OP_IMPURE)) != 0
             || op->n_bodies > 0)
      on[i] = SPEECH_ON_REST;
    for (guint k = 0; k < op->n_inputs; k++)
      if (op->inputs[k].op != NULL)
        on[i] |= on[op->inputs[k].op->index];
  }
  return on;
}

GArray *
speech_find_crossing (const InferGraph *graph, const InferOperation *encoder,
    SpeechDependence only)
{
  g_autofree guint8 *on = speech_dependence (graph, encoder);
  GArray *ports = g_array_new (FALSE, FALSE, sizeof (InferPort));

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint k = 0; k < op->n_inputs; k++) {
      const InferPort *from = &op->inputs[k];
      gboolean known = FALSE;

      if (from->op == NULL || on[from->op->index] != only
          || (on[i] & ~only) == 0)
        continue;
      for (guint n = 0; n < ports->len && !known; n++)
        known = infer_port_equal (from, &g_array_index (ports, InferPort, n));
      if (!known)
        g_array_append_val (ports, *from);
    }
  }
  return ports;
}

const InferDesc *
speech_port_desc (const InferPort *port)
{
  return &port->op->outputs[port->index].desc;
}

static void
set_name (InferOperation *op, const char *name)
{
  infer_output_set_name (&op->outputs[0], name);
}

InferOperation *
speech_add_parameter (
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
speech_add_result (
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

InferPort
speech_port_in (const InferModel *copy, const InferPort *port)
{
  return (InferPort){ copy->graph->operations->pdata[port->op->index],
    port->index };
}

static void
drop_all (InferGraph *graph, GPtrArray *ops)
{
  while (ops->len > 0)
    infer_graph_remove (graph, ops->pdata[ops->len - 1]);
}

void
speech_drop_results (InferModel *model)
{
  drop_all (model->graph, model->graph->results);
}

void
speech_drop_assigns (InferModel *model)
{
  drop_all (model->graph, model->graph->assigns);
}

gboolean
speech_settle (InferModel *model, GError **error)
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

static void
drop_unused_parameters (InferModel *model)
{
  GPtrArray *parameters = model->graph->parameters;

  for (guint i = parameters->len; i-- > 0;) {
    InferOperation *op = parameters->pdata[i];

    if (op->n_uses == 0)
      infer_graph_remove (model->graph, op);
  }
}

gboolean
speech_settle_parameters (InferModel *model, GError **error)
{
  if (!speech_settle (model, error))
    return FALSE;
  drop_unused_parameters (model);
  return speech_settle (model, error);
}
