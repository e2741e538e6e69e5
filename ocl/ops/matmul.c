/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MatMul. */

#include "inference/graph/ops/matmul.h"
#include "ocl/plan/post.h"
#include "ocl/ops/gemm.h"
#include "ocl/plan/walk.h"

/* A vector is a row on the left and a column on the right. */
static OclMatrix
make_matrix (
    OclValue *value, gboolean transposed, gboolean right, InferShape *shape)
{
  OclMatrix matrix = { .value = value };

  *shape = value->desc.shape;
  if (shape->rank == 1) {
    const gint64 n = shape->dims[0];

    *shape = right ? infer_shape_make (2, n, (gint64) 1)
                   : infer_shape_make (2, (gint64) 1, n);
    transposed = FALSE;
  }
  matrix.row = shape->dims[shape->rank - 1];
  matrix.column = 1;
  if (transposed) {
    gint64 rows = shape->dims[shape->rank - 2];

    shape->dims[shape->rank - 2] = shape->dims[shape->rank - 1];
    shape->dims[shape->rank - 1] = rows;
    matrix.column = matrix.row;
    matrix.row = 1;
  }
  return matrix;
}

/* Batch dimensions, innermost first, without those of 1. */
static gboolean
fill_batch (
    OclGemm *gemm, const InferShape *a, const InferShape *b, GError **error)
{
  int rank = MAX (a->rank, b->rank);
  InferShape wide_a = ocl_shape_widen (a, rank);
  InferShape wide_b = ocl_shape_widen (b, rank);
  gint64 strides_a[INFER_MAX_RANK], strides_b[INFER_MAX_RANK];

  infer_shape_strides (&wide_a, strides_a);
  infer_shape_strides (&wide_b, strides_b);
  for (int d = rank - 3; d >= 0; d--) {
    gint64 dim = wide_a.dims[d] == 1 ? wide_b.dims[d] : wide_a.dims[d];

    if (dim == 1)
      continue;
    if (gemm->rank == OCL_GEMM_BATCH)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "a batch of %d dimensions is too much", rank - 2);
    gemm->dims[gemm->rank] = dim;
    gemm->a.batch[gemm->rank] = wide_a.dims[d] == 1 ? 0 : strides_a[d];
    gemm->b.batch[gemm->rank] = wide_b.dims[d] == 1 ? 0 : strides_b[d];
    gemm->rank++;
  }
  return TRUE;
}

/* If all matrices of a share one b, they are one tall matrix. */
static void
merge_rows (OclGemm *gemm)
{
  while (gemm->rank > 0 && gemm->b.batch[0] == 0
         && gemm->a.batch[0] == gemm->m * gemm->a.row) {
    gemm->m *= gemm->dims[0];
    gemm->rank--;
    for (guint i = 0; i < gemm->rank; i++) {
      gemm->dims[i] = gemm->dims[i + 1];
      gemm->a.batch[i] = gemm->a.batch[i + 1];
      gemm->b.batch[i] = gemm->b.batch[i + 1];
    }
  }
}

static gboolean
absorb (const OclStep *step, const OclPost *post)
{
  return step->op->n_inputs == 2 && ocl_in_shape (step, 1)->rank > 1
         && ocl_post_fits (step, post, ocl_out_shape (step, 0)->rank - 1);
}

static gboolean
prepare (OclStep *step, GError **error)
{
  const InferMatMul *attrs = step->op->attrs;
  InferShape a, b;
  OclGemm gemm = { .out = step->out[0], .scale = 1, .posts = TRUE };

  gemm.a = make_matrix (step->in[0], attrs->transpose_a, FALSE, &a);
  gemm.b = make_matrix (step->in[1], attrs->transpose_b, TRUE, &b);
  gemm.m = a.dims[a.rank - 2];
  gemm.k = a.dims[a.rank - 1];
  gemm.n = b.dims[b.rank - 1];
  if (!fill_batch (&gemm, &a, &b, error))
    return FALSE;
  merge_rows (&gemm);
  return ocl_gemm (step, &gemm, error);
}

const OclOp ocl_op_matmul = {
  .absorb = absorb,
  .prepare = prepare,
};
