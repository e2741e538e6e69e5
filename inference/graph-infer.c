/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Types, shapes and small known values through a graph, in topological order.
 *
 * Values are followed because shapes are often computed (ShapeOf, Gather,
 * Concat → the target of a Reshape). */

#include "inference/graph.h"

#include "inference/evaluate.h"
#include "inference/ops/body.h"
#include "inference/ops/parameter.h"

#include <string.h>

#define MAX_VALUE_BYTES (64 * sizeof (gint64))
#define MAX_TENSOR_BYTES ((gsize) 1 << 40)
/* Bodies in bodies are inferred over and over: a small file must not keep us
 * busy for hours. */
#define MAX_WORK 4000000

/* How deep this thread is in bodies, and how many operations it inferred. */
static _Thread_local struct
{
  guint depth, work;
} running;

typedef struct
{
  const InferGraph *graph;
  guint *first; /* per operation: its output 0 in the arrays */
  InferDesc *descs;
  InferTensor **values; /* owned; NULL: not known */
} Work;

static void
work_init (Work *work, const InferGraph *graph)
{
  guint n = 0;

  work->graph = graph;
  work->first = g_new0 (guint, graph->operations->len + 1);
  for (guint i = 0; i < graph->operations->len; i++) {
    work->first[i] = n;
    n += ((const InferOperation *) graph->operations->pdata[i])->n_outputs;
  }
  work->first[graph->operations->len] = n;
  work->descs = g_new0 (InferDesc, n + 1);
  work->values = g_new0 (InferTensor *, n + 1);
}

static void
work_clear (Work *work)
{
  for (guint k = 0; k < work->first[work->graph->operations->len]; k++)
    infer_tensor_unref (work->values[k]);
  g_free (work->first);
  g_free (work->descs);
  g_free (work->values);
}

static guint
slot (const Work *work, const InferPort *port)
{
  return work->first[port->op->index] + port->index;
}

/* --- values
 * ------------------------------------------------------------------- */

static gboolean
has_small_values (const InferInference *inference)
{
  for (guint i = 0; i < inference->n_inputs; i++)
    if (inference->values[i] == NULL
        || inference->values[i]->size > MAX_VALUE_BYTES)
      return FALSE;
  return TRUE;
}

static void
find_values (Work *work, const InferInference *inference)
{
  const InferOperation *op = inference->op;
  InferTensor **outputs = &work->values[work->first[op->index]];

  if (op->value != NULL)
    outputs[0] = infer_tensor_ref (op->value);
  else if (strcmp (op->klass->type, "ShapeOf") == 0)
    outputs[0] = infer_evaluate_shape (
        &inference->inputs[0].shape, &inference->outputs[0]);
  else if (has_small_values (inference)
           && infer_can_evaluate (op, inference->outputs, MAX_VALUE_BYTES))
    infer_evaluate (op, inference->values, outputs);
}

/* --- one operation
 * -------------------------------------------------------------- */

static gboolean
fail_in (GError **error, const InferOperation *op)
{
  g_autofree char *name = infer_operation_describe (op);

  g_prefix_error (error, "operation %s: ", name);
  return FALSE;
}

static gboolean
check_output (const InferDesc *desc, guint k, GError **error)
{
  gsize bytes;
  g_autofree char *text = NULL;

  if (desc->type == INFER_TYPE_DYNAMIC || !infer_shape_is_static (&desc->shape)
      || (infer_tensor_bytes (desc->type, &desc->shape, &bytes)
          && bytes <= MAX_TENSOR_BYTES))
    return TRUE;
  text = infer_shape_to_string (&desc->shape);
  return infer_fail (error, INFER_ERROR_NO_MEMORY,
      "output %u of %s and shape %s is too large", k,
      infer_type_name (desc->type), text);
}

static void
gather_inputs (const Work *work, InferInference *inference, InferDesc *descs,
    const InferTensor **values)
{
  for (guint i = 0; i < inference->n_inputs; i++) {
    const InferPort *port = &inference->op->inputs[i];

    descs[i] = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
    if (port->op == NULL)
      continue;
    descs[i] = work->descs[slot (work, port)];
    values[i] = work->values[slot (work, port)];
  }
}

static gboolean store_bodies (const InferInference *inference, GError **error);

static gboolean
infer_operation (
    Work *work, const InferOperation *op, gboolean store, GError **error)
{
  g_autofree InferDesc *descs = g_new0 (InferDesc, op->n_inputs + 1);
  g_autofree const InferTensor **values =
      g_new0 (const InferTensor *, op->n_inputs + 1);
  InferInference inference = { op, op->n_inputs, descs, values, op->n_outputs,
    &work->descs[work->first[op->index]] };

  for (guint k = 0; k < op->n_outputs; k++)
    inference.outputs[k].shape = infer_shape_dynamic ();
  gather_inputs (work, &inference, descs, values);
  if (++running.work > MAX_WORK)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "bodies are nested too deeply to be understood in reasonable time");
  if (!op->klass->infer (&inference, error))
    return FALSE;
  for (guint k = 0; k < op->n_outputs; k++)
    if (!check_output (&inference.outputs[k], k, error))
      return FALSE;
  find_values (work, &inference);
  return !store || op->n_bodies == 0 || store_bodies (&inference, error);
}

static gboolean
set_parameter (Work *work, const InferOperation *op, const InferDesc *desc,
    const InferTensor *value, GError **error)
{
  const InferParameterAttrs *attrs = op->attrs;
  const guint k = work->first[op->index];
  InferType type;

  work->descs[k] = desc != NULL ? *desc : attrs->desc;
  if (value != NULL)
    work->values[k] = infer_tensor_ref ((InferTensor *) (gsize) value);
  if (!infer_type_merge (attrs->desc.type, work->descs[k].type, &type))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "it is of type %s, but is given %s", infer_type_name (attrs->desc.type),
        infer_type_name (work->descs[k].type));
  work->descs[k].type = type;
  return check_output (&work->descs[k], 0, error);
}

static gboolean
infer_all (Work *work, const InferDesc *params,
    const InferTensor *const *values, gboolean store, GError **error)
{
  const InferGraph *graph = work->graph;

  for (guint i = 0; i < graph->parameters->len; i++) {
    const InferOperation *op = graph->parameters->pdata[i];

    if (!set_parameter (work, op, params != NULL ? &params[i] : NULL,
            values != NULL ? values[i] : NULL, error))
      return fail_in (error, op);
  }
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (strcmp (op->klass->type, "Parameter") != 0
        && !infer_operation (work, op, store, error))
      return fail_in (error, op);
  }
  return TRUE;
}

/* --- whole graphs
 * ------------------------------------------------------------------ */

static gboolean
enter (GError **error)
{
  if (running.depth == 0)
    running.work = 0;
  if (running.depth >= INFER_MAX_NESTING)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "bodies are nested more than %d deep", INFER_MAX_NESTING);
  running.depth++;
  return TRUE;
}

static void
store_outputs (const Work *work)
{
  for (guint i = 0; i < work->graph->operations->len; i++) {
    InferOperation *op = work->graph->operations->pdata[i];

    for (guint k = 0; k < op->n_outputs; k++)
      op->outputs[k].desc = work->descs[work->first[i] + k];
  }
}

static gboolean
infer_and_store (InferGraph *graph, const InferDesc *params,
    const InferTensor *const *values, GError **error)
{
  Work work;
  gboolean ok;

  if (!enter (error))
    return FALSE;
  work_init (&work, graph);
  ok = infer_all (&work, params, values, TRUE, error);
  if (ok)
    store_outputs (&work);
  work_clear (&work);
  running.depth--;
  return ok;
}

static gboolean
store_bodies (const InferInference *inference, GError **error)
{
  const InferOperation *op = inference->op;

  for (guint b = 0; b < op->n_bodies; b++) {
    InferGraph *graph = op->bodies[b].graph;
    g_autofree InferDesc *params =
        g_new0 (InferDesc, graph->parameters->len + 1);
    g_autofree InferDesc *results = g_new0 (InferDesc, graph->results->len + 1);

    if (!infer_body_may_run (inference, b))
      continue;
    if (!infer_body_infer (inference, b, params, results, error)
        || !infer_and_store (graph, params, NULL, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
infer_graph_infer (InferGraph *graph, GError **error)
{
  return infer_and_store (graph, NULL, NULL, error);
}

gboolean
infer_graph_infer_with (const InferGraph *graph, const InferDesc *params,
    const InferTensor *const *values, InferDesc *results, GError **error)
{
  Work work;
  gboolean ok;

  if (!enter (error))
    return FALSE;
  work_init (&work, graph);
  ok = infer_all (&work, params, values, FALSE, error);
  for (guint k = 0; ok && k < graph->results->len; k++) {
    const InferOperation *op = graph->results->pdata[k];

    results[k] = work.descs[work.first[op->index]];
  }
  work_clear (&work);
  running.depth--;
  return ok;
}
