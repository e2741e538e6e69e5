/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loop and TensorIterator: a body run once for each slice, or while its
 * condition holds. */

#include "cpu/ops/body.h"
#include "inference/graph/ops/body.h"

#include <string.h>

/* Limit for loops without a trip count: an error instead of a hang. */
#define MAX_ITERATIONS G_GINT64_CONSTANT (1000000000)

/* The slices of one output, one after the other; memory is kept between runs.
 */
typedef struct
{
  guint8 *data;
  gsize len, room;
} Slices;

typedef struct
{
  CpuBody body;
  gboolean is_loop;
  InferTensor **slices; /* per body input port; NULL: not sliced */
  Slices *collected;    /* per body output port; used if it is sliced */
  gint64 iteration;     /* the body's iteration parameter points here */
  gint32 iteration32;
} Iteration;

static const InferBodyPort *
input_port (const Iteration *it, guint i)
{
  return &g_array_index (it->body.body->inputs, InferBodyPort, i);
}

static const InferBodyPort *
output_port (const Iteration *it, guint i)
{
  return &g_array_index (it->body.body->outputs, InferBodyPort, i);
}

static void
iteration_free (gpointer data)
{
  Iteration *it = data;

  for (guint i = 0; it->slices != NULL && i < it->body.body->inputs->len; i++)
    infer_tensor_unref (it->slices[i]);
  for (guint k = 0; it->collected != NULL && k < it->body.body->outputs->len;
       k++)
    g_free (it->collected[k].data);
  g_free (it->slices);
  g_free (it->collected);
  cpu_body_clear (&it->body);
  g_free (it);
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  Iteration *it = g_new0 (Iteration, 1);
  const InferBody *body = &step->op->bodies[0];

  step->priv = it;
  step->kernel = "body";
  it->is_loop = infer_op_is (step->op, &infer_op_loop);
  if (!cpu_body_init (&it->body, step, 0, error))
    return FALSE;
  it->slices = g_new0 (InferTensor *, body->inputs->len + 1);
  it->collected = g_new0 (Slices, body->outputs->len + 1);
  return TRUE;
}

/* --- slices --- */

/* A box of whole rows along one axis: [outer][axis][inner bytes]. */
typedef struct
{
  gsize outer, length, inner;
  int axis;
} Box;

static Box
box_of (InferType type, const InferShape *shape, gint64 axis)
{
  Box box;

  box.axis = (int) (axis < 0 ? axis + shape->rank : axis);
  box.outer = infer_shape_count_range (shape, 0, box.axis);
  box.length = (gsize) shape->dims[box.axis];
  box.inner = infer_shape_count_range (shape, box.axis + 1, shape->rank)
              * infer_type_size (type);
  return box;
}

/* Start of slice @n of @port along an axis of @length; FALSE: beyond it. */
static gboolean
slice_begin (const InferBodyPort *port, gint64 length, gint64 n, gint64 *begin)
{
  gint64 start = port->start < 0 ? port->start + length + 1 : port->start;
  gint64 end = port->end < 0 ? port->end + length + 1 : port->end;
  gint64 stride = port->stride, part = port->part_size;
  gint64 at;

  if (stride > 0) {
    at = start + n * stride;
    *begin = at;
    return at >= 0 && at + part <= MIN (end, length);
  }
  at = start + n * stride;
  *begin = at - part;
  return at <= length && at - part >= MAX (end, 0);
}

static gboolean
take_slice (
    Iteration *it, guint i, const CpuValue *value, gint64 n, GError **error)
{
  const InferBodyPort *port = input_port (it, i);
  Box box = box_of (value->desc.type, &value->desc.shape, port->axis);
  InferShape shape = value->desc.shape;
  gsize bytes = (gsize) port->part_size * box.inner;
  gint64 begin;

  if (!slice_begin (port, (gint64) box.length, n, &begin))
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "input %d has no slice %" G_GINT64_FORMAT, port->external, n);
  shape.dims[box.axis] = port->part_size;
  if (it->slices[i] == NULL)
    it->slices[i] = infer_tensor_new (value->desc.type, &shape, error);
  else if (!infer_tensor_reshape (
               it->slices[i], value->desc.type, &shape, error))
    return FALSE;
  if (it->slices[i] == NULL)
    return FALSE;
  guint8 *dst = it->slices[i]->data;
  for (gsize o = 0; o < box.outer && bytes > 0; o++)
    memcpy (dst + o * bytes,
        (const guint8 *) value->data
            + (o * box.length + (gsize) begin) * box.inner,
        bytes);
  it->body.params[port->internal] =
      (CpuInput){ { value->desc.type, shape }, dst };
  return TRUE;
}

static gboolean
append_slice (const CpuStep *step, Slices *slices, const InferTensor *slice,
    GError **error)
{
  gsize len;

  if (!g_size_checked_add (&len, slices->len, slice->size))
    return infer_fail (error, INFER_ERROR_NO_MEMORY, "it is too large");
  if (len > slices->room) {
    const gsize room = len <= G_MAXSIZE / 2 ? MAX (len, 2 * slices->room) : len;

    if (!cpu_step_may_use (step, room, error))
      return FALSE;
    guint8 *bigger = g_try_realloc (slices->data, room);

    if (bigger == NULL)
      return infer_fail (error, INFER_ERROR_NO_MEMORY,
          "there is no memory for %" G_GSIZE_FORMAT " bytes", len);
    slices->data = bigger;
    slices->room = room;
  }
  if (slice->size > 0)
    memcpy (slices->data + slices->len, slice->data, slice->size);
  slices->len = len;
  return TRUE;
}

/* Concatenates @n collected slices along the axis. */
static gboolean
give_collected (CpuStep *step, Iteration *it, guint k, gint64 n, GError **error)
{
  const InferBodyPort *port = output_port (it, k);
  const InferTensor *last = it->body.results[port->internal];
  const CpuValue *out = step->out[port->external];
  InferDesc desc = out->desc;

  if (n > 0)
    desc = (InferDesc){ last->type, last->shape };
  InferShape *shape = &desc.shape;
  if (shape->rank < 0)
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "no iteration, and output %d has no shape without one", port->external);
  for (int d = 0; d < shape->rank; d++)
    shape->dims[d] = MAX (shape->dims[d], 0);
  if (!infer_shape_normalize_axis (shape, &(gint64){ port->axis }, error))
    return FALSE;
  Box box = box_of (desc.type, shape, port->axis);
  gsize slice = box.length * box.inner;
  if (__builtin_mul_overflow (n, (gint64) box.length, &shape->dims[box.axis]))
    return infer_fail (
        error, INFER_ERROR_NO_MEMORY, "output %d is too large", port->external);
  if (!cpu_body_shape_output (step, (guint) port->external, &desc, error))
    return FALSE;
  for (gint64 s = 0; s < n && slice > 0; s++) {
    gint64 at = port->stride < 0 ? n - 1 - s : s;

    for (gsize o = 0; o < box.outer; o++)
      memcpy ((guint8 *) out->data + (o * (gsize) n + (gsize) at) * slice,
          it->collected[k].data + ((gsize) s * box.outer + o) * slice, slice);
  }
  return TRUE;
}

/* --- iterations --- */

/* -1: as many as the body's condition wants. */
static gboolean
count_iterations (
    const CpuStep *step, const Iteration *it, gint64 *count, GError **error)
{
  gint64 n = -1;

  if (it->is_loop) {
    if (cpu_has_in (step, 0) && step->in[0]->n > 0)
      n = cpu_integer_at (step->in[0], 0);
    if (cpu_has_in (step, 1) && step->in[1]->n > 0
        && *(const guint8 *) step->in[1]->data == 0)
      n = 0;
  }
  for (guint i = 0; i < it->body.body->inputs->len; i++) {
    const InferBodyPort *port = input_port (it, i);

    if (!port->sliced)
      continue;
    const CpuValue *value = step->in[port->external];
    const Box box = box_of (value->desc.type, &value->desc.shape, port->axis);
    gint64 slices;
    if (!infer_body_port_slices (port, (gint64) box.length, &slices, error))
      return FALSE;
    n = n < 0 ? slices : MIN (n, slices);
  }
  *count = n < 0 && !it->is_loop ? 1 : n;
  return TRUE;
}

static void
begin (const CpuStep *step, Iteration *it)
{
  for (guint i = 0; i < it->body.body->inputs->len; i++) {
    const InferBodyPort *port = input_port (it, i);

    if (port->external < 0)
      continue;
    const CpuValue *value = step->in[port->external];
    it->body.params[port->internal] = (CpuInput){ value->desc, value->data };
  }
  for (guint k = 0; k < it->body.body->outputs->len; k++)
    it->collected[k].len = 0;
}

static void
set_iteration (Iteration *it, gint64 n)
{
  const int index = it->body.body->iteration_parameter;

  if (index < 0)
    return;
  const InferOperation *op = it->body.body->graph->parameters->pdata[index];
  CpuInput *param = &it->body.params[index];
  it->iteration = n;
  it->iteration32 = (gint32) n;
  param->desc = op->outputs[0].desc;
  if (param->desc.shape.rank < 0)
    param->desc.shape = infer_shape_scalar ();
  for (int d = 0; d < param->desc.shape.rank; d++)
    param->desc.shape.dims[d] = 1;
  param->data = param->desc.type == INFER_TYPE_I32 ? (gpointer) &it->iteration32
                                                   : &it->iteration;
}

/* All slices of one output have the same type and shape. */
static gboolean
collect (const CpuStep *step, Iteration *it, guint k, gint64 n, GError **error)
{
  const guint index = output_port (it, k)->internal;
  const InferTensor *slice = it->body.results[index];
  const InferTensor *before = it->body.spare[index];

  if (n > 0
      && (slice->type != before->type
          || !infer_shape_equal (&slice->shape, &before->shape))) {
    g_autofree char *is = infer_shape_to_string (&slice->shape);
    g_autofree char *was = infer_shape_to_string (&before->shape);

    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "a slice of %s and shape %s cannot follow one of %s and shape %s",
        infer_type_name (slice->type), is, infer_type_name (before->type), was);
  }
  return append_slice (step, &it->collected[k], slice, error);
}

static gboolean
one_iteration (CpuStep *step, Iteration *it, gint64 n, GError **error)
{
  const InferBody *body = it->body.body;

  for (guint i = 0; i < body->inputs->len; i++)
    if (input_port (it, i)->sliced
        && !take_slice (
            it, i, step->in[input_port (it, i)->external], n, error))
      return FALSE;
  set_iteration (it, n);
  if (!cpu_body_run (&it->body, error))
    return FALSE;
  for (guint k = 0; k < body->outputs->len; k++)
    if (output_port (it, k)->sliced && !collect (step, it, k, n, error)) {
      g_prefix_error (error, "output %d: ", output_port (it, k)->external);
      return FALSE;
    }
  for (guint i = 0; i < body->back_edges->len; i++) {
    const InferBackEdge *edge =
        &g_array_index (body->back_edges, InferBackEdge, i);
    InferTensor *result = it->body.results[edge->from_result];

    it->body.params[edge->to_parameter] =
        (CpuInput){ { result->type, result->shape }, result->data };
  }
  return TRUE;
}

static gboolean
wants_more (const Iteration *it, gboolean *more, GError **error)
{
  const int index = it->body.body->condition_result;

  *more = TRUE;
  if (index < 0)
    return TRUE;
  const InferTensor *condition = it->body.results[index];
  if (condition->type != INFER_TYPE_BOOLEAN || condition->size != 1)
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "the body's condition is not one boolean");
  *more = *(const guint8 *) condition->data != 0;
  return TRUE;
}

/* Without iterations a carried output is the initial value. */
static gboolean
give_initial (
    CpuStep *step, Iteration *it, const InferBodyPort *port, GError **error)
{
  const GArray *edges = it->body.body->back_edges;

  for (guint i = 0; i < edges->len; i++) {
    const InferBackEdge *edge = &g_array_index (edges, InferBackEdge, i);
    const CpuInput *param = &it->body.params[edge->to_parameter];

    if (edge->from_result == port->internal)
      return cpu_body_give (
          step, (guint) port->external, &param->desc, param->data, error);
  }
  return infer_fail (error, INFER_ERROR_INVALID_DATA,
      "no iteration, and output %d has no value without one", port->external);
}

static gboolean
iterate (CpuStep *step, Iteration *it, gint64 *n, GError **error)
{
  gboolean more = TRUE;
  gint64 planned;

  if (!count_iterations (step, it, &planned, error))
    return FALSE;
  begin (step, it);
  for (*n = 0; more && (planned < 0 || *n < planned); ++*n) {
    if (planned < 0 && *n == MAX_ITERATIONS)
      return infer_fail (
          error, INFER_ERROR_INVALID_DATA, "the loop never ends");
    if (!one_iteration (step, it, *n, error)
        || !wants_more (it, &more, error)) {
      g_prefix_error (error, "iteration %" G_GINT64_FORMAT ": ", *n);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
give (CpuStep *step, Iteration *it, guint k, gint64 n, GError **error)
{
  const InferBodyPort *port = output_port (it, k);
  const InferTensor *result = it->body.results[port->internal];
  const InferDesc desc = { result->type, result->shape };

  if (port->external < 0)
    return TRUE;
  if (port->sliced)
    return give_collected (step, it, k, n, error);
  if (n == 0)
    return give_initial (step, it, port, error);
  return cpu_body_give (
      step, (guint) port->external, &desc, result->data, error);
}

static gboolean
run (CpuStep *step, GError **error)
{
  Iteration *it = step->priv;
  gint64 n;

  if (!iterate (step, it, &n, error))
    return FALSE;
  for (guint k = 0; k < it->body.body->outputs->len; k++)
    if (!give (step, it, k, n, error))
      return FALSE;
  return TRUE;
}

const CpuOp cpu_op_loop = {
  .flags = CPU_OP_CHECKS_VALUES,
  .prepare = prepare,
  .run = run,
  .release = iteration_free,
};

const CpuOp cpu_op_tensor_iterator = {
  .prepare = prepare,
  .run = run,
  .release = iteration_free,
};
