/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/attention.h"

#include "inference/graph/op.h"
#include "inference/graph/work.h"

static gboolean
attention_parse (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferAttention *attrs = op->attrs;
  return infer_attr_require (from, error, "causal", NULL)
         && infer_attr_bool (from, "causal", &attrs->causal, error);
}

static gboolean
connected (const InferShapeContext *context, guint input)
{
  return input < context->n_inputs && context->op->inputs[input].op != NULL;
}

/* The mask is boolean or of the type of the query, and broadcasts to
 * [batch…, L, S]. */
static gboolean
check_mask (
    const InferShapeContext *context, const InferShape *scores, GError **error)
{
  const InferDesc *mask = &context->inputs[3];
  InferType type = context->inputs[0].type;
  if (mask->type != INFER_TYPE_BOOLEAN
      && !infer_type_merge (type, mask->type, &type))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the mask is of type %s, not boolean or %s",
        infer_type_name (mask->type), infer_type_name (type));
  const InferAttention *attrs = context->op->attrs;
  if (attrs->causal || mask->shape.rank < 1 || scores->rank < 0)
    return TRUE;
  InferShape merged;
  if (!infer_shape_broadcast (
          scores, &mask->shape, INFER_BROADCAST_NUMPY, -1, &merged, error))
    return FALSE;
  for (int i = 1; i <= mask->shape.rank; i++) {
    gint64 have = mask->shape.dims[mask->shape.rank - i];
    gint64 want = i <= scores->rank ? scores->dims[scores->rank - i] : 1;
    if (have >= 0 && have != 1 && want == 1)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "the mask's dimension %d is %" G_GINT64_FORMAT ", the scores' is 1",
          mask->shape.rank - i, have);
  }
  return TRUE;
}

static gboolean
check_scale (const InferShapeContext *context, GError **error)
{
  const InferShape *shape = &context->inputs[4].shape;
  if (!infer_require_reals (context, 4, 0, 1, error))
    return FALSE;
  return shape->rank != 1 || shape->dims[0] == 1
         || shape->dims[0] == INFER_DYNAMIC
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "the scale has %" G_GINT64_FORMAT " elements, not one",
             shape->dims[0]);
}

static InferShape
batch_of (const InferShape *shape)
{
  InferShape batch = *shape;
  batch.rank -= 2;
  return batch;
}

static gboolean
attention_infer (InferShapeContext *context, GError **error)
{
  InferDesc *out = &context->outputs[0];
  const InferShape *shapes[3];
  if (!infer_merge_types (context, 0, 3, &out->type, error)
      || !infer_require_real (context, 0, error))
    return FALSE;
  for (guint i = 0; i < 3; i++) {
    shapes[i] = &context->inputs[i].shape;
    if (!infer_require_rank (context, i, 3, INFER_MAX_RANK, error))
      return FALSE;
  }
  if (connected (context, 4) && !check_scale (context, error))
    return FALSE;
  if (shapes[0]->rank < 0 || shapes[1]->rank < 0 || shapes[2]->rank < 0)
    return TRUE;

  const gint64 *q = shapes[0]->dims + shapes[0]->rank - 2;
  const gint64 *k = shapes[1]->dims + shapes[1]->rank - 2;
  const gint64 *v = shapes[2]->dims + shapes[2]->rank - 2;
  gint64 length, unused;
  InferShape batches[3] = { batch_of (shapes[0]), batch_of (shapes[1]),
    batch_of (shapes[2]) };
  InferShape shape;
  if (!infer_merge_dims (q[1], k[1], &unused, "the embedding size", error)
      || !infer_merge_dims (k[0], v[0], &length, "the source length", error)
      || !infer_shape_broadcast (
          &batches[0], &batches[1], INFER_BROADCAST_NUMPY, -1, &shape, error)
      || !infer_shape_broadcast (
          &shape, &batches[2], INFER_BROADCAST_NUMPY, -1, &shape, error))
    return FALSE;
  shape.dims[shape.rank++] = q[0];
  shape.dims[shape.rank++] = length;
  if (connected (context, 3) && !check_mask (context, &shape, error))
    return FALSE;
  shape.dims[shape.rank - 1] = v[1];
  out->shape = shape;
  return TRUE;
}

const InferOpClass infer_op_scaled_dot_product_attention = {
  .type = "ScaledDotProductAttention",
  .versions = "13",
  .min_inputs = 3,
  .max_inputs = 5,
  .attrs_size = sizeof (InferAttention),
  .parse = attention_parse,
  .infer_shapes = attention_infer,
  .work = infer_work_pairs,
};
