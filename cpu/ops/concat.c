/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Concat, Split and VariadicSplit: rows of bytes along one axis. */

#include "cpu/step.h"
#include "inference/ops/concat.h"

#include <string.h>

/* [outer][rows of the axis][inner bytes] */
typedef struct
{
  gsize outer, total; /* total: bytes of one outer index on the joined side */
  gsize part[];       /* of each piece */
} Rows;

static Rows *
rows_new (const InferShape *joined, gint64 axis, gsize size,
    CpuValue *const *pieces, guint n, CpuLayout layout)
{
  Rows *rows = g_malloc0 (sizeof *rows + n * sizeof rows->part[0]);
  InferShape order = *joined;
  int place = (int) axis;
  gsize inner;

  if (layout == CPU_LAYOUT_NSPC) {
    cpu_channels_to_end (order.rank, order.dims);
    place = axis == 0 ? 0 : axis == 1 ? order.rank - 1 : place - 1;
  }
  inner = infer_shape_count_range (&order, place + 1, order.rank);
  rows->outer = infer_shape_count_range (&order, 0, place);
  rows->total = (gsize) joined->dims[axis] * inner * size;
  for (guint i = 0; i < n; i++)
    rows->part[i] = (gsize) pieces[i]->desc.shape.dims[axis] * inner * size;
  return rows;
}

/* What most of the elements have already; the plan turns constants. */
static gboolean
wants_nspc (const CpuStep *step)
{
  gsize last = 0, plain = 0;

  for (guint i = 0; i < step->n_in; i++) {
    if (step->in[i]->layout == CPU_LAYOUT_NSPC)
      last += step->in[i]->n;
    else if (!step->in[i]->constant)
      plain += step->in[i]->n;
  }
  return last > plain;
}

static gboolean
prepare_concat (CpuStep *step, GError **error)
{
  const InferConcat *attrs = step->op->attrs;
  const InferShape *out = cpu_out_shape (step, 0);
  gint64 axis = attrs->axis;

  if (!infer_shape_normalize_axis (out, &axis, error))
    return FALSE;
  step->priv = rows_new (out, axis, infer_type_size (step->out[0]->desc.type),
      step->in, step->n_in, step->layout);
  step->kernel = "memcpy";
  return TRUE;
}

static gboolean
run_concat (CpuStep *step, GError **error)
{
  const Rows *rows = step->priv;
  guint8 *dst = step->out[0]->data;

  for (guint i = 0; i < step->n_in; i++) {
    const guint8 *src = step->in[i]->data;
    const gsize part = rows->part[i];

    if (part == 0)
      continue;
    for (gsize o = 0; o < rows->outer; o++)
      memcpy (dst + o * rows->total, src + o * part, part);
    dst += part;
  }
  return TRUE;
}

const CpuOp cpu_op_concat = {
  .type = "Concat",
  .flags = CPU_OP_ALL_INPUTS,
  .wants_nspc = wants_nspc,
  .prepare = prepare_concat,
  .run = run_concat,
};

static gboolean
prepare_split (CpuStep *step, GError **error)
{
  const CpuValue *value = step->in[1];
  const InferShape *in = cpu_in_shape (step, 0);
  gint64 axis = 0;

  /* A late axis is known when this runs: the shapes were resolved from it. */
  if (!value->constant && value->data == NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "the axis is not known");
  infer_convert (&axis, INFER_TYPE_I64, value->data, value->desc.type, 1);
  if (!infer_shape_normalize_axis (in, &axis, error))
    return FALSE;
  step->priv = rows_new (in, axis, infer_type_size (step->in[0]->desc.type),
      step->out, step->n_out, CPU_LAYOUT_PLAIN);
  step->kernel = "memcpy";
  return TRUE;
}

static gboolean
run_split (CpuStep *step, GError **error)
{
  const Rows *rows = step->priv;
  const guint8 *src = step->in[0]->data;

  for (guint k = 0; k < step->n_out; k++) {
    guint8 *dst = step->out[k]->data;
    const gsize part = rows->part[k];

    if (part == 0)
      continue;
    for (gsize o = 0; o < rows->outer; o++)
      memcpy (dst + o * part, src + o * rows->total, part);
    src += part;
  }
  return TRUE;
}

const CpuOp cpu_op_split = {
  .type = "Split",
  .prepare = prepare_split,
  .run = run_split,
};

const CpuOp cpu_op_variadic_split = {
  .type = "VariadicSplit",
  .prepare = prepare_split,
  .run = run_split,
};
