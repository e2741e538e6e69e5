/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/detection.h"

gboolean
infer_dim_product (gint64 a, gint64 b, gint64 *product, GError **error)
{
  if (a == 0 || b == 0)
    *product = 0;
  else if (a == INFER_DYNAMIC || b == INFER_DYNAMIC)
    *product = INFER_DYNAMIC;
  else if (__builtin_mul_overflow (a, b, product))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GINT64_FORMAT " times %" G_GINT64_FORMAT " is too large", a, b);
  return TRUE;
}

gint64
infer_input_dim (const InferShapeContext *context, guint input, int axis)
{
  const InferShape *shape;

  if (input >= context->n_inputs)
    return INFER_DYNAMIC;
  shape = &context->inputs[input].shape;
  return axis < shape->rank ? shape->dims[axis] : INFER_DYNAMIC;
}

gboolean
infer_require_dim (const InferShapeContext *context, guint input, int axis,
    gint64 want, GError **error)
{
  gint64 dim = infer_input_dim (context, input, axis);

  return dim == INFER_DYNAMIC || want == INFER_DYNAMIC || dim == want
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "dim %d of input %u is %" G_GINT64_FORMAT
             ", not %" G_GINT64_FORMAT,
             axis, input, dim, want);
}

gboolean
infer_match_dims (const InferShapeContext *context, guint input_a, int axis_a,
    guint input_b, int axis_b, gint64 *merged, GError **error)
{
  gint64 a = infer_input_dim (context, input_a, axis_a);

  *merged = a != INFER_DYNAMIC ? a : infer_input_dim (context, input_b, axis_b);
  return infer_require_dim (context, input_b, axis_b, a, error);
}

gboolean
infer_require_real_inputs (
    const InferShapeContext *context, const int *ranks, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!infer_require_reals (context, i, ranks[i], ranks[i], error))
      return FALSE;
  return TRUE;
}

gboolean
infer_attr_count (const InferAttributes *attributes, const char *name,
    gint64 smallest, gint64 *value, GError **error)
{
  if (!infer_attr_int (attributes, name, value, error))
    return FALSE;
  return (*value >= smallest && *value <= G_MAXINT32)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "attribute %s is %" G_GINT64_FORMAT, name, *value);
}
