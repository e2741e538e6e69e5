/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DepthToSpace, SpaceToDepth, ShuffleChannels: one strided copy each, of the
 * input seen with more axes. */

#include "inference/ops/rearrange.h"

#include "cpu/ops/strided-copy.h"
#include "cpu/step.h"

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

/* The small tensor is [N, C, D…], the large one [N, C', D b…], C = C' b…, where
 * the blocks' axes come before the depth or after it.  Both as N, C', D b D b …
 */
static int
split_blocks (const CpuStep *step, const InferShape *deep, gint64 *dims,
    gint64 *strides, int *place)
{
  const InferRearrange *attrs = step->op->attrs;
  const int spatial = deep->rank - 2;
  const gint64 size = (gint64) infer_type_size (step->in[0]->desc.type);
  gint64 stride[INFER_MAX_RANK], volume = 1, depth, block;

  cpu_dense_strides (deep, (gsize) size, stride);
  for (int d = 0; d < spatial; d++)
    volume *= attrs->block;
  depth = deep->dims[1] / volume;
  dims[0] = deep->dims[0];
  strides[0] = stride[0];
  dims[1] = depth;
  strides[1] = stride[1] * (attrs->depth_first ? volume : 1);
  block = stride[1] * (attrs->depth_first ? 1 : depth);
  for (int d = spatial - 1; d >= 0; d--) {
    dims[2 + 2 * d] = deep->dims[2 + d];
    strides[2 + 2 * d] = stride[2 + d];
    dims[3 + 2 * d] = attrs->block;
    strides[3 + 2 * d] = block;
    block *= attrs->block;
  }
  /* In the deep tensor's order: N, then C' and blocks, then D… */
  *place++ = 0;
  if (attrs->depth_first)
    *place++ = 1;
  for (int d = 0; d < spatial; d++)
    *place++ = 3 + 2 * d;
  if (!attrs->depth_first)
    *place++ = 1;
  for (int d = 0; d < spatial; d++)
    *place++ = 2 + 2 * d;
  return 2 + 2 * spatial;
}

static gboolean
prepare_depth_to_space (CpuStep *step, GError **error)
{
  gint64 dims[INFER_MAX_RANK], src[INFER_MAX_RANK];
  int place[INFER_MAX_RANK];
  int rank = split_blocks (step, cpu_in_shape (step, 0), dims, src, place);
  InferShape box = infer_shape_new (rank, dims);

  init_copy (step, &box, src);
  return TRUE;
}

static gboolean
prepare_space_to_depth (CpuStep *step, GError **error)
{
  const gsize size = infer_type_size (step->in[0]->desc.type);
  gint64 dims[INFER_MAX_RANK], unused[INFER_MAX_RANK];
  gint64 wide[INFER_MAX_RANK], src[INFER_MAX_RANK];
  int place[INFER_MAX_RANK];
  int rank = split_blocks (step, cpu_out_shape (step, 0), dims, unused, place);
  InferShape space = infer_shape_new (rank, dims), box = space;

  cpu_dense_strides (&space, size, wide);
  for (int d = 0; d < rank; d++) {
    box.dims[d] = dims[place[d]];
    src[d] = wide[place[d]];
  }
  init_copy (step, &box, src);
  return TRUE;
}

static gboolean
prepare_shuffle (CpuStep *step, GError **error)
{
  const InferRearrange *attrs = step->op->attrs;
  const InferShape *in = cpu_in_shape (step, 0);
  const gint64 size = (gint64) infer_type_size (step->in[0]->desc.type);
  gint64 axis = attrs->axis, inner, per_group;
  gint64 src[4];
  InferShape box;

  if (!infer_shape_normalize_axis (in, &axis, error))
    return FALSE;
  inner = (gint64) infer_shape_count_range (in, (int) axis + 1, in->rank);
  per_group = in->dims[axis] / attrs->group;
  box =
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
  .type = "DepthToSpace",
  .prepare = prepare_depth_to_space,
  .run = run,
};

const CpuOp cpu_op_space_to_depth = {
  .type = "SpaceToDepth",
  .prepare = prepare_space_to_depth,
  .run = run,
};

const CpuOp cpu_op_shuffle_channels = {
  .type = "ShuffleChannels",
  .prepare = prepare_shuffle,
  .run = run,
};
