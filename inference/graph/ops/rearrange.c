/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DepthToSpace, SpaceToDepth, ShuffleChannels, Reverse, ReverseSequence, Roll,
 * BatchToSpace, SpaceToBatch. */

#include "inference/graph/ops/rearrange.h"

/* --- attributes --- */

static gboolean
parse_depth (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "blocks_first", "depth_first", NULL };
  InferRearrange *attrs = op->attrs;

  attrs->block = 1;
  if (!infer_attr_require (from, error, "mode", NULL)
      || !infer_attr_enum (from, "mode", modes, &attrs->depth_first, error)
      || !infer_attr_int (from, "block_size", &attrs->block, error))
    return FALSE;
  if (attrs->block < 1 || attrs->block > G_MAXINT32)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "block_size is %" G_GINT64_FORMAT, attrs->block);
  return TRUE;
}

static gboolean
parse_shuffle (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferRearrange *attrs = op->attrs;

  attrs->axis = attrs->group = 1;
  if (!infer_attr_int (from, "axis", &attrs->axis, error)
      || !infer_attr_int (from, "group", &attrs->group, error))
    return FALSE;
  if (attrs->group < 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "group is %" G_GINT64_FORMAT, attrs->group);
  return TRUE;
}

static gboolean
parse_reverse (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "index", "mask", NULL };
  InferRearrange *attrs = op->attrs;

  return infer_attr_require (from, error, "mode", NULL)
         && infer_attr_enum (from, "mode", modes, &attrs->mask, error);
}

static gboolean
parse_reverse_sequence (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferRearrange *attrs = op->attrs;

  attrs->seq_axis = 1;
  return infer_attr_int (from, "batch_axis", &attrs->batch_axis, error)
         && infer_attr_int (from, "seq_axis", &attrs->seq_axis, error);
}

/* --- shapes --- */

static gboolean
multiply_dim (gint64 *dim, gint64 by, GError **error)
{
  if (*dim == INFER_DYNAMIC || !__builtin_mul_overflow (*dim, by, dim))
    return TRUE;
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "a dim becomes too large by the factor %" G_GINT64_FORMAT, by);
}

static gboolean
divide_dim (gint64 *dim, gint64 by, const char *what, GError **error)
{
  if (*dim == INFER_DYNAMIC)
    return TRUE;
  if (*dim % by != 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s of %" G_GINT64_FORMAT " is not a multiple of %" G_GINT64_FORMAT,
        what, *dim, by);
  *dim /= by;
  return TRUE;
}

/* block ^ spatial rank */
static gboolean
block_volume (gint64 block, int rank, gint64 *volume, GError **error)
{
  *volume = 1;
  for (int d = 2; d < rank; d++)
    if (!multiply_dim (volume, block, error))
      return FALSE;
  return TRUE;
}

static gboolean
infer_depth_to_space (InferShapeContext *context, GError **error)
{
  const InferRearrange *attrs = context->op->attrs;
  InferShape *out = &context->outputs[0].shape;
  gint64 volume;

  context->outputs[0] = context->inputs[0];
  if (!infer_require_rank (context, 0, 3, INFER_MAX_BLOCK_RANK, error))
    return FALSE;
  if (out->rank < 0)
    return TRUE;
  if (!block_volume (attrs->block, out->rank, &volume, error)
      || !divide_dim (&out->dims[1], volume, "the depth", error))
    return FALSE;
  for (int d = 2; d < out->rank; d++)
    if (!multiply_dim (&out->dims[d], attrs->block, error))
      return FALSE;
  return TRUE;
}

static gboolean
infer_space_to_depth (InferShapeContext *context, GError **error)
{
  const InferRearrange *attrs = context->op->attrs;
  InferShape *out = &context->outputs[0].shape;
  gint64 volume;

  context->outputs[0] = context->inputs[0];
  if (!infer_require_rank (context, 0, 3, INFER_MAX_BLOCK_RANK, error))
    return FALSE;
  if (out->rank < 0)
    return TRUE;
  for (int d = 2; d < out->rank; d++)
    if (!divide_dim (&out->dims[d], attrs->block, "a spatial dim", error))
      return FALSE;
  return block_volume (attrs->block, out->rank, &volume, error)
         && multiply_dim (&out->dims[1], volume, error);
}

static gboolean
infer_shuffle (InferShapeContext *context, GError **error)
{
  const InferRearrange *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  gint64 axis = attrs->axis, dim;

  context->outputs[0] = context->inputs[0];
  if (in->rank < 0)
    return TRUE;
  if (!infer_shape_normalize_axis (in, &axis, error))
    return FALSE;
  dim = in->dims[axis];
  return divide_dim (&dim, attrs->group, "the axis", error);
}

static gboolean
check_axes (const InferShapeContext *context, guint input, GError **error)
{
  const InferShape *in = &context->inputs[0].shape;
  g_autoptr (GArray) axes = NULL;

  if (!infer_input_ints (context, input, &axes, error))
    return FALSE;
  for (guint i = 0; axes != NULL && i < axes->len; i++) {
    gint64 axis = g_array_index (axes, gint64, i);

    if (in->rank >= 0 && !infer_shape_normalize_axis (in, &axis, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
infer_reverse (InferShapeContext *context, GError **error)
{
  const InferRearrange *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  const InferShape *axes = &context->inputs[1].shape;
  gint64 merged;

  context->outputs[0] = context->inputs[0];
  if (!infer_require_rank (context, 1, 1, 1, error))
    return FALSE;
  if (!attrs->mask)
    return infer_require_integer (context, 1, error)
           && check_axes (context, 1, error);
  if (!infer_require_boolean (context, 1, error))
    return FALSE;
  return in->rank < 0 || axes->rank < 0
         || infer_merge_dims (in->rank, axes->dims[0], &merged,
             "the data's rank and the mask's length", error);
}

static gboolean
infer_reverse_sequence (InferShapeContext *context, GError **error)
{
  const InferRearrange *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  const InferShape *lengths = &context->inputs[1].shape;
  gint64 batch = attrs->batch_axis, seq = attrs->seq_axis, merged;

  context->outputs[0] = context->inputs[0];
  if (!infer_require_rank (context, 0, 2, INFER_MAX_RANK, error)
      || !infer_require_rank (context, 1, 1, 1, error))
    return FALSE;
  if (in->rank < 0)
    return TRUE;
  if (!infer_shape_normalize_axis (in, &batch, error)
      || !infer_shape_normalize_axis (in, &seq, error))
    return FALSE;
  return lengths->rank < 0
         || infer_merge_dims (in->dims[batch], lengths->dims[0], &merged,
             "the batch and the sequence lengths", error);
}

static gboolean
infer_roll (InferShapeContext *context, GError **error)
{
  const InferShape *shift = &context->inputs[1].shape;
  const InferShape *axes = &context->inputs[2].shape;
  gint64 merged;

  context->outputs[0] = context->inputs[0];
  if (!infer_require_integer (context, 1, error)
      || !infer_require_integer (context, 2, error)
      || !infer_require_rank (context, 1, 0, 1, error)
      || !infer_require_rank (context, 2, 0, 1, error)
      || !check_axes (context, 2, error))
    return FALSE;
  /* A single shift applies to all axes. */
  if (shift->rank != 1 || axes->rank != 1 || shift->dims[0] == 1)
    return TRUE;
  return infer_merge_dims (
      shift->dims[0], axes->dims[0], &merged, "the shifts and the axes", error);
}

/* --- batches --- */

typedef struct
{
  GArray *block, *begin, *end;
} SpaceBatch;

static void
space_batch_clear (SpaceBatch *values)
{
  g_clear_pointer (&values->block, g_array_unref);
  g_clear_pointer (&values->begin, g_array_unref);
  g_clear_pointer (&values->end, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SpaceBatch, space_batch_clear)

/* Reads the three inputs; block stays NULL unless all are known. */
static gboolean
read_space_batch (
    const InferShapeContext *context, SpaceBatch *values, GError **error)
{
  const int rank = context->inputs[0].shape.rank;

  for (guint i = 1; i < 4; i++)
    if (!infer_require_integers (context, i, 0, 1, error))
      return FALSE;
  if (!infer_input_ints (context, 1, &values->block, error)
      || !infer_input_ints (context, 2, &values->begin, error)
      || !infer_input_ints (context, 3, &values->end, error))
    return FALSE;
  if (values->block == NULL || values->begin == NULL || values->end == NULL) {
    space_batch_clear (values);
    return TRUE;
  }
  if (rank >= 0
      && ((int) values->block->len != rank || (int) values->begin->len != rank
          || (int) values->end->len != rank))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "block_shape, begin and end must have %d numbers each", rank);
  for (guint i = 0; i < values->block->len; i++) {
    gint64 block = g_array_index (values->block, gint64, i);

    if (block < 1 || (i == 0 && block != 1))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "block_shape has %" G_GINT64_FORMAT " for axis %u", block, i);
    if (rank >= 0
        && (g_array_index (values->begin, gint64, i) < 0
            || g_array_index (values->end, gint64, i) < 0))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "axis %u has a begin or end below 0", i);
  }
  return TRUE;
}

static gboolean
infer_batch_to_space (InferShapeContext *context, GError **error)
{
  InferShape *out = &context->outputs[0].shape;
  g_auto (SpaceBatch) values = { NULL, NULL, NULL };
  gint64 volume = 1;

  context->outputs[0] = context->inputs[0];
  if (!infer_require_rank (context, 0, 2, INFER_MAX_RANK, error)
      || !read_space_batch (context, &values, error))
    return FALSE;
  if (out->rank < 0)
    return TRUE;
  if (values.block == NULL) {
    *out = infer_shape_of_rank (out->rank);
    return TRUE;
  }
  for (int d = 1; d < out->rank; d++) {
    gint64 block = g_array_index (values.block, gint64, d);
    gint64 dim = out->dims[d], crop;

    if (!multiply_dim (&volume, block, error)
        || !multiply_dim (&dim, block, error))
      return FALSE;
    if (dim != INFER_DYNAMIC
        && (__builtin_add_overflow (g_array_index (values.begin, gint64, d),
                g_array_index (values.end, gint64, d), &crop)
            || crop > dim))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "axis %d of %" G_GINT64_FORMAT " is cropped by more", d, dim);
    out->dims[d] = dim == INFER_DYNAMIC ? dim : dim - crop;
  }
  return divide_dim (&out->dims[0], volume, "the batch", error);
}

static gboolean
infer_space_to_batch (InferShapeContext *context, GError **error)
{
  InferShape *out = &context->outputs[0].shape;
  g_auto (SpaceBatch) values = { NULL, NULL, NULL };

  context->outputs[0] = context->inputs[0];
  if (!infer_require_rank (context, 0, 2, INFER_MAX_RANK, error)
      || !read_space_batch (context, &values, error))
    return FALSE;
  if (out->rank < 0)
    return TRUE;
  if (values.block == NULL) {
    *out = infer_shape_of_rank (out->rank);
    return TRUE;
  }
  for (int d = 1; d < out->rank; d++) {
    gint64 block = g_array_index (values.block, gint64, d);

    if (out->dims[d] != INFER_DYNAMIC
        && (__builtin_add_overflow (out->dims[d],
                g_array_index (values.begin, gint64, d), &out->dims[d])
            || __builtin_add_overflow (out->dims[d],
                g_array_index (values.end, gint64, d), &out->dims[d])))
      return infer_fail (
          error, INFER_ERROR_INVALID_MODEL, "axis %d becomes too large", d);
    if (!divide_dim (&out->dims[d], block, "a padded axis", error)
        || !multiply_dim (&out->dims[0], block, error))
      return FALSE;
  }
  return TRUE;
}

#define REARRANGE(name, type_, version, n_in, values, parse_, infer_)          \
  const InferOpClass infer_op_##name = {                                       \
    .type = type_,                                                             \
    .versions = version,                                                       \
    .min_inputs = n_in,                                                        \
    .value_inputs = values,                                                    \
    .attrs_size = sizeof (InferRearrange),                                     \
    .parse = parse_,                                                           \
    .infer_shapes = infer_,                                                    \
  };

/* clang-format off */
REARRANGE (depth_to_space, "DepthToSpace", "1", 1, 0, parse_depth, infer_depth_to_space)
REARRANGE (space_to_depth, "SpaceToDepth", "1", 1, 0, parse_depth, infer_space_to_depth)
REARRANGE (shuffle_channels, "ShuffleChannels", "1", 1, 0, parse_shuffle, infer_shuffle)
REARRANGE (reverse, "Reverse", "1", 2, 0, parse_reverse, infer_reverse)
REARRANGE (reverse_sequence, "ReverseSequence", "1", 2, 0, parse_reverse_sequence, infer_reverse_sequence)
REARRANGE (roll, "Roll", "7", 3, 0, NULL, infer_roll)
REARRANGE (batch_to_space, "BatchToSpace", "2", 4, 0xe, NULL, infer_batch_to_space)
REARRANGE (space_to_batch, "SpaceToBatch", "2", 4, 0xe, NULL, infer_space_to_batch)
/* clang-format on */
