/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GatherElements, GatherND, ScatterUpdate and ScatterElementsUpdate. */

#include "inference/graph/ops/index.h"

static gboolean
parse_gather_elements (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferGatherElements *attrs = op->attrs;

  return infer_attr_require (from, error, "axis", NULL)
         && infer_attr_int (from, "axis", &attrs->axis, error);
}

/* Except for the axis, no dim of @part may exceed that of the data. */
static gboolean
check_within (const InferShape *data, const InferShape *part, gint64 axis,
    const char *what, GError **error)
{
  if (data->rank != part->rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s of rank %d for data of rank %d", what, part->rank, data->rank);
  for (int d = 0; d < data->rank; d++)
    if (d != axis && data->dims[d] >= 0 && part->dims[d] > data->dims[d])
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "dim %d of the %s is %" G_GINT64_FORMAT ", the data's "
          "%" G_GINT64_FORMAT,
          d, what, part->dims[d], data->dims[d]);
  return TRUE;
}

static gboolean
infer_gather_elements (InferShapeContext *context, GError **error)
{
  const InferGatherElements *attrs = context->op->attrs;
  const InferShape *data = &context->inputs[0].shape;
  const InferShape *indices = &context->inputs[1].shape;
  gint64 axis = attrs->axis;

  context->outputs[0] = (InferDesc){ context->inputs[0].type, *indices };
  if (!infer_require_integer (context, 1, error))
    return FALSE;
  if (data->rank < 0 || indices->rank < 0)
    return TRUE;
  return infer_shape_normalize_axis (data, &axis, error)
         && check_within (data, indices, axis, "indices", error);
}

const InferOpClass infer_op_gather_elements = {
  .type = "GatherElements",
  .versions = "6",
  .min_inputs = 2,
  .attrs_size = sizeof (InferGatherElements),
  .parse = parse_gather_elements,
  .infer_shapes = infer_gather_elements,
};

/* --- GatherND --- */

static gboolean
parse_gather_nd (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferGatherNd *attrs = op->attrs;

  return infer_attr_int (from, "batch_dims", &attrs->batch_dims, error);
}

/* Version 5 flattens the batch dims. */
static gboolean
batch_of_gather_nd (const InferShapeContext *context, gint64 batch,
    InferShape *out, GError **error)
{
  const InferShape *data = &context->inputs[0].shape;
  const InferShape *indices = &context->inputs[1].shape;
  gint64 product = 1;

  for (int d = 0; d < batch; d++) {
    gint64 dim;

    if (!infer_merge_dims (
            data->dims[d], indices->dims[d], &dim, "a batch dim", error))
      return FALSE;
    out->dims[out->rank++] = dim;
    product = dim < 0 || product < 0 ? INFER_DYNAMIC : product * dim;
  }
  if (context->op->version < 8 && batch > 1)
    *out = infer_shape_make (1, product);
  return TRUE;
}

static gboolean
infer_gather_nd (InferShapeContext *context, GError **error)
{
  const InferGatherNd *attrs = context->op->attrs;
  const InferShape *data = &context->inputs[0].shape;
  const InferShape *indices = &context->inputs[1].shape;
  InferShape *out = &context->outputs[0].shape;
  const gint64 batch = attrs->batch_dims;

  context->outputs[0].type = context->inputs[0].type;
  if (!infer_require_integer (context, 1, error))
    return FALSE;
  if (data->rank < 0 || indices->rank < 0)
    return TRUE;
  if (indices->rank < 1 || batch < 0
      || batch >= MIN (data->rank + (data->rank == 0), indices->rank))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "batch_dims of %" G_GINT64_FORMAT " for ranks %d and %d", batch,
        data->rank, indices->rank);
  gint64 depth = indices->dims[indices->rank - 1];
  if (depth < 0)
    return TRUE;
  if (depth > data->rank - batch
      || data->rank + indices->rank - 1 - depth > INFER_MAX_RANK)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "indices of %" G_GINT64_FORMAT " numbers for data of rank %d", depth,
        data->rank);
  *out = infer_shape_scalar ();
  if (!batch_of_gather_nd (context, batch, out, error))
    return FALSE;
  for (int d = (int) batch; d < indices->rank - 1; d++)
    out->dims[out->rank++] = indices->dims[d];
  for (int d = (int) (batch + depth); d < data->rank; d++)
    out->dims[out->rank++] = data->dims[d];
  return TRUE;
}

const InferOpClass infer_op_gather_nd = {
  .type = "GatherND",
  .versions = "5,8",
  .min_inputs = 2,
  .attrs_size = sizeof (InferGatherNd),
  .parse = parse_gather_nd,
  .infer_shapes = infer_gather_nd,
};

/* --- ScatterUpdate and ScatterElementsUpdate --- */

/* The axis is input 3; *@known: whether its value is known. */
static gboolean
scatter_axis (
    InferShapeContext *context, gint64 *axis, gboolean *known, GError **error)
{
  const InferShape *data = &context->inputs[0].shape;
  InferDesc *out = &context->outputs[0];

  *out = context->inputs[0];
  if (!infer_match_types (context, 0, 2, &out->type, error)
      || !infer_require_integer (context, 1, error)
      || !infer_input_number (context, 3, axis, known, error))
    return FALSE;
  *known = *known && data->rank >= 0;
  return !*known || infer_shape_normalize_axis (data, axis, error);
}

static gboolean
infer_scatter_update (InferShapeContext *context, GError **error)
{
  const InferShape *data = &context->inputs[0].shape;
  const InferShape *indices = &context->inputs[1].shape;
  const InferShape *updates = &context->inputs[2].shape;
  gint64 axis;
  gboolean known;

  if (!scatter_axis (context, &axis, &known, error))
    return FALSE;
  if (!known || indices->rank < 0 || updates->rank < 0)
    return TRUE;
  if (updates->rank != data->rank - 1 + indices->rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "updates of rank %d, not %d", updates->rank,
        data->rank - 1 + indices->rank);
  for (int d = 0; d < updates->rank; d++) {
    gint64 want, merged;

    if (d < axis)
      want = data->dims[d];
    else if (d < axis + indices->rank)
      want = indices->dims[d - axis];
    else
      want = data->dims[d - indices->rank + 1];
    if (!infer_merge_dims (
            want, updates->dims[d], &merged, "a dim of the updates", error))
      return FALSE;
  }
  return TRUE;
}

const InferOpClass infer_op_scatter_update = {
  .type = "ScatterUpdate",
  .versions = "3",
  .min_inputs = 4,
  .value_inputs = 1 << 3,
  .infer_shapes = infer_scatter_update,
};

static const char *const reductions[] = { "none", "sum", "prod", "min", "max",
  "mean", NULL };

static gboolean
parse_scatter_elements (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferScatterElements *attrs = op->attrs;

  attrs->use_init_val = TRUE;
  return op->version < 12
         || (infer_attr_enum (
                 from, "reduction", reductions, &attrs->reduction, error)
             && infer_attr_bool (
                 from, "use_init_val", &attrs->use_init_val, error));
}

static gboolean
infer_scatter_elements (InferShapeContext *context, GError **error)
{
  const InferShape *indices = &context->inputs[1].shape;
  const InferShape *updates = &context->inputs[2].shape;
  InferShape merged;
  gint64 axis;
  gboolean known;

  if (!scatter_axis (context, &axis, &known, error))
    return FALSE;
  if (!infer_shape_merge (indices, updates, &merged))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "indices and updates differ in shape");
  return !known || indices->rank < 0
         || check_within (
             &context->inputs[0].shape, indices, axis, "indices", error);
}

const InferOpClass infer_op_scatter_elements_update = {
  .type = "ScatterElementsUpdate",
  .versions = "3,12",
  .min_inputs = 4,
  .value_inputs = 1 << 3,
  .attrs_size = sizeof (InferScatterElements),
  .parse = parse_scatter_elements,
  .infer_shapes = infer_scatter_elements,
};
