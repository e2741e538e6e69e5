/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Broadcast and Tile: a strided copy whose source has stride 0 on some axes. */

#include "inference/graph/ops/broadcast.h"

#include "cpu/ops/strided-copy.h"
#include "cpu/base/step.h"

/* Axis of the output for axis d of the input. */
static void
map_axes (const CpuStep *step, int rank, gint64 *axes)
{
  const InferBroadcastAttrs *attrs = step->op->attrs;
  const InferShape *in = cpu_in_shape (step, 0);
  int first = rank - in->rank;

  if (attrs->mode == INFER_BROADCAST_MODE_EXPLICIT) {
    const CpuValue *mapping = step->in[2];

    infer_convert (axes, INFER_TYPE_I64, mapping->data, mapping->desc.type,
        MIN (mapping->n, INFER_MAX_RANK));
    return;
  }
  if (attrs->mode == INFER_BROADCAST_MODE_PDPD && attrs->axis >= 0)
    first = (int) attrs->axis;
  for (int d = 0; d < in->rank; d++)
    axes[d] = first + d;
}

static gboolean
prepare_broadcast (CpuStep *step, GError **error)
{
  const InferShape *in = cpu_in_shape (step, 0), *out = cpu_out_shape (step, 0);
  const gsize size = infer_type_size (step->in[0]->desc.type);
  CpuStridedCopy *copy = g_new0 (CpuStridedCopy, 1);
  gint64 in_strides[INFER_MAX_RANK], src[INFER_MAX_RANK] = { 0 };
  gint64 dst[INFER_MAX_RANK], axes[INFER_MAX_RANK];

  step->priv = copy;
  step->kernel = "strided_copy";
  cpu_dense_strides (in, size, in_strides);
  cpu_dense_strides (out, size, dst);
  map_axes (step, out->rank, axes);
  for (int d = 0; d < in->rank; d++)
    if (in->dims[d] != 1)
      src[axes[d]] = in_strides[d];
  cpu_strided_copy_init (
      copy, step->kernels, size, out->rank, out->dims, src, dst);
  return TRUE;
}

static gboolean
run_copy (CpuStep *step, GError **error)
{
  if (step->out[0]->n > 0)
    cpu_strided_copy_run (step->priv, step->out[0]->data, step->in[0]->data);
  return TRUE;
}

const CpuOp cpu_op_broadcast = {
  .prepare = prepare_broadcast,
  .run = run_copy,
};

/* --- Tile: each axis is split into repeats and dim --- */

typedef struct
{
  int rank;
  gint64 repeats[INFER_MAX_RANK], dims[INFER_MAX_RANK];
  gint64 src[INFER_MAX_RANK], dst[INFER_MAX_RANK];
  CpuStridedCopy copy;
} TilePlan;

static gboolean
prepare_tile (CpuStep *step, GError **error)
{
  const InferShape *in = cpu_in_shape (step, 0), *out = cpu_out_shape (step, 0);
  const gsize size = infer_type_size (step->in[0]->desc.type);
  TilePlan *plan = g_new0 (TilePlan, 1);
  gint64 in_strides[INFER_MAX_RANK];

  step->priv = plan;
  step->kernel = "strided_copy";
  plan->rank = out->rank;
  cpu_dense_strides (in, size, in_strides);
  cpu_dense_strides (out, size, plan->dst);
  for (int d = 0; d < out->rank; d++) {
    int from = d - (out->rank - in->rank);

    plan->dims[d] = from < 0 ? 1 : in->dims[from];
    plan->src[d] = from < 0 ? 0 : in_strides[from];
    plan->repeats[d] = plan->dims[d] > 0 ? out->dims[d] / plan->dims[d] : 0;
  }
  cpu_strided_copy_init (&plan->copy, step->kernels, size, out->rank,
      plan->dims, plan->src, plan->dst);
  return TRUE;
}

static gboolean
run_tile (CpuStep *step, GError **error)
{
  const TilePlan *plan = step->priv;
  gint64 index[INFER_MAX_RANK] = { 0 };
  guint8 *dst = step->out[0]->data;
  int d;

  if (step->out[0]->n == 0)
    return TRUE;
  do {
    gint64 offset = 0;

    for (d = 0; d < plan->rank; d++)
      offset += index[d] * plan->dims[d] * plan->dst[d];
    cpu_strided_copy_run (&plan->copy, dst + offset, step->in[0]->data);
    for (d = plan->rank - 1; d >= 0; d--) {
      if (++index[d] < plan->repeats[d])
        break;
      index[d] = 0;
    }
  } while (d >= 0);
  return TRUE;
}

const CpuOp cpu_op_tile = {
  .prepare = prepare_tile,
  .run = run_tile,
};
