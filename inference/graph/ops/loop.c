/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loop and TensorIterator. */

#include "inference/graph/ops/body.h"

static gboolean
is_loop (const InferOperation *op)
{
  return infer_op_is (op, &infer_op_loop);
}

static gboolean
check_slicing (const InferBodyPort *port, GError **error)
{
  if (!port->sliced)
    return TRUE;
  if (port->stride == 0)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "slices with a stride of 0");
  if (port->part_size < 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "slices of part_size %" G_GINT64_FORMAT, port->part_size);
  return TRUE;
}

/* The maximum number of iterations; -1: unknown.  @exact: also the minimum. */
typedef struct
{
  gint64 n;
  gboolean exact;
} Count;

static gboolean
count_slices (const InferShapeContext *context, Count *count, GError **error)
{
  const GArray *inputs = context->op->bodies[0].inputs;

  for (guint i = 0; i < inputs->len; i++) {
    const InferBodyPort *port = &g_array_index (inputs, InferBodyPort, i);
    gint64 axis = port->axis, n;

    if (!port->sliced)
      continue;
    const InferShape *shape = &context->inputs[port->external].shape;
    if (!infer_shape_normalize_axis (shape, &axis, error)
        || !infer_body_port_slices (
            port, shape->rank < 0 ? -1 : shape->dims[axis], &n, error)) {
      g_prefix_error (error, "input %d: ", port->external);
      return FALSE;
    }
    if (n < 0) {
      count->exact = FALSE;
      continue;
    }
    if (count->n >= 0 && count->n != n && !is_loop (context->op))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "input %d has %" G_GINT64_FORMAT
          " slices, another input has %" G_GINT64_FORMAT,
          port->external, n, count->n);
    count->n = count->n < 0 ? n : MIN (count->n, n);
  }
  return TRUE;
}

static gboolean
is_one (const InferShapeContext *context, guint input, const char *what,
    GError **error)
{
  gsize n;

  return !infer_shape_elements (&context->inputs[input].shape, &n) || n == 1
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "the %s (input %u) has %" G_GSIZE_FORMAT " elements, not one",
             what, input, n);
}

static const InferTensor *
condition_of_body (const InferBody *body)
{
  if (body->condition_result < 0)
    return NULL;
  const InferOperation *result =
      body->graph->results->pdata[body->condition_result];
  return result->inputs[0].op != NULL ? result->inputs[0].op->value : NULL;
}

static gboolean
is_true (const InferTensor *value)
{
  return value != NULL && value->type == INFER_TYPE_BOOLEAN && value->size == 1
         && *(const guint8 *) value->data != 0;
}

/* Inputs 0 and 1 of a Loop: trip count and initial condition. */
static gboolean
count_trips (const InferShapeContext *context, Count *count, GError **error)
{
  const InferBody *body = &context->op->bodies[0];
  const InferTensor *first =
      context->values != NULL ? context->values[1] : NULL;
  g_autoptr (GArray) trips = NULL;

  count->n = -1;
  if (!infer_require_integer (context, 0, error)
      || !infer_require_boolean (context, 1, error)
      || !is_one (context, 0, "trip count", error)
      || !is_one (context, 1, "condition", error)
      || !infer_input_ints (context, 0, &trips, error))
    return FALSE;
  count->exact =
      is_true (first)
      && (body->condition_result < 0 || is_true (condition_of_body (body)));
  if (trips == NULL || trips->len != 1)
    count->exact = FALSE;
  else if (g_array_index (trips, gint64, 0) >= 0)
    count->n = g_array_index (trips, gint64, 0);
  return TRUE;
}

static gboolean
check_ports (const InferOperation *op, GError **error)
{
  const InferBody *body = &op->bodies[0];
  g_autofree gboolean *given = g_new0 (gboolean, op->n_outputs + 1);

  for (guint i = 0; i < body->inputs->len; i++) {
    const InferBodyPort *port = &g_array_index (body->inputs, InferBodyPort, i);

    if (!check_slicing (port, error)) {
      g_prefix_error (error, "input %d: ", port->external);
      return FALSE;
    }
  }
  for (guint i = 0; i < body->outputs->len; i++) {
    const InferBodyPort *port =
        &g_array_index (body->outputs, InferBodyPort, i);

    if (!check_slicing (port, error)) {
      g_prefix_error (error, "output %d: ", port->external);
      return FALSE;
    }
    if (port->external >= 0)
      given[port->external] = TRUE;
  }
  for (guint k = 0; k < op->n_outputs; k++)
    if (!given[k])
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "nothing in its body gives output %u", k);
  return TRUE;
}

/* An output that concatenates a slice of each iteration. */
static gboolean
concatenate (InferDesc *out, const InferBodyPort *port, const Count *count,
    GError **error)
{
  gint64 axis = port->axis;

  if (!infer_shape_normalize_axis (&out->shape, &axis, error))
    return FALSE;
  if (out->shape.rank < 0)
    return TRUE;
  gint64 *dim = &out->shape.dims[axis];
  if (!count->exact || count->n < 0 || *dim < 0)
    *dim = INFER_DYNAMIC;
  else if (__builtin_mul_overflow (*dim, count->n, dim))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GINT64_FORMAT " iterations make an output too large", count->n);
  return TRUE;
}

/* A Loop without iterations returns its initial values. */
static void
maybe_initial (const InferBody *body, const InferBodyPort *port,
    const InferDesc *params, InferDesc *out)
{
  for (guint i = 0; i < body->back_edges->len; i++) {
    const InferBackEdge *edge =
        &g_array_index (body->back_edges, InferBackEdge, i);

    if (edge->from_result == port->internal)
      *out = params[edge->to_parameter];
  }
}

static gboolean
check_condition_result (
    const InferBody *body, const InferDesc *results, GError **error)
{
  gsize n;

  if (body->condition_result < 0)
    return TRUE;
  const InferDesc *desc = &results[body->condition_result];
  if (desc->type != INFER_TYPE_BOOLEAN && desc->type != INFER_TYPE_DYNAMIC)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the body's condition is of type %s, not boolean",
        infer_type_name (desc->type));
  if (infer_shape_elements (&desc->shape, &n) && n != 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the body's condition has %" G_GSIZE_FORMAT " elements, not one", n);
  return TRUE;
}

gboolean
infer_loop_runs_once (const InferOperation *op)
{
  g_autofree InferDesc *inputs = g_new0 (InferDesc, op->n_inputs + 1);
  g_autofree const InferTensor **values =
      g_new0 (const InferTensor *, op->n_inputs + 1);
  const InferShapeContext context = { op, op->n_inputs, inputs, values, 0,
    NULL };
  Count count = { -1, TRUE };

  for (guint i = 0; i < op->n_inputs; i++) {
    const InferPort *port = &op->inputs[i];

    inputs[i] = port->op->outputs[port->index].desc;
    values[i] = port->op->value;
  }
  if ((is_loop (op) && !count_trips (&context, &count, NULL))
      || !count_slices (&context, &count, NULL))
    return FALSE;
  return count.exact && (count.n == 1 || (!is_loop (op) && count.n < 0));
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferOperation *op = context->op;
  const InferBody *body = &op->bodies[0];
  const GPtrArray *parameters = body->graph->parameters;
  g_autofree InferDesc *params = g_new0 (InferDesc, parameters->len + 1);
  g_autofree InferDesc *results =
      g_new0 (InferDesc, body->graph->results->len + 1);
  Count count = { -1, TRUE };

  if (!check_ports (op, error)
      || (is_loop (op) && !count_trips (context, &count, error))
      || !count_slices (context, &count, error)
      || !infer_body_infer (context, 0, params, results, error)
      || !check_condition_result (body, results, error))
    return FALSE;
  if (!is_loop (op) && count.exact && count.n < 0)
    count.n = 1;
  for (guint i = 0; i < body->outputs->len; i++) {
    const InferBodyPort *port =
        &g_array_index (body->outputs, InferBodyPort, i);

    if (port->external < 0)
      continue;
    InferDesc *out = &context->outputs[port->external];
    *out = results[port->internal];
    if (port->sliced && !concatenate (out, port, &count, error)) {
      g_prefix_error (error, "output %d: ", port->external);
      return FALSE;
    }
    if (!port->sliced && is_loop (op) && !(count.exact && count.n > 0))
      maybe_initial (body, port, params, out);
  }
  return TRUE;
}

const InferOpClass infer_op_loop = {
  .type = "Loop",
  .versions = "5",
  .flags = INFER_OP_OWN_TYPES | INFER_OP_SUB_BYTE,
  .min_inputs = 2,
  .max_inputs = G_MAXUINT,
  .n_outputs = G_MAXUINT,
  .value_inputs = 0x3,
  .infer_shapes = infer,
};

const InferOpClass infer_op_tensor_iterator = {
  .type = "TensorIterator",
  .versions = "1",
  .flags = INFER_OP_OWN_TYPES | INFER_OP_SUB_BYTE,
  .max_inputs = G_MAXUINT,
  .n_outputs = G_MAXUINT,
  .infer_shapes = infer,
};
