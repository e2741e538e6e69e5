/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/local-norm.h"
#include "inference/graph/work.h"

static gboolean
parse_grn (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferLocalNorm *attrs = op->attrs;

  return infer_attr_require (from, error, "bias", NULL)
         && infer_attr_double (from, "bias", &attrs->eps, error);
}

static gboolean
parse_normalize_l2 (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "add", "max", NULL };
  InferLocalNorm *attrs = op->attrs;

  return infer_attr_require (from, error, "eps", "eps_mode", NULL)
         && infer_attr_double (from, "eps", &attrs->eps, error)
         && infer_attr_enum (from, "eps_mode", modes, &attrs->eps_max, error);
}

static gboolean
parse_lrn (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferLocalNorm *attrs = op->attrs;

  if (!infer_attr_require (from, error, "alpha", "beta", "bias", "size", NULL)
      || !infer_attr_double (from, "alpha", &attrs->alpha, error)
      || !infer_attr_double (from, "beta", &attrs->beta, error)
      || !infer_attr_double (from, "bias", &attrs->bias, error)
      || !infer_attr_int (from, "size", &attrs->size, error))
    return FALSE;
  return attrs->size > 0
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "size is %" G_GINT64_FORMAT, attrs->size);
}

static gboolean
infer_grn (InferShapeContext *context, GError **error)
{
  context->outputs[0] = context->inputs[0];
  return infer_require_reals (context, 0, 2, 4, error);
}

static gboolean
infer_with_axes (InferShapeContext *context, GError **error)
{
  const InferShape *shape = &context->inputs[0].shape;
  g_autoptr (GArray) axes = NULL;

  context->outputs[0] = context->inputs[0];
  if (!infer_require_real (context, 0, error)
      || !infer_input_list (context, 1, &axes, error))
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
    .attrs_size = sizeof (InferLocalNorm),                                     \
    .parse = parse_,                                                           \
    .infer_shapes = infer_,                                                    \
    .work = infer_work_pairs,                                                  \
  };

/* clang-format off */
NORM (grn, "GRN", 1, parse_grn, infer_grn)
NORM (lrn, "LRN", 2, parse_lrn, infer_with_axes)
NORM (normalize_l2, "NormalizeL2", 2, parse_normalize_l2, infer_with_axes)
/* clang-format on */
