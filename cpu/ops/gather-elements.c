/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GatherElements and GatherND. */

#include "cpu/ops/index.h"
#include "inference/graph/ops/index.h"

#include <string.h>

/* Offset, in elements of a tensor of @strides, of the element that lies at flat
 * position @flat of a tensor of @shape; the axis is left out. */
static gsize
offset_beside_axis (
    const InferShape *shape, const gint64 *strides, gsize flat, int axis)
{
  gsize offset = 0;

  for (int d = shape->rank - 1; d >= 0; d--) {
    gsize index = flat % (gsize) shape->dims[d];

    flat /= (gsize) shape->dims[d];
    if (d != axis)
      offset += index * (gsize) strides[d];
  }
  return offset;
}

static gboolean
run_elements (CpuStep *step, GError **error)
{
  const InferGatherElements *attrs = step->op->attrs;
  const InferShape *data = cpu_in_shape (step, 0);
  const InferShape *shape = cpu_in_shape (step, 1);
  const gsize size = infer_type_size (step->in[0]->desc.type);
  const int axis =
      (int) (attrs->axis < 0 ? attrs->axis + data->rank : attrs->axis);
  const guint8 *src = step->in[0]->data;
  guint8 *dst = step->out[0]->data;
  gint64 strides[INFER_MAX_RANK];

  infer_shape_strides (data, strides);
  for (gsize i = 0; i < step->out[0]->n; i++) {
    gsize index, offset;

    if (!cpu_read_index (step->in[1], i, data->dims[axis], &index))
      return cpu_fail_index (step->in[1], i, data->dims[axis], error);
    offset = offset_beside_axis (shape, strides, i, axis)
             + index * (gsize) strides[axis];
    memcpy (dst + i * size, src + offset * size, size);
  }
  return TRUE;
}

const CpuOp cpu_op_gather_elements = {
  .run = run_elements,
};

static gboolean
run_nd (CpuStep *step, GError **error)
{
  const InferGatherNd *attrs = step->op->attrs;
  const InferShape *data = cpu_in_shape (step, 0);
  const InferShape *shape = cpu_in_shape (step, 1);
  const gsize size = infer_type_size (step->in[0]->desc.type);
  const int batch = (int) attrs->batch_dims;
  const int depth = (int) shape->dims[shape->rank - 1];
  const gsize batches = infer_shape_count_range (shape, 0, batch);
  const gsize tuples = infer_shape_count_range (shape, batch, shape->rank - 1);
  const gsize whole = infer_shape_count_range (data, batch, data->rank);
  const gsize rest =
      infer_shape_count_range (data, batch + depth, data->rank) * size;
  const guint8 *src = step->in[0]->data;
  guint8 *dst = step->out[0]->data;

  for (gsize b = 0; b < batches && rest > 0; b++)
    for (gsize t = 0; t < tuples; t++) {
      const gsize tuple = b * tuples + t;
      gsize offset = 0;

      for (int d = 0; d < depth; d++) {
        const gsize i = tuple * (gsize) depth + (gsize) d;
        const gint64 length = data->dims[batch + d];
        gsize index;

        if (!cpu_read_index (step->in[1], i, length, &index))
          return cpu_fail_index (step->in[1], i, length, error);
        offset = offset * (gsize) length + index;
      }
      memcpy (dst + tuple * rest, src + b * whole * size + offset * rest, rest);
    }
  return TRUE;
}

const CpuOp cpu_op_gather_nd = {
  .run = run_nd,
};
