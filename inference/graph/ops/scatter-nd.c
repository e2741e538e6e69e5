/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ScatterNDUpdate. */

#include "inference/graph/ops/scatter-nd.h"

static const char *const reductions[] = { "none", "sum", "sub", "prod", "min",
  "max", NULL };

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferScatterNd *attrs = op->attrs;

  return op->version < 15
         || infer_attr_enum (
             from, "reduction", reductions, &attrs->reduction, error);
}

/* Shape of updates: index dims but the last, then the remaining data dims. */
static gboolean
check_updates (const InferShapeContext *context, GError **error)
{
  const InferShape *data = &context->inputs[0].shape;
  const InferShape *indices = &context->inputs[1].shape;
  const InferShape *updates = &context->inputs[2].shape;

  if (indices->rank < 1)
    return indices->rank < 0
           || infer_fail (
               error, INFER_ERROR_INVALID_MODEL, "the indices are a scalar");
  gint64 depth = indices->dims[indices->rank - 1];
  if (data->rank < 0 || depth == INFER_DYNAMIC)
    return TRUE;
  if (depth > data->rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "indices of %" G_GINT64_FORMAT " numbers for data of rank %d", depth,
        data->rank);
  if (updates->rank < 0)
    return TRUE;
  if (updates->rank != indices->rank - 1 + data->rank - (int) depth)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "updates of rank %d, not %d", updates->rank,
        indices->rank - 1 + data->rank - (int) depth);
  for (int d = 0; d < updates->rank; d++) {
    gint64 want = d < indices->rank - 1
                      ? indices->dims[d]
                      : data->dims[(int) depth + d - (indices->rank - 1)];
    gint64 merged;

    if (!infer_merge_dims (
            want, updates->dims[d], &merged, "a dim of the updates", error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  InferDesc *out = &context->outputs[0];

  *out = context->inputs[0];
  return infer_match_types (context, 0, 2, &out->type, error)
         && infer_require_integer (context, 1, error)
         && check_updates (context, error);
}

const InferOpClass infer_op_scatter_nd_update = {
  .type = "ScatterNDUpdate",
  .versions = "4,15",
  .min_inputs = 3,
  .attrs_size = sizeof (InferScatterNd),
  .parse = parse,
  .infer_shapes = infer,
};
