/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Slice, StridedSlice and SliceScatter. */

#include "cpu/ops/slice.h"

#include "cpu/ops/strided-copy.h"
#include "inference/graph/ops/slice.h"

#include <string.h>

typedef struct
{
  CpuStridedCopy copy;
  gint64 offset; /* offset of the first element in bytes */
} SlicePlan;

static GArray *
ints_of (const CpuStep *step, guint i)
{
  const CpuValue *value = cpu_has_in (step, i) ? step->in[i] : NULL;

  if (value == NULL)
    return NULL;
  GArray *ints = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_set_size (ints, (guint) value->n);
  infer_convert (
      ints->data, INFER_TYPE_I64, value->data, value->desc.type, value->n);
  return ints;
}

static gboolean
resolve (const CpuStep *step, InferSlicing *slicing, GError **error)
{
  const InferShape *in = cpu_in_shape (step, 0);
  g_autoptr (GArray) a = ints_of (step, 1);
  g_autoptr (GArray) b = ints_of (step, 2);
  g_autoptr (GArray) c = ints_of (step, 3);
  g_autoptr (GArray) d = ints_of (step, 4);

  if (infer_op_is (step->op, &infer_op_slice))
    return infer_slice_resolve (in, a, b, c, d, slicing, error);
  return infer_strided_slice_resolve (
      in, step->op->attrs, a, b, c, slicing, error);
}

static gboolean
set_up (CpuStep *step, SlicePlan *plan, GError **error)
{
  const gsize size = infer_type_size (step->in[0]->desc.type);
  gint64 src[INFER_MAX_RANK], dst[INFER_MAX_RANK];
  InferSlicing slicing;

  if (!resolve (step, &slicing, error))
    return FALSE;
  if (!infer_shape_equal (&slicing.out, cpu_out_shape (step, 0)))
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "the slice has not the shape of the output");
  InferShape box = infer_shape_new (slicing.rank, slicing.count);
  cpu_dense_strides (cpu_in_shape (step, 0), size, src);
  cpu_dense_strides (&box, size, dst);
  plan->offset = 0;
  for (int d = 0; d < slicing.rank; d++) {
    plan->offset += slicing.begin[d] * src[d];
    src[d] *= slicing.step[d];
  }
  cpu_strided_copy_init (
      &plan->copy, step->kernels, size, box.rank, box.dims, src, dst);
  return TRUE;
}

static gboolean
bounds_are_constant (const CpuStep *step)
{
  for (guint i = 1; i < step->n_in; i++)
    if (step->in[i] != NULL && !step->in[i]->constant)
      return FALSE;
  return TRUE;
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  SlicePlan *plan = g_new0 (SlicePlan, 1);

  step->priv = plan;
  step->kernel = "strided_copy";
  return !bounds_are_constant (step) || set_up (step, plan, error);
}

static gboolean
run (CpuStep *step, GError **error)
{
  SlicePlan *plan = step->priv;

  if (!bounds_are_constant (step) && !set_up (step, plan, error))
    return FALSE;
  if (step->out[0]->n > 0)
    cpu_strided_copy_run (&plan->copy, step->out[0]->data,
        (const guint8 *) step->in[0]->data + plan->offset);
  return TRUE;
}

static gboolean
output_part (const CpuStep *step, guint index, gsize *at)
{
  const SlicePlan *plan = step->priv;

  if (!bounds_are_constant (step) || !cpu_strided_copy_is_dense (&plan->copy))
    return FALSE;
  *at = (gsize) plan->offset;
  return TRUE;
}

gboolean
cpu_slice_gives_rows (const CpuStep *step, CpuSliceRows *rows)
{
  const SlicePlan *plan = step->priv;
  const CpuStridedCopy *copy;

  if (step->cpu_op->prepare != prepare || !bounds_are_constant (step))
    return FALSE;
  copy = &plan->copy;
  if (copy->rank != 2 || copy->src[1] != (gint64) copy->size
      || copy->src[0] < 0)
    return FALSE;
  *rows = (CpuSliceRows){ .at = (gsize) plan->offset,
    .stride = (gsize) copy->src[0],
    .bytes = (gsize) copy->dims[1] * copy->size,
    .n = (gsize) copy->dims[0] };
  return TRUE;
}

const CpuOp cpu_op_slice = {
  .flags = CPU_OP_CHECKS_VALUES,
  .prepare = prepare,
  .output_part = output_part,
  .run = run,
};

const CpuOp cpu_op_strided_slice = {
  .flags = CPU_OP_CHECKS_VALUES,
  .prepare = prepare,
  .output_part = output_part,
  .run = run,
};

/* Copies the data, then the updates over the slice. */
static gboolean
run_scatter (CpuStep *step, GError **error)
{
  const InferShape *data = cpu_in_shape (step, 0);
  const gsize size = infer_type_size (step->in[0]->desc.type);
  g_autoptr (GArray) a = ints_of (step, 2);
  g_autoptr (GArray) b = ints_of (step, 3);
  g_autoptr (GArray) c = ints_of (step, 4);
  g_autoptr (GArray) d = ints_of (step, 5);
  guint8 *out = step->out[0]->data;
  gint64 src[INFER_MAX_RANK], dst[INFER_MAX_RANK];
  CpuStridedCopy copy;
  InferSlicing slicing;

  if (!infer_slice_resolve (data, a, b, c, d, &slicing, error))
    return FALSE;
  if (!infer_shape_equal (&slicing.out, cpu_in_shape (step, 1)))
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "the updates have not the shape of the slice");
  if (out != step->in[0]->data && step->in[0]->n > 0)
    memcpy (out, step->in[0]->data, step->in[0]->n * size);
  if (step->in[1]->n == 0)
    return TRUE;
  cpu_dense_strides (&slicing.out, size, src);
  cpu_dense_strides (data, size, dst);
  for (int k = 0; k < slicing.rank; k++) {
    out += slicing.begin[k] * dst[k];
    dst[k] *= slicing.step[k];
  }
  cpu_strided_copy_init (
      &copy, step->kernels, size, slicing.rank, slicing.count, src, dst);
  cpu_strided_copy_run (&copy, out, step->in[1]->data);
  return TRUE;
}

const CpuOp cpu_op_slice_scatter = {
  .flags = CPU_OP_INPLACE | CPU_OP_CHECKS_VALUES,
  .run = run_scatter,
};
