/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/grow.h"

#include "cpu/base/context.h"
#include "inference/graph/ops/concat.h"

#include <string.h>

/* --- values with gaps --- */

static void
bind_tensor (CpuValue *out, const InferTensor *tensor, gsize block)
{
  const InferDesc desc = { tensor->type, tensor->shape };

  if (!infer_shape_equal (&out->desc.shape, &tensor->shape)
      || out->desc.type != tensor->type || !out->known)
    cpu_value_set_desc (out, &desc);
  out->block = block;
  cpu_value_bind (out, tensor->data);
}

gboolean
cpu_value_read (
    CpuStep *step, guint index, const InferTensor *tensor, GError **error)
{
  CpuValue *out = step->out[index];
  const InferShape *shape = &tensor->shape;

  if (tensor->dense) {
    bind_tensor (out, tensor, 0);
    return TRUE;
  }
  if (step->growth != NULL && step->growth->blocks) {
    bind_tensor (out, tensor,
        (gsize) tensor->strides[shape->rank - 3]
            / infer_type_size (tensor->type));
    return TRUE;
  }
  InferTensor *copy =
      cpu_step_own_tensor (step, index, tensor->type, shape, error);
  if (copy == NULL || !infer_tensor_copy (copy, tensor, error))
    return FALSE;
  bind_tensor (out, copy, 0);
  return TRUE;
}

/* [outer][rows][inner bytes]; @step bytes from one outer index to the next. */
typedef struct
{
  guint8 *data;
  gsize outer, bytes, step;
} Rows;

static Rows
rows_of_value (const CpuValue *value, int axis)
{
  const InferShape *shape = &value->desc.shape;
  const gsize size = infer_type_size (value->desc.type);
  Rows rows = { .data = value->data,
    .outer = infer_shape_count_range (shape, 0, axis),
    .bytes = infer_shape_count_range (shape, axis, shape->rank) * size };

  rows.step = value->block > 0 ? value->block * size : rows.bytes;
  return rows;
}

static void
copy_rows (guint8 *to, gsize step, const Rows *from)
{
  for (gsize o = 0; o < from->outer && from->bytes > 0; o++)
    memcpy (to + o * step, from->data + o * from->step, from->bytes);
}

/* --- appending --- */

/* The present value of the variable, and nothing else, is what is read. */
static gboolean
reads_present (const CpuStep *step, const InferTensor *present)
{
  return present != NULL && step->grown != NULL
         && step->in[0]->data == step->grown->data
         && infer_shape_equal (cpu_in_shape (step, 0), &present->shape)
         && present->type == step->in[0]->desc.type;
}

static gboolean
grow_run (CpuStep *step, GError **error)
{
  CpuContext *context = cpu_step_context (step);
  const guint variable = step->growth->variable;
  InferState *state = context->states[variable];
  const InferConcat *attrs = step->op->attrs;
  const InferShape *shape = cpu_out_shape (step, 0);
  const InferTensor *present = infer_state_peek (state);
  gint64 axis = attrs->axis;
  gboolean kept;

  if (!infer_shape_normalize_axis (shape, &axis, error))
    return FALSE;
  InferTensor *next = infer_state_grow (state, step->out[0]->desc.type, shape,
      (int) axis, reads_present (step, present), &kept, error);
  if (next == NULL)
    return FALSE;
  guint8 *to = next->data;
  gsize gap = axis > 0 ? (gsize) next->strides[axis - 1] : next->size;
  for (guint k = 0; k < step->n_in; k++) {
    Rows rows = rows_of_value (step->in[k], (int) axis);

    if (k > 0 || !kept)
      copy_rows (to, gap, &rows);
    to += rows.bytes;
  }
  context->grown[variable] = step->out[0];
  return cpu_value_read (step, 0, next, error);
}

static gboolean
grow_prepare (CpuStep *step, GError **error)
{
  step->kernel = "append";
  return TRUE;
}

const CpuOp cpu_op_grow = {
  .prepare = grow_prepare,
  .run = grow_run,
};

/* --- beams --- */

static gint64
beam_at (const CpuStep *step, gsize i)
{
  gint64 beam = cpu_integer_at (step->in[1], i);

  if (beam < 0 && step->op->version >= 8)
    beam += cpu_in_shape (step, 0)->dims[0];
  return beam;
}

static gboolean
is_identity (const CpuStep *step)
{
  if ((gint64) step->in[1]->n != cpu_in_shape (step, 0)->dims[0]
      || cpu_in_shape (step, 1)->rank != 1)
    return FALSE;
  for (gsize i = 0; i < step->in[1]->n; i++)
    if (beam_at (step, i) != (gint64) i)
      return FALSE;
  return TRUE;
}

/* Beams beyond the first axis are zeros, as in Gather. */
static void
copy_beams (const CpuStep *step, guint8 *to)
{
  const InferShape *shape = cpu_in_shape (step, 0);
  const int axis = shape->rank >= 3 ? shape->rank - 2 : 1;
  Rows rows = rows_of_value (step->in[0], MIN (axis, shape->rank));
  const gsize n = (gsize) shape->dims[0];
  const gsize blocks = rows.outer / MAX (n, 1);

  for (gsize i = 0; i < step->in[1]->n; i++, to += blocks * rows.bytes) {
    gint64 beam = beam_at (step, i);
    Rows from = rows;

    if (beam < 0 || beam >= (gint64) n) {
      memset (to, 0, blocks * rows.bytes);
      continue;
    }
    from.outer = blocks;
    from.data += (gsize) beam * blocks * rows.step;
    copy_rows (to, rows.bytes, &from);
  }
}

static gboolean
pick_run (CpuStep *step, GError **error)
{
  CpuValue *out = step->out[0];
  const CpuValue *in = step->in[0];
  const InferShape shape = out->desc.shape;

  if (is_identity (step)) {
    out->block = in->block;
    cpu_value_bind (out, in->data);
    return TRUE;
  }
  InferTensor *picked =
      cpu_step_own_tensor (step, 0, in->desc.type, &shape, error);
  if (picked == NULL)
    return FALSE;
  out->block = 0;
  if (in->n == 0)
    memset (picked->data, 0, picked->size);
  else
    copy_beams (step, picked->data);
  cpu_value_bind (out, picked->data);
  return TRUE;
}

static gboolean
pick_prepare (CpuStep *step, GError **error)
{
  step->kernel = "beams";
  return TRUE;
}

const CpuOp cpu_op_pick_beams = {
  .prepare = pick_prepare,
  .run = pick_run,
};
