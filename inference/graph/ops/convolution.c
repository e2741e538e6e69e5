/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/convolution.h"
#include "inference/graph/work.h"

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferConvolution *attrs = op->attrs;

  return infer_window_parse (&attrs->window, from, FALSE, error);
}

/* The output type: the common numeric type of data and filters. */
static gboolean
check_types (InferShapeContext *context, GError **error)
{
  InferType type;

  if (!infer_merge_types (context, 0, 2, &type, error))
    return FALSE;
  if (type != INFER_TYPE_DYNAMIC && !infer_type_is_real (type)
      && !infer_type_is_integer (type))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "elements of type %s are no numbers", infer_type_name (type));
  context->outputs[0].type = type;
  return TRUE;
}

/* Filters have @extra dims before those of the data: [G, O, I, …] or
 * [O, I, …].  Returns the rank of the data or INFER_DYNAMIC. */
static gboolean
check_ranks (const InferWindow *window, const InferShapeContext *context,
    int extra, int *rank, GError **error)
{
  const InferShape *data = &context->inputs[0].shape;
  const InferShape *filters = &context->inputs[1].shape;

  *rank = data->rank;
  if (*rank == INFER_DYNAMIC && filters->rank != INFER_DYNAMIC)
    *rank = filters->rank - extra;
  if (*rank == INFER_DYNAMIC && window->n != 0)
    *rank = (int) window->n + 2;
  if (*rank == INFER_DYNAMIC)
    return TRUE;

  InferShape as_known = infer_shape_of_rank (CLAMP (*rank, 0, INFER_MAX_RANK));
  if (!infer_window_check_rank (window, &as_known, error))
    return FALSE;
  if (filters->rank != INFER_DYNAMIC && filters->rank != *rank + extra)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "filters of rank %d do not go with an input of rank %d", filters->rank,
        *rank);
  return TRUE;
}

static gint64
dim_of (const InferShape *shape, int i)
{
  return shape->rank == INFER_DYNAMIC ? INFER_DYNAMIC : shape->dims[i];
}

/* a * b, or dynamic. */
static gboolean
multiply_dims (gint64 a, gint64 b, gint64 *product, GError **error)
{
  *product = INFER_DYNAMIC;
  if (a == INFER_DYNAMIC || b == INFER_DYNAMIC)
    return TRUE;
  if (__builtin_mul_overflow (a, b, product))
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "the number of channels overflows");
  return TRUE;
}

static gboolean
read_groups (
    const InferShape *filters, int extra, gint64 *groups, GError **error)
{
  *groups = extra > 0 ? dim_of (filters, 0) : 1;
  return *groups != 0
         || infer_fail (
             error, INFER_ERROR_INVALID_MODEL, "filters of no group at all");
}

static gboolean
infer_spatial (const InferWindow *window, InferShapeContext *context, int extra,
    GError **error)
{
  const InferShape *data = &context->inputs[0].shape;
  const InferShape *filters = &context->inputs[1].shape;
  InferShape *out = &context->outputs[0].shape;

  for (int i = 2; i < out->rank; i++) {
    InferWindowDim dim;

    if (!infer_window_resolve (window, (guint) i - 2, dim_of (data, i),
            dim_of (filters, i + extra), &dim, error))
      return FALSE;
    out->dims[i] = dim.out;
  }
  return TRUE;
}

/* @extra: 1 for filters with a dim of groups, else 0. */
static gboolean
infer_forward (InferShapeContext *context, int extra, GError **error)
{
  const InferConvolution *attrs = context->op->attrs;
  const InferShape *data = &context->inputs[0].shape;
  const InferShape *filters = &context->inputs[1].shape;
  InferShape *out = &context->outputs[0].shape;
  gint64 groups, channels;
  int rank;

  if (!check_types (context, error)
      || !check_ranks (&attrs->window, context, extra, &rank, error))
    return FALSE;
  if (rank == INFER_DYNAMIC)
    return TRUE;
  if (!read_groups (filters, extra, &groups, error))
    return FALSE;
  *out = infer_shape_of_rank (rank);
  out->dims[0] = dim_of (data, 0);
  if (!multiply_dims (groups, dim_of (filters, extra + 1), &channels, error)
      || !infer_merge_dims (dim_of (data, 1), channels, &channels,
          "the number of input channels", error)
      || !multiply_dims (groups, dim_of (filters, extra), &out->dims[1], error))
    return FALSE;
  return infer_spatial (&attrs->window, context, extra, error);
}

static gboolean
infer_plain (InferShapeContext *context, GError **error)
{
  return infer_forward (context, 0, error);
}

static gboolean
infer_grouped (InferShapeContext *context, GError **error)
{
  return infer_forward (context, 1, error);
}

/* --- transposed --- */

static gboolean
parse_backprop (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferConvolutionBackprop *attrs = op->attrs;
  guint n = 0;

  if (!infer_window_parse (&attrs->window, from, FALSE, error)
      || !infer_attr_small_ints (from, "output_padding", attrs->output_padding,
          INFER_MAX_SPATIAL, &n, error))
    return FALSE;
  if (n != 0 && attrs->window.n != 0 && n != attrs->window.n)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute 'output_padding' has %u values where others have %u", n,
        attrs->window.n);
  for (guint i = 0; i < n; i++) {
    if (attrs->output_padding[i] < 0 || attrs->output_padding[i] > G_MAXINT32)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "attribute 'output_padding' has the value %" G_GINT64_FORMAT,
          attrs->output_padding[i]);
  }
  return TRUE;
}

static gboolean
backprop_resolve (const InferConvolutionBackprop *attrs, guint i, gint64 in,
    gint64 kernel, const gint64 *demanded, InferWindowDim *dim, GError **error)
{
  const InferWindow *window = &attrs->window;
  gint64 full, total;

  *dim =
      (InferWindowDim){ .out = demanded != NULL ? *demanded : INFER_DYNAMIC };
  if (kernel == 0 || kernel > G_MAXINT32)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a kernel of %" G_GINT64_FORMAT " in spatial dimension %u", kernel, i);
  if (in == INFER_DYNAMIC || kernel == INFER_DYNAMIC)
    return TRUE;
  if (__builtin_mul_overflow (window->strides[i], in - 1, &full)
      || __builtin_add_overflow (full,
          infer_window_extent (window, i, kernel) + attrs->output_padding[i],
          &full))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the output size overflows in spatial dimension %u", i);
  if (demanded == NULL) {
    if (window->auto_pad == INFER_AUTO_PAD_EXPLICIT) {
      dim->pad_begin = window->pads_begin[i];
      dim->pad_end = window->pads_end[i];
    }
    dim->out = full - dim->pad_begin - dim->pad_end;
    if (dim->out <= 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "pads leave nothing of %" G_GINT64_FORMAT " in spatial dimension %u",
          full, i);
    return TRUE;
  }
  if (*demanded == INFER_DYNAMIC)
    return TRUE;
  /* The output is 0 beyond the reach of the kernel: negative padding. */
  total = full - *demanded;
  dim->pad_begin = total / 2;
  dim->pad_end = total - dim->pad_begin;
  if (window->auto_pad == INFER_AUTO_PAD_SAME_UPPER) {
    dim->pad_end = dim->pad_begin;
    dim->pad_begin = total - dim->pad_end;
  }
  return TRUE;
}

gboolean
infer_backprop_resolve (const InferConvolutionBackprop *attrs, guint n,
    const gint64 *in, const gint64 *kernel, const gint64 *output_shape,
    InferWindowDim *dims, GError **error)
{
  for (guint i = 0; i < n; i++) {
    if (!backprop_resolve (attrs, i, in[i], kernel[i],
            output_shape != NULL ? &output_shape[i] : NULL, &dims[i], error))
      return FALSE;
  }
  return TRUE;
}

/* Spatial sizes from the third input: @n entries in @demanded, dynamic if
 * unknown. */
static gboolean
read_output_shape (
    const InferShapeContext *context, guint n, gint64 *demanded, GError **error)
{
  const InferShape *shape = &context->inputs[2].shape;
  g_autoptr (GArray) ints = NULL;

  for (guint i = 0; i < n; i++)
    demanded[i] = INFER_DYNAMIC;
  if (!infer_require_integers (context, 2, 1, 1, error))
    return FALSE;
  if (shape->rank == 1 && shape->dims[0] != INFER_DYNAMIC
      && shape->dims[0] != n)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the output shape has %" G_GINT64_FORMAT
        " sizes for %u spatial dimensions",
        shape->dims[0], n);
  if (!infer_input_ints (context, 2, &ints, error))
    return FALSE;
  for (guint i = 0; ints != NULL && i < n; i++) {
    demanded[i] = g_array_index (ints, gint64, i);
    if (demanded[i] <= 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "the output shape demands a size of %" G_GINT64_FORMAT, demanded[i]);
  }
  return TRUE;
}

static gboolean
infer_transposed (InferShapeContext *context, int extra, GError **error)
{
  const InferConvolutionBackprop *attrs = context->op->attrs;
  const InferShape *data = &context->inputs[0].shape;
  const InferShape *filters = &context->inputs[1].shape;
  gboolean sized = context->n_inputs > 2;
  gint64 demanded[INFER_MAX_SPATIAL] = { 0 };
  InferShape *out = &context->outputs[0].shape;
  gint64 groups, channels;
  int rank;

  if (!check_types (context, error)
      || !check_ranks (&attrs->window, context, extra, &rank, error))
    return FALSE;
  if (rank == INFER_DYNAMIC)
    return TRUE;
  if (sized && !read_output_shape (context, (guint) rank - 2, demanded, error))
    return FALSE;
  if (!read_groups (filters, extra, &groups, error))
    return FALSE;
  *out = infer_shape_of_rank (rank);
  out->dims[0] = dim_of (data, 0);
  if (!multiply_dims (groups, dim_of (filters, extra), &channels, error)
      || !infer_merge_dims (dim_of (data, 1), channels, &channels,
          "the number of input channels", error)
      || !multiply_dims (
          groups, dim_of (filters, extra + 1), &out->dims[1], error))
    return FALSE;
  for (int i = 2; i < rank; i++) {
    InferWindowDim dim;

    if (!backprop_resolve (attrs, (guint) i - 2, dim_of (data, i),
            dim_of (filters, i + extra), sized ? &demanded[i - 2] : NULL, &dim,
            error))
      return FALSE;
    out->dims[i] = dim.out;
  }
  return TRUE;
}

static gboolean
infer_backprop (InferShapeContext *context, GError **error)
{
  return infer_transposed (context, 0, error);
}

static gboolean
infer_grouped_backprop (InferShapeContext *context, GError **error)
{
  return infer_transposed (context, 1, error);
}

static double
forward_work (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out)
{
  return infer_work_filters (&out[0], in[1]);
}

static double
backprop_work (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out)
{
  return infer_work_filters (in[0], in[1]);
}

const InferOpClass infer_op_convolution = {
  .type = "Convolution",
  .versions = "1",
  .min_inputs = 2,
  .attrs_size = sizeof (InferConvolution),
  .parse = parse,
  .infer_shapes = infer_plain,
  .work = forward_work,
};

const InferOpClass infer_op_group_convolution = {
  .type = "GroupConvolution",
  .versions = "1",
  .min_inputs = 2,
  .attrs_size = sizeof (InferConvolution),
  .parse = parse,
  .infer_shapes = infer_grouped,
  .work = forward_work,
};

const InferOpClass infer_op_convolution_backprop_data = {
  .type = "ConvolutionBackpropData",
  .versions = "1",
  .min_inputs = 2,
  .max_inputs = 3,
  .value_inputs = 1u << 2,
  .attrs_size = sizeof (InferConvolutionBackprop),
  .parse = parse_backprop,
  .infer_shapes = infer_backprop,
  .work = backprop_work,
};

const InferOpClass infer_op_group_convolution_backprop_data = {
  .type = "GroupConvolutionBackpropData",
  .versions = "1",
  .min_inputs = 2,
  .max_inputs = 3,
  .value_inputs = 1u << 2,
  .attrs_size = sizeof (InferConvolutionBackprop),
  .parse = parse_backprop,
  .infer_shapes = infer_grouped_backprop,
  .work = backprop_work,
};
