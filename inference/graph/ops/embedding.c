/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* EmbeddingBagOffsets, EmbeddingBagPacked, their older Sum forms, and
 * EmbeddingSegmentsSum. */

#include "inference/graph/ops/embedding.h"

static gboolean
parse_reduction (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const reductions[] = { "sum", "mean", NULL };
  InferEmbedding *attrs = op->attrs;

  if (!infer_attr_enum (from, "reduction", reductions, &attrs->mean, error))
    return FALSE;
  if (attrs->mean && op->n_inputs > attrs->weights)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "weights of the samples where the reduction is mean");
  return TRUE;
}

static gboolean
parse_offsets_sum (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  *(InferEmbedding *) op->attrs =
      (InferEmbedding){ INFER_EMBEDDING_OFFSETS, FALSE, 3, 4 };
  return TRUE;
}

static gboolean
parse_offsets (InferOperation *op, const InferAttributes *from, GError **error)
{
  return parse_offsets_sum (op, from, error)
         && parse_reduction (op, from, error);
}

static gboolean
parse_packed_sum (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  *(InferEmbedding *) op->attrs =
      (InferEmbedding){ INFER_EMBEDDING_PACKED, FALSE, 0, 2 };
  return TRUE;
}

static gboolean
parse_packed (InferOperation *op, const InferAttributes *from, GError **error)
{
  return parse_packed_sum (op, from, error)
         && parse_reduction (op, from, error);
}

static gboolean
parse_segments (InferOperation *op, const InferAttributes *from, GError **error)
{
  *(InferEmbedding *) op->attrs =
      (InferEmbedding){ INFER_EMBEDDING_SEGMENTS, FALSE, 4, 5 };
  return TRUE;
}

static gboolean
is_connected (const InferShapeContext *context, guint input)
{
  return input > 0 && input < context->n_inputs;
}

/* Weights have the table's type and the indices' shape. */
static gboolean
check_weights (const InferShapeContext *context, guint input, GError **error)
{
  const InferDesc *weights = &context->inputs[input];
  InferType type;
  InferShape shape;

  if (!infer_match_types (context, 0, input, &type, error))
    return FALSE;
  if (!infer_shape_merge (&context->inputs[1].shape, &weights->shape, &shape))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "indices and weights differ in shape");
  return TRUE;
}

static gboolean
check_inputs (const InferShapeContext *context, GError **error)
{
  const InferEmbedding *attrs = context->op->attrs;
  const gboolean packed = attrs->kind == INFER_EMBEDDING_PACKED;

  if (!infer_require_rank (context, 0, 1, INFER_MAX_RANK, error)
      || !infer_require_integers (
          context, 1, packed ? 2 : 1, packed ? 2 : 1, error))
    return FALSE;
  if (!packed && (!infer_require_integers (context, 2, 1, 1, error)))
    return FALSE;
  if (attrs->kind == INFER_EMBEDDING_SEGMENTS
      && (!infer_require_integers (context, 3, 0, 1, error)))
    return FALSE;
  if (is_connected (context, attrs->default_index)
      && (!infer_require_integer (context, attrs->default_index, error)
          || !infer_require_rank (context, attrs->default_index, 0, 1, error)))
    return FALSE;
  return !is_connected (context, attrs->weights)
         || check_weights (context, attrs->weights, error);
}

static gboolean
count_segments (const InferShapeContext *context, gint64 *bags, GError **error)
{
  gboolean known;
  gint64 dim;

  if (!infer_match_dims (context, 1, 0, 2, 0, &dim, error)
      || !infer_input_number (context, 3, bags, &known, error))
    return FALSE;
  if (!known)
    *bags = INFER_DYNAMIC;
  return !known || *bags >= 0
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "the number of segments is %" G_GINT64_FORMAT, *bags);
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferEmbedding *attrs = context->op->attrs;
  const InferShape *decides =
      &context->inputs[attrs->kind == INFER_EMBEDDING_OFFSETS ? 2 : 1].shape;
  gint64 bags = INFER_DYNAMIC;

  context->outputs[0] = context->inputs[0];
  if (!check_inputs (context, error))
    return FALSE;
  if (attrs->kind == INFER_EMBEDDING_SEGMENTS) {
    if (!count_segments (context, &bags, error))
      return FALSE;
  } else if (decides->rank > 0) {
    bags = decides->dims[0];
  }
  if (context->inputs[0].shape.rank > 0)
    context->outputs[0].shape.dims[0] = bags;
  return TRUE;
}

const InferOpClass infer_op_embedding_bag_offsets = {
  .type = "EmbeddingBagOffsets",
  .versions = "15",
  .min_inputs = 3,
  .max_inputs = 5,
  .attrs_size = sizeof (InferEmbedding),
  .parse = parse_offsets,
  .infer_shapes = infer,
};

const InferOpClass infer_op_embedding_bag_offsets_sum = {
  .type = "EmbeddingBagOffsetsSum",
  .versions = "3",
  .min_inputs = 3,
  .max_inputs = 5,
  .attrs_size = sizeof (InferEmbedding),
  .parse = parse_offsets_sum,
  .infer_shapes = infer,
};

const InferOpClass infer_op_embedding_bag_packed = {
  .type = "EmbeddingBagPacked",
  .versions = "15",
  .min_inputs = 2,
  .max_inputs = 3,
  .attrs_size = sizeof (InferEmbedding),
  .parse = parse_packed,
  .infer_shapes = infer,
};

const InferOpClass infer_op_embedding_bag_packed_sum = {
  .type = "EmbeddingBagPackedSum",
  .versions = "3",
  .min_inputs = 2,
  .max_inputs = 3,
  .attrs_size = sizeof (InferEmbedding),
  .parse = parse_packed_sum,
  .infer_shapes = infer,
};

const InferOpClass infer_op_embedding_segments_sum = {
  .type = "EmbeddingSegmentsSum",
  .versions = "3",
  .min_inputs = 4,
  .max_inputs = 6,
  .value_inputs = 1 << 3,
  .attrs_size = sizeof (InferEmbedding),
  .parse = parse_segments,
  .infer_shapes = infer,
};
