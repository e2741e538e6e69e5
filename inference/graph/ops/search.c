/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bucketize, SearchSorted, NonZero, Unique, TopK. */

#include "inference/graph/ops/search.h"

#include "inference/graph/ops/elementwise.h"

static gboolean
parse_bucketize (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferSearch *attrs = op->attrs;

  attrs->index_type = INFER_TYPE_I64;
  attrs->right = TRUE;
  return infer_attr_index_type (from, "output_type", &attrs->index_type, error)
         && infer_attr_bool (from, "with_right_bound", &attrs->right, error);
}

static gboolean
infer_bucketize (InferShapeContext *context, GError **error)
{
  const InferSearch *attrs = context->op->attrs;

  context->outputs[0].type = attrs->index_type;
  context->outputs[0].shape = context->inputs[0].shape;
  return infer_require_numeric (context, 0, error)
         && infer_require_numeric (context, 1, error)
         && infer_require_rank (context, 1, 1, 1, error);
}

static gboolean
parse_search_sorted (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferSearch *attrs = op->attrs;

  attrs->index_type = INFER_TYPE_I64;
  return infer_attr_index_type (from, "output_type", &attrs->index_type, error)
         && infer_attr_bool (from, "right_mode", &attrs->right, error);
}

static gboolean
infer_search_sorted (InferShapeContext *context, GError **error)
{
  const InferSearch *attrs = context->op->attrs;
  const InferShape *sorted = &context->inputs[0].shape;
  const InferShape *values = &context->inputs[1].shape;
  InferType type;
  gint64 dim;

  context->outputs[0].type = attrs->index_type;
  context->outputs[0].shape = *values;
  if (!infer_merge_types (context, 0, 2, &type, error))
    return FALSE;
  if (sorted->rank == 0)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "the sorted input is a scalar");
  if (sorted->rank <= 1 || values->rank < 0)
    return TRUE;
  if (sorted->rank != values->rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the sorted input has %d dims, the values %d", sorted->rank,
        values->rank);
  for (int i = 0; i + 1 < sorted->rank; i++)
    if (!infer_merge_dims (sorted->dims[i], values->dims[i], &dim,
            "outer dims of the sorted input and the values", error))
      return FALSE;
  return TRUE;
}

static gboolean
parse_non_zero (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferSearch *attrs = op->attrs;

  attrs->index_type = INFER_TYPE_I64;
  return infer_attr_index_type (from, "output_type", &attrs->index_type, error);
}

static gboolean
infer_non_zero (InferShapeContext *context, GError **error)
{
  const InferSearch *attrs = context->op->attrs;

  context->outputs[0].type = attrs->index_type;
  context->outputs[0].shape = infer_shape_of_rank (2);
  if (context->inputs[0].shape.rank >= 0)
    context->outputs[0].shape.dims[0] = context->inputs[0].shape.rank;
  return TRUE;
}

static gboolean
parse_unique (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferSearch *attrs = op->attrs;

  attrs->index_type = attrs->count_type = INFER_TYPE_I64;
  attrs->sorted = TRUE;
  return infer_attr_index_type (
             from, "index_element_type", &attrs->index_type, error)
         && infer_attr_index_type (
             from, "count_element_type", &attrs->count_type, error)
         && infer_attr_bool (from, "sorted", &attrs->sorted, error);
}

static gboolean
infer_unique (InferShapeContext *context, GError **error)
{
  const InferSearch *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  InferDesc *out = context->outputs;
  gboolean known;
  gint64 axis;
  gsize n;

  for (guint i = 1; i < 4; i++) {
    out[i].type = i == 3 ? attrs->count_type : attrs->index_type;
    out[i].shape = infer_shape_of_rank (1);
  }
  out[0].type = context->inputs[0].type;
  if (context->n_inputs == 1) {
    out[0].shape = infer_shape_of_rank (1);
    if (infer_shape_elements (in, &n))
      out[2].shape.dims[0] = (gint64) n;
    return TRUE;
  }
  if (!infer_input_number (context, 1, &axis, &known, error))
    return FALSE;
  if (in->rank < 0)
    return TRUE;
  out[0].shape = infer_shape_of_rank (in->rank);
  if (known) {
    if (!infer_shape_normalize_axis (in, &axis, error))
      return FALSE;
    out[0].shape = *in;
    out[0].shape.dims[axis] = INFER_DYNAMIC;
    out[2].shape.dims[0] = in->dims[axis];
  }
  return TRUE;
}

static gboolean
parse_top_k (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "max", "min", NULL };
  static const char *const sorts[] = { "none", "value", "index", NULL };
  InferSearch *attrs = op->attrs;

  attrs->index_type = INFER_TYPE_I32;
  attrs->sort = INFER_TOP_K_VALUE;
  return infer_attr_require (from, error, "axis", "mode", NULL)
         && infer_attr_int (from, "axis", &attrs->axis, error)
         && infer_attr_enum (from, "mode", modes, &attrs->min, error)
         && infer_attr_enum (from, "sort", sorts, &attrs->sort, error)
         && infer_attr_index_type (
             from, "index_element_type", &attrs->index_type, error);
}

static gboolean
infer_top_k (InferShapeContext *context, GError **error)
{
  const InferSearch *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  g_autoptr (GArray) k = NULL;
  gint64 axis = attrs->axis;

  context->outputs[0] = context->inputs[0];
  context->outputs[1].type = attrs->index_type;
  if (!infer_require_numeric (context, 0, error)
      || !infer_input_list (context, 1, &k, error))
    return FALSE;
  if (k != NULL && (k->len != 1 || g_array_index (k, gint64, 0) < 0))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "k must be one number that is not negative");
  if (in->rank >= 0) {
    if (!infer_shape_normalize_axis (in, &axis, error))
      return FALSE;
    gint64 *dim = &context->outputs[0].shape.dims[axis];
    if (k != NULL && *dim >= 0 && g_array_index (k, gint64, 0) > *dim)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "k is %" G_GINT64_FORMAT ", the axis has %" G_GINT64_FORMAT
          " elements",
          g_array_index (k, gint64, 0), *dim);
    *dim = k != NULL ? g_array_index (k, gint64, 0) : INFER_DYNAMIC;
  }
  context->outputs[1].shape = context->outputs[0].shape;
  return TRUE;
}

#define SEARCH(                                                                \
    name, type_, versions_, min, max, outputs, values, parse_, infer_)         \
  const InferOpClass infer_op_##name = {                                       \
    .type = type_,                                                             \
    .versions = versions_,                                                     \
    .min_inputs = min,                                                         \
    .max_inputs = max,                                                         \
    .n_outputs = outputs,                                                      \
    .value_inputs = values,                                                    \
    .attrs_size = sizeof (InferSearch),                                        \
    .parse = parse_,                                                           \
    .infer_shapes = infer_,                                                    \
  };

/* clang-format off */
SEARCH (bucketize, "Bucketize", "3", 2, 2, 1, 0, parse_bucketize, infer_bucketize)
SEARCH (non_zero, "NonZero", "3", 1, 1, 1, 0, parse_non_zero, infer_non_zero)
SEARCH (search_sorted, "SearchSorted", "15", 2, 2, 1, 0, parse_search_sorted, infer_search_sorted)
SEARCH (top_k, "TopK", "1,3,11", 2, 2, 2, 0x2, parse_top_k, infer_top_k)
SEARCH (unique, "Unique", "10", 1, 2, 4, 0x2, parse_unique, infer_unique)
/* clang-format on */
