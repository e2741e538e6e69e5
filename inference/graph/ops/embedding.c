/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* EmbeddingBagOffsets, EmbeddingBagPacked, their older forms that only sum, and
 * EmbeddingSegmentsSum. */

#include "inference/graph/ops/embedding.h"

static gboolean
parse_reduction (
    InferOperation *op, const InferAttributes *attributes, GError **error)
{
  static const char *const reductions[] = { "sum", "mean", NULL };
  InferEmbedding *attrs = op->attrs;

  if (!infer_attributes_enum (
          attributes, "reduction", reductions, &attrs->mean, error))
    return FALSE;
  if (attrs->mean && op->n_inputs > attrs->weights)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "weights of the samples where the reduction is mean");
  return TRUE;
}

static gboolean
parse_offsets_sum (
    InferOperation *op, const InferAttributes *attributes, GError **error)
{
  *(InferEmbedding *) op->attrs =
      (InferEmbedding){ INFER_EMBEDDING_OFFSETS, FALSE, 3, 4 };
  return TRUE;
}

static gboolean
parse_offsets (
    InferOperation *op, const InferAttributes *attributes, GError **error)
{
  return parse_offsets_sum (op, attributes, error)
         && parse_reduction (op, attributes, error);
}

static gboolean
parse_packed_sum (
    InferOperation *op, const InferAttributes *attributes, GError **error)
{
  *(InferEmbedding *) op->attrs =
      (InferEmbedding){ INFER_EMBEDDING_PACKED, FALSE, 0, 2 };
  return TRUE;
}

static gboolean
parse_packed (
    InferOperation *op, const InferAttributes *attributes, GError **error)
{
  return parse_packed_sum (op, attributes, error)
         && parse_reduction (op, attributes, error);
}

static gboolean
parse_segments (
    InferOperation *op, const InferAttributes *attributes, GError **error)
{
  *(InferEmbedding *) op->attrs =
      (InferEmbedding){ INFER_EMBEDDING_SEGMENTS, FALSE, 4, 5 };
  return TRUE;
}

static gboolean
is_connected (const InferInference *inference, guint input)
{
  return input > 0 && input < inference->n_inputs;
}

/* Weights have the table's type and the indices' shape. */
static gboolean
check_weights (const InferInference *inference, guint input, GError **error)
{
  const InferDesc *table = &inference->inputs[0];
  const InferDesc *weights = &inference->inputs[input];
  InferType type;
  InferShape shape;

  if (!infer_type_merge (table->type, weights->type, &type))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the table is %s, the weights %s", infer_type_name (table->type),
        infer_type_name (weights->type));
  if (!infer_shape_merge (&inference->inputs[1].shape, &weights->shape, &shape))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "indices and weights differ in shape");
  return TRUE;
}

static gboolean
check_inputs (const InferInference *inference, GError **error)
{
  const InferEmbedding *attrs = inference->op->attrs;
  const gboolean packed = attrs->kind == INFER_EMBEDDING_PACKED;

  if (!infer_require_rank (inference, 0, 1, INFER_MAX_RANK, error)
      || !infer_require_rank (
          inference, 1, packed ? 2 : 1, packed ? 2 : 1, error)
      || !infer_require_integer (inference, 1, error))
    return FALSE;
  if (!packed
      && (!infer_require_integer (inference, 2, error)
          || !infer_require_rank (inference, 2, 1, 1, error)))
    return FALSE;
  if (attrs->kind == INFER_EMBEDDING_SEGMENTS
      && (!infer_require_integer (inference, 3, error)
          || !infer_require_rank (inference, 3, 0, 1, error)))
    return FALSE;
  if (is_connected (inference, attrs->default_index)
      && (!infer_require_integer (inference, attrs->default_index, error)
          || !infer_require_rank (
              inference, attrs->default_index, 0, 1, error)))
    return FALSE;
  return !is_connected (inference, attrs->weights)
         || check_weights (inference, attrs->weights, error);
}

static gboolean
count_segments (const InferInference *inference, gint64 *bags, GError **error)
{
  const InferShape *indices = &inference->inputs[1].shape;
  const InferShape *segments = &inference->inputs[2].shape;
  g_autoptr (GArray) value = NULL;
  gint64 dim;

  if (indices->rank == 1 && segments->rank == 1
      && !infer_merge_dims (indices->dims[0], segments->dims[0], &dim,
          "indices and segments", error))
    return FALSE;
  if (!infer_input_ints (inference, 3, &value, error))
    return FALSE;
  if (value == NULL)
    return TRUE;
  if (value->len != 1 || g_array_index (value, gint64, 0) < 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the number of segments is %" G_GINT64_FORMAT " (%u values)",
        value->len > 0 ? g_array_index (value, gint64, 0) : 0, value->len);
  *bags = g_array_index (value, gint64, 0);
  return TRUE;
}

static gboolean
infer (InferInference *inference, GError **error)
{
  const InferEmbedding *attrs = inference->op->attrs;
  const InferShape *decides =
      &inference->inputs[attrs->kind == INFER_EMBEDDING_OFFSETS ? 2 : 1].shape;
  gint64 bags = INFER_DYNAMIC;

  inference->outputs[0] = inference->inputs[0];
  if (!check_inputs (inference, error))
    return FALSE;
  if (attrs->kind == INFER_EMBEDDING_SEGMENTS) {
    if (!count_segments (inference, &bags, error))
      return FALSE;
  } else if (decides->rank > 0) {
    bags = decides->dims[0];
  }
  if (inference->inputs[0].shape.rank > 0)
    inference->outputs[0].shape.dims[0] = bags;
  return TRUE;
}

const InferOpClass infer_op_embedding_bag_offsets = {
  .type = "EmbeddingBagOffsets",
  .versions = "15",
  .min_inputs = 3,
  .max_inputs = 5,
  .n_outputs = 1,
  .attrs_size = sizeof (InferEmbedding),
  .parse = parse_offsets,
  .infer = infer,
};

const InferOpClass infer_op_embedding_bag_offsets_sum = {
  .type = "EmbeddingBagOffsetsSum",
  .versions = "3",
  .min_inputs = 3,
  .max_inputs = 5,
  .n_outputs = 1,
  .attrs_size = sizeof (InferEmbedding),
  .parse = parse_offsets_sum,
  .infer = infer,
};

const InferOpClass infer_op_embedding_bag_packed = {
  .type = "EmbeddingBagPacked",
  .versions = "15",
  .min_inputs = 2,
  .max_inputs = 3,
  .n_outputs = 1,
  .attrs_size = sizeof (InferEmbedding),
  .parse = parse_packed,
  .infer = infer,
};

const InferOpClass infer_op_embedding_bag_packed_sum = {
  .type = "EmbeddingBagPackedSum",
  .versions = "3",
  .min_inputs = 2,
  .max_inputs = 3,
  .n_outputs = 1,
  .attrs_size = sizeof (InferEmbedding),
  .parse = parse_packed_sum,
  .infer = infer,
};

const InferOpClass infer_op_embedding_segments_sum = {
  .type = "EmbeddingSegmentsSum",
  .versions = "3",
  .min_inputs = 4,
  .max_inputs = 6,
  .n_outputs = 1,
  .value_inputs = 1 << 3,
  .attrs_size = sizeof (InferEmbedding),
  .parse = parse_segments,
  .infer = infer,
};
