/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/body.h"

/* Descs of loop-carried values become less exact with each round; if they have
 * not settled after this many, the rank is taken as dynamic. */
#define MAX_ROUNDS (2 + INFER_MAX_RANK)

static const InferBodyPort *
port_at (const GArray *ports, guint i)
{
  return &g_array_index (ports, InferBodyPort, i);
}

gboolean
infer_body_port_slices (
    const InferBodyPort *port, gint64 length, gint64 *n, GError **error)
{
  gint64 start, end, span;

  *n = -1;
  if (length < 0)
    return TRUE;
  start = port->start < 0 ? port->start + length + 1 : port->start;
  end = port->end < 0 ? port->end + length + 1 : port->end;
  if (start < 0 || start > length || end < 0 || end > length)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "slices from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
        " of a dimension of %" G_GINT64_FORMAT,
        port->start, port->end, length);
  span = port->stride > 0 ? end - start : start - end;
  if (span < 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "slices from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
        " go the other way than the stride %" G_GINT64_FORMAT,
        port->start, port->end, port->stride);
  /* Not ABS: the stride may be G_MININT64. */
  *n = span < port->part_size ? 0
       : port->stride > 0     ? (span - port->part_size) / port->stride + 1
       : port->stride == G_MININT64
           ? 1
           : (span - port->part_size) / -port->stride + 1;
  return TRUE;
}

/* The desc of one slice. */
static gboolean
slice_desc (const InferBodyPort *port, InferDesc *desc, GError **error)
{
  gint64 axis = port->axis, n;

  if (!infer_shape_normalize_axis (&desc->shape, &axis, error))
    return FALSE;
  if (desc->shape.rank < 0)
    return TRUE;
  if (!infer_body_port_slices (port, desc->shape.dims[axis], &n, error))
    return FALSE;
  desc->shape.dims[axis] = port->part_size;
  return TRUE;
}

static gboolean
first_params (const InferShapeContext *context, const InferBody *body,
    InferDesc *params, const InferTensor **values, GError **error)
{
  const GPtrArray *parameters = body->graph->parameters;

  for (guint i = 0; i < parameters->len; i++)
    params[i] = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
  if (body->iteration_parameter >= 0) {
    const InferOperation *op = parameters->pdata[body->iteration_parameter];

    params[body->iteration_parameter] =
        *(const InferDesc *) op->attrs; /* of a Parameter: the desc first */
  }
  for (guint i = 0; i < body->inputs->len; i++) {
    const InferBodyPort *port = port_at (body->inputs, i);

    if (port->external < 0)
      continue;
    params[port->internal] = context->inputs[port->external];
    if (port->sliced) {
      if (!slice_desc (port, &params[port->internal], error)) {
        g_prefix_error (error, "input %d: ", port->external);
        return FALSE;
      }
    } else if (context->values != NULL)
      values[port->internal] = context->values[port->external];
  }
  return TRUE;
}

/* The union of two descs: dims that differ are dynamic. */
static gboolean
relax (
    InferDesc *into, const InferDesc *desc, gboolean *changed, GError **error)
{
  if (into->type == INFER_TYPE_DYNAMIC)
    into->type = desc->type;
  else if (desc->type != INFER_TYPE_DYNAMIC && desc->type != into->type)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a back edge brings %s to a parameter of %s",
        infer_type_name (desc->type), infer_type_name (into->type));
  if (into->shape.rank < 0)
    return TRUE;
  if (into->shape.rank != desc->shape.rank) {
    into->shape = infer_shape_dynamic ();
    *changed = TRUE;
    return TRUE;
  }
  for (int d = 0; d < into->shape.rank; d++)
    if (into->shape.dims[d] >= 0
        && into->shape.dims[d] != desc->shape.dims[d]) {
      into->shape.dims[d] = INFER_DYNAMIC;
      *changed = TRUE;
    }
  return TRUE;
}

static gboolean
follow_back_edges (const InferBody *body, InferDesc *params,
    const InferDesc *results, gboolean give_up, gboolean *changed,
    GError **error)
{
  *changed = FALSE;
  for (guint i = 0; i < body->back_edges->len; i++) {
    const InferBackEdge *edge =
        &g_array_index (body->back_edges, InferBackEdge, i);

    if (!relax (&params[edge->to_parameter], &results[edge->from_result],
            changed, error))
      return FALSE;
    if (give_up)
      params[edge->to_parameter].shape = infer_shape_dynamic ();
  }
  return TRUE;
}

gboolean
infer_body_infer (const InferShapeContext *context, guint index,
    InferDesc *params, InferDesc *results, GError **error)
{
  const InferBody *body = &context->op->bodies[index];
  g_autofree const InferTensor **values =
      g_new0 (const InferTensor *, body->graph->parameters->len + 1);
  gboolean changed = TRUE;

  if (!first_params (context, body, params, values, error))
    return FALSE;
  for (guint i = 0; i < body->back_edges->len; i++)
    values[g_array_index (body->back_edges, InferBackEdge, i).to_parameter] =
        NULL;
  for (guint round = 0; changed; round++) {
    if (!infer_graph_infer_with (body->graph, params, values, results, error)
        || !follow_back_edges (
            body, params, results, round == MAX_ROUNDS, &changed, error)) {
      g_prefix_error (error, "in its body: ");
      return FALSE;
    }
    if (round > MAX_ROUNDS)
      break;
  }
  return TRUE;
}
