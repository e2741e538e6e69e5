/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ExperimentalDetectronDetectionOutput, …PriorGridGenerator, …TopKROIs. */

#include "inference/graph/ops/detectron.h"

#include "inference/graph/ops/detection.h"
#include "inference/graph/work.h"

/* Input @i must be real and of rank @ranks[i]; the first @n and output 0 have
 * one type. */
static gboolean
check_inputs (
    InferShapeContext *context, const int *ranks, guint n, GError **error)
{
  return infer_require_real_inputs (context, ranks, context->n_inputs, error)
         && infer_merge_types (context, 0, n, &context->outputs[0].type, error);
}

/* --- DetectionOutput --- */

static gboolean
parse_weights (
    InferDetectronOutput *attrs, const InferAttributes *from, GError **error)
{
  g_autoptr (GArray) weights = NULL;

  if (!infer_attr_doubles (from, "deltas_weights", &weights, error))
    return FALSE;
  if (weights->len != 4)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%u weights of deltas, not 4", weights->len);
  for (guint i = 0; i < 4; i++)
    attrs->weights[i] = g_array_index (weights, double, i);
  return TRUE;
}

static gboolean
parse_output (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferDetectronOutput *attrs = op->attrs;
  gboolean agnostic = FALSE; /* no effect: class 0 is never returned */

  if (!infer_attr_require (from, error, "score_threshold", "nms_threshold",
          "num_classes", "post_nms_count", "max_detections_per_image",
          "max_delta_log_wh", "deltas_weights", NULL)
      || !infer_attr_double (
          from, "score_threshold", &attrs->score_threshold, error)
      || !infer_attr_double (
          from, "nms_threshold", &attrs->nms_threshold, error)
      || !infer_attr_double (
          from, "max_delta_log_wh", &attrs->max_delta_log, error)
      || !infer_attr_int (from, "num_classes", &attrs->classes, error)
      || !infer_attr_int (from, "post_nms_count", &attrs->per_class, error)
      || !infer_attr_int (
          from, "max_detections_per_image", &attrs->per_image, error)
      || !infer_attr_bool (
          from, "class_agnostic_box_regression", &agnostic, error)
      || !parse_weights (attrs, from, error))
    return FALSE;
  return (attrs->classes >= 0 && attrs->per_image >= 0)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%" G_GINT64_FORMAT " classes, %" G_GINT64_FORMAT " detections",
             attrs->classes, attrs->per_image);
}

static gboolean
infer_output (InferShapeContext *context, GError **error)
{
  static const int ranks[] = { 2, 2, 2, 2 };
  const InferDetectronOutput *attrs = context->op->attrs;
  InferDesc *out = context->outputs;
  gint64 rois, deltas;

  if (!check_inputs (context, ranks, 4, error)
      || !infer_dim_product (attrs->classes, 4, &deltas, error)
      || !infer_require_dim (context, 0, 1, 4, error)
      || !infer_require_dim (context, 1, 1, deltas, error)
      || !infer_require_dim (context, 2, 1, attrs->classes, error)
      || !infer_require_dim (context, 3, 0, 1, error)
      || !infer_require_dim (context, 3, 1, 3, error)
      || !infer_match_dims (context, 0, 0, 1, 0, &rois, error)
      || !infer_match_dims (context, 0, 0, 2, 0, &rois, error)
      || !infer_match_dims (context, 1, 0, 2, 0, &rois, error))
    return FALSE;
  out[0].shape = infer_shape_make (2, attrs->per_image, (gint64) 4);
  out[1].type = INFER_TYPE_I32;
  out[2].type = out[0].type;
  out[1].shape = out[2].shape = infer_shape_make (1, attrs->per_image);
  return TRUE;
}

/* --- PriorGridGenerator --- */

static gboolean
parse_grid (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferPriorGrid *attrs = op->attrs;

  attrs->flatten = TRUE;
  if (!infer_attr_bool (from, "flatten", &attrs->flatten, error)
      || !infer_attr_int (from, "h", &attrs->height, error)
      || !infer_attr_int (from, "w", &attrs->width, error)
      || !infer_attr_double (from, "stride_x", &attrs->stride_x, error)
      || !infer_attr_double (from, "stride_y", &attrs->stride_y, error))
    return FALSE;
  return (attrs->height >= 0 && attrs->width >= 0 && attrs->stride_x >= 0
             && attrs->stride_y >= 0)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "a grid of %" G_GINT64_FORMAT " by %" G_GINT64_FORMAT
             " with strides %g and %g",
             attrs->width, attrs->height, attrs->stride_x, attrs->stride_y);
}

static gboolean
infer_grid (InferShapeContext *context, GError **error)
{
  static const int ranks[] = { 2, 4, 4 };
  const InferPriorGrid *attrs = context->op->attrs;
  InferDesc *out = context->outputs;
  gint64 priors = infer_input_dim (context, 0, 0);
  gint64 height = infer_input_dim (context, 1, 2);
  gint64 width = infer_input_dim (context, 1, 3), rows;

  if (!check_inputs (context, ranks, 3, error)
      || !infer_require_dim (context, 0, 1, 4, error)
      || !infer_require_dim (context, 1, 0, 1, error)
      || !infer_require_dim (context, 2, 0, 1, error)
      || !infer_dim_product (height, width, &rows, error)
      || !infer_dim_product (rows, priors, &rows, error))
    return FALSE;
  if ((height != INFER_DYNAMIC && attrs->height > height)
      || (width != INFER_DYNAMIC && attrs->width > width))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a grid of %" G_GINT64_FORMAT " by %" G_GINT64_FORMAT
        " on a map of %" G_GINT64_FORMAT " by %" G_GINT64_FORMAT,
        attrs->width, attrs->height, width, height);
  out->shape = attrs->flatten
                   ? infer_shape_make (2, rows, (gint64) 4)
                   : infer_shape_make (4, height, width, priors, (gint64) 4);
  return TRUE;
}

/* --- TopKROIs --- */

static gboolean
parse_top_k (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferTopKRois *attrs = op->attrs;

  if (!infer_attr_int (from, "max_rois", &attrs->max_rois, error))
    return FALSE;
  return attrs->max_rois >= 0
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "attribute max_rois is %" G_GINT64_FORMAT, attrs->max_rois);
}

static gboolean
infer_top_k (InferShapeContext *context, GError **error)
{
  static const int ranks[] = { 2, 1 };
  const InferTopKRois *attrs = context->op->attrs;
  gint64 rois;

  if (!check_inputs (context, ranks, 2, error)
      || !infer_require_dim (context, 0, 1, 4, error)
      || !infer_match_dims (context, 0, 0, 1, 0, &rois, error))
    return FALSE;
  context->outputs[0].shape = infer_shape_make (2, attrs->max_rois, (gint64) 4);
  return TRUE;
}

const InferOpClass infer_op_detectron_output = {
  .type = "ExperimentalDetectronDetectionOutput",
  .versions = "6",
  .min_inputs = 4,
  .n_outputs = 3,
  .attrs_size = sizeof (InferDetectronOutput),
  .parse = parse_output,
  .infer_shapes = infer_output,
  .work = infer_work_pairs,
};

const InferOpClass infer_op_detectron_prior_grid = {
  .type = "ExperimentalDetectronPriorGridGenerator",
  .versions = "6",
  .min_inputs = 3,
  .attrs_size = sizeof (InferPriorGrid),
  .parse = parse_grid,
  .infer_shapes = infer_grid,
};

const InferOpClass infer_op_detectron_top_k = {
  .type = "ExperimentalDetectronTopKROIs",
  .versions = "6",
  .min_inputs = 2,
  .attrs_size = sizeof (InferTopKRois),
  .parse = parse_top_k,
  .infer_shapes = infer_top_k,
};
