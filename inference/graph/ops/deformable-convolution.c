/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/convolution.h"
#include "inference/graph/work.h"

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferDeformableConvolution *attrs = op->attrs;

  attrs->group = attrs->deformable_group = 1;
  if (!infer_window_parse (&attrs->window, from, FALSE, error)
      || !infer_attr_int (from, "group", &attrs->group, error)
      || !infer_attr_int (
          from, "deformable_group", &attrs->deformable_group, error)
      || !infer_attr_bool (
          from, "bilinear_interpolation_pad", &attrs->bilinear_pad, error))
    return FALSE;
  if (attrs->group < 1 || attrs->group > G_MAXINT32
      || attrs->deformable_group < 1 || attrs->deformable_group > G_MAXINT32)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GINT64_FORMAT " groups, %" G_GINT64_FORMAT " deformable groups",
        attrs->group, attrs->deformable_group);
  return TRUE;
}

static gint64
dim_of (const InferDesc *desc, int i)
{
  return desc->shape.rank == INFER_DYNAMIC ? INFER_DYNAMIC
                                           : desc->shape.dims[i];
}

static gboolean
check_channels (const InferDeformableConvolution *attrs,
    const InferShapeContext *context, GError **error)
{
  gint64 channels = dim_of (&context->inputs[0], 1);
  gint64 per_group = dim_of (&context->inputs[2], 1);
  gint64 filters = dim_of (&context->inputs[2], 0);

  if (channels != INFER_DYNAMIC
      && (channels % attrs->group != 0
          || channels % attrs->deformable_group != 0
          || (per_group != INFER_DYNAMIC
              && per_group != channels / attrs->group)))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GINT64_FORMAT " channels do not fit %" G_GINT64_FORMAT
        " groups, %" G_GINT64_FORMAT
        " deformable groups and filters of %" G_GINT64_FORMAT " channels",
        channels, attrs->group, attrs->deformable_group, per_group);
  if (filters != INFER_DYNAMIC && filters % attrs->group != 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GINT64_FORMAT " filters in %" G_GINT64_FORMAT " groups", filters,
        attrs->group);
  return TRUE;
}

/* Offsets (2 per tap) or mask (1 per tap) have the output's spatial shape. */
static gboolean
check_taps (const InferDeformableConvolution *attrs,
    const InferShapeContext *context, guint input, gint64 per_tap,
    InferShape *out, GError **error)
{
  const InferDesc *taps = &context->inputs[input];
  gint64 height = dim_of (&context->inputs[2], 2);
  gint64 width = dim_of (&context->inputs[2], 3);
  gint64 want = per_tap * attrs->deformable_group;

  if (taps->shape.rank == INFER_DYNAMIC)
    return TRUE;
  if (height != INFER_DYNAMIC && width != INFER_DYNAMIC
      && taps->shape.dims[1] != INFER_DYNAMIC
      && (__builtin_mul_overflow (want, height, &want)
          || __builtin_mul_overflow (want, width, &want)
          || want != taps->shape.dims[1]))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "input %u has %" G_GINT64_FORMAT " channels, not %" G_GINT64_FORMAT
        " numbers for each tap of %" G_GINT64_FORMAT " deformable groups",
        input, taps->shape.dims[1], per_tap, attrs->deformable_group);
  if (!infer_merge_dims (out->dims[0], taps->shape.dims[0], &out->dims[0],
          "the batch size", error))
    return FALSE;
  for (int i = 2; i < 4; i++) {
    if (!infer_merge_dims (out->dims[i], taps->shape.dims[i], &out->dims[i],
            "the spatial size of output and offsets or mask", error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferDeformableConvolution *attrs = context->op->attrs;
  InferShape *out = &context->outputs[0].shape;

  if (context->n_inputs > 3 && context->op->version < 8)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "version 1 has three inputs, not %u", context->n_inputs);
  if (!infer_merge_types (
          context, 0, context->n_inputs, &context->outputs[0].type, error)
      || !infer_require_real (context, 0, error))
    return FALSE;
  for (guint i = 0; i < context->n_inputs; i++) {
    if (!infer_require_rank (context, i, 4, 4, error))
      return FALSE;
  }
  *out = infer_shape_of_rank (4);
  if (!infer_window_check_rank (&attrs->window, out, error)
      || !check_channels (attrs, context, error))
    return FALSE;
  out->dims[0] = dim_of (&context->inputs[0], 0);
  out->dims[1] = dim_of (&context->inputs[2], 0);
  for (int i = 2; i < 4; i++) {
    InferWindowDim dim;

    if (!infer_window_resolve (&attrs->window, (guint) i - 2,
            dim_of (&context->inputs[0], i), dim_of (&context->inputs[2], i),
            &dim, error))
      return FALSE;
    out->dims[i] = dim.out;
  }
  return check_taps (attrs, context, 1, 2, out, error)
         && (context->n_inputs < 4
             || check_taps (attrs, context, 3, 1, out, error));
}

static double
deformable_work (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out)
{
  return infer_work_filters (&out[0], in[2]);
}

const InferOpClass infer_op_deformable_convolution = {
  .type = "DeformableConvolution",
  .versions = "1,8",
  .min_inputs = 3,
  .max_inputs = 4,
  .attrs_size = sizeof (InferDeformableConvolution),
  .parse = parse,
  .infer_shapes = infer,
  .work = deformable_work,
};
