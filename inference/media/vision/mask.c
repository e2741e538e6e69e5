/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/vision/mask.h"

#include <math.h>

typedef struct
{
  gsize classes, pixels;
  gsize class_step, pixel_step; /* elements */
} Scores;

static gboolean
is_float (InferType type)
{
  return type == INFER_TYPE_F32 || type == INFER_TYPE_F16
         || type == INFER_TYPE_BF16 || type == INFER_TYPE_F64;
}

/* Gets the last three dimensions; all before them must be 1. */
static gboolean
last_three (const InferShape *shape, gint64 *d)
{
  if (shape->rank < 2)
    return FALSE;
  for (int i = 0; i < shape->rank - 3; i++)
    if (shape->dims[i] != 1)
      return FALSE;
  for (int i = 0; i < 3; i++) {
    int at = shape->rank - 3 + i;

    d[i] = at < 0 ? 1 : shape->dims[at];
  }
  return d[0] > 0 && d[1] > 0 && d[2] > 0 && d[0] <= 65535 && d[1] <= 65535
         && d[2] <= 65535;
}

gboolean
infer_mask_describe (
    const InferShape *shape, InferType type, InferMaskInfo *info)
{
  gint64 d[3];
  gboolean first;

  if (!last_three (shape, d))
    return FALSE;
  first = d[0] <= d[2]; /* classes first */
  info->height = (guint) (first ? d[1] : d[0]);
  info->width = (guint) (first ? d[2] : d[1]);
  info->kind = !is_float (type) || (first ? d[0] : d[2]) > 1
                   ? INFER_MASK_CLASSES
                   : INFER_MASK_SOFT;
  if (info->width < 2 || info->height < 2)
    return FALSE;
  return is_float (type) || (first ? d[0] : d[2]) == 1;
}

static void
fill_best (const float *data, const Scores *s, guint8 *mask)
{
  for (gsize i = 0; i < s->pixels; i++) {
    const float *p = data + i * s->pixel_step;
    gsize best = 0;

    for (gsize c = 1; c < s->classes; c++)
      if (p[c * s->class_step] > p[best * s->class_step])
        best = c;
    mask[i] = (guint8) MIN (best, 255);
  }
}

static void
fill_soft (const float *data, gsize n, guint8 *mask)
{
  gboolean logits = FALSE;

  for (gsize i = 0; i < n && !logits; i++)
    logits = data[i] < -0.001f || data[i] > 1.001f;
  for (gsize i = 0; i < n; i++) {
    float part = logits ? 1 / (1 + expf (-data[i])) : data[i];

    part = part > 0 ? MIN (part, 1.0f) : 0; /* NaN: 0 */
    mask[i] = (guint8) (part * 255 + 0.5f);
  }
}

static gboolean
fail_memory (gsize n, GError **error)
{
  return infer_fail (error, INFER_ERROR_NO_MEMORY,
      "no memory for a mask's %" G_GSIZE_FORMAT " scores", n);
}

static gboolean
fill_classes (const InferTensor *tensor, gsize n, guint8 *mask, GError **error)
{
  g_autofree gint64 *classes = g_try_new (gint64, n);

  if (classes == NULL)
    return fail_memory (n, error);
  if (!infer_convert (classes, INFER_TYPE_I64, tensor->data, tensor->type, n))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "A mask cannot have type %s", infer_type_name (tensor->type));
  for (gsize i = 0; i < n; i++)
    mask[i] = (guint8) CLAMP (classes[i], 0, 255);
  return TRUE;
}

gboolean
infer_mask_fill (const InferTensor *tensor, guint8 *mask, GError **error)
{
  gsize n = infer_shape_count (&tensor->shape);
  g_autofree float *copy = NULL;
  const float *data = tensor->data;
  InferMaskInfo info;
  Scores scores;

  if (!infer_mask_describe (&tensor->shape, tensor->type, &info)) {
    g_autofree char *shape = infer_shape_to_string (&tensor->shape);

    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "A tensor of shape %s is not a mask", shape);
  }
  if (!is_float (tensor->type))
    return fill_classes (tensor, n, mask, error);
  if (tensor->type != INFER_TYPE_F32) {
    data = copy = g_try_new (float, n);
    if (copy == NULL)
      return fail_memory (n, error);
    infer_convert (copy, INFER_TYPE_F32, tensor->data, tensor->type, n);
  }
  if (info.kind == INFER_MASK_SOFT) {
    fill_soft (data, n, mask);
    return TRUE;
  }
  scores.pixels = (gsize) info.width * info.height;
  scores.classes = n / scores.pixels;
  /* [C,H,W]; otherwise [H,W,C]. */
  if (tensor->shape.dims[tensor->shape.rank - 1] == info.width
      && tensor->shape.rank >= 3
      && tensor->shape.dims[tensor->shape.rank - 3]
             == (gint64) scores.classes) {
    scores.class_step = scores.pixels;
    scores.pixel_step = 1;
  } else {
    scores.class_step = 1;
    scores.pixel_step = scores.classes;
  }
  fill_best (data, &scores, mask);
  return TRUE;
}

void
infer_mask_of_prototypes (const float *prototypes, guint n, guint width,
    guint height, const float *coefficients, guint x0, guint y0, guint x1,
    guint y1, guint8 *mask)
{
  gsize area = (gsize) width * height;

  for (guint y = y0; y < y1; y++) {
    for (guint x = x0; x < x1; x++) {
      const float *p = prototypes + (gsize) y * width + x;
      float sum = 0;

      for (guint k = 0; k < n; k++)
        sum += coefficients[k] * p[k * area];
      *mask++ = (guint8) (255 / (1 + expf (-sum)) + 0.5f);
    }
  }
}
