/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pooling over regions of interest. */

#include "inference/graph/ops/roi.h"

#include "inference/graph/ops/detection.h"
#include "inference/graph/work.h"

static gboolean
parse_common (InferRoiAlign *attrs, const InferAttributes *from, GError **error)
{
  if (!infer_attr_require (from, error, "pooled_h", "pooled_w",
          "sampling_ratio", "spatial_scale", NULL)
      || !infer_attr_int (from, "pooled_h", &attrs->height, error)
      || !infer_attr_int (from, "pooled_w", &attrs->width, error)
      || !infer_attr_int (from, "sampling_ratio", &attrs->sampling_ratio, error)
      || !infer_attr_double (from, "spatial_scale", &attrs->scale, error))
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
parse_align (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "avg", "max", NULL };
  static const char *const aligned[] = { "asymmetric", "half_pixel_for_nn",
    "half_pixel", NULL };
  InferRoiAlign *attrs = op->attrs;

  return infer_attr_require (from, error, "mode", NULL)
         && parse_common (attrs, from, error)
         && infer_attr_enum (from, "mode", modes, &attrs->max, error)
         && (op->version < 9
             || infer_attr_enum (
                 from, "aligned_mode", aligned, &attrs->aligned, error));
}

static gboolean
parse_rotated (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferRoiAlign *attrs = op->attrs;

  return parse_common (attrs, from, error)
         && infer_attr_bool (from, "clockwise_mode", &attrs->clockwise, error);
}

static gboolean
infer_align (InferShapeContext *context, gint64 box_size, GError **error)
{
  const InferRoiAlign *attrs = context->op->attrs;
  InferDesc *out = &context->outputs[0];
  gint64 rois;

  if (!infer_require_real (context, 0, error)
      || !infer_require_real (context, 1, error)
      || !infer_require_integer (context, 2, error)
      || !infer_merge_types (context, 0, 2, &out->type, error)
      || !infer_require_rank (context, 0, 4, 4, error)
      || !infer_require_rank (context, 1, 2, 2, error)
      || !infer_require_rank (context, 2, 1, 1, error)
      || !infer_require_dim (context, 1, 1, box_size, error)
      || !infer_match_dims (context, 1, 0, 2, 0, &rois, error))
    return FALSE;
  out->shape = infer_shape_make (
      4, rois, infer_input_dim (context, 0, 1), attrs->height, attrs->width);
  return TRUE;
}

static gboolean
infer_straight (InferShapeContext *context, GError **error)
{
  return infer_align (context, 4, error);
}

static gboolean
infer_rotated (InferShapeContext *context, GError **error)
{
  return infer_align (context, 5, error);
}

/* Without a sampling ratio there is about a sample for each element. */
static double
sampling_work (gint64 ratio, const InferOperation *op,
    const InferDesc *const *in, const InferDesc *out)
{
  const double samples = (double) ratio * (double) ratio;

  return MAX (
      samples * infer_work_elements (&out[0]), infer_work_pairs (op, in, out));
}

static double
align_work (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out)
{
  const InferRoiAlign *attrs = op->attrs;

  return sampling_work (attrs->sampling_ratio, op, in, out);
}

const InferOpClass infer_op_roi_align = {
  .type = "ROIAlign",
  .versions = "3,9",
  .min_inputs = 3,
  .attrs_size = sizeof (InferRoiAlign),
  .parse = parse_align,
  .infer_shapes = infer_straight,
  .work = align_work,
};

const InferOpClass infer_op_roi_align_rotated = {
  .type = "ROIAlignRotated",
  .versions = "15",
  .min_inputs = 3,
  .attrs_size = sizeof (InferRoiAlign),
  .parse = parse_rotated,
  .infer_shapes = infer_rotated,
  .work = align_work,
};

/* --- ROIPooling and its position sensitive kin --- */

static gboolean
parse_scale (InferRoiPool *attrs, const InferAttributes *from, GError **error)
{
  if (!infer_attr_require (from, error, "spatial_scale", NULL)
      || !infer_attr_double (from, "spatial_scale", &attrs->scale, error))
    return FALSE;
  return attrs->scale > 0
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "attribute spatial_scale is %g", attrs->scale);
}

static gboolean
parse_pooling (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const methods[] = { "max", "bilinear", NULL };
  InferRoiPool *attrs = op->attrs;
  int method = 0;

  if (!infer_attr_require (from, error, "pooled_h", "pooled_w", NULL)
      || !infer_attr_count (from, "pooled_h", 1, &attrs->height, error)
      || !infer_attr_count (from, "pooled_w", 1, &attrs->width, error)
      || !parse_scale (attrs, from, error)
      || !infer_attr_enum (from, "method", methods, &method, error))
    return FALSE;
  attrs->kind = method == 0 ? INFER_ROI_MAX : INFER_ROI_BILINEAR;
  return TRUE;
}

static gboolean
parse_ps_common (
    InferRoiPool *attrs, const InferAttributes *from, GError **error)
{
  gint64 group_size = 1;

  attrs->samples_x = attrs->samples_y = 1;
  if (!infer_attr_require (from, error, "output_dim", NULL)
      || !infer_attr_count (from, "output_dim", 1, &attrs->channels, error)
      || !infer_attr_count (from, "group_size", 1, &group_size, error)
      || !infer_attr_count (from, "spatial_bins_x", 1, &attrs->samples_x, error)
      || !infer_attr_count (from, "spatial_bins_y", 1, &attrs->samples_y, error)
      || !parse_scale (attrs, from, error))
    return FALSE;
  attrs->height = attrs->width = group_size;
  return TRUE;
}

static gboolean
parse_ps (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "average", "bilinear", NULL };
  InferRoiPool *attrs = op->attrs;
  int mode = 0;

  if (!parse_ps_common (attrs, from, error)
      || !infer_attr_enum (from, "mode", modes, &mode, error))
    return FALSE;
  attrs->kind = mode == 0 ? INFER_ROI_PS_AVERAGE : INFER_ROI_PS_BILINEAR;
  return TRUE;
}

static gboolean
parse_deformable (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "bilinear_deformable", NULL };
  InferRoiPool *attrs = op->attrs;
  int mode = 0;

  attrs->kind = INFER_ROI_PS_DEFORMABLE;
  attrs->part_size = 1;
  attrs->trans_std = 1;
  return parse_ps_common (attrs, from, error)
         && infer_attr_enum (from, "mode", modes, &mode, error)
         && infer_attr_double (from, "trans_std", &attrs->trans_std, error)
         && infer_attr_count (from, "part_size", 1, &attrs->part_size, error);
}

/* The input channels of position-sensitive pooling. */
static gboolean
check_channels (const InferShapeContext *context, GError **error)
{
  const InferRoiPool *attrs = context->op->attrs;
  gboolean by_sample = attrs->kind == INFER_ROI_PS_BILINEAR;
  gint64 parts, want;

  return infer_dim_product (by_sample ? attrs->samples_x : attrs->width,
             by_sample ? attrs->samples_y : attrs->height, &parts, error)
         && infer_dim_product (parts, attrs->channels, &want, error)
         && infer_require_dim (context, 0, 1, want, error);
}

/* Offsets of the bins of each class: [regions, 2 * classes, parts, parts]. */
static gboolean
check_offsets (const InferShapeContext *context, gint64 *rois, GError **error)
{
  const InferRoiPool *attrs = context->op->attrs;
  gint64 classes = infer_input_dim (context, 2, 1);

  if (!infer_require_reals (context, 2, 4, 4, error)
      || !infer_match_dims (context, 1, 0, 2, 0, rois, error)
      || !infer_require_dim (context, 2, 2, attrs->part_size, error)
      || !infer_require_dim (context, 2, 3, attrs->part_size, error))
    return FALSE;
  return classes == INFER_DYNAMIC
         || (classes > 0 && classes % 2 == 0
             && attrs->channels % (classes / 2) == 0)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%" G_GINT64_FORMAT
             " offsets of a bin do not fit %" G_GINT64_FORMAT
             " output channels",
             classes, attrs->channels);
}

static gboolean
infer_pool (InferShapeContext *context, GError **error)
{
  const InferRoiPool *attrs = context->op->attrs;
  InferDesc *out = &context->outputs[0];
  gint64 rois = infer_input_dim (context, 1, 0);

  if (!infer_require_real (context, 0, error)
      || !infer_require_real (context, 1, error)
      || !infer_merge_types (context, 0, context->n_inputs, &out->type, error)
      || !infer_require_rank (context, 0, 4, 4, error)
      || !infer_require_rank (context, 1, 2, 2, error)
      || !infer_require_dim (context, 1, 1, 5, error)
      || (attrs->channels > 0 && !check_channels (context, error))
      || (context->n_inputs > 2 && !check_offsets (context, &rois, error)))
    return FALSE;
  out->shape = infer_shape_make (4, rois,
      attrs->channels > 0 ? attrs->channels : infer_input_dim (context, 0, 1),
      attrs->height, attrs->width);
  return TRUE;
}

#define POOL(name, type_, version, max_inputs_, parse_)                        \
  const InferOpClass infer_op_##name = {                                       \
    .type = type_,                                                             \
    .versions = version,                                                       \
    .min_inputs = 2,                                                           \
    .max_inputs = max_inputs_,                                                 \
    .attrs_size = sizeof (InferRoiPool),                                       \
    .parse = parse_,                                                           \
    .infer_shapes = infer_pool,                                                \
    .work = infer_work_pairs,                                                  \
  };

/* clang-format off */
POOL (roi_pooling, "ROIPooling", "1,2", 2, parse_pooling)
POOL (psroi_pooling, "PSROIPooling", "1", 2, parse_ps)
POOL (deformable_psroi_pooling, "DeformablePSROIPooling", "1", 3, parse_deformable)
/* clang-format on */

/* --- ExperimentalDetectronROIFeatureExtractor --- */

static gboolean
parse_pyramid (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferRoiPyramid *attrs = op->attrs;
  guint n = 0;

  if (!infer_attr_require (
          from, error, "output_size", "sampling_ratio", "pyramid_scales", NULL)
      || !infer_attr_count (from, "output_size", 1, &attrs->size, error)
      || !infer_attr_int (from, "sampling_ratio", &attrs->sampling_ratio, error)
      || !infer_attr_small_ints (from, "pyramid_scales", attrs->scales,
          INFER_ROI_MAX_LEVELS, &n, error)
      || !infer_attr_bool (from, "aligned", &attrs->aligned, error))
    return FALSE;
  if (attrs->sampling_ratio < 0 || attrs->sampling_ratio > G_MAXINT16)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute sampling_ratio is %" G_GINT64_FORMAT, attrs->sampling_ratio);
  for (guint i = 0; i < n; i++)
    if (attrs->scales[i] < 1)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "attribute pyramid_scales has the element %" G_GINT64_FORMAT,
          attrs->scales[i]);
  return n == op->n_inputs - 1
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%u scales for a pyramid of %u maps", n, op->n_inputs - 1);
}

static gboolean
infer_pyramid (InferShapeContext *context, GError **error)
{
  const InferRoiPyramid *attrs = context->op->attrs;
  InferDesc *out = context->outputs;
  gint64 rois = infer_input_dim (context, 0, 0), channels = INFER_DYNAMIC;

  for (guint i = 0; i < context->n_inputs; i++)
    if (!infer_require_reals (context, i, i == 0 ? 2 : 4, i == 0 ? 2 : 4, error)
        || (i > 0
            && (!infer_require_dim (context, i, 0, 1, error)
                || !infer_merge_dims (channels, infer_input_dim (context, i, 1),
                    &channels, "numbers of channels", error))))
      return FALSE;
  if (!infer_merge_types (context, 0, context->n_inputs, &out[0].type, error)
      || !infer_require_dim (context, 0, 1, 4, error))
    return FALSE;
  out[0].shape = infer_shape_make (4, rois, channels, attrs->size, attrs->size);
  out[1].type = out[0].type;
  out[1].shape = infer_shape_make (2, rois, (gint64) 4);
  return TRUE;
}

static double
pyramid_work (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out)
{
  const InferRoiPyramid *attrs = op->attrs;

  return sampling_work (attrs->sampling_ratio, op, in, out);
}

const InferOpClass infer_op_roi_pyramid = {
  .type = "ExperimentalDetectronROIFeatureExtractor",
  .versions = "6",
  .min_inputs = 2,
  .max_inputs = INFER_ROI_MAX_LEVELS + 1,
  .n_outputs = 2,
  .attrs_size = sizeof (InferRoiPyramid),
  .parse = parse_pyramid,
  .infer_shapes = infer_pyramid,
  .work = pyramid_work,
};
