/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/normalization.h"

#include "inference/graph/op.h"

static gboolean
mvn_parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "inside_sqrt", "outside_sqrt", NULL };
  InferMvn *attrs = op->attrs;
  int mode = 0;
  attrs->across_channels = op->version < 6;
  attrs->normalize_variance = TRUE;
  if (!infer_attr_require (from, error, "eps", NULL)
      || !infer_attr_double (from, "eps", &attrs->eps, error)
      || !infer_attr_bool (
          from, "normalize_variance", &attrs->normalize_variance, error))
    return FALSE;
  if (op->version >= 6) {
    if (!infer_attr_require (
            from, error, "eps", "eps_mode", "normalize_variance", NULL)
        || !infer_attr_enum (from, "eps_mode", modes, &mode, error))
      return FALSE;
    attrs->outside_sqrt = mode == 1;
    return TRUE;
  }
  if (!infer_attr_bool (from, "across_channels", &attrs->across_channels, error)
      || !infer_attr_small_ints (from, "reduction_axes", attrs->axes,
          INFER_MAX_RANK, &attrs->n_axes, error))
    return FALSE;
  attrs->axes_given = attrs->n_axes > 0;
  return TRUE;
}

guint32
infer_mvn_static_axes (const InferMvn *attrs, int rank)
{
  guint32 mask = 0;
  if (!attrs->axes_given) {
    for (int i = attrs->across_channels ? 1 : 2; i < rank; i++)
      mask |= (guint32) 1 << i;
    return mask;
  }
  for (guint i = 0; i < attrs->n_axes; i++) {
    gint64 axis = attrs->axes[i] < 0 ? attrs->axes[i] + rank : attrs->axes[i];
    mask |= (guint32) 1 << axis;
  }
  return mask;
}

static gboolean
mvn_infer (InferShapeContext *context, GError **error)
{
  const InferMvn *attrs = context->op->attrs;
  const InferShape *shape = &context->inputs[0].shape;
  if (!infer_require_real (context, 0, error))
    return FALSE;
  g_autoptr (GArray) axes = NULL;
  if (context->op->version >= 6) {
    if (context->n_inputs < 2)
      return infer_fail (
          error, INFER_ERROR_INVALID_MODEL, "the input 'axes' is missing");
    if (!infer_input_list (context, 1, &axes, error))
      return FALSE;
  }
  guint n = axes != NULL ? axes->len : attrs->n_axes;
  for (guint i = 0; i < n && shape->rank >= 0; i++) {
    gint64 axis =
        axes != NULL ? g_array_index (axes, gint64, i) : attrs->axes[i];
    if (!infer_shape_normalize_axis (shape, &axis, error))
      return FALSE;
  }
  return infer_same_as_input (context, error);
}

const InferOpClass infer_op_mvn = {
  .type = "MVN",
  .versions = "2,6",
  .min_inputs = 1,
  .max_inputs = 2,
  .attrs_size = sizeof (InferMvn),
  .parse = mvn_parse,
  .infer_shapes = mvn_infer,
};

static gboolean
check_epsilon (double epsilon, GError **error)
{
  return epsilon >= 0
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "attribute 'epsilon' is %g, not positive", epsilon);
}

static gboolean
batch_norm_parse (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferBatchNorm *attrs = op->attrs;
  /* IR v10 writes "eps". */
  if ((infer_attr_get (from, "eps") == NULL
          && !infer_attr_require (from, error, "epsilon", NULL))
      || !infer_attr_double (from, "eps", &attrs->epsilon, error)
      || !infer_attr_double (from, "epsilon", &attrs->epsilon, error))
    return FALSE;
  return check_epsilon (attrs->epsilon, error);
}

/* One value for each channel of input @data. */
static gboolean
check_channels (const InferShapeContext *context, guint data, guint input,
    gint64 *channels, GError **error)
{
  return infer_require_rank (context, input, 1, 1, error)
         && infer_merge_dims (*channels, infer_input_dim (context, input, 0),
             channels, "the number of channels", error);
}

static gboolean
batch_norm_infer (InferShapeContext *context, GError **error)
{
  guint data = context->op->version >= 5 ? 0 : 2;
  const InferShape *shape = &context->inputs[data].shape;
  InferType type;
  if (!infer_merge_types (context, 0, 5, &type, error)
      || !infer_require_reals (context, data, 2, INFER_MAX_RANK, error))
    return FALSE;
  gint64 channels = infer_input_dim (context, data, 1);
  for (guint i = 0; i < 5; i++)
    if (i != data && !check_channels (context, data, i, &channels, error))
      return FALSE;
  context->outputs[0] = (InferDesc){ .type = type, .shape = *shape };
  if (shape->rank >= 0)
    context->outputs[0].shape.dims[1] = channels;
  return TRUE;
}

const InferOpClass infer_op_batch_norm_inference = {
  .type = "BatchNormInference",
  .versions = "1,5",
  .min_inputs = 5,
  .attrs_size = sizeof (InferBatchNorm),
  .parse = batch_norm_parse,
  .infer_shapes = batch_norm_infer,
};

static gboolean
group_norm_parse (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferGroupNorm *attrs = op->attrs;
  if (!infer_attr_require (from, error, "num_groups", "epsilon", NULL)
      || !infer_attr_int (from, "num_groups", &attrs->num_groups, error)
      || !infer_attr_double (from, "epsilon", &attrs->epsilon, error))
    return FALSE;
  if (attrs->num_groups <= 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute 'num_groups' is %" G_GINT64_FORMAT, attrs->num_groups);
  return check_epsilon (attrs->epsilon, error);
}

static gboolean
group_norm_infer (InferShapeContext *context, GError **error)
{
  const InferGroupNorm *attrs = context->op->attrs;
  const InferShape *shape = &context->inputs[0].shape;
  InferType type;
  if (!infer_merge_types (context, 0, 3, &type, error)
      || !infer_require_reals (context, 0, 2, INFER_MAX_RANK, error))
    return FALSE;
  gint64 channels = infer_input_dim (context, 0, 1);
  if (!check_channels (context, 0, 1, &channels, error)
      || !check_channels (context, 0, 2, &channels, error))
    return FALSE;
  if (channels >= 0 && channels % attrs->num_groups != 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GINT64_FORMAT " channels are not a multiple of %" G_GINT64_FORMAT
        " groups",
        channels, attrs->num_groups);
  context->outputs[0] = (InferDesc){ .type = type, .shape = *shape };
  if (shape->rank >= 0)
    context->outputs[0].shape.dims[1] = channels;
  return TRUE;
}

const InferOpClass infer_op_group_normalization = {
  .type = "GroupNormalization",
  .versions = "12",
  .min_inputs = 3,
  .attrs_size = sizeof (InferGroupNorm),
  .parse = group_norm_parse,
  .infer_shapes = group_norm_infer,
};
