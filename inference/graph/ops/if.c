/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/body.h"

#include <string.h>

/* The desc of an output that either branch may give. */
static gboolean
merge_branches (InferDesc *out, const InferDesc *other, GError **error)
{
  InferShape *shape = &out->shape;

  if (out->type != other->type && out->type != INFER_TYPE_DYNAMIC
      && other->type != INFER_TYPE_DYNAMIC)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "one branch gives %s, the other %s", infer_type_name (out->type),
        infer_type_name (other->type));
  if (out->type != other->type)
    out->type = INFER_TYPE_DYNAMIC;
  if (shape->rank != other->shape.rank)
    *shape = infer_shape_dynamic ();
  for (int d = 0; d < shape->rank; d++)
    if (shape->dims[d] != other->shape.dims[d])
      shape->dims[d] = INFER_DYNAMIC;
  return TRUE;
}

gboolean
infer_body_may_run (const InferShapeContext *context, guint index)
{
  const InferTensor *value =
      context->values != NULL ? context->values[0] : NULL;

  if (context->op->n_bodies != 2 || value == NULL
      || value->type != INFER_TYPE_BOOLEAN || value->size != 1)
    return TRUE;
  return index == (*(const guint8 *) value->data != 0 ? 0 : 1);
}

static gboolean
check_condition (const InferShapeContext *context, GError **error)
{
  gsize n;

  if (!infer_require_boolean (context, 0, error))
    return FALSE;
  if (infer_shape_elements (&context->inputs[0].shape, &n) && n != 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the condition has %" G_GSIZE_FORMAT " elements, not one", n);
  return TRUE;
}

static gboolean
take_outputs (InferShapeContext *context, const InferBody *body,
    const InferDesc *results, gboolean *given, GError **error)
{
  for (guint i = 0; i < body->outputs->len; i++) {
    const InferBodyPort *port =
        &g_array_index (body->outputs, InferBodyPort, i);
    InferDesc *out = &context->outputs[port->external];

    if (!given[port->external])
      *out = results[port->internal];
    else if (!merge_branches (out, &results[port->internal], error)) {
      g_prefix_error (error, "output %d: ", port->external);
      return FALSE;
    }
    given[port->external] = TRUE;
  }
  return TRUE;
}

static gboolean
branch_gives_all (
    const InferShapeContext *context, guint branch, GError **error)
{
  const GArray *outputs = context->op->bodies[branch].outputs;
  g_autofree gboolean *given = g_new0 (gboolean, context->n_outputs + 1);

  for (guint i = 0; i < outputs->len; i++)
    given[g_array_index (outputs, InferBodyPort, i).external] = TRUE;
  for (guint k = 0; k < context->n_outputs; k++)
    if (!given[k])
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "its %s branch does not give output %u",
          branch == 0 ? "then" : "else", k);
  return TRUE;
}

/* If the condition is known, only its branch counts.  Else one of the two may
 * be impossible for these inputs: then it fails if it is taken. */
static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferOperation *op = context->op;
  g_autofree gboolean *given = g_new0 (gboolean, context->n_outputs + 1);
  g_autoptr (GError) failure = NULL;
  guint possible = 0;

  if (!check_condition (context, error))
    return FALSE;
  for (guint b = 0; b < op->n_bodies; b++) {
    const InferGraph *graph = op->bodies[b].graph;
    g_autofree InferDesc *params =
        g_new0 (InferDesc, graph->parameters->len + 1);
    g_autofree InferDesc *results = g_new0 (InferDesc, graph->results->len + 1);

    if (!branch_gives_all (context, b, error))
      return FALSE;
    if (!infer_body_may_run (context, b)
        || !infer_body_infer (
            context, b, params, results, failure == NULL ? &failure : NULL))
      continue;
    if (!take_outputs (context, &op->bodies[b], results, given, error))
      return FALSE;
    possible++;
  }
  if (possible > 0)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

const InferOpClass infer_op_if = {
  .type = "If",
  .versions = "8",
  .flags = INFER_OP_OWN_TYPES | INFER_OP_SUB_BYTE,
  .min_inputs = 1,
  .max_inputs = G_MAXUINT,
  .n_outputs = G_MAXUINT,
  .infer_shapes = infer,
};
