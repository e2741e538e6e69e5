/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NonMaxSuppression and NMSRotated. */

#include "inference/graph/ops/detection.h"
#include "inference/graph/work.h"

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const encodings[] = { "corner", "center", NULL };
  InferNonMaxSuppression *attrs = op->attrs;

  attrs->index_type = INFER_TYPE_I64;
  attrs->sort = TRUE;
  if (!infer_attr_enum (from, "box_encoding", encodings, &attrs->center, error)
      || !infer_attr_bool (from, "sort_result_descending", &attrs->sort, error))
    return FALSE;
  if (op->version >= 3
      && !infer_attr_index_type (
          from, "output_type", &attrs->index_type, error))
    return FALSE;
  if (op->n_inputs > 5 && op->version < 5)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%u inputs, opset %u takes 5", op->n_inputs, op->version);
  if (op->n_outputs != (op->version < 5 ? 1 : 3))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%u outputs in opset %u", op->n_outputs, op->version);
  return TRUE;
}

static gboolean
parse_rotated (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferNonMaxSuppression *attrs = op->attrs;
  gboolean clockwise = TRUE;

  attrs->index_type = INFER_TYPE_I64;
  attrs->sort = TRUE;
  if (!infer_attr_bool (from, "sort_result_descending", &attrs->sort, error)
      || !infer_attr_index_type (from, "output_type", &attrs->index_type, error)
      || !infer_attr_bool (from, "clockwise", &clockwise, error))
    return FALSE;
  attrs->counterclockwise = !clockwise;
  return TRUE;
}

static gboolean
infer_boxes (InferShapeContext *context, gint64 box_size, GError **error)
{
  const InferNonMaxSuppression *attrs = context->op->attrs;
  gint64 dim;

  for (guint i = 0; i < context->n_inputs; i++)
    if (!(i == 2 ? infer_require_integer (context, i, error)
                 : infer_require_real (context, i, error))
        || !infer_require_rank (
            context, i, i < 2 ? 3 : 0, i < 2 ? 3 : 1, error))
      return FALSE;
  for (guint i = 2; i < context->n_inputs; i++)
    if (!infer_require_dim (context, i, 0, 1, error))
      return FALSE;
  if (!infer_require_dim (context, 0, 2, box_size, error)
      || !infer_match_dims (context, 0, 0, 1, 0, &dim, error)
      || !infer_match_dims (context, 0, 1, 1, 2, &dim, error))
    return FALSE;
  context->outputs[0].type = attrs->index_type;
  context->outputs[0].shape = infer_shape_make (2, (gint64) -1, (gint64) 3);
  if (context->n_outputs == 3) {
    context->outputs[1].type = INFER_TYPE_F32;
    context->outputs[1].shape = context->outputs[0].shape;
    context->outputs[2].type = attrs->index_type;
    context->outputs[2].shape = infer_shape_make (1, (gint64) 1);
  }
  return TRUE;
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  return infer_boxes (context, 4, error);
}

static gboolean
infer_rotated (InferShapeContext *context, GError **error)
{
  return infer_boxes (context, 5, error);
}

const InferOpClass infer_op_non_max_suppression = {
  .type = "NonMaxSuppression",
  .versions = "1,3,4,5,9",
  .min_inputs = 2,
  .max_inputs = 6,
  .n_outputs = G_MAXUINT,
  .attrs_size = sizeof (InferNonMaxSuppression),
  .parse = parse,
  .infer_shapes = infer,
  .work = infer_work_pairs,
};

const InferOpClass infer_op_nms_rotated = {
  .type = "NMSRotated",
  .versions = "13",
  .min_inputs = 5,
  .n_outputs = 3,
  .attrs_size = sizeof (InferNonMaxSuppression),
  .parse = parse_rotated,
  .infer_shapes = infer_rotated,
  .work = infer_work_pairs,
};
