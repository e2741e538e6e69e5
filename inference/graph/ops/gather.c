/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gather. */

#include "inference/graph/ops/gather.h"

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferGather *attrs = op->attrs;

  return infer_attr_int (from, "batch_dims", &attrs->batch_dims, error);
}

/* Data dims before the axis, index dims after the batch, remaining data dims.
 */
static gboolean
join (const InferShape *data, const InferShape *indices, gint64 axis,
    gint64 batch, InferShape *out, GError **error)
{
  int rank = data->rank - 1 + indices->rank - (int) batch;

  if (rank > INFER_MAX_RANK)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "the output has rank %d", rank);
  *out = infer_shape_of_rank (0);
  for (int d = 0; d < axis; d++) {
    gint64 dim = data->dims[d];

    if (d < batch
        && !infer_merge_dims (
            dim, indices->dims[d], &dim, "a batch dim", error))
      return FALSE;
    out->dims[out->rank++] = dim;
  }
  for (int d = (int) batch; d < indices->rank; d++)
    out->dims[out->rank++] = indices->dims[d];
  for (int d = (int) axis + 1; d < data->rank; d++)
    out->dims[out->rank++] = data->dims[d];
  return TRUE;
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferGather *attrs = context->op->attrs;
  const InferShape *data = &context->inputs[0].shape;
  const InferShape *indices = &context->inputs[1].shape;
  gint64 batch = attrs->batch_dims, axis;
  gboolean known;

  context->outputs[0].type = context->inputs[0].type;
  if (!infer_require_integer (context, 1, error)
      || !infer_input_number (context, 2, &axis, &known, error))
    return FALSE;
  if (data->rank < 0 || indices->rank < 0)
    return TRUE;
  if (batch < 0)
    batch += indices->rank;
  if (batch < 0 || batch > MIN (indices->rank, data->rank))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "batch_dims is %" G_GINT64_FORMAT, attrs->batch_dims);
  if (!known) {
    int rank = data->rank - 1 + indices->rank - (int) batch;

    if (rank >= 0 && rank <= INFER_MAX_RANK)
      context->outputs[0].shape = infer_shape_of_rank (rank);
    return TRUE;
  }
  if (!infer_shape_normalize_axis (data, &axis, error))
    return FALSE;
  if (axis < batch)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "axis %" G_GINT64_FORMAT " is one of %" G_GINT64_FORMAT " batch dims",
        axis, batch);
  return join (data, indices, axis, batch, &context->outputs[0].shape, error);
}

const InferOpClass infer_op_gather = {
  .type = "Gather",
  .versions = "1,7,8",
  .min_inputs = 3,
  .value_inputs = 1 << 2,
  .attrs_size = sizeof (InferGather),
  .parse = parse,
  .infer_shapes = infer,
};
