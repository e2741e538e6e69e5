/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reverse, ReverseSequence, Roll: copies of boxes. */

#include "inference/graph/ops/rearrange.h"

#include "cpu/ops/strided-copy.h"
#include "cpu/base/step.h"

/* --- Reverse --- */

static gboolean
reversed_axes (const CpuStep *step, guint32 *mask, GError **error)
{
  const InferRearrange *attrs = step->op->attrs;
  const CpuValue *axes = step->in[1];

  *mask = 0;
  for (gsize i = 0; i < axes->n; i++) {
    gint64 axis = attrs->mask ? (gint64) i : cpu_integer_at (axes, i);

    if (!infer_shape_normalize_axis (cpu_in_shape (step, 0), &axis, error))
      return FALSE;
    if (!attrs->mask || cpu_integer_at (axes, i) != 0)
      *mask |= 1u << axis;
  }
  return TRUE;
}

static gboolean
run_reverse (CpuStep *step, GError **error)
{
  const InferShape *in = cpu_in_shape (step, 0);
  const gsize size = infer_type_size (step->in[0]->desc.type);
  const guint8 *from = step->in[0]->data;
  gint64 src[INFER_MAX_RANK], dst[INFER_MAX_RANK];
  CpuStridedCopy copy;
  guint32 mask;

  if (!reversed_axes (step, &mask, error))
    return FALSE;
  if (step->out[0]->n == 0)
    return TRUE;
  cpu_dense_strides (in, size, src);
  cpu_dense_strides (in, size, dst);
  for (int d = 0; d < in->rank; d++)
    if ((mask >> d & 1) != 0) {
      from += (in->dims[d] - 1) * src[d];
      src[d] = -src[d];
    }
  cpu_strided_copy_init (
      &copy, step->kernels, size, in->rank, in->dims, src, dst);
  cpu_strided_copy_run (&copy, step->out[0]->data, from);
  return TRUE;
}

/* --- ReverseSequence --- */

/* One entry of the batch: the first @length elements reversed, the rest
 * unchanged. */
static void
reverse_entry (
    const CpuStep *step, int batch_axis, int axis, gint64 entry, gint64 length)
{
  InferShape box = *cpu_in_shape (step, 0);
  const gint64 whole = box.dims[axis];
  const gsize size = infer_type_size (step->in[0]->desc.type);
  gint64 src[INFER_MAX_RANK], dst[INFER_MAX_RANK], offset;
  CpuStridedCopy copy;

  cpu_dense_strides (&box, size, src);
  cpu_dense_strides (&box, size, dst);
  offset = entry * src[batch_axis];
  box.dims[batch_axis] = 1;

  box.dims[axis] = whole - length;
  cpu_strided_copy_init (
      &copy, step->kernels, size, box.rank, box.dims, src, dst);
  cpu_strided_copy_run (&copy,
      (guint8 *) step->out[0]->data + offset + length * src[axis],
      (const guint8 *) step->in[0]->data + offset + length * src[axis]);
  if (length == 0)
    return;
  box.dims[axis] = length;
  offset += (length - 1) * src[axis];
  src[axis] = -src[axis];
  cpu_strided_copy_init (
      &copy, step->kernels, size, box.rank, box.dims, src, dst);
  cpu_strided_copy_run (&copy,
      (guint8 *) step->out[0]->data + entry * dst[batch_axis],
      (const guint8 *) step->in[0]->data + offset);
}

static gboolean
run_reverse_sequence (CpuStep *step, GError **error)
{
  const InferRearrange *attrs = step->op->attrs;
  const InferShape *in = cpu_in_shape (step, 0);
  const CpuValue *lengths = step->in[1];
  gint64 batch_axis = attrs->batch_axis, axis = attrs->seq_axis;

  if (!infer_shape_normalize_axis (in, &batch_axis, error)
      || !infer_shape_normalize_axis (in, &axis, error))
    return FALSE;
  if (batch_axis == axis)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "batch_axis and seq_axis are both %" G_GINT64_FORMAT, axis);
  if (step->out[0]->n == 0)
    return TRUE;
  for (gsize i = 0; i < lengths->n; i++) {
    gint64 length = cpu_integer_at (lengths, i);

    if (length < 0 || length > in->dims[axis])
      return infer_fail (error, INFER_ERROR_INVALID_DATA,
          "sequence length %" G_GINT64_FORMAT " for an axis of "
          "%" G_GINT64_FORMAT,
          length, in->dims[axis]);
    reverse_entry (step, (int) batch_axis, (int) axis, (gint64) i, length);
  }
  return TRUE;
}

/* --- Roll --- */

/* Shift of each axis, 0 ≤ shift < dim. */
static gboolean
collect_shifts (const CpuStep *step, gint64 *shifts, GError **error)
{
  const InferShape *in = cpu_in_shape (step, 0);
  const CpuValue *shift = step->in[1], *axes = step->in[2];

  if (shift->n != 1 && shift->n != axes->n)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%" G_GSIZE_FORMAT " shifts for %" G_GSIZE_FORMAT " axes", shift->n,
        axes->n);
  for (gsize i = 0; i < axes->n; i++) {
    gint64 axis = cpu_integer_at (axes, i),
           by = cpu_integer_at (shift, shift->n == 1 ? 0 : i);

    if (!infer_shape_normalize_axis (in, &axis, error))
      return FALSE;
    if (in->dims[axis] == 0)
      continue;
    by %= in->dims[axis];
    shifts[axis] = (shifts[axis] + by + in->dims[axis]) % in->dims[axis];
  }
  return TRUE;
}

/* Each shifted axis is cut in two: bit k of @parts selects the part of the k-th
 * such axis to copy. */
static void
roll_parts (const CpuStep *step, const gint64 *shifts, guint32 parts)
{
  InferShape box = *cpu_in_shape (step, 0);
  const gsize size = infer_type_size (step->in[0]->desc.type);
  gint64 strides[INFER_MAX_RANK], from = 0, to = 0;
  CpuStridedCopy copy;

  cpu_dense_strides (&box, size, strides);
  for (int d = 0; d < box.rank; d++) {
    if (shifts[d] == 0)
      continue;
    if ((parts & 1) == 0) {
      box.dims[d] -= shifts[d];
      to += shifts[d] * strides[d];
    } else {
      from += (box.dims[d] - shifts[d]) * strides[d];
      box.dims[d] = shifts[d];
    }
    parts >>= 1;
  }
  cpu_strided_copy_init (
      &copy, step->kernels, size, box.rank, box.dims, strides, strides);
  cpu_strided_copy_run (&copy, (guint8 *) step->out[0]->data + to,
      (const guint8 *) step->in[0]->data + from);
}

static gboolean
run_roll (CpuStep *step, GError **error)
{
  gint64 shifts[INFER_MAX_RANK] = { 0 };
  int n = 0;

  if (!collect_shifts (step, shifts, error))
    return FALSE;
  if (step->out[0]->n == 0)
    return TRUE;
  for (int d = 0; d < cpu_in_shape (step, 0)->rank; d++)
    n += shifts[d] != 0;
  for (guint32 parts = 0; parts < 1u << n; parts++)
    roll_parts (step, shifts, parts);
  return TRUE;
}

const CpuOp cpu_op_reverse = {
  .run = run_reverse,
};

const CpuOp cpu_op_reverse_sequence = {
  .run = run_reverse_sequence,
};

const CpuOp cpu_op_roll = {
  .run = run_roll,
};
