/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* RegionYolo and ReorgYolo. */

#include "inference/graph/ops/yolo.h"

#include "inference/graph/ops/detection.h"

static gboolean
parse_region (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferYolo *attrs = op->attrs;
  g_autoptr (GArray) mask = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) anchors = NULL;

  attrs->softmax = TRUE;
  if (!infer_attr_require (
          from, error, "axis", "end_axis", "coords", "classes", "num", NULL)
      || !infer_attr_int (from, "axis", &attrs->axis, error)
      || !infer_attr_int (from, "end_axis", &attrs->end_axis, error)
      || !infer_attr_int (from, "coords", &attrs->coords, error)
      || !infer_attr_int (from, "classes", &attrs->classes, error)
      || !infer_attr_int (from, "num", &attrs->regions, error)
      || !infer_attr_bool (from, "do_softmax", &attrs->softmax, error)
      || !infer_attr_ints (from, "mask", &mask, error)
      || !infer_attr_doubles (from, "anchors", &anchors, error))
    return FALSE;
  if (!attrs->softmax)
    attrs->regions = mask->len;
  if (attrs->coords < 0 || attrs->classes < 0 || attrs->regions < 0
      || attrs->coords > G_MAXINT32 || attrs->classes > G_MAXINT32)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GINT64_FORMAT " regions of %" G_GINT64_FORMAT
        " coordinates and %" G_GINT64_FORMAT " classes",
        attrs->regions, attrs->coords, attrs->classes);
  return TRUE;
}

/* Dims axis to end_axis are flattened. */
static gboolean
flatten (const InferYolo *attrs, const InferShape *in, InferShape *out,
    GError **error)
{
  gint64 first = attrs->axis, last = attrs->end_axis, flat = 1;

  if (!infer_shape_normalize_axis (in, &first, error)
      || !infer_shape_normalize_axis (in, &last, error))
    return FALSE;
  if (last < first)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "axis %" G_GINT64_FORMAT " is behind end_axis %" G_GINT64_FORMAT, first,
        last);
  for (gint64 d = first; d <= last; d++)
    if (!infer_dim_product (flat, in->dims[d], &flat, error))
      return FALSE;
  *out = infer_shape_of_rank (in->rank - (int) (last - first));
  for (int d = 0; d < out->rank; d++)
    out->dims[d] = in->dims[d < first ? d : d + (int) (last - first)];
  out->dims[first] = flat;
  return TRUE;
}

static gboolean
infer_region (InferShapeContext *context, GError **error)
{
  const InferYolo *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;
  InferShape any = infer_shape_of_rank (4);
  gint64 channels;

  if (!infer_require_reals (context, 0, 4, 4, error)
      || !infer_dim_product (
          attrs->regions, attrs->coords + attrs->classes + 1, &channels, error))
    return FALSE;
  context->outputs[0].type = context->inputs[0].type;
  if (in->rank < 0)
    in = &any;
  if (in->dims[1] != INFER_DYNAMIC && in->dims[1] < channels)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GINT64_FORMAT
        " channels where the regions have %" G_GINT64_FORMAT,
        in->dims[1], channels);
  if (attrs->softmax)
    return flatten (attrs, in, out, error);
  *out = *in;
  out->dims[1] = channels;
  return TRUE;
}

static gboolean
parse_reorg (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferYolo *attrs = op->attrs;

  if (!infer_attr_require (from, error, "stride", NULL)
      || !infer_attr_int (from, "stride", &attrs->stride, error))
    return FALSE;
  return (attrs->stride > 0 && attrs->stride <= G_MAXINT16)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "attribute stride is %" G_GINT64_FORMAT, attrs->stride);
}

static gboolean
infer_reorg (InferShapeContext *context, GError **error)
{
  const InferYolo *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;

  if (!infer_require_rank (context, 0, 4, 4, error))
    return FALSE;
  context->outputs[0].type = context->inputs[0].type;
  *out = infer_shape_of_rank (4);
  if (in->rank < 0)
    return TRUE;
  out->dims[0] = in->dims[0];
  if (in->dims[1] != INFER_DYNAMIC
      && in->dims[1] < attrs->stride * attrs->stride)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GINT64_FORMAT " channels are less than the square of the stride",
        in->dims[1]);
  for (int d = 2; d < 4; d++) {
    if (in->dims[d] == INFER_DYNAMIC)
      continue;
    if (in->dims[d] % attrs->stride != 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "dim %d of %" G_GINT64_FORMAT " is no multiple of the stride", d,
          in->dims[d]);
    out->dims[d] = in->dims[d] / attrs->stride;
  }
  return infer_dim_product (
      in->dims[1], attrs->stride * attrs->stride, &out->dims[1], error);
}

const InferOpClass infer_op_region_yolo = {
  .type = "RegionYolo",
  .versions = "1",
  .min_inputs = 1,
  .attrs_size = sizeof (InferYolo),
  .parse = parse_region,
  .infer_shapes = infer_region,
};

const InferOpClass infer_op_reorg_yolo = {
  .type = "ReorgYolo",
  .versions = "1,2",
  .min_inputs = 1,
  .attrs_size = sizeof (InferYolo),
  .parse = parse_reorg,
  .infer_shapes = infer_reorg,
};
