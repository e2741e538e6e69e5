/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gemm/impl.h"

#include "cpu/base/unpack.h"
#include "inference/graph/ops/matmul.h"

#include <string.h>

/* Element strides of each batch dim of the output; 0 where the operand has one
 * element there or no such dim. */
static void
batch_strides (const CpuValue *value, int batch_rank, gsize *strides)
{
  const InferShape *shape = &value->desc.shape;
  gsize stride = shape->rank == 1 ? (gsize) shape->dims[0]
                                  : (gsize) (shape->dims[shape->rank - 1]
                                             * shape->dims[shape->rank - 2]);
  if (value->block > 0)
    stride = value->block;
  for (int i = batch_rank - 1, d = shape->rank - 3; i >= 0; i--, d--) {
    gint64 dim = d >= 0 ? shape->dims[d] : 1;
    strides[i] = dim == 1 ? 0 : stride;
    stride *= (gsize) dim;
  }
}

static gsize *
batch_offsets (const CpuValue *operand, const InferShape *batch, gsize n)
{
  gsize strides[INFER_MAX_RANK] = { 0 }, index[INFER_MAX_RANK] = { 0 };
  gsize *offsets = g_try_new (gsize, MAX (n, 1));
  gsize offset = 0;
  batch_strides (operand, batch->rank, strides);
  for (gsize i = 0; i < n && offsets; i++) {
    offsets[i] = offset;
    for (int d = batch->rank - 1; d >= 0; d--) {
      offset += strides[d];
      if (++index[d] < (gsize) batch->dims[d])
        break;
      offset -= strides[d] * index[d];
      index[d] = 0;
    }
  }
  return offsets;
}

static void
operand_strides (
    const InferShape *shape, gboolean transpose, gsize *row, gsize *column)
{
  gsize last = (gsize) shape->dims[shape->rank - 1];
  *row = transpose ? 1 : last;
  *column = transpose ? last : 1;
}

gboolean
cpu_matmul_dims (CpuMatMulDims *dims, const CpuStep *step, GError **error)
{
  const InferMatMul *attrs = step->op->attrs;
  const InferShape *a = cpu_in_shape (step, 0), *b = cpu_in_shape (step, 1);
  InferShape batch = *cpu_out_shape (step, 0);
  memset (dims, 0, sizeof *dims);
  batch.rank -= (a->rank > 1 ? 1 : 0) + (b->rank > 1 ? 1 : 0);

  dims->m = dims->n = 1;
  if (a->rank == 1) {
    dims->k = (gsize) a->dims[0];
    dims->a_row = dims->k;
    dims->a_k = 1;
  } else {
    operand_strides (a, attrs->transpose_a, &dims->a_row, &dims->a_k);
    dims->m = (gsize) a->dims[a->rank - (attrs->transpose_a ? 1 : 2)];
    dims->k = (gsize) a->dims[a->rank - (attrs->transpose_a ? 2 : 1)];
  }
  if (b->rank == 1) {
    dims->b_k = dims->b_n = 1;
  } else {
    operand_strides (b, attrs->transpose_b, &dims->b_k, &dims->b_n);
    dims->n = (gsize) b->dims[b->rank - (attrs->transpose_b ? 2 : 1)];
  }
  dims->batch = infer_shape_count (&batch);
  dims->a_offsets = batch_offsets (step->in[0], &batch, dims->batch);
  dims->b_offsets = batch_offsets (step->in[1], &batch, dims->batch);
  return (dims->a_offsets && dims->b_offsets)
         || infer_fail (error, INFER_ERROR_NO_MEMORY,
             "no memory for %" G_GSIZE_FORMAT " products", dims->batch);
}

void
cpu_matmul_dims_clear (CpuMatMulDims *dims)
{
  g_clear_pointer (&dims->a_offsets, g_free);
  g_clear_pointer (&dims->b_offsets, g_free);
}

#define LOAD_PLAIN(x) (x)

/* @T: stored, @S: summed. */
#define MATMUL(name, T, S, LOAD, STORE)                                        \
  static void matmul_##name (const CpuStep *step, const CpuMatMulDims *d,      \
      gpointer out, gconstpointer in_a, gconstpointer in_b)                    \
  {                                                                            \
    for (gsize p = 0; p < d->batch; p++) {                                     \
      const T *a = (const T *) in_a + d->a_offsets[p];                         \
      const T *b = (const T *) in_b + d->b_offsets[p];                         \
      T *c = (T *) out + p * d->m * d->n;                                      \
      for (gsize i = 0; i < d->m; i++)                                         \
        for (gsize j = 0; j < d->n && !cpu_step_is_cancelled (step); j++) {    \
          S sum = 0;                                                           \
          for (gsize k = 0; k < d->k; k++)                                     \
            sum += (S) LOAD (a[i * d->a_row + k * d->a_k])                     \
                   * (S) LOAD (b[k * d->b_k + j * d->b_n]);                    \
          c[i * d->n + j] = (T) STORE (sum);                                   \
        }                                                                      \
    }                                                                          \
  }

/* Integers wrap around: sums are modulo 2^64, then truncated. */
MATMUL (f64, double, double, LOAD_PLAIN, LOAD_PLAIN)
MATMUL (f32, float, float, LOAD_PLAIN, LOAD_PLAIN)
MATMUL (f16, guint16, float, infer_f16_to_f32, infer_f32_to_f16)
MATMUL (bf16, guint16, float, infer_bf16_to_f32, infer_f32_to_bf16)
MATMUL (64, guint64, guint64, LOAD_PLAIN, LOAD_PLAIN)
MATMUL (32, guint32, guint64, LOAD_PLAIN, LOAD_PLAIN)
MATMUL (16, guint16, guint64, LOAD_PLAIN, LOAD_PLAIN)
MATMUL (8, guint8, guint64, LOAD_PLAIN, LOAD_PLAIN)

void
cpu_matmul_ref (const CpuStep *step, const CpuMatMulDims *dims, InferType type,
    gpointer c, gconstpointer a, gconstpointer b)
{
  switch (type) {
    case INFER_TYPE_F64:
      matmul_f64 (step, dims, c, a, b);
      return;
    case INFER_TYPE_F32:
      matmul_f32 (step, dims, c, a, b);
      return;
    case INFER_TYPE_F16:
      matmul_f16 (step, dims, c, a, b);
      return;
    case INFER_TYPE_BF16:
      matmul_bf16 (step, dims, c, a, b);
      return;
    default:
      break;
  }
  switch (infer_type_size (type)) {
    case 8:
      matmul_64 (step, dims, c, a, b);
      return;
    case 4:
      matmul_32 (step, dims, c, a, b);
      return;
    case 2:
      matmul_16 (step, dims, c, a, b);
      return;
    default:
      matmul_8 (step, dims, c, a, b);
      return;
  }
}

gboolean
cpu_matmul_ref_supports (InferType type)
{
  return infer_type_size (type) > 1
         || (infer_type_size (type) == 1 && !infer_type_is_real (type));
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const InferType type = step->in[0]->desc.type;

  return type != INFER_TYPE_F32 && type != INFER_TYPE_F16
         && type != INFER_TYPE_BF16;
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  step->kernel = "ref";
  return cpu_step_want_data (step, 1, error) ? (gpointer) (gsize) problem
                                             : NULL;
}

static gboolean
run (CpuStep *step, gconstpointer problem, GError **error)
{
  const CpuMatMul *mm = problem;

  cpu_matmul_ref (step, &mm->dims, step->in[0]->desc.type, step->out[0]->data,
      step->in[0]->data, step->in[1]->data);
  return TRUE;
}

const CpuImpl cpu_matmul_impl_ref = {
  .name = "ref",
  .can = can,
  .prepare = prepare,
  .run = run,
};
