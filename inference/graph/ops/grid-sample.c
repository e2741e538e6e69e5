/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GridSample. */

#include "inference/graph/ops/grid-sample.h"

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "bilinear", "bicubic", "nearest", NULL };
  static const char *const paddings[] = { "zeros", "border", "reflection",
    NULL };
  InferGridSample *attrs = op->attrs;

  return infer_attr_bool (from, "align_corners", &attrs->align_corners, error)
         && infer_attr_enum (from, "mode", modes, &attrs->mode, error)
         && infer_attr_enum (
             from, "padding_mode", paddings, &attrs->padding, error);
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferShape *data = &context->inputs[0].shape;
  const InferShape *grid = &context->inputs[1].shape;
  InferShape *out = &context->outputs[0].shape;
  gint64 pair;

  context->outputs[0].type = context->inputs[0].type;
  if (!infer_require_rank (context, 0, 4, 4, error)
      || !infer_require_reals (context, 1, 4, 4, error))
    return FALSE;
  *out = infer_shape_of_rank (4);
  if (data->rank == 4) {
    out->dims[0] = data->dims[0];
    out->dims[1] = data->dims[1];
  }
  if (grid->rank < 0)
    return TRUE;
  out->dims[2] = grid->dims[1];
  out->dims[3] = grid->dims[2];
  return infer_merge_dims (
             grid->dims[3], 2, &pair, "numbers of a point of the grid", error)
         && infer_merge_dims (out->dims[0], grid->dims[0], &out->dims[0],
             "batches of data and grid", error);
}

const InferOpClass infer_op_grid_sample = {
  .type = "GridSample",
  .versions = "9",
  .min_inputs = 2,
  .attrs_size = sizeof (InferGridSample),
  .parse = parse,
  .infer_shapes = infer,
};
