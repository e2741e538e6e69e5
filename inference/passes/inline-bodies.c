/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inlines bodies that are known to run exactly once: the branch of an If with a
 * constant condition, a loop of one iteration. */

#include "inference/passes/pass.h"

#include "inference/graph/ops/body.h"

static const InferBodyPort *
port_at (const GArray *ports, guint i)
{
  return &g_array_index (ports, InferBodyPort, i);
}

/* Whether each sliced input has a single slice, the whole input. */
static gboolean
slices_are_whole (const InferOperation *op, const InferBody *body)
{
  for (guint i = 0; i < body->inputs->len; i++) {
    const InferBodyPort *port = port_at (body->inputs, i);
    gint64 axis = port->axis;

    if (!port->sliced)
      continue;
    const InferPort *source = &op->inputs[port->external];
    const InferShape *shape = &source->op->outputs[source->index].desc.shape;
    if (shape->rank < 0 || !infer_shape_normalize_axis (shape, &axis, NULL)
        || shape->dims[axis] != port->part_size)
      return FALSE;
  }
  return TRUE;
}

/* NULL: it is unknown which body runs, or how often. */
static InferBody *
body_that_runs (const InferOperation *op)
{
  const InferTensor *condition;

  if (op->n_bodies == 2) {
    condition = op->inputs[0].op->value;
    if (condition == NULL || condition->type != INFER_TYPE_BOOLEAN
        || condition->size != 1)
      return NULL;
    return &op->bodies[*(const guint8 *) condition->data != 0 ? 0 : 1];
  }
  if (op->n_bodies == 1 && infer_loop_runs_once (op)
      && slices_are_whole (op, &op->bodies[0]))
    return &op->bodies[0];
  return NULL;
}

/* The number of the only iteration. */
static InferOperation *
make_zero (const InferOperation *parameter)
{
  InferDesc desc = parameter->outputs[0].desc;

  if (!infer_shape_is_static (&desc.shape))
    desc.shape = infer_shape_scalar ();
  g_autoptr (InferTensor) zero =
      infer_tensor_new (desc.type, &desc.shape, NULL);
  return zero != NULL ? infer_operation_make_const (parameter->name, zero, NULL)
                      : NULL;
}

/* The ports outside that the parameters of the body stand for. */
static gboolean
find_sources (InferGraph *graph, const InferOperation *op,
    const InferBody *body, InferPort *sources)
{
  for (guint i = 0; i < body->inputs->len; i++) {
    const InferBodyPort *port = port_at (body->inputs, i);

    if (port->external >= 0)
      sources[port->internal] = op->inputs[port->external];
  }
  if (body->iteration_parameter >= 0) {
    InferOperation *zero =
        make_zero (body->graph->parameters->pdata[body->iteration_parameter]);

    if (zero == NULL)
      return FALSE;
    infer_graph_add (graph, zero);
    sources[body->iteration_parameter] = (InferPort){ zero, 0 };
  }
  for (guint i = 0; i < body->graph->parameters->len; i++)
    if (sources[i].op == NULL)
      return FALSE;
  return TRUE;
}

/* Frees the graphs of @op's bodies: an Assign in one would keep @op alive. */
static void
empty_bodies (InferOperation *op)
{
  for (guint i = 0; i < op->n_bodies; i++) {
    InferBody *body = &op->bodies[i];

    infer_graph_free (body->graph);
    body->graph = infer_graph_new ();
    g_array_set_size (body->inputs, 0);
    g_array_set_size (body->outputs, 0);
    g_array_set_size (body->back_edges, 0);
    body->iteration_parameter = body->condition_result = -1;
  }
}

/* FALSE: the body needs values that cannot be made. */
static gboolean
inline_body (InferGraph *graph, InferOperation *op, InferBody *body)
{
  const GPtrArray *parameters = body->graph->parameters;
  g_autofree InferPort *sources = g_new0 (InferPort, parameters->len + 1);

  if (!find_sources (graph, op, body, sources))
    return FALSE;
  for (guint i = 0; i < parameters->len; i++)
    infer_port_replace ((InferPort){ parameters->pdata[i], 0 }, sources[i]);
  for (guint i = 0; i < body->outputs->len; i++) {
    const InferBodyPort *port = port_at (body->outputs, i);
    const InferOperation *result = body->graph->results->pdata[port->internal];

    if (port->external >= 0)
      infer_port_replace (
          (InferPort){ op, (guint) port->external }, result->inputs[0]);
  }
  infer_graph_take_body (graph, body->graph);
  empty_bodies (op);
  return TRUE;
}

static gboolean
rewrite (InferGraph *graph, InferOperation *op)
{
  InferBody *body = body_that_runs (op);

  return body != NULL && inline_body (graph, op, body);
}

const InferPass infer_pass_inline_bodies = { "inline-bodies",
  .rewrite = rewrite };
