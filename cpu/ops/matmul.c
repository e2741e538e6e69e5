/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/f16-gemm.h"
#include "cpu/base/posts.h"
#include "cpu/gemm/impl.h"
#include "cpu/ops/op-table.h"
#include "inference/runtime/backend.h"

static const CpuImpl *const impls[] = {
#define IMPL(name, file) &cpu_matmul_impl_##name,
#include "cpu/gemm/impl-list.h"
#undef IMPL
};

typedef struct
{
  CpuMatMul problem;
  CpuImplUse use;
} MatMul;

static void
release (gpointer priv)
{
  MatMul *mm = priv;

  cpu_impl_clear (&mm->use);
  cpu_matmul_dims_clear (&mm->problem.dims);
  g_free (mm->problem.arrays);
  g_free (mm);
}

/* Merges a batch with the same b into one product of many rows. */
static void
fold_batch (CpuMatMulDims *d)
{
  if (d->batch < 2 || d->a_k != 1)
    return;
  for (gsize p = 0; p < d->batch; p++)
    if (d->b_offsets[p] != 0 || d->a_offsets[p] != p * d->m * d->k)
      return;
  d->m *= d->batch;
  d->a_row = d->k;
  d->batch = 1;
}

static guint
columns_axis (const CpuStep *step)
{
  return (guint) cpu_out_shape (step, 0)->rank - 1;
}

/* Columns of the product are the last dimension unless b is a vector. */
static gboolean
absorb (const CpuStep *step, const InferOperation *op, guint from,
    const CpuValue *other)
{
  return step->in[0]->desc.type == INFER_TYPE_F32
         && cpu_in_shape (step, 1)->rank > 1
         && cpu_posts_can_absorb (step, columns_axis (step), op, from, other);
}

/* Multiplications from which on it is worth measuring. */
#define LEAST_MEASURED (1 << 16)

static gboolean
prepare (CpuStep *step, GError **error)
{
  MatMul *mm = g_new0 (MatMul, 1);
  CpuMatMul *problem = &mm->problem;
  CpuMatMulDims *d = &problem->dims;

  step->priv = mm;
  if (!cpu_matmul_dims (d, step, error))
    return FALSE;
  fold_batch (d);
  problem->constant = step->in[1]->constant && step->in[1]->n > 0;
  if (step->n_posts > 0) {
    problem->arrays = cpu_posts_epilogue (
        step, columns_axis (step), &problem->epilogue, &problem->residual);
    if (problem->arrays == NULL)
      return infer_fail (
          error, INFER_ERROR_NO_MEMORY, "no memory for the numbers of columns");
  }
  return cpu_impl_prepare (&mm->use, step, impls, G_N_ELEMENTS (impls), problem,
      d->batch * d->m * d->n * d->k >= LEAST_MEASURED, error);
}

static gboolean
fuse_producer (CpuStep *step, CpuStep *earlier, guint input)
{
  const MatMul *mm = step->priv, *first = earlier->priv;

  return input == 0 && earlier->cpu_op == step->cpu_op
         && cpu_matmul_fuse (step, &mm->use, earlier, &first->use);
}

static gboolean
share (CpuStep *step, const CpuStep *earlier)
{
  const MatMul *mm = step->priv, *first = earlier->priv;

  return cpu_matmul_share (step, &mm->use, &first->use);
}

static gboolean
reads_f16 (const CpuStep *step, const CpuValue *value)
{
  const MatMul *mm = step->priv;

  return cpu_bf16_is_stored (step->scope)
         && cpu_matmul_reads_bf16 (step, &mm->use, value);
}

static gboolean
gives_f16 (const CpuStep *step)
{
  const MatMul *mm = step->priv;

  return cpu_bf16_is_stored (step->scope)
         && cpu_matmul_gives_bf16 (step, &mm->use);
}

static gboolean
use_f16 (CpuStep *step)
{
  /* The residual is f32. */
  if (step->out[0]->form.f16 != NULL)
    step->overwrites = NULL;
  return TRUE;
}

static gboolean
run (CpuStep *step, GError **error)
{
  const MatMul *mm = step->priv;

  return step->out[0]->n == 0 || cpu_impl_run (&mm->use, step, error);
}

/* A product with constant b, packed: its plan. */
static const CpuMatMulPlan *
plan_of (const CpuStep *step)
{
  const MatMul *mm = step->priv;
  const CpuImpl *impl = mm->use.impl;

  return step->out[0]->n > 0
                 && (impl == &cpu_matmul_impl_int8
                     || impl == &cpu_matmul_impl_packed)
             ? mm->use.self
             : NULL;
}

static gboolean
run_joint (CpuStep *const *steps, guint n)
{
  const CpuMatMulPlan *plans[INFER_MOST_JOINT];

  for (guint i = 0; i < n; i++) {
    plans[i] = plan_of (steps[i]);
    if (plans[i] == NULL)
      return FALSE;
  }
  return cpu_matmul_run_joint (steps, plans, n);
}

static gboolean
supports (const InferOperation *op, GError **error)
{
  InferType type = op->outputs[0].desc.type;

  return type == INFER_TYPE_DYNAMIC || cpu_matmul_ref_supports (type)
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "products of type %s are not computed", infer_type_name (type));
}

/* Only f32 is read in place, at any offset; other types are widened. */
static gboolean
takes_blocks (const InferOperation *op, guint input)
{
  for (guint k = 0; k < 2; k++)
    if (op->inputs[k].op->outputs[op->inputs[k].index].desc.type
        != INFER_TYPE_F32)
      return FALSE;
  return input == 1;
}

const CpuOp cpu_op_matmul = {
  .takes_blocks = takes_blocks,
  .supports = supports,
  .absorb = absorb,
  .prepare = prepare,
  .fuse_producer = fuse_producer,
  .share = share,
  .reads_f16 = reads_f16,
  .gives_f16 = gives_f16,
  .use_f16 = use_f16,
  .run = run,
  .run_joint = run_joint,
  .release = release,
};
