/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ROIAlign and ROIAlignRotated. */

#include "inference/ops/roi.h"

#include "inference/ops/detection.h"

static gboolean
parse_common (
    InferRoiAlign *attrs, const InferAttributes *attributes, GError **error)
{
  if (!infer_attributes_require (attributes, error, "pooled_h", "pooled_w",
          "sampling_ratio", "spatial_scale", NULL)
      || !infer_attributes_int (attributes, "pooled_h", &attrs->height, error)
      || !infer_attributes_int (attributes, "pooled_w", &attrs->width, error)
      || !infer_attributes_int (
          attributes, "sampling_ratio", &attrs->sampling_ratio, error)
      || !infer_attributes_double (
          attributes, "spatial_scale", &attrs->scale, error))
    return FALSE;
  if (attrs->height < 1 || attrs->width < 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a result of %" G_GINT64_FORMAT " by %" G_GINT64_FORMAT, attrs->height,
        attrs->width);
  if (attrs->sampling_ratio < 0 || attrs->sampling_ratio > G_MAXINT16)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute sampling_ratio is %" G_GINT64_FORMAT, attrs->sampling_ratio);
  return attrs->scale > 0
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "attribute spatial_scale is %g", attrs->scale);
}

static gboolean
parse_align (
    InferOperation *op, const InferAttributes *attributes, GError **error)
{
  static const char *const modes[] = { "avg", "max", NULL };
  static const char *const aligned[] = { "asymmetric", "half_pixel_for_nn",
    "half_pixel", NULL };
  InferRoiAlign *attrs = op->attrs;

  return infer_attributes_require (attributes, error, "mode", NULL)
         && parse_common (attrs, attributes, error)
         && infer_attributes_enum (
             attributes, "mode", modes, &attrs->max, error)
         && (op->version < 9
             || infer_attributes_enum (
                 attributes, "aligned_mode", aligned, &attrs->aligned, error));
}

static gboolean
parse_rotated (
    InferOperation *op, const InferAttributes *attributes, GError **error)
{
  InferRoiAlign *attrs = op->attrs;

  return parse_common (attrs, attributes, error)
         && infer_attributes_bool (
             attributes, "clockwise_mode", &attrs->clockwise, error);
}

static gboolean
infer_align (InferInference *inference, gint64 box_size, GError **error)
{
  const InferRoiAlign *attrs = inference->op->attrs;
  InferDesc *out = &inference->outputs[0];
  gint64 rois;

  if (!infer_require_real (inference, 0, error)
      || !infer_require_real (inference, 1, error)
      || !infer_require_integer (inference, 2, error)
      || !infer_merge_types (inference, 0, 2, &out->type, error)
      || !infer_require_rank (inference, 0, 4, 4, error)
      || !infer_require_rank (inference, 1, 2, 2, error)
      || !infer_require_rank (inference, 2, 1, 1, error)
      || !infer_require_dim (inference, 1, 1, box_size, error)
      || !infer_match_dims (inference, 1, 0, 2, 0, &rois, error))
    return FALSE;
  out->shape = infer_shape_make (
      4, rois, infer_input_dim (inference, 0, 1), attrs->height, attrs->width);
  return TRUE;
}

static gboolean
infer_straight (InferInference *inference, GError **error)
{
  return infer_align (inference, 4, error);
}

static gboolean
infer_rotated (InferInference *inference, GError **error)
{
  return infer_align (inference, 5, error);
}

const InferOpClass infer_op_roi_align = {
  .type = "ROIAlign",
  .versions = "3,9",
  .min_inputs = 3,
  .max_inputs = 3,
  .n_outputs = 1,
  .attrs_size = sizeof (InferRoiAlign),
  .parse = parse_align,
  .infer = infer_straight,
};

const InferOpClass infer_op_roi_align_rotated = {
  .type = "ROIAlignRotated",
  .versions = "14,15",
  .min_inputs = 3,
  .max_inputs = 3,
  .n_outputs = 1,
  .attrs_size = sizeof (InferRoiAlign),
  .parse = parse_rotated,
  .infer = infer_rotated,
};
