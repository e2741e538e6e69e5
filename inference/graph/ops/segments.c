/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SegmentMax, SparseFillEmptyRows and GatherTree. */

#include "inference/graph/ops/segments.h"

static gboolean
parse_segment_max (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "zero", "lowest", NULL };
  InferSegmentMax *attrs = op->attrs;

  return infer_attr_require (from, error, "fill_mode", NULL)
         && infer_attr_enum (from, "fill_mode", modes, &attrs->lowest, error);
}

/* The largest segment id + 1, if known. */
static gboolean
count_segments (const InferShapeContext *context, gint64 *count, GError **error)
{
  const guint input = context->n_inputs > 2 ? 2 : 1;
  g_autoptr (GArray) value = NULL;

  if (!infer_input_ints (context, input, &value, error))
    return FALSE;
  if (value == NULL)
    return TRUE;
  if (input == 2 && value->len != 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the number of segments has %u values, not one", value->len);
  *count = 0;
  for (guint i = 0; i < value->len; i++) {
    const gint64 number = g_array_index (value, gint64, i);

    if (number < 0 || number >= G_MAXINT32
        || (i > 0 && number < g_array_index (value, gint64, i - 1)))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "input %u holds %" G_GINT64_FORMAT ", negative or not in order",
          input, number);
    *count = input == 2 ? number : number + 1;
  }
  return TRUE;
}

static gboolean
infer_segment_max (InferShapeContext *context, GError **error)
{
  const InferShape *data = &context->inputs[0].shape;
  gint64 count = INFER_DYNAMIC, dim;

  context->outputs[0] = context->inputs[0];
  if (!infer_require_rank (context, 0, 1, INFER_MAX_RANK, error)
      || !infer_require_integers (context, 1, 1, 1, error)
      || !infer_require_integers (context, 2, 0, 1, error)
      || !count_segments (context, &count, error))
    return FALSE;
  if (context->inputs[0].type == INFER_TYPE_BOOLEAN)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "input 0 is of type boolean");
  if (data->rank < 0)
    return TRUE;
  context->outputs[0].shape.dims[0] = count;
  return infer_match_dims (context, 0, 0, 1, 0, &dim, error);
}

const InferOpClass infer_op_segment_max = {
  .type = "SegmentMax",
  .versions = "16",
  .flags = INFER_OP_OWN_TYPES,
  .min_inputs = 2,
  .max_inputs = 3,
  .value_inputs = 1 << 1 | 1 << 2,
  .attrs_size = sizeof (InferSegmentMax),
  .parse = parse_segment_max,
  .infer_shapes = infer_segment_max,
};

/* --- SparseFillEmptyRows --- */

static gboolean
check_sparse (const InferShapeContext *context, GError **error)
{
  gint64 dim;

  return infer_require_rank (context, 0, 1, 1, error)
         && infer_require_rank (context, 1, 1, 1, error)
         && infer_require_rank (context, 2, 2, 2, error)
         && infer_require_rank (context, 3, 0, 0, error)
         && infer_require_integer (context, 1, error)
         && infer_require_integer (context, 2, error)
         && infer_require_dim (context, 1, 0, 2, error)
         && infer_require_dim (context, 2, 1, 2, error)
         && infer_match_dims (context, 0, 0, 2, 0, &dim, error);
}

static gboolean
infer_sparse (InferShapeContext *context, GError **error)
{
  g_autoptr (GArray) shape = NULL;
  InferDesc *out = context->outputs;
  gint64 rows = INFER_DYNAMIC;

  if (!check_sparse (context, error)
      || !infer_input_ints (context, 1, &shape, error))
    return FALSE;
  if (!infer_match_types (context, 0, 3, &out[1].type, error)
      || !infer_match_types (context, 1, 2, &out[0].type, error))
    return FALSE;
  if (shape != NULL && shape->len == 2) {
    rows = g_array_index (shape, gint64, 0);
    if (rows < 0 || g_array_index (shape, gint64, 1) < 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "a negative number in the dense shape");
  }
  out[0].shape = infer_shape_make (2, (gint64) -1, (gint64) 2);
  out[1].shape = infer_shape_make (1, (gint64) -1);
  out[2].type = INFER_TYPE_BOOLEAN;
  out[2].shape = infer_shape_make (1, rows);
  return TRUE;
}

const InferOpClass infer_op_sparse_fill_empty_rows = {
  .type = "SparseFillEmptyRows",
  .versions = "16",
  .min_inputs = 4,
  .n_outputs = 3,
  .value_inputs = 1 << 1,
  .infer_shapes = infer_sparse,
};

/* --- GatherTree --- */

static gboolean
infer_gather_tree (InferShapeContext *context, GError **error)
{
  const InferShape *lengths = &context->inputs[2].shape;
  InferDesc *out = &context->outputs[0];
  gint64 dim;

  if (!infer_merge_types (context, 0, 4, &out->type, error)
      || !infer_require_rank (context, 0, 3, 3, error)
      || !infer_require_rank (context, 1, 3, 3, error)
      || !infer_require_rank (context, 2, 1, 1, error)
      || !infer_require_rank (context, 3, 0, 0, error))
    return FALSE;
  if (out->type == INFER_TYPE_BOOLEAN)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "input 0 is of type boolean");
  if (!infer_shape_merge (
          &context->inputs[0].shape, &context->inputs[1].shape, &out->shape))
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "steps and parents differ in shape");
  return out->shape.rank < 0 || lengths->rank < 0
         || infer_merge_dims (out->shape.dims[1], lengths->dims[0], &dim,
             "batches of steps and lengths", error);
}

const InferOpClass infer_op_gather_tree = {
  .type = "GatherTree",
  .versions = "1",
  .min_inputs = 4,
  .infer_shapes = infer_gather_tree,
};
