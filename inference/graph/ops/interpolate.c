/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Interpolate. */

#include "inference/graph/ops/interpolate.h"
#include "inference/graph/work.h"

#include <math.h>

static const char *const modes[] = { "nearest", "linear", "linear_onnx",
  "cubic", "bilinear_pillow", "bicubic_pillow", "area", NULL };
static const char *const coordinates[] = { "half_pixel", "pytorch_half_pixel",
  "asymmetric", "tf_half_pixel_for_nn", "align_corners", NULL };
static const char *const nearests[] = { "round_prefer_floor",
  "round_prefer_ceil", "floor", "ceil", "simple", NULL };

guint
infer_interpolate_sizes_input (const InferOperation *op)
{
  const InferInterpolate *attrs = op->attrs;

  return op->version == 4 && attrs->scales ? 2 : 1;
}

guint
infer_interpolate_axes_input (const InferOperation *op)
{
  guint input = op->version == 4 ? 3 : 2;

  if (op->version == 1 || op->n_inputs <= input || op->inputs[input].op == NULL)
    return G_MAXUINT;
  return input;
}

/* --- attributes --- */

static gboolean
parse_pads (
    const InferAttributes *from, const char *name, gint64 *pads, GError **error)
{
  guint n = 0;

  if (!infer_attr_small_ints (from, name, pads, INFER_MAX_RANK, &n, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (pads[i] < 0 || pads[i] > G_MAXINT32)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "%s has %" G_GINT64_FORMAT, name, pads[i]);
  return TRUE;
}

/* Maps the attributes of opset 1 to those of later ones. */
static gboolean
parse_first (
    InferInterpolate *attrs, const InferAttributes *from, GError **error)
{
  gint64 begin = 0, end = 0;

  attrs->align_corners = TRUE;
  if (!infer_attr_require (from, error, "axes", NULL)
      || !infer_attr_small_ints (
          from, "axes", attrs->axes, INFER_MAX_RANK, &attrs->n_axes, error)
      || !infer_attr_bool (from, "align_corners", &attrs->align_corners, error))
    return FALSE;
  attrs->coordinate = attrs->align_corners ? INFER_COORDINATE_ALIGN_CORNERS
                                           : INFER_COORDINATE_ASYMMETRIC;
  attrs->nearest = INFER_NEAREST_SIMPLE;
  begin = attrs->pads_begin[0];
  end = attrs->pads_end[0];
  attrs->pads_begin[0] = attrs->pads_end[0] = 0;
  for (guint i = 0; i < attrs->n_axes; i++) {
    if (attrs->axes[i] < 0 || attrs->axes[i] >= INFER_MAX_RANK)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "axes has %" G_GINT64_FORMAT, attrs->axes[i]);
    attrs->pads_begin[attrs->axes[i]] = begin;
    attrs->pads_end[attrs->axes[i]] = end;
  }
  /* Both differ only in how antialiasing is computed. */
  if (attrs->mode == INFER_INTERPOLATE_LINEAR && attrs->n_axes < 3
      && !attrs->antialias)
    attrs->mode = INFER_INTERPOLATE_LINEAR_ONNX;
  return TRUE;
}

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const calculations[] = { "sizes", "scales", NULL };
  InferInterpolate *attrs = op->attrs;

  attrs->cube_coeff = -0.75;
  if (!infer_attr_require (from, error, "mode", NULL)
      || !infer_attr_enum (from, "mode", modes, &attrs->mode, error)
      || !infer_attr_bool (from, "antialias", &attrs->antialias, error)
      || !parse_pads (from, "pads_begin", attrs->pads_begin, error)
      || !parse_pads (from, "pads_end", attrs->pads_end, error))
    return FALSE;
  if (attrs->mode == INFER_INTERPOLATE_AREA ? op->version != 1
      : attrs->mode >= INFER_INTERPOLATE_BILINEAR_PILLOW
          ? op->version < 11
          : op->version == 1 && attrs->mode == INFER_INTERPOLATE_LINEAR_ONNX)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "mode is '%s', which version %u does not have", modes[attrs->mode],
        op->version);
  if (op->version == 1)
    return parse_first (attrs, from, error);
  return infer_attr_require (from, error, "shape_calculation_mode", NULL)
         && infer_attr_enum (from, "shape_calculation_mode", calculations,
             &attrs->scales, error)
         && infer_attr_enum (from, "coordinate_transformation_mode",
             coordinates, &attrs->coordinate, error)
         && infer_attr_enum (
             from, "nearest_mode", nearests, &attrs->nearest, error)
         && infer_attr_double (from, "cube_coeff", &attrs->cube_coeff, error);
}

/* --- shapes --- */

/* *@n is -1 if the axes are unknown. */
static gboolean
read_axes (
    const InferShapeContext *context, gint64 *axes, int *n, GError **error)
{
  const InferInterpolate *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  guint input = infer_interpolate_axes_input (context->op);
  g_autoptr (GArray) value = NULL;
  guint32 seen = 0;

  *n = in->rank;
  for (int d = 0; d < in->rank; d++)
    axes[d] = d;
  if (input != G_MAXUINT) {
    if (!infer_require_integer (context, input, error)
        || !infer_input_ints (context, input, &value, error))
      return FALSE;
    *n = value == NULL ? -1 : (int) MIN (value->len, INFER_MAX_RANK + 1);
    for (int i = 0; i < MIN (*n, INFER_MAX_RANK); i++)
      axes[i] = g_array_index (value, gint64, i);
  } else if (context->op->version == 1) {
    *n = (int) attrs->n_axes;
    for (int i = 0; i < *n; i++)
      axes[i] = attrs->axes[i];
  }
  if (*n > in->rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%d axes of an input of rank %d", *n, in->rank);
  for (int i = 0; i < *n; i++) {
    if (!infer_shape_normalize_axis (in, &axes[i], error))
      return FALSE;
    if ((seen >> axes[i] & 1) != 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "axis %" G_GINT64_FORMAT " is named twice", axes[i]);
    seen |= 1u << axes[i];
  }
  return TRUE;
}

static gboolean
resize (const InferInterpolate *attrs, gint64 axis, double value, gint64 *dim,
    GError **error)
{
  gint64 in = *dim;

  *dim = INFER_DYNAMIC;
  if (attrs->scales && in == INFER_DYNAMIC)
    return TRUE;
  /* The small addend compensates for scales that were rounded down. */
  if (attrs->scales)
    value = floor ((double) in * (value + 1e-6));
  if (!(value >= 0 && value <= G_MAXINT32))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "axis %" G_GINT64_FORMAT " would have %g elements", axis, value);
  if (value > 0 && in == 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "axis %" G_GINT64_FORMAT " has no element to interpolate", axis);
  *dim = (gint64) value;
  return TRUE;
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferInterpolate *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;
  const guint input = infer_interpolate_sizes_input (context->op);
  const InferTensor *value = NULL;
  g_autoptr (GArray) sizes = NULL;
  gint64 axes[INFER_MAX_RANK];
  gsize count;
  int n;

  context->outputs[0].type = context->inputs[0].type;
  if (input >= context->n_inputs || context->op->inputs[input].op == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "input %u, the sizes or scales, is not connected", input);
  if (in->rank < 0)
    return TRUE;
  if (!read_axes (context, axes, &n, error)
      || (!attrs->scales && !infer_require_integer (context, input, error)))
    return FALSE;
  *out = infer_shape_of_rank (in->rank);
  if (n < 0)
    return TRUE;
  if (context->values != NULL)
    value = context->values[input];
  if (infer_shape_elements (&context->inputs[input].shape, &count)
      && count != (gsize) n)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GSIZE_FORMAT " sizes or scales for %d axes", count, n);
  if (value != NULL)
    sizes = infer_tensor_to_doubles (value);
  for (int d = 0; d < in->rank; d++)
    if (in->dims[d] != INFER_DYNAMIC)
      out->dims[d] = in->dims[d] + attrs->pads_begin[d] + attrs->pads_end[d];
  for (int i = 0; i < n; i++) {
    if (sizes == NULL)
      out->dims[axes[i]] = INFER_DYNAMIC;
    else if (!resize (attrs, axes[i], g_array_index (sizes, double, i),
                 &out->dims[axes[i]], error))
      return FALSE;
  }
  return TRUE;
}

/* Taps of an axis per element of the output: those of the widest filter, which
 * reaches two outputs to each side. */
static double
most_taps (gint64 in, gint64 out)
{
  return 4 * MAX ((double) in / (double) MAX (out, 1), 1) + 4;
}

/* Each axis in turn; no intermediate result exceeds the larger size of each. */
static double
work (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out)
{
  const InferInterpolate *attrs = op->attrs;
  double elements = 1, taps = 0;

  if (in[0] == NULL || in[0]->shape.rank != out->shape.rank
      || infer_work_elements (in[0]) == 0 || infer_work_elements (out) == 0)
    return infer_work_pairs (op, in, out);
  for (int d = 0; d < out->shape.rank; d++) {
    const gint64 before =
        in[0]->shape.dims[d] + attrs->pads_begin[d] + attrs->pads_end[d];
    const gint64 after = out->shape.dims[d];

    elements *= (double) MAX (before, after);
    taps += most_taps (before, after);
  }
  return elements * taps;
}

const InferOpClass infer_op_interpolate = {
  .type = "Interpolate",
  .versions = "1,4,11",
  .min_inputs = 2,
  .max_inputs = 4,
  .value_inputs = 1 << 1 | 1 << 2 | 1 << 3,
  .attrs_size = sizeof (InferInterpolate),
  .parse = parse,
  .infer_shapes = infer,
  .work = work,
};
