/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DepthToSpace, SpaceToDepth, ShuffleChannels: one strided copy each, of the
 * input viewed with more axes. */

#include "inference/graph/ops/rearrange.h"

#include "cpu/ops/strided-copy.h"
#include "cpu/base/step.h"

#include <string.h>

static void
init_copy (CpuStep *step, const InferShape *box, const gint64 *src)
{
  CpuStridedCopy *copy = g_new0 (CpuStridedCopy, 1);
  gint64 dst[INFER_MAX_RANK];

  cpu_dense_strides (box, infer_type_size (step->in[0]->desc.type), dst);
  cpu_strided_copy_init (copy, step->kernels,
      infer_type_size (step->in[0]->desc.type), box->rank, box->dims, src, dst);
  step->priv = copy;
  step->kernel = "strided_copy";
}

/* Strides in bytes by dimension, in the step's layout. */
static void
memory_strides (const CpuStep *step, const InferShape *shape, gint64 *strides)
{
  InferShape order = *shape;
  gint64 dense[INFER_MAX_RANK];

  if (step->layout == CPU_LAYOUT_NSPC)
    cpu_channels_to_end (order.rank, order.dims);
  cpu_dense_strides (&order, infer_type_size (step->in[0]->desc.type), dense);
  if (step->layout == CPU_LAYOUT_PLAIN) {
    memcpy (strides, dense, sizeof dense);
    return;
  }
  strides[0] = dense[0];
  strides[1] = dense[order.rank - 1];
  for (int d = 2; d < order.rank; d++)
    strides[d] = dense[d - 1];
}

/* An axis that both sides have, with its strides. */
typedef struct
{
  gint64 dim, deep, wide;
} Axis;

/* The small tensor is [N, C, D…], the large one [N, C', D b…], C = C' b…, where
 * the blocks' axes come before the depth or after it: N, C', D b D b …  Returns
 * the number of axes. */
static int
split_blocks (const CpuStep *step, const InferShape *deep,
    const InferShape *wide, Axis *axes)
{
  const InferRearrange *attrs = step->op->attrs;
  const int spatial = deep->rank - 2;
  gint64 of_deep[INFER_MAX_RANK], of_wide[INFER_MAX_RANK];
  gint64 volume = 1, depth, block;

  memory_strides (step, deep, of_deep);
  memory_strides (step, wide, of_wide);
  for (int d = 0; d < spatial; d++)
    volume *= attrs->block;
  depth = deep->dims[1] / volume;
  axes[0] = (Axis){ deep->dims[0], of_deep[0], of_wide[0] };
  axes[1] = (Axis){ depth, of_deep[1] * (attrs->depth_first ? volume : 1),
    of_wide[1] };
  block = of_deep[1] * (attrs->depth_first ? 1 : depth);
  for (int d = spatial - 1; d >= 0; d--) {
    axes[2 + 2 * d] = (Axis){ deep->dims[2 + d], of_deep[2 + d],
      of_wide[2 + d] * attrs->block };
    axes[3 + 2 * d] = (Axis){ attrs->block, block, of_wide[2 + d] };
    block *= attrs->block;
  }
  return 2 + 2 * spatial;
}

/* The target's axes in the order of its memory. */
static void
init_blocks (CpuStep *step, const Axis *axes, int n, gboolean to_wide)
{
  gint64 dims[INFER_MAX_RANK], src[INFER_MAX_RANK], dst[INFER_MAX_RANK];
  CpuStridedCopy *copy = g_new0 (CpuStridedCopy, 1);

  for (int i = 0; i < n; i++) {
    const gint64 to = to_wide ? axes[i].wide : axes[i].deep;
    int k = i;

    for (; k > 0 && dst[k - 1] < to; k--) {
      dims[k] = dims[k - 1];
      src[k] = src[k - 1];
      dst[k] = dst[k - 1];
    }
    dims[k] = axes[i].dim;
    src[k] = to_wide ? axes[i].deep : axes[i].wide;
    dst[k] = to;
  }
  cpu_strided_copy_init (copy, step->kernels,
      infer_type_size (step->in[0]->desc.type), n, dims, src, dst);
  step->priv = copy;
  step->kernel = "strided_copy";
}

static gboolean
prepare_depth_to_space (CpuStep *step, GError **error)
{
  Axis axes[2 * INFER_MAX_RANK];
  const int n = split_blocks (
      step, cpu_in_shape (step, 0), cpu_out_shape (step, 0), axes);

  init_blocks (step, axes, n, TRUE);
  return TRUE;
}

static gboolean
prepare_space_to_depth (CpuStep *step, GError **error)
{
  Axis axes[2 * INFER_MAX_RANK];
  const int n = split_blocks (
      step, cpu_out_shape (step, 0), cpu_in_shape (step, 0), axes);

  init_blocks (step, axes, n, FALSE);
  return TRUE;
}

/* Channels are copied in their own layout. */
static gboolean
wants_nspc (const CpuStep *step)
{
  return step->in[0]->form.layout == CPU_LAYOUT_NSPC;
}

static gboolean
prepare_shuffle (CpuStep *step, GError **error)
{
  const InferRearrange *attrs = step->op->attrs;
  const InferShape *in = cpu_in_shape (step, 0);
  const gint64 size = (gint64) infer_type_size (step->in[0]->desc.type);
  gint64 axis = attrs->axis, inner, per_group;
  gint64 src[4];

  if (!infer_shape_normalize_axis (in, &axis, error))
    return FALSE;
  inner = (gint64) infer_shape_count_range (in, (int) axis + 1, in->rank);
  per_group = in->dims[axis] / attrs->group;
  InferShape box =
      infer_shape_make (4, (gint64) infer_shape_count_range (in, 0, (int) axis),
          per_group, attrs->group, inner);
  src[0] = in->dims[axis] * inner * size;
  src[1] = inner * size;
  src[2] = per_group * inner * size;
  src[3] = size;
  init_copy (step, &box, src);
  return TRUE;
}

static gboolean
run (CpuStep *step, GError **error)
{
  if (step->out[0]->n > 0)
    cpu_strided_copy_run (step->priv, step->out[0]->data, step->in[0]->data);
  return TRUE;
}

const CpuOp cpu_op_depth_to_space = {
  .wants_nspc = wants_nspc,
  .prepare = prepare_depth_to_space,
  .run = run,
};

const CpuOp cpu_op_space_to_depth = {
  .wants_nspc = wants_nspc,
  .prepare = prepare_space_to_depth,
  .run = run,
};

const CpuOp cpu_op_shuffle_channels = {
  .prepare = prepare_shuffle,
  .run = run,
};
