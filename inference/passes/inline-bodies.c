/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A body that is known to run exactly once takes its owner's place: the branch
 * of an If with a constant condition, a loop of one iteration. */

#include "inference/passes/pass.h"

#include "inference/graph/ops/body.h"
#include "inference/passes/rewrite.h"

static const InferBodyPort *
port_at (const GArray *ports, guint i)
{
  return &g_array_index (ports, InferBodyPort, i);
}

/* The one slice of an input is all of it. */
static gboolean
slices_are_whole (const InferOperation *op, const InferBody *body)
{
  for (guint i = 0; i < body->inputs->len; i++) {
    const InferBodyPort *port = port_at (body->inputs, i);
    const InferPort *source;
    const InferShape *shape;
    gint64 axis = port->axis;

    if (!port->sliced)
      continue;
    source = &op->inputs[port->external];
    shape = &source->op->outputs[source->index].desc.shape;
    if (shape->rank < 0 || !infer_shape_normalize_axis (shape, &axis, NULL)
        || shape->dims[axis] != port->part_size)
      return FALSE;
  }
  return TRUE;
}

/* NULL: which body runs, or how often, is not known. */
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
  g_autoptr (InferTensor) zero = NULL;

  if (!infer_shape_is_static (&desc.shape))
    desc.shape = infer_shape_scalar ();
  zero = infer_tensor_new (desc.type, &desc.shape, NULL);
  return zero != NULL ? infer_operation_make_const (parameter->name, zero, NULL)
                      : NULL;
}

/* What each parameter of the body is, outside; FALSE: not to be had. */
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

static void
connect_inside (const InferBody *body, const InferPort *sources)
{
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < body->graph->parameters->len; i++)
    g_hash_table_insert (
        places, body->graph->parameters->pdata[i], GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < body->graph->operations->len; i++) {
    InferOperation *op = body->graph->operations->pdata[i];

    for (guint k = 0; k < op->n_inputs; k++) {
      guint place =
          GPOINTER_TO_UINT (g_hash_table_lookup (places, op->inputs[k].op));

      if (place > 0)
        op->inputs[k] = sources[place - 1];
    }
  }
}

/* Everything but parameters and results; the body is empty afterwards. */
static void
move_operations (InferGraph *graph, InferGraph *body)
{
  g_autoptr (GPtrArray) operations = body->operations;

  body->operations =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_operation_free);
  g_ptr_array_set_free_func (operations, NULL);
  g_ptr_array_set_size (body->parameters, 0);
  g_ptr_array_set_size (body->results, 0);
  g_ptr_array_set_size (body->assigns, 0);
  for (guint i = 0; i < operations->len; i++) {
    InferOperation *op = operations->pdata[i];

    if (infer_op_is (op, &infer_op_parameter)
        || infer_op_is (op, &infer_op_result))
      infer_operation_free (op);
    else
      infer_graph_add (graph, op);
  }
}

/* Nothing in them keeps @op any more. */
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

static void
inline_body (InferGraph *graph, InferRewrite *rewrite, InferOperation *op,
    InferBody *body)
{
  g_autofree InferPort *sources =
      g_new0 (InferPort, body->graph->parameters->len + 1);

  if (!find_sources (graph, op, body, sources))
    return;
  connect_inside (body, sources);
  for (guint i = 0; i < body->outputs->len; i++) {
    const InferBodyPort *port = port_at (body->outputs, i);
    const InferOperation *result = body->graph->results->pdata[port->internal];

    if (port->external >= 0)
      infer_rewrite_output (
          rewrite, op, (guint) port->external, &result->inputs[0]);
  }
  move_operations (graph, body->graph);
  empty_bodies (op);
  rewrite->changed = TRUE;
}

static gboolean
run (InferGraph *graph, InferCache *cache)
{
  InferRewrite rewrite;

  infer_rewrite_init (&rewrite, graph);
  for (guint i = 0; i < rewrite.n; i++) {
    InferOperation *op = graph->operations->pdata[i];
    InferBody *body;

    infer_rewrite_inputs (&rewrite, op);
    body = body_that_runs (op);
    if (body != NULL)
      inline_body (graph, &rewrite, op, body);
  }
  infer_rewrite_clear (&rewrite);
  return rewrite.changed;
}

const InferPass infer_pass_inline_bodies = { "inline-bodies", run };
