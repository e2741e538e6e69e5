/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Conversions between NV12, I420 and RGB, BGR; channels last. */

#include "inference/graph/ops/color.h"

/* @planes: number of inputs if planes are separate. */
static gboolean
infer_to_rgb (InferShapeContext *context, guint planes, GError **error)
{
  const InferDesc *y = &context->inputs[0];
  InferDesc *out = &context->outputs[0];

  if (context->n_inputs != 1 && context->n_inputs != planes)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "1 or %u inputs are needed, not %u", planes, context->n_inputs);
  if (!infer_merge_types (context, 0, context->n_inputs, &out->type, error)
      || !infer_require_rank (context, 0, 4, 4, error))
    return FALSE;
  if (out->type != INFER_TYPE_DYNAMIC && out->type != INFER_TYPE_U8
      && !infer_require_real (context, 0, error))
    return FALSE;
  out->shape = infer_shape_of_rank (4);
  out->shape.dims[3] = 3;
  if (y->shape.rank < 0)
    return TRUE;
  for (int i = 0; i < 3; i++)
    out->shape.dims[i] = y->shape.dims[i];
  if (y->shape.dims[3] >= 0 && y->shape.dims[3] != 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the luma plane has %" G_GINT64_FORMAT " channels", y->shape.dims[3]);
  gint64 height = y->shape.dims[1];
  if (context->n_inputs == 1 && height >= 0) {
    if (height % 3 != 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "a height of %" G_GINT64_FORMAT " is not one and a half times an "
          "image's",
          height);
    out->shape.dims[1] = height = height / 3 * 2;
  }
  if ((height >= 0 && height % 2 != 0)
      || (y->shape.dims[2] >= 0 && y->shape.dims[2] % 2 != 0))
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "height and width must be even");
  for (guint i = 1; i < context->n_inputs; i++) {
    const InferShape *plane = &context->inputs[i].shape;
    gint64 want[4] = { y->shape.dims[0], height < 0 ? height : height / 2,
      y->shape.dims[2] < 0 ? -1 : y->shape.dims[2] / 2, planes == 2 ? 2 : 1 };
    gint64 dim;

    if (!infer_require_rank (context, i, 4, 4, error))
      return FALSE;
    for (int d = 0; plane->rank == 4 && d < 4; d++)
      if (!infer_merge_dims (
              want[d], plane->dims[d], &dim, "a chroma plane's dims", error))
        return FALSE;
  }
  return TRUE;
}

static gboolean
infer_nv12 (InferShapeContext *context, GError **error)
{
  return infer_to_rgb (context, 2, error);
}

static gboolean
infer_i420 (InferShapeContext *context, GError **error)
{
  return infer_to_rgb (context, 3, error);
}

static gboolean
parse_to_nv12 (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferToNv12 *attrs = op->attrs;

  attrs->single_plane = TRUE;
  if (!infer_attr_bool (from, "single_plane", &attrs->single_plane, error))
    return FALSE;
  return op->n_outputs == (attrs->single_plane ? 1u : 2u)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%u outputs where single_plane is %s", op->n_outputs,
             attrs->single_plane ? "true" : "false");
}

static gboolean
infer_to_nv12 (InferShapeContext *context, GError **error)
{
  const InferToNv12 *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  InferDesc *out = context->outputs;
  gint64 h, w;

  if (!infer_require_rank (context, 0, 4, 4, error))
    return FALSE;
  for (guint i = 0; i < context->n_outputs; i++) {
    out[i].type = context->inputs[0].type;
    out[i].shape = infer_shape_of_rank (4);
    out[i].shape.dims[3] = i + 1;
  }
  if (in->rank < 0)
    return TRUE;
  h = in->dims[1];
  w = in->dims[2];
  if ((in->dims[3] >= 0 && in->dims[3] != 3) || (h >= 0 && h % 2 != 0)
      || (w >= 0 && w % 2 != 0))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "an image of even height and width with 3 channels is needed");
  for (guint i = 0; i < context->n_outputs; i++) {
    out[i].shape.dims[0] = in->dims[0];
    out[i].shape.dims[1] = h < 0                 ? h
                           : attrs->single_plane ? h / 2 * 3
                           : i == 0              ? h
                                                 : h / 2;
    out[i].shape.dims[2] = i == 0 || w < 0 ? w : w / 2;
  }
  return TRUE;
}

#define TO_RGB(name, type_, planes, infer_)                                    \
  const InferOpClass infer_op_##name = {                                       \
    .type = type_,                                                             \
    .versions = "8",                                                           \
    .min_inputs = 1,                                                           \
    .max_inputs = planes,                                                      \
    .infer_shapes = infer_,                                                    \
  };
#define TO_NV12(name, type_)                                                   \
  const InferOpClass infer_op_##name = {                                       \
    .type = type_,                                                             \
    .versions = "17",                                                          \
    .min_inputs = 1,                                                           \
    .n_outputs = G_MAXUINT,                                                    \
    .attrs_size = sizeof (InferToNv12),                                        \
    .parse = parse_to_nv12,                                                    \
    .infer_shapes = infer_to_nv12,                                             \
  };

/* clang-format off */
TO_NV12 (bgr_to_nv12, "BGRtoNV12")
TO_NV12 (rgb_to_nv12, "RGBtoNV12")
TO_RGB (i420_to_bgr, "I420toBGR", 3, infer_i420)
TO_RGB (i420_to_rgb, "I420toRGB", 3, infer_i420)
TO_RGB (nv12_to_bgr, "NV12toBGR", 2, infer_nv12)
TO_RGB (nv12_to_rgb, "NV12toRGB", 2, infer_nv12)
/* clang-format on */
