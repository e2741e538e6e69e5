/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/matmul.h"

#include "inference/graph/op.h"
#include "inference/graph/work.h"

static gboolean
matmul_parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferMatMul *attrs = op->attrs;
  return infer_attr_bool (from, "transpose_a", &attrs->transpose_a, error)
         && infer_attr_bool (from, "transpose_b", &attrs->transpose_b, error);
}

/* The operand as a matrix with batch dims; a vector becomes a row (first
 * operand) or a column (second). */
static void
split_operand (const InferShape *shape, gboolean transpose, gboolean second,
    InferShape *batch, gint64 *rows, gint64 *columns)
{
  if (shape->rank == 1) {
    *batch = infer_shape_scalar ();
    *rows = second ? shape->dims[0] : 1;
    *columns = second ? 1 : shape->dims[0];
    return;
  }
  *batch = *shape;
  batch->rank -= 2;
  gint64 first = shape->dims[shape->rank - 2];
  gint64 last = shape->dims[shape->rank - 1];
  *rows = transpose ? last : first;
  *columns = transpose ? first : last;
}

static gboolean
matmul_infer (InferShapeContext *context, GError **error)
{
  const InferMatMul *attrs = context->op->attrs;
  InferDesc *out = &context->outputs[0];
  const InferShape *a = &context->inputs[0].shape;
  const InferShape *b = &context->inputs[1].shape;
  if (!infer_merge_types (context, 0, 2, &out->type, error)
      || !infer_require_rank (context, 0, 1, INFER_MAX_RANK, error)
      || !infer_require_rank (context, 1, 1, INFER_MAX_RANK, error))
    return FALSE;
  if (a->rank < 0 || b->rank < 0)
    return TRUE;

  InferShape batch_a, batch_b;
  gint64 m, n, ka, kb, k;
  split_operand (a, attrs->transpose_a, FALSE, &batch_a, &m, &ka);
  split_operand (b, attrs->transpose_b, TRUE, &batch_b, &kb, &n);
  InferShape shape;
  if (!infer_merge_dims (ka, kb, &k, "the dimension multiplied over", error)
      || !infer_shape_broadcast (
          &batch_a, &batch_b, INFER_BROADCAST_NUMPY, -1, &shape, error))
    return FALSE;
  if (a->rank > 1)
    shape.dims[shape.rank++] = m;
  if (b->rank > 1)
    shape.dims[shape.rank++] = n;
  out->shape = shape;
  return TRUE;
}

static double
matmul_work (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out)
{
  const InferMatMul *attrs = op->attrs;
  const InferShape *a = &in[0]->shape;

  if (a->rank < 1)
    return 0;
  const int inner = a->rank - (attrs->transpose_a && a->rank > 1 ? 2 : 1);
  return infer_work_elements (&out[0]) * (double) a->dims[inner];
}

const InferOpClass infer_op_matmul = {
  .type = "MatMul",
  .versions = "1",
  .min_inputs = 2,
  .attrs_size = sizeof (InferMatMul),
  .parse = matmul_parse,
  .infer_shapes = matmul_infer,
  .work = matmul_work,
};

gboolean
infer_grouped_transposed (gint64 k, const InferShape *b)
{
  gint64 unused;
  return infer_dim_merge (k, b->dims[2], &unused);
}

static gboolean
grouped_infer (InferShapeContext *context, GError **error)
{
  InferDesc *out = &context->outputs[0];
  const InferShape *a = &context->inputs[0].shape;
  const InferShape *b = &context->inputs[1].shape;
  gboolean offsets = context->n_inputs > 2 && context->op->inputs[2].op != NULL;
  if (!infer_merge_types (context, 0, 2, &out->type, error)
      || !infer_require_rank (context, 0, 2, 3, error)
      || !infer_require_rank (context, 1, 2, 3, error)
      || (offsets && (!infer_require_integers (context, 2, 1, 1, error))))
    return FALSE;
  if (a->rank < 0 || b->rank < 0)
    return TRUE;
  if (a->rank == 3 && b->rank == 2)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a first operand of rank 3 needs a second one of rank 3, not 2");
  if (offsets == (a->rank == 3))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        offsets ? "offsets are not for two operands of rank 3"
                : "offsets are needed for a first operand of rank 2");

  gint64 groups = INFER_DYNAMIC, unused;
  if (offsets && context->inputs[2].shape.rank == 1)
    groups = context->inputs[2].shape.dims[0];
  if (b->rank == 2) { /* columns of a by rows of b, per group */
    out->shape = infer_shape_make (3, groups, a->dims[0], b->dims[1]);
    return infer_merge_dims (
        a->dims[1], b->dims[0], &unused, "the number of tokens", error);
  }
  gint64 k = a->dims[a->rank - 1];
  gboolean transposed = infer_grouped_transposed (k, b);
  gint64 n = b->dims[transposed ? 1 : 2];
  if (!infer_merge_dims (k, b->dims[transposed ? 2 : 1], &unused,
          "the dimension multiplied over", error)
      || !infer_merge_dims (groups, b->dims[0], &groups, "groups", error))
    return FALSE;
  if (a->rank == 2) {
    out->shape = infer_shape_make (2, a->dims[0], n);
    return TRUE;
  }
  out->shape = infer_shape_make (3, groups, a->dims[1], n);
  return infer_merge_dims (
      a->dims[0], groups, &out->shape.dims[0], "groups", error);
}

const InferOpClass infer_op_grouped_matmul = {
  .type = "GroupedMatMul",
  .versions = "17",
  .min_inputs = 2,
  .max_inputs = 3,
  .infer_shapes = grouped_infer,
  .work = infer_work_pairs,
};

static gboolean
inverse_infer (InferShapeContext *context, GError **error)
{
  const InferShape *shape = &context->inputs[0].shape;
  gint64 unused;
  return infer_require_reals (context, 0, 2, INFER_MAX_RANK, error)
         && (shape->rank < 0
             || infer_merge_dims (shape->dims[shape->rank - 2],
                 shape->dims[shape->rank - 1], &unused,
                 "rows and columns of a square matrix", error))
         && infer_same_as_input (context, error);
}

static gboolean
inverse_parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  return infer_attr_bool (from, "adjoint", op->attrs, error);
}

const InferOpClass infer_op_inverse = {
  .type = "Inverse",
  .versions = "14",
  .min_inputs = 1,
  .attrs_size = sizeof (gboolean), /* adjoint */
  .parse = inverse_parse,
  .infer_shapes = inverse_infer,
  .work = infer_work_pairs,
};
