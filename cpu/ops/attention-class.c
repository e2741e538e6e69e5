/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/attention-private.h"
#include "cpu/ops/attention.h"

/* The dimension of the matrices @from_end from the last. */
static gint64
matrix_dim (const InferShapeContext *context, guint input, int from_end)
{
  const CpuAttentionAttrs *attrs = context->op->attrs;
  int d = attrs->rank - from_end;
  return context->inputs[input].shape.dims[attrs->order[input][d]];
}

/* One more operand's dims before the last two. */
static gboolean
merge_batch (InferShape *batch, const InferShape *shape, const guint8 *order,
    GError **error)
{
  InferShape dims = { .rank = MAX (shape->rank - 2, 0) };
  for (int d = 0; d < dims.rank; d++)
    dims.dims[d] = shape->dims[order ? order[d] : d];
  return infer_shape_broadcast (
      batch, &dims, INFER_BROADCAST_NUMPY, -1, batch, error);
}

/* The masks are broadcast to the scores. */
static gboolean
check_scores (const InferShapeContext *context, int input, InferShape *batch,
    GError **error)
{
  if (input < 0)
    return TRUE;
  const InferShape *shape = &context->inputs[input].shape;
  const gint64 dims[2] = { matrix_dim (context, CPU_ATTENTION_K, 2),
    matrix_dim (context, CPU_ATTENTION_Q, 2) };
  gint64 merged;
  if (shape->rank < 0)
    return TRUE;
  for (int i = 1; i <= 2 && i <= shape->rank; i++) {
    gint64 have = shape->dims[shape->rank - i];
    if (have != 1
        && !infer_merge_dims (have, dims[i - 1], &merged, "the mask", error))
      return FALSE;
  }
  return merge_batch (batch, shape, NULL, error);
}

static gboolean
fused_infer (InferShapeContext *context, GError **error)
{
  const CpuAttentionAttrs *attrs = context->op->attrs;
  InferDesc *out = &context->outputs[0];
  InferShape batch = { 0 };
  gint64 unused;
  out->type = INFER_TYPE_F32;
  for (guint i = CPU_ATTENTION_Q; i <= CPU_ATTENTION_V; i++)
    if (!infer_require_rank (context, i, attrs->rank, attrs->rank, error))
      return FALSE;
  for (guint i = CPU_ATTENTION_Q; i <= CPU_ATTENTION_V; i++)
    if (context->inputs[i].shape.rank < 0)
      return TRUE;
  for (guint i = CPU_ATTENTION_Q; i <= CPU_ATTENTION_V; i++)
    if (!merge_batch (
            &batch, &context->inputs[i].shape, attrs->order[i], error))
      return FALSE;
  if (!infer_merge_dims (matrix_dim (context, CPU_ATTENTION_Q, 1),
          matrix_dim (context, CPU_ATTENTION_K, 1), &unused,
          "the embedding size", error)
      || !infer_merge_dims (matrix_dim (context, CPU_ATTENTION_K, 2),
          matrix_dim (context, CPU_ATTENTION_V, 2), &unused,
          "the source length", error)
      || !check_scores (context, attrs->mask_input, &batch, error)
      || !check_scores (context, attrs->drop_input, &batch, error))
    return FALSE;
  if (batch.rank > attrs->rank - 2)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "the mask has too many dimensions");
  out->shape.rank = attrs->rank;
  batch.rank = attrs->rank;
  batch.dims[attrs->rank - 2] = matrix_dim (context, CPU_ATTENTION_Q, 2);
  batch.dims[attrs->rank - 1] = matrix_dim (context, CPU_ATTENTION_V, 1);
  for (int d = 0; d < attrs->rank; d++)
    out->shape.dims[attrs->order[CPU_ATTENTION_OUT][d]] = batch.dims[d];
  return TRUE;
}

const InferOpClass cpu_attention_class = {
  .type = "ScaledDotProductAttention",
  .versions = "13",
  .min_inputs = 3,
  .max_inputs = 6,
  .attrs_size = sizeof (CpuAttentionAttrs),
  .infer_shapes = fused_infer,
};
