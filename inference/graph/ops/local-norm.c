/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/local-norm.h"

static gboolean
parse_grn (
    InferOperation *op, const InferAttributes *attributes, GError **error)
{
  InferLocalNorm *attrs = op->attrs;

  attrs->eps = 1;
  return infer_attributes_double (attributes, "bias", &attrs->eps, error);
}

static gboolean
parse_normalize_l2 (
    InferOperation *op, const InferAttributes *attributes, GError **error)
{
  static const char *const modes[] = { "add", "max", NULL };
  InferLocalNorm *attrs = op->attrs;

  return infer_attributes_require (attributes, error, "eps", "eps_mode", NULL)
         && infer_attributes_double (attributes, "eps", &attrs->eps, error)
         && infer_attributes_enum (
             attributes, "eps_mode", modes, &attrs->eps_max, error);
}

static gboolean
parse_lrn (
    InferOperation *op, const InferAttributes *attributes, GError **error)
{
  InferLocalNorm *attrs = op->attrs;

  if (!infer_attributes_require (
          attributes, error, "alpha", "beta", "bias", "size", NULL)
      || !infer_attributes_double (attributes, "alpha", &attrs->alpha, error)
      || !infer_attributes_double (attributes, "beta", &attrs->beta, error)
      || !infer_attributes_double (attributes, "bias", &attrs->bias, error)
      || !infer_attributes_int (attributes, "size", &attrs->size, error))
    return FALSE;
  return attrs->size > 0
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "size is %" G_GINT64_FORMAT, attrs->size);
}

static gboolean
infer_grn (InferShapeContext *context, GError **error)
{
  context->outputs[0] = context->inputs[0];
  return infer_require_real (context, 0, error)
         && infer_require_rank (context, 0, 2, 4, error);
}

static gboolean
infer_with_axes (InferShapeContext *context, GError **error)
{
  const InferShape *shape = &context->inputs[0].shape;
  g_autoptr (GArray) axes = NULL;

  context->outputs[0] = context->inputs[0];
  if (!infer_require_real (context, 0, error)
      || !infer_require_integer (context, 1, error)
      || !infer_require_rank (context, 1, 0, 1, error)
      || !infer_input_ints (context, 1, &axes, error))
    return FALSE;
  for (guint i = 0; axes != NULL && shape->rank >= 0 && i < axes->len; i++)
    if (!infer_shape_normalize_axis (
            shape, &g_array_index (axes, gint64, i), error))
      return FALSE;
  return TRUE;
}

#define NORM(name, type_, n, parse_, infer_)                                   \
  const InferOpClass infer_op_##name = {                                       \
    .type = type_,                                                             \
    .versions = "1",                                                           \
    .min_inputs = n,                                                           \
    .max_inputs = n,                                                           \
    .n_outputs = 1,                                                            \
    .attrs_size = sizeof (InferLocalNorm),                                     \
    .parse = parse_,                                                           \
    .infer_shapes = infer_,                                                    \
  };

/* clang-format off */
NORM (grn, "GRN", 1, parse_grn, infer_grn)
NORM (lrn, "LRN", 2, parse_lrn, infer_with_axes)
NORM (normalize_l2, "NormalizeL2", 2, parse_normalize_l2, infer_with_axes)
/* clang-format on */
