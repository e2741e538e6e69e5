/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations that copy elements by strides: Transpose, Slice,
 * StridedSlice, Broadcast, Tile, Reverse, DepthToSpace, SpaceToDepth,
 * ShuffleChannels. */

#include "inference/graph/ops/broadcast.h"
#include "inference/graph/ops/rearrange.h"
#include "inference/graph/ops/slice.h"
#include "ocl/ops/copy.h"

/* Copies @src to out[0], which is dense in @dims. */
static gboolean
copy_to_out (OclStep *step, const OclBox *src, int rank, const gint64 *dims,
    GError **error)
{
  OclBox dst = { .value = step->out[0] };
  gint64 stride = 1;

  if (step->out[0]->n == 0)
    return TRUE;
  for (int d = rank - 1; d >= 0; d--) {
    dst.strides[d] = stride;
    stride *= dims[d];
  }
  return ocl_copy_box (step, &dst, src, rank, dims, error);
}

/* --- Transpose --- */

/* Whether only dimensions of 1 are permuted. */
static gboolean
keeps_order (const InferShape *in, const gint64 *order)
{
  gint64 last = -1;

  for (int d = 0; d < in->rank; d++) {
    if (in->dims[order[d]] == 1)
      continue;
    if (order[d] < last)
      return FALSE;
    last = order[d];
  }
  return TRUE;
}

static gboolean
prepare_transpose (OclStep *step, GError **error)
{
  const InferShape *in = ocl_in_shape (step, 0), *out = ocl_out_shape (step, 0);
  g_autoptr (GArray) given = ocl_host_ints (step, 1);
  gint64 order[INFER_MAX_RANK], strides[INFER_MAX_RANK];
  OclBox src = { .value = step->in[0] };

  infer_shape_strides (in, strides);
  for (int d = 0; d < in->rank; d++) {
    order[d] = given != NULL && given->len > 0
                   ? g_array_index (given, gint64, d)
                   : in->rank - 1 - d;
    if (!infer_shape_normalize_axis (in, &order[d], error))
      return FALSE;
    src.strides[d] = strides[order[d]];
  }
  if (keeps_order (in, order)) {
    ocl_step_view (step, 0, step->in[0], 0);
    return TRUE;
  }
  return copy_to_out (step, &src, out->rank, out->dims, error);
}

const OclOp ocl_op_transpose = {
  .host_inputs = 1 << 1,
  .prepare = prepare_transpose,
};

/* --- Slice --- */

static gboolean
resolve (const OclStep *step, InferSlicing *slicing, GError **error)
{
  const InferShape *in = ocl_in_shape (step, 0);
  g_autoptr (GArray) a = ocl_host_ints (step, 1);
  g_autoptr (GArray) b = ocl_host_ints (step, 2);
  g_autoptr (GArray) c = ocl_host_ints (step, 3);
  g_autoptr (GArray) d = ocl_host_ints (step, 4);

  if (infer_op_is (step->op, &infer_op_slice))
    return infer_slice_resolve (in, a, b, c, d, slicing, error);
  return infer_strided_slice_resolve (
      in, step->op->attrs, a, b, c, slicing, error);
}

/* Whether the slice is contiguous. */
static gboolean
is_stretch (const InferShape *in, const InferSlicing *slicing)
{
  gboolean whole = TRUE;

  for (int d = in->rank - 1; d >= 0; d--) {
    if (slicing->count[d] == 1)
      whole = whole && in->dims[d] == 1;
    else if (!whole || slicing->step[d] != 1)
      return FALSE;
    else
      whole = slicing->count[d] == in->dims[d];
  }
  return TRUE;
}

static gboolean
prepare_slice (OclStep *step, GError **error)
{
  const InferShape *in = ocl_in_shape (step, 0);
  OclBox src = { .value = step->in[0] };
  InferSlicing slicing;

  if (!resolve (step, &slicing, error))
    return FALSE;
  infer_shape_strides (in, src.strides);
  for (int d = 0; d < slicing.rank; d++) {
    src.at += slicing.begin[d] * src.strides[d];
    src.strides[d] *= slicing.step[d];
  }
  if (step->out[0]->n > 0 && is_stretch (in, &slicing)) {
    ocl_step_view (step, 0, step->in[0],
        (gsize) src.at * infer_type_size (step->in[0]->desc.type));
    return TRUE;
  }
  return copy_to_out (step, &src, slicing.rank, slicing.count, error);
}

const OclOp ocl_op_slice = {
  .host_inputs = 0x1e,
  .prepare = prepare_slice,
};

const OclOp ocl_op_strided_slice = {
  .host_inputs = 0x0e,
  .prepare = prepare_slice,
};

/* --- Broadcast and Tile --- */

static gboolean
prepare_broadcast (OclStep *step, GError **error)
{
  const InferBroadcastAttrs *attrs = step->op->attrs;
  const InferShape *in = ocl_in_shape (step, 0), *out = ocl_out_shape (step, 0);
  g_autoptr (GArray) mapping = attrs->mode == INFER_BROADCAST_MODE_EXPLICIT
                                   ? ocl_host_ints (step, 2)
                                   : NULL;
  gint64 strides[INFER_MAX_RANK];
  OclBox src = { .value = step->in[0] };

  if (step->in[0]->n == step->out[0]->n) {
    ocl_step_view (step, 0, step->in[0], 0);
    return TRUE;
  }
  infer_shape_strides (in, strides);
  for (int d = 0; d < in->rank; d++) {
    gint64 axis = mapping != NULL ? g_array_index (mapping, gint64, d)
                                  : out->rank - in->rank + d;

    if (in->dims[d] != 1)
      src.strides[axis] = strides[d];
  }
  return copy_to_out (step, &src, out->rank, out->dims, error);
}

const OclOp ocl_op_broadcast = {
  .host_inputs = 1 << 1 | 1 << 2,
  .prepare = prepare_broadcast,
};

/* Each axis becomes two dimensions: repeats and dim. */
static gboolean
prepare_tile (OclStep *step, GError **error)
{
  const InferShape *in = ocl_in_shape (step, 0), *out = ocl_out_shape (step, 0);
  gint64 strides[INFER_MAX_RANK], dims[2 * INFER_MAX_RANK];
  OclBox src = { .value = step->in[0] };

  if (step->out[0]->n == 0)
    return TRUE;
  infer_shape_strides (in, strides);
  for (int d = 0; d < out->rank; d++) {
    int from = d - (out->rank - in->rank);

    dims[2 * d + 1] = from < 0 ? 1 : in->dims[from];
    dims[2 * d] = out->dims[d] / dims[2 * d + 1];
    src.strides[2 * d + 1] = from < 0 ? 0 : strides[from];
  }
  return copy_to_out (step, &src, 2 * out->rank, dims, error);
}

const OclOp ocl_op_tile = {
  .host_inputs = 1 << 1,
  .prepare = prepare_tile,
};

/* --- Reverse --- */

static gboolean
prepare_reverse (OclStep *step, GError **error)
{
  const InferRearrange *attrs = step->op->attrs;
  const InferShape *in = ocl_in_shape (step, 0);
  g_autoptr (GArray) given = ocl_host_ints (step, 1);
  gboolean reversed[INFER_MAX_RANK] = { FALSE };
  OclBox src = { .value = step->in[0] };

  for (guint i = 0; given != NULL && i < given->len; i++) {
    gint64 axis = attrs->mask ? (gint64) i : g_array_index (given, gint64, i);

    if (!infer_shape_normalize_axis (in, &axis, error))
      return FALSE;
    reversed[axis] = !attrs->mask || g_array_index (given, gint64, i) != 0;
  }
  infer_shape_strides (in, src.strides);
  for (int d = 0; d < in->rank; d++) {
    if (!reversed[d])
      continue;
    src.at += (in->dims[d] - 1) * src.strides[d];
    src.strides[d] = -src.strides[d];
  }
  return copy_to_out (step, &src, in->rank, in->dims, error);
}

const OclOp ocl_op_reverse = {
  .host_inputs = 1 << 1,
  .prepare = prepare_reverse,
};

/* --- blocks --- */

/* The deep tensor is [N, C, D…], the wide one [N, C', D b…]; C = C' b…, with
 * the blocks before or after C'.  Both are iterated as N, C', D b D b …: @wide
 * is dense, @deep strided. */
static int
split_blocks (const InferRearrange *attrs, const InferShape *deep_shape,
    gint64 *dims, gint64 *wide, gint64 *deep)
{
  const int spatial = deep_shape->rank - 2, rank = 2 + 2 * spatial;
  gint64 strides[INFER_MAX_RANK], volume = 1, block, stride = 1;

  infer_shape_strides (deep_shape, strides);
  for (int d = 0; d < spatial; d++)
    volume *= attrs->block;
  dims[0] = deep_shape->dims[0];
  dims[1] = deep_shape->dims[1] / volume;
  deep[0] = strides[0];
  deep[1] = strides[1] * (attrs->depth_first ? volume : 1);
  block = strides[1] * (attrs->depth_first ? 1 : dims[1]);
  for (int d = spatial - 1; d >= 0; d--) {
    dims[2 + 2 * d] = deep_shape->dims[2 + d];
    deep[2 + 2 * d] = strides[2 + d];
    dims[3 + 2 * d] = attrs->block;
    deep[3 + 2 * d] = block;
    block *= attrs->block;
  }
  for (int d = rank - 1; d >= 0; d--) {
    wide[d] = stride;
    stride *= dims[d];
  }
  return rank;
}

static gboolean
prepare_depth_to_space (OclStep *step, GError **error)
{
  gint64 dims[2 * INFER_MAX_RANK];
  OclBox dst = { .value = step->out[0] }, src = { .value = step->in[0] };
  int rank = split_blocks (
      step->op->attrs, ocl_in_shape (step, 0), dims, dst.strides, src.strides);

  return step->out[0]->n == 0
         || ocl_copy_box (step, &dst, &src, rank, dims, error);
}

static gboolean
prepare_space_to_depth (OclStep *step, GError **error)
{
  gint64 dims[2 * INFER_MAX_RANK];
  OclBox dst = { .value = step->out[0] }, src = { .value = step->in[0] };
  int rank = split_blocks (
      step->op->attrs, ocl_out_shape (step, 0), dims, src.strides, dst.strides);

  return step->out[0]->n == 0
         || ocl_copy_box (step, &dst, &src, rank, dims, error);
}

static gboolean
prepare_shuffle (OclStep *step, GError **error)
{
  const InferRearrange *attrs = step->op->attrs;
  const InferShape *in = ocl_in_shape (step, 0);
  OclBox src = { .value = step->in[0] };
  gint64 axis = attrs->axis, inner, per_group, dims[4];

  if (!infer_shape_normalize_axis (in, &axis, error))
    return FALSE;
  inner = (gint64) infer_shape_count_range (in, (int) axis + 1, in->rank);
  per_group = in->dims[axis] / attrs->group;
  dims[0] = (gint64) infer_shape_count_range (in, 0, (int) axis);
  dims[1] = per_group;
  dims[2] = attrs->group;
  dims[3] = inner;
  src.strides[0] = in->dims[axis] * inner;
  src.strides[1] = inner;
  src.strides[2] = per_group * inner;
  src.strides[3] = 1;
  return copy_to_out (step, &src, 4, dims, error);
}

const OclOp ocl_op_depth_to_space = {
  .prepare = prepare_depth_to_space,
};

const OclOp ocl_op_space_to_depth = {
  .prepare = prepare_space_to_depth,
};

const OclOp ocl_op_shuffle_channels = {
  .prepare = prepare_shuffle,
};
