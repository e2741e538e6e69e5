/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MulticlassNms and MatrixNms: boxes [N, M, 4] with scores [N, C, M], or boxes
 * of each class [C, M, 4] with scores [C, M] and the M's share of each image
 * [N]. */

#include "inference/graph/ops/detection.h"
#include "inference/graph/work.h"

static gboolean
parse_sort (InferMultiNms *attrs, const InferAttributes *from, GError **error)
{
  /* Files use "classid", the specification "class". */
  static const char *const names[] = { "none", "score", "classid", "class",
    NULL };

  if (!infer_attr_enum (from, "sort_result", names, &attrs->sort, error)
      || !infer_attr_enum (
          from, "sort_result_type", names, &attrs->sort, error))
    return FALSE;
  attrs->sort = MIN (attrs->sort, (int) INFER_NMS_SORT_CLASS);
  return infer_attr_bool (
      from, "sort_result_across_batch", &attrs->across_batch, error);
}

static gboolean
parse_common (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferMultiNms *attrs = op->attrs;

  attrs->index_type = INFER_TYPE_I64;
  attrs->nms_top_k = attrs->keep_top_k = attrs->background = -1;
  attrs->normalized = TRUE;
  return parse_sort (attrs, from, error)
         && infer_attr_index_type (
             from, "output_type", &attrs->index_type, error)
         && infer_attr_int (from, "nms_top_k", &attrs->nms_top_k, error)
         && infer_attr_int (from, "keep_top_k", &attrs->keep_top_k, error)
         && infer_attr_int (from, "background_class", &attrs->background, error)
         && infer_attr_bool (from, "normalized", &attrs->normalized, error)
         && infer_attr_double (
             from, "score_threshold", &attrs->score_threshold, error);
}

static gboolean
parse_multiclass (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferMultiNms *attrs = op->attrs;

  attrs->eta = 1;
  if (op->version < 9 && op->n_inputs > 2)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%u inputs, opset %u takes 2", op->n_inputs, op->version);
  if (!parse_common (op, from, error)
      || !infer_attr_double (
          from, "iou_threshold", &attrs->iou_threshold, error)
      || !infer_attr_double (from, "nms_eta", &attrs->eta, error))
    return FALSE;
  return (attrs->eta >= 0 && attrs->eta <= 1)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "attribute nms_eta is %g, not in 0 to 1", attrs->eta);
}

static gboolean
parse_matrix (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const decays[] = { "linear", "gaussian", NULL };
  InferMultiNms *attrs = op->attrs;

  attrs->gaussian_sigma = 2;
  return parse_common (op, from, error)
         && infer_attr_enum (
             from, "decay_function", decays, &attrs->gaussian, error)
         && infer_attr_double (
             from, "gaussian_sigma", &attrs->gaussian_sigma, error)
         && infer_attr_double (
             from, "post_threshold", &attrs->post_threshold, error);
}

/* *@images: the batch. */
static gboolean
check_shapes (InferShapeContext *context, gint64 *images, GError **error)
{
  int rank = context->inputs[1].shape.rank;
  int fewest = context->n_inputs > 2 ? 2 : 3;
  gint64 boxes;

  if (!infer_require_rank (context, 0, 3, 3, error)
      || !infer_require_rank (context, 1, fewest, 3, error)
      || !infer_require_rank (context, 2, 1, 1, error)
      || !infer_require_dim (context, 0, 2, 4, error))
    return FALSE;
  *images = INFER_DYNAMIC;
  if (rank == 3)
    return infer_match_dims (context, 0, 1, 1, 2, &boxes, error)
           && infer_match_dims (context, 0, 0, 1, 0, images, error);
  if (rank != 2)
    return TRUE;
  if (!infer_match_dims (context, 0, 0, 1, 0, &boxes, error)
      || !infer_match_dims (context, 0, 1, 1, 1, &boxes, error))
    return FALSE;
  *images = infer_input_dim (context, 2, 0);
  return TRUE;
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferMultiNms *attrs = context->op->attrs;
  InferDesc *out = context->outputs;
  gint64 images;

  if (!infer_require_real (context, 0, error)
      || !infer_require_real (context, 1, error)
      || !infer_require_integer (context, 2, error)
      || !infer_merge_types (context, 0, 2, &out[0].type, error)
      || !check_shapes (context, &images, error))
    return FALSE;
  out[0].shape = infer_shape_make (2, (gint64) INFER_DYNAMIC, (gint64) 6);
  out[1].type = out[2].type = attrs->index_type;
  out[1].shape = infer_shape_make (2, (gint64) INFER_DYNAMIC, (gint64) 1);
  out[2].shape = infer_shape_make (1, images);
  return TRUE;
}

const InferOpClass infer_op_multiclass_nms = {
  .type = "MulticlassNms",
  .alias = "MulticlassNonMaxSuppression",
  .versions = "8,9",
  .min_inputs = 2,
  .max_inputs = 3,
  .n_outputs = 3,
  .attrs_size = sizeof (InferMultiNms),
  .parse = parse_multiclass,
  .infer_shapes = infer,
  .work = infer_work_pairs,
};

const InferOpClass infer_op_matrix_nms = {
  .type = "MatrixNms",
  .alias = "MatrixNonMaxSuppression",
  .versions = "8",
  .min_inputs = 2,
  .n_outputs = 3,
  .attrs_size = sizeof (InferMultiNms),
  .parse = parse_matrix,
  .infer_shapes = infer,
  .work = infer_work_pairs,
};
