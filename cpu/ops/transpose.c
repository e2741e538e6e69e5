/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Transpose. */

#include "cpu/ops/strided-copy.h"
#include "cpu/base/step.h"

static void
set_up (CpuStep *step, CpuStridedCopy *copy)
{
  const InferShape *in = cpu_in_shape (step, 0), *out = cpu_out_shape (step, 0);
  const CpuValue *order = step->in[1];
  const gsize size = infer_type_size (step->in[0]->desc.type);
  gint64 src[INFER_MAX_RANK], moved[INFER_MAX_RANK], dst[INFER_MAX_RANK];
  gint64 perm[INFER_MAX_RANK];

  cpu_dense_strides (in, size, src);
  cpu_dense_strides (out, size, dst);
  infer_convert (perm, INFER_TYPE_I64, order->data, order->desc.type, order->n);
  for (int d = 0; d < in->rank; d++)
    moved[d] = src[order->n == 0 ? in->rank - 1 - d : perm[d]];
  cpu_strided_copy_init (
      copy, step->kernels, size, out->rank, out->dims, moved, dst);
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  CpuStridedCopy *copy = g_new0 (CpuStridedCopy, 1);

  step->priv = copy;
  step->kernel = "strided_copy";
  if (step->in[1]->constant)
    set_up (step, copy);
  return TRUE;
}

static gboolean
run (CpuStep *step, GError **error)
{
  if (!step->in[1]->constant)
    set_up (step, step->priv);
  cpu_strided_copy_run (step->priv, step->out[0]->data, step->in[0]->data);
  return TRUE;
}

const CpuOp cpu_op_transpose = {
  .prepare = prepare,
  .run = run,
};
