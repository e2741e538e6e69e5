/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ExtractImagePatches and Col2Im. */

#include "inference/graph/ops/patches.h"

static gboolean
read_pair (const InferAttributes *from, const char *name, gint64 least,
    gint64 *values, GError **error)
{
  guint n = 2;

  if (!infer_attr_small_ints (from, name, values, 2, &n, error))
    return FALSE;
  if (n != 2)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute '%s' has %u values, not 2", name, n);
  for (guint i = 0; i < 2; i++)
    if (values[i] < least || values[i] > G_MAXINT32)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "attribute '%s' has the value %" G_GINT64_FORMAT, name, values[i]);
  return TRUE;
}

static gboolean
parse_patches (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const pads[] = { "explicit", "valid", "same_upper",
    "same_lower", NULL };
  InferWindow *window = &((InferPatches *) op->attrs)->window;
  int pad = INFER_AUTO_PAD_VALID;

  if (!infer_attr_require (
          from, error, "sizes", "strides", "rates", "auto_pad", NULL)
      || !read_pair (from, "sizes", 1, window->kernel, error)
      || !read_pair (from, "strides", 1, window->strides, error)
      || !read_pair (from, "rates", 1, window->dilations, error)
      || !infer_attr_enum (from, "auto_pad", pads, &pad, error))
    return FALSE;
  window->n = 2;
  window->auto_pad =
      (InferAutoPad) (pad == INFER_AUTO_PAD_EXPLICIT ? INFER_AUTO_PAD_VALID
                                                     : pad);
  return TRUE;
}

gboolean
infer_patches_resolve (const InferPatches *attrs, const InferShape *data,
    InferWindowDim *dims, GError **error)
{
  const InferWindow *window = &attrs->window;

  for (guint i = 0; i < 2; i++) {
    const gint64 size = data->dims[2 + i];

    if (window->auto_pad == INFER_AUTO_PAD_VALID && size >= 0
        && size < infer_window_extent (window, i, window->kernel[i]))
      dims[i] = (InferWindowDim){ 0, 0, 0 };
    else if (!infer_window_resolve (
                 window, i, size, window->kernel[i], &dims[i], error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
infer_patches (InferShapeContext *context, GError **error)
{
  const InferPatches *attrs = context->op->attrs;
  const InferShape *data = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;
  InferWindowDim dims[2];

  context->outputs[0].type = context->inputs[0].type;
  *out = infer_shape_of_rank (4);
  if (!infer_require_rank (context, 0, 4, 4, error) || data->rank < 0)
    return data->rank < 0;
  if (!infer_patches_resolve (attrs, data, dims, error))
    return FALSE;
  out->dims[0] = data->dims[0];
  out->dims[2] = dims[0].out;
  out->dims[3] = dims[1].out;
  if (data->dims[1] >= 0
      && (__builtin_mul_overflow (
              data->dims[1], attrs->window.kernel[0], &out->dims[1])
          || __builtin_mul_overflow (
              out->dims[1], attrs->window.kernel[1], &out->dims[1])))
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "the number of channels overflows");
  return TRUE;
}

const InferOpClass infer_op_extract_image_patches = {
  .type = "ExtractImagePatches",
  .versions = "3",
  .min_inputs = 1,
  .attrs_size = sizeof (InferPatches),
  .parse = parse_patches,
  .infer_shapes = infer_patches,
};

/* --- Col2Im --- */

static gboolean
parse_col2im (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferWindow *window = &((InferPatches *) op->attrs)->window;

  for (guint i = 0; i < 2; i++)
    window->strides[i] = window->dilations[i] = 1;
  window->n = 2;
  return read_pair (from, "strides", 1, window->strides, error)
         && read_pair (from, "dilations", 1, window->dilations, error)
         && read_pair (from, "pads_begin", 0, window->pads_begin, error)
         && read_pair (from, "pads_end", 0, window->pads_end, error);
}

gboolean
infer_col2im_blocks (const InferWindow *window, guint i, gint64 size,
    gint64 kernel, gint64 *blocks)
{
  gint64 extent, room;

  if (size < 0 || size > G_MAXINT32 || kernel < 1 || kernel > G_MAXINT32)
    return FALSE;
  extent = infer_window_extent (window, i, kernel);
  room = size + window->pads_begin[i] + window->pads_end[i] - extent;
  *blocks = room / window->strides[i] + 1;
  return room >= 0;
}

/* Two numbers, or NULL if unknown. */
static gboolean
read_size (const InferShapeContext *context, guint input, GArray **size,
    GError **error)
{
  if (!infer_require_integers (context, input, 1, 1, error)
      || !infer_input_ints (context, input, size, error))
    return FALSE;
  if (*size != NULL && (*size)->len != 2)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "input %u has %u numbers, not 2", input, (*size)->len);
  return TRUE;
}

static gboolean
check_blocks (const InferWindow *window, const gint64 *size,
    const gint64 *kernel, gint64 count, GError **error)
{
  gint64 blocks[2], product;

  for (guint i = 0; i < 2; i++)
    if (!infer_col2im_blocks (window, i, size[i], kernel[i], &blocks[i]))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "blocks of %" G_GINT64_FORMAT " do not fit into a picture of "
          "%" G_GINT64_FORMAT,
          kernel[i], size[i]);
  return infer_merge_dims (
      blocks[0] * blocks[1], count, &product, "the number of blocks", error);
}

static gboolean
infer_col2im (InferShapeContext *context, GError **error)
{
  const InferWindow *window = &((InferPatches *) context->op->attrs)->window;
  const InferShape *data = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;
  g_autoptr (GArray) size = NULL, kernel = NULL;
  gint64 block = INFER_DYNAMIC, width;

  context->outputs[0].type = context->inputs[0].type;
  if (!infer_require_rank (context, 0, 2, 3, error)
      || !read_size (context, 1, &size, error)
      || !read_size (context, 2, &kernel, error) || data->rank < 0)
    return error == NULL || *error == NULL;
  *out = infer_shape_of_rank (data->rank + 1);
  if (data->rank == 3)
    out->dims[0] = data->dims[0];
  if (size != NULL)
    for (int i = 0; i < 2; i++)
      out->dims[out->rank - 2 + i] = g_array_index (size, gint64, i);
  width = data->dims[data->rank - 2];
  if (kernel != NULL) {
    const gint64 *k = (const gint64 *) (gpointer) kernel->data;

    if (k[0] < 1 || k[1] < 1 || k[0] > G_MAXINT32 || k[1] > G_MAXINT32)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "blocks of %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT, k[0], k[1]);
    block = k[0] * k[1];
  }
  if (block > 0 && width >= 0) {
    if (width % block != 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "%" G_GINT64_FORMAT " is no multiple of blocks of %" G_GINT64_FORMAT,
          width, block);
    out->dims[out->rank - 3] = width / block;
  }
  return size == NULL || kernel == NULL
         || check_blocks (window, (const gint64 *) (gpointer) size->data,
             (const gint64 *) (gpointer) kernel->data,
             data->dims[data->rank - 1], error);
}

const InferOpClass infer_op_col2im = {
  .type = "Col2Im",
  .versions = "15",
  .min_inputs = 3,
  .value_inputs = 1 << 1 | 1 << 2,
  .attrs_size = sizeof (InferPatches),
  .parse = parse_col2im,
  .infer_shapes = infer_col2im,
};
