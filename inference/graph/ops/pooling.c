/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/pooling.h"
#include "inference/graph/work.h"

static gboolean
parse_avg (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferAvgPool *attrs = op->attrs;

  if (!infer_attr_require (from, error, "exclude-pad", NULL))
    return FALSE;
  return infer_window_parse (&attrs->window, from, TRUE, error)
         && infer_attr_bool (from, "exclude-pad", &attrs->exclude_pad, error);
}

static gboolean
parse_index_type (const InferAttributes *from, InferType *type, GError **error)
{
  *type = INFER_TYPE_I64;
  return infer_attr_index_type (from, "index_element_type", type, error);
}

static gboolean
parse_max (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferMaxPool *attrs = op->attrs;

  return infer_window_parse (&attrs->window, from, TRUE, error)
         && parse_index_type (from, &attrs->index_type, error)
         && infer_attr_int (from, "axis", &attrs->axis, error);
}

/* Output 0: type of the input, pooled shape. */
static gboolean
infer_pooled (
    const InferWindow *window, InferShapeContext *context, GError **error)
{
  const InferDesc *data = &context->inputs[0];
  InferDesc *out = &context->outputs[0];

  if (data->type != INFER_TYPE_DYNAMIC && !infer_type_is_real (data->type)
      && !infer_type_is_integer (data->type))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "elements of type %s are no numbers", infer_type_name (data->type));
  if (!infer_window_check_rank (window, &data->shape, error))
    return FALSE;
  out->type = data->type;
  if (data->shape.rank == INFER_DYNAMIC) {
    out->shape = infer_shape_of_rank ((int) window->n + 2);
    return TRUE;
  }
  out->shape = data->shape;
  for (int i = 2; i < out->shape.rank; i++) {
    InferWindowDim dim;

    if (!infer_window_resolve (window, (guint) i - 2, data->shape.dims[i],
            window->kernel[i - 2], &dim, error))
      return FALSE;
    out->shape.dims[i] = dim.out;
  }
  return TRUE;
}

static gboolean
infer_avg (InferShapeContext *context, GError **error)
{
  const InferAvgPool *attrs = context->op->attrs;

  return infer_pooled (&attrs->window, context, error);
}

static gboolean
infer_max (InferShapeContext *context, GError **error)
{
  const InferMaxPool *attrs = context->op->attrs;
  gint64 axis = attrs->axis;

  if (!infer_pooled (&attrs->window, context, error))
    return FALSE;
  if (context->op->version < 8) {
    if (context->n_outputs > 1)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "this version has one output, not %u", context->n_outputs);
    return TRUE;
  }
  if (!infer_shape_normalize_axis (&context->outputs[0].shape, &axis, error))
    return FALSE;
  if (context->n_outputs > 2)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "there are two outputs, not %u", context->n_outputs);
  if (context->n_outputs == 2) {
    context->outputs[1].type = attrs->index_type;
    context->outputs[1].shape = context->outputs[0].shape;
  }
  return TRUE;
}

/* --- adaptive --- */

static gboolean
parse_adaptive_max (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferAdaptivePool *attrs = op->attrs;

  return parse_index_type (from, &attrs->index_type, error);
}

/* Input 1 gives the spatial sizes of the output. */
static gboolean
infer_adaptive (InferShapeContext *context, GError **error)
{
  const InferDesc *data = &context->inputs[0];
  const InferShape *sizes = &context->inputs[1].shape;
  InferDesc *out = &context->outputs[0];
  g_autoptr (GArray) ints = NULL;
  int rank = data->shape.rank;

  if (!infer_require_reals (context, 0, 3, 5, error)
      || !infer_require_integers (context, 1, 1, 1, error)
      || !infer_input_ints (context, 1, &ints, error))
    return FALSE;
  out->type = data->type;
  if (rank == INFER_DYNAMIC && sizes->rank == 1
      && sizes->dims[0] != INFER_DYNAMIC)
    rank = (int) CLAMP (sizes->dims[0], 0, INFER_MAX_RANK) + 2;
  if (rank == INFER_DYNAMIC)
    return TRUE;
  if (rank < 3 || rank > 5
      || (sizes->rank == 1 && sizes->dims[0] != INFER_DYNAMIC
          && sizes->dims[0] != rank - 2))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GINT64_FORMAT " output sizes for an input of rank %d",
        sizes->dims[0], data->shape.rank);
  out->shape = infer_shape_of_rank (rank);
  for (int i = 0; i < 2 && data->shape.rank != INFER_DYNAMIC; i++)
    out->shape.dims[i] = data->shape.dims[i];
  for (int i = 2; i < rank && ints != NULL; i++) {
    gint64 size = g_array_index (ints, gint64, i - 2);

    if (size <= 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "an output size of %" G_GINT64_FORMAT, size);
    if (data->shape.rank != INFER_DYNAMIC && data->shape.dims[i] == 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "nothing to pool in spatial dimension %d", i - 2);
    out->shape.dims[i] = size;
  }
  return TRUE;
}

static gboolean
infer_adaptive_max (InferShapeContext *context, GError **error)
{
  const InferAdaptivePool *attrs = context->op->attrs;

  if (!infer_adaptive (context, error))
    return FALSE;
  context->outputs[1].type = attrs->index_type;
  context->outputs[1].shape = context->outputs[0].shape;
  return TRUE;
}

const InferOpClass infer_op_avg_pool = {
  .type = "AvgPool",
  .versions = "1,14,16",
  .min_inputs = 1,
  .attrs_size = sizeof (InferAvgPool),
  .parse = parse_avg,
  .infer_shapes = infer_avg,
  .work = infer_work_pairs,
};

const InferOpClass infer_op_max_pool = {
  .type = "MaxPool",
  .versions = "1,8,14",
  .min_inputs = 1,
  .n_outputs = G_MAXUINT,
  .attrs_size = sizeof (InferMaxPool),
  .parse = parse_max,
  .infer_shapes = infer_max,
  .work = infer_work_pairs,
};

const InferOpClass infer_op_adaptive_avg_pool = {
  .type = "AdaptiveAvgPool",
  .versions = "8",
  .min_inputs = 2,
  .value_inputs = 1u << 1,
  .attrs_size = sizeof (InferAdaptivePool),
  .infer_shapes = infer_adaptive,
  .work = infer_work_pairs,
};

const InferOpClass infer_op_adaptive_max_pool = {
  .type = "AdaptiveMaxPool",
  .versions = "8",
  .min_inputs = 2,
  .n_outputs = 2,
  .value_inputs = 1u << 1,
  .attrs_size = sizeof (InferAdaptivePool),
  .parse = parse_adaptive_max,
  .infer_shapes = infer_adaptive_max,
  .work = infer_work_pairs,
};
