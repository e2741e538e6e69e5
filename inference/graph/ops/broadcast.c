/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Broadcast and Tile. */

#include "inference/graph/ops/broadcast.h"

/* Version 1 spells 'explicit' as 'none'. */
static const char *const modes[] = { "numpy", "explicit", "pdpd",
  "bidirectional", "none", NULL };

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferBroadcastAttrs *attrs = op->attrs;

  attrs->mode = INFER_BROADCAST_MODE_NUMPY;
  attrs->axis = -1;
  if (!infer_attr_enum (from, "mode", modes, &attrs->mode, error)
      || !infer_attr_int (from, "axis", &attrs->axis, error))
    return FALSE;
  if (attrs->mode == G_N_ELEMENTS (modes) - 2)
    attrs->mode = INFER_BROADCAST_MODE_EXPLICIT;
  return TRUE;
}

static gboolean
take_target (const GArray *dims, InferShape *target, GError **error)
{
  gsize n;

  if (dims->len > INFER_MAX_RANK)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a target of %u dims: at most %d", dims->len, INFER_MAX_RANK);
  *target = infer_shape_of_rank ((int) dims->len);
  for (guint i = 0; i < dims->len; i++) {
    target->dims[i] = g_array_index (dims, gint64, i);
    if (target->dims[i] < 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "dim %u of the target is %" G_GINT64_FORMAT, i, target->dims[i]);
  }
  if (!infer_shape_elements (target, &n))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the target's number of elements overflows");
  return TRUE;
}

/* Unidirectional: every dim of the input is 1 or that of the target. */
static gboolean
check_one_way (const InferShape *in, const InferShape *target,
    const gint64 *axes, GError **error)
{
  for (int d = 0; d < in->rank; d++) {
    gint64 to = target->dims[axes[d]];

    if (in->dims[d] != INFER_DYNAMIC && in->dims[d] != 1 && in->dims[d] != to)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "dim %d of %" G_GINT64_FORMAT " does not broadcast to "
          "%" G_GINT64_FORMAT,
          d, in->dims[d], to);
  }
  return TRUE;
}

static gboolean
check_mapping (
    InferShapeContext *context, const InferShape *target, GError **error)
{
  const InferShape *in = &context->inputs[0].shape;
  g_autoptr (GArray) mapping = NULL;
  gint64 axes[INFER_MAX_RANK];

  if (context->n_inputs < 3)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "mode 'explicit' needs the input axes_mapping");
  if (!infer_input_ints (context, 2, &mapping, error))
    return FALSE;
  if (mapping == NULL || in->rank < 0)
    return TRUE;
  if ((int) mapping->len != in->rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%u axes in axes_mapping, the input has %d", mapping->len, in->rank);
  for (int d = 0; d < in->rank; d++) {
    axes[d] = g_array_index (mapping, gint64, d);
    if (axes[d] < 0 || axes[d] >= target->rank
        || (d > 0 && axes[d] <= axes[d - 1]))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "axes_mapping names axis %" G_GINT64_FORMAT, axes[d]);
  }
  return check_one_way (in, target, axes, error);
}

/* The output where the rank of the target is known, but not its values. */
static void
infer_without_target (
    const InferShape *in, gint64 rank, gboolean both_ways, InferShape *out)
{
  if (rank < 0 || rank > INFER_MAX_RANK || (both_ways && in->rank < 0))
    return;
  *out =
      infer_shape_of_rank (both_ways ? MAX (in->rank, (int) rank) : (int) rank);
  /* Dims above 1 meet themselves or 1. */
  for (int d = 0; both_ways && d < in->rank; d++)
    if (in->dims[d] > 1)
      out->dims[out->rank - in->rank + d] = in->dims[d];
}

static gboolean
infer_broadcast (InferShapeContext *context, GError **error)
{
  const InferBroadcastAttrs *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;
  g_autoptr (GArray) dims = NULL;
  gint64 axes[INFER_MAX_RANK];
  InferShape target;

  context->outputs[0].type = context->inputs[0].type;
  if (!infer_require_integers (context, 1, 1, 1, error)
      || !infer_input_ints (context, 1, &dims, error))
    return FALSE;
  if (dims == NULL) {
    gint64 rank = context->inputs[1].shape.rank == 1
                      ? context->inputs[1].shape.dims[0]
                      : INFER_DYNAMIC;

    infer_without_target (
        in, rank, attrs->mode == INFER_BROADCAST_MODE_BIDIRECTIONAL, out);
    return TRUE;
  }
  if (!take_target (dims, &target, error))
    return FALSE;
  *out = target;
  if (attrs->mode == INFER_BROADCAST_MODE_EXPLICIT)
    return check_mapping (context, &target, error);
  if (in->rank < 0) {
    if (attrs->mode == INFER_BROADCAST_MODE_BIDIRECTIONAL)
      *out = infer_shape_dynamic ();
    return TRUE;
  }
  if (attrs->mode == INFER_BROADCAST_MODE_BIDIRECTIONAL)
    return infer_shape_broadcast (
        in, &target, INFER_BROADCAST_NUMPY, -1, out, error);
  if (in->rank > target.rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "an input of rank %d does not broadcast to rank %d", in->rank,
        target.rank);
  int first = target.rank - in->rank;
  if (attrs->mode == INFER_BROADCAST_MODE_PDPD && attrs->axis >= 0) {
    if (attrs->axis > first)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "axis %" G_GINT64_FORMAT " leaves no room for an input of rank %d",
          attrs->axis, in->rank);
    first = (int) attrs->axis;
  }
  for (int d = 0; d < in->rank; d++)
    axes[d] = first + d;
  return check_one_way (in, &target, axes, error);
}

const InferOpClass infer_op_broadcast = {
  .type = "Broadcast",
  .versions = "1,3",
  .flags = INFER_OP_COPIES,
  .min_inputs = 2,
  .max_inputs = 3,
  .value_inputs = 1 << 1 | 1 << 2,
  .attrs_size = sizeof (InferBroadcastAttrs),
  .parse = parse,
  .infer_shapes = infer_broadcast,
};

/* --- Tile --- */

static gboolean
infer_tile (InferShapeContext *context, GError **error)
{
  const InferShape *in = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;
  g_autoptr (GArray) repeats = NULL;

  context->outputs[0].type = context->inputs[0].type;
  if (!infer_input_list (context, 1, &repeats, error))
    return FALSE;
  if (in->rank < 0 || repeats == NULL)
    return TRUE;
  if (repeats->len > INFER_MAX_RANK)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%u repeats: at most %d", repeats->len, INFER_MAX_RANK);
  int rank = MAX (in->rank, (int) repeats->len);
  *out = infer_shape_of_rank (rank);
  for (int d = 0; d < rank; d++) {
    int from = d - (rank - in->rank), r = d - (rank - (int) repeats->len);
    gint64 dim = from < 0 ? 1 : in->dims[from];
    gint64 times = r < 0 ? 1 : MAX (g_array_index (repeats, gint64, r), 0);

    if (dim > 0 && times > G_MAXINT64 / dim)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "dim %d repeated %" G_GINT64_FORMAT " times overflows", d, times);
    out->dims[d] = dim < 0 ? INFER_DYNAMIC : dim * times;
  }
  return TRUE;
}

const InferOpClass infer_op_tile = {
  .type = "Tile",
  .versions = "1",
  .flags = INFER_OP_COPIES,
  .min_inputs = 2,
  .value_inputs = 1 << 1,
  .infer_shapes = infer_tile,
};
