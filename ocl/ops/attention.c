/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ScaledDotProductAttention: matmul, masked softmax, matmul. */

#include "inference/graph/ops/attention.h"
#include "ocl/ops/gemm.h"

#include <math.h>

#define MAX_GROUP 64

/* Strides of the batch dimensions, innermost first; 0 for dimensions of 1. */
static void
batch_strides (
    const InferShape *shape, const InferShape *batch, gint64 *strides)
{
  gint64 dense[INFER_MAX_RANK];
  int n = 0;

  infer_shape_strides (shape, dense);
  for (int i = batch->rank - 1, d = shape->rank - 3; i >= 0; i--, d--)
    strides[n++] = d < 0 || shape->dims[d] == 1 ? 0 : dense[d];
}

static OclMatrix
make_matrix (OclValue *value, const InferShape *batch, gboolean transposed)
{
  const InferShape *shape = &value->desc.shape;
  const gint64 columns = shape->dims[shape->rank - 1];
  OclMatrix matrix = { .value = value,
    .row = transposed ? 1 : columns,
    .column = transposed ? columns : 1 };

  batch_strides (shape, batch, matrix.batch);
  return matrix;
}

static void
fill_batch (OclGemm *gemm, const InferShape *batch)
{
  gemm->rank = (guint) batch->rank;
  for (int i = 0; i < batch->rank; i++)
    gemm->dims[i] = batch->dims[batch->rank - 1 - i];
}

static double
read_scale (const OclStep *step, gint64 depth)
{
  double scale = 1 / sqrt ((double) depth);

  if (ocl_has_in (step, 4))
    infer_convert (&scale, INFER_TYPE_F64, step->in[4]->host->data,
        step->in[4]->desc.type, 1);
  return scale;
}

static void
add_weigh (OclStep *step, OclValue *scores, const OclGemm *gemm,
    const InferShape *batch)
{
  const InferAttention *attrs = step->op->attrs;
  const OclDevice *device = step->scope->device;
  const gsize group = device->cpu ? 1 : MIN (MAX_GROUP, device->max_group);
  const gboolean masked = !attrs->causal && ocl_has_in (step, 3);
  g_autoptr (GString) options = g_string_new (NULL);

  g_string_append_printf (
      options, "-DGROUP=%u%s", (guint) group, attrs->causal ? " -DCAUSAL" : "");
  if (masked)
    ocl_option_type (options, "MASK_TYPE", step->in[3]->desc.type);
  if (masked && step->in[3]->desc.type == INFER_TYPE_BOOLEAN)
    g_string_append (options, " -DMASK_BOOLEAN");
  OclLaunch *launch =
      ocl_step_launch (step, "attention", "weigh", options->str, NULL);
  ocl_launch_value (launch, scores);
  ocl_launch_int (launch, gemm->m);
  ocl_launch_int (launch, gemm->n);
  ocl_launch_local (launch, group * sizeof (float));
  if (masked) {
    const InferShape *mask = ocl_in_shape (step, 3);
    const gint64 columns = mask->rank > 0 ? mask->dims[mask->rank - 1] : 1;
    const gint64 rows = mask->rank > 1 ? mask->dims[mask->rank - 2] : 1;
    gint64 strides[INFER_MAX_RANK];

    batch_strides (mask, batch, strides);
    ocl_launch_value (launch, step->in[3]);
    ocl_launch_int8 (launch, gemm->dims, gemm->rank, 1);
    ocl_launch_int8 (launch, strides, gemm->rank, 0);
    ocl_launch_int (launch, rows == 1 ? 0 : columns);
    ocl_launch_int (launch, columns == 1 ? 0 : 1);
  }
  ocl_launch_groups (
      launch, infer_shape_count (batch) * (gsize) gemm->m, group);
}

static gboolean
prepare (OclStep *step, GError **error)
{
  const InferShape *q = ocl_in_shape (step, 0), *k = ocl_in_shape (step, 1);
  InferShape batch = *ocl_out_shape (step, 0);
  OclGemm scores = { .m = q->dims[q->rank - 2],
    .n = k->dims[k->rank - 2],
    .k = q->dims[q->rank - 1] };
  OclGemm weighed = { .out = step->out[0],
    .m = scores.m,
    .n = batch.dims[batch.rank - 1],
    .k = scores.n,
    .scale = 1 };

  if (step->out[0]->n == 0)
    return TRUE;
  batch.rank -= 2;
  if (batch.rank > OCL_GEMM_BATCH)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "a batch of %d dimensions is too much", batch.rank);
  OclValue *memory = ocl_step_scratch (step, INFER_TYPE_F32,
      infer_shape_count (&batch) * (gsize) (scores.m * scores.n));
  scores.out = memory;
  scores.scale = read_scale (step, scores.k);
  scores.a = make_matrix (step->in[0], &batch, FALSE);
  scores.b = make_matrix (step->in[1], &batch, TRUE);
  fill_batch (&scores, &batch);
  fill_batch (&weighed, &batch);
  weighed.a.value = memory;
  weighed.a.row = scores.n;
  weighed.a.column = 1;
  for (int i = 0; i < batch.rank; i++)
    weighed.a.batch[i] = i == 0 ? scores.m * scores.n
                                : weighed.a.batch[i - 1] * scores.dims[i - 1];
  weighed.b = make_matrix (step->in[2], &batch, FALSE);
  if (!ocl_gemm (step, &scores, error))
    return FALSE;
  add_weigh (step, memory, &scores, &batch);
  if (!ocl_gemm (step, &weighed, error))
    return FALSE;
  step->kernel = "attention";
  return TRUE;
}

static gboolean
supports (const InferOperation *op, GError **error)
{
  const InferType type = op->outputs[0].desc.type;

  return type == INFER_TYPE_F32 || type == INFER_TYPE_F16
         || type == INFER_TYPE_BF16
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "no OpenCL kernel for elements of type %s",
             infer_type_name (type));
}

const OclOp ocl_op_scaled_dot_product_attention = {
  .host_inputs = 1 << 4,
  .supports = supports,
  .prepare = prepare,
};
