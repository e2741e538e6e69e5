/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gemm/matmul.h"

#include "inference/graph/ops/matmul.h"

#include <string.h>

/* Tokens [*begin, *end) of group @i; FALSE: offsets descend or exceed the
 * tensor. */
static gboolean
group_range (const CpuStep *step, gsize i, gsize tokens, gsize *begin,
    gsize *end, GError **error)
{
  gint64 from = i > 0 ? cpu_integer_at (step->in[2], i - 1) : 0;
  gint64 to = cpu_integer_at (step->in[2], i);
  if (from < 0 || to < from || (guint64) to > tokens)
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "offsets[%" G_GSIZE_FORMAT "] is %" G_GINT64_FORMAT
        ", not between %" G_GINT64_FORMAT " and %" G_GSIZE_FORMAT,
        i, to, from, tokens);
  *begin = (gsize) from;
  *end = (gsize) to;
  return TRUE;
}

static void
product (const CpuStep *step, CpuMatMulDims *d, gsize c, gsize a, gsize b)
{
  InferType type = step->in[0]->desc.type;
  gsize size = infer_type_size (type), zero = 0;
  d->batch = 1;
  d->a_offsets = d->b_offsets = &zero;
  cpu_matmul_ref (step, d, type, (char *) step->out[0]->data + c * size,
      (const char *) step->in[0]->data + a * size,
      (const char *) step->in[1]->data + b * size);
}

/* Dimensions of one group's product: @m rows of a times its b. */
static CpuMatMulDims
group_dims (const CpuStep *step, gsize m)
{
  const InferShape *a = cpu_in_shape (step, 0), *b = cpu_in_shape (step, 1);
  gint64 k = a->dims[a->rank - 1];
  gboolean transposed = infer_grouped_transposed (k, b);
  gsize n = (gsize) b->dims[transposed ? 1 : 2];
  return (CpuMatMulDims){ .m = m,
    .n = n,
    .k = (gsize) k,
    .a_row = (gsize) k,
    .a_k = 1,
    .b_k = transposed ? 1 : n,
    .b_n = transposed ? (gsize) k : 1 };
}

/* Per group, tokens [begin, end) of a times that group's b. */
static gboolean
run_tokens (CpuStep *step, GError **error)
{
  gsize groups = (gsize) cpu_in_shape (step, 1)->dims[0];
  gsize tokens = (gsize) cpu_in_shape (step, 0)->dims[0], begin = 0, end = 0;
  CpuMatMulDims d = group_dims (step, 0);
  for (gsize i = 0; i < groups; i++) {
    if (!group_range (step, i, tokens, &begin, &end, error))
      return FALSE;
    d.m = end - begin;
    product (step, &d, begin * d.n, begin * d.k, i * d.k * d.n);
  }
  /* Tokens after the last group belong to none. */
  gsize row = d.n * infer_type_size (step->out[0]->desc.type);
  if (end < tokens && row > 0)
    memset ((char *) step->out[0]->data + end * row, 0, (tokens - end) * row);
  return TRUE;
}

/* Per group, columns [begin, end) of a times those rows of b. */
static gboolean
run_gradients (CpuStep *step, GError **error)
{
  const gint64 *out = cpu_out_shape (step, 0)->dims;
  gsize tokens = (gsize) cpu_in_shape (step, 1)->dims[0];
  gsize m = (gsize) out[1], n = (gsize) out[2];
  for (gsize i = 0; i < (gsize) out[0]; i++) {
    gsize begin = 0, end = 0;
    if (!group_range (step, i, tokens, &begin, &end, error))
      return FALSE;
    CpuMatMulDims d = { .m = m,
      .n = n,
      .k = end - begin,
      .a_row = tokens,
      .a_k = 1,
      .b_k = n,
      .b_n = 1 };
    product (step, &d, i * m * n, begin, begin * n);
  }
  return TRUE;
}

static gboolean
grouped_run (CpuStep *step, GError **error)
{
  const InferShape *a = cpu_in_shape (step, 0), *b = cpu_in_shape (step, 1);
  if (b->rank == 2)
    return run_gradients (step, error);
  if (a->rank == 2)
    return run_tokens (step, error);
  CpuMatMulDims d = group_dims (step, (gsize) a->dims[1]);
  for (gsize i = 0; i < (gsize) a->dims[0]; i++)
    product (step, &d, i * d.m * d.n, i * d.m * d.k, i * d.k * d.n);
  return TRUE;
}

static gboolean
grouped_prepare (CpuStep *step, GError **error)
{
  step->kernel = "ref";
  return TRUE;
}

static gboolean
grouped_supports (const InferOperation *op, GError **error)
{
  InferType type = op->outputs[0].desc.type;
  return type == INFER_TYPE_DYNAMIC || cpu_matmul_ref_supports (type)
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "products of type %s are not computed", infer_type_name (type));
}

const CpuOp cpu_op_grouped_matmul = {
  .supports = grouped_supports,
  .prepare = grouped_prepare,
  .run = grouped_run,
};
