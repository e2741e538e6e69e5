/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Concat, Split and VariadicSplit: rows of bytes along one axis. */

#include "cpu/ops/interpolate.h"
#include "cpu/ops/strided-copy.h"
#include "cpu/base/step.h"
#include "inference/graph/ops/concat.h"

#include <string.h>

/* [outer][rows of the axis][inner bytes] */
typedef struct
{
  gsize outer,
      total; /* total: bytes of one outer index of the concatenated tensor */
  CpuStep **makers; /* nullable; by piece: a fused Interpolate */
  gsize part[];     /* by piece */
} Rows;

static Rows *
rows_new (const InferShape *joined, gint64 axis, gsize size,
    CpuValue *const *pieces, guint n, CpuLayout layout)
{
  Rows *rows = g_malloc0 (sizeof *rows + n * sizeof rows->part[0]);
  InferShape order = *joined;
  int place = (int) axis;

  if (layout == CPU_LAYOUT_NSPC) {
    cpu_channels_to_end (order.rank, order.dims);
    place = axis == 0 ? 0 : axis == 1 ? order.rank - 1 : place - 1;
  }
  gsize inner = infer_shape_count_range (&order, place + 1, order.rank);
  rows->outer = infer_shape_count_range (&order, 0, place);
  rows->total = (gsize) joined->dims[axis] * inner * size;
  for (guint i = 0; i < n; i++)
    rows->part[i] = (gsize) pieces[i]->desc.shape.dims[axis] * inner * size;
  return rows;
}

/* The layout of most elements; the plan transposes constants. */
static gboolean
wants_nspc (const CpuStep *step)
{
  gsize last = 0, plain = 0;

  for (guint i = 0; i < step->n_in; i++) {
    if (step->in[i]->form.layout == CPU_LAYOUT_NSPC)
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

/* Where piece @index lies in the only row. */
static gboolean
find_part (const CpuStep *step, guint index, gsize *at)
{
  const Rows *rows = step->priv;

  *at = 0;
  for (guint i = 0; i < index; i++)
    *at += rows->part[i];
  return rows->outer == 1;
}

/* Bytes per thread from which on waking it pays; the unit of its share; bytes
 * that could be copied while a thread is being started. */
#define GRAIN 65536
#define UNIT 4096
#define BEGIN 64

typedef struct
{
  const Rows *rows;
  CpuValue *const *pieces;
  guint n;
  guint8 *joined;
  gboolean join;
} Move;

/* Copies bytes [begin, end) of one row of the concatenated tensor. */
static void
move_part (const Move *move, gsize row, gsize begin, gsize end)
{
  const Rows *rows = move->rows;
  guint8 *joined = move->joined + row * rows->total;
  gsize at = 0;

  for (guint i = 0; i < move->n && at < end; at += rows->part[i++]) {
    const gsize part = rows->part[i];
    const gsize first = MAX (at, begin), last = MIN (at + part, end);

    if (first >= last)
      continue;
    guint8 *piece = (guint8 *) move->pieces[i]->data + row * part + first - at;
    if (piece == joined + first)
      continue; /* it was written to its place */
    if (move->join)
      memcpy (joined + first, piece, last - first);
    else
      memcpy (piece, joined + first, last - first);
  }
}

/* Bytes of a block of rows. */
#define BLOCK 16384

/* Copies whole rows block by block, so that the concatenated tensor stays in
 * the cache until all pieces are copied. */
static void
move_rows (const Move *move, gsize begin, gsize end)
{
  const Rows *rows = move->rows;
  const gsize total = rows->total, most = BLOCK / total + 1;

  for (gsize row = begin, n; row < end; row += n) {
    guint8 *joined = move->joined + row * total;

    n = MIN (most, end - row);
    for (guint i = 0; i < move->n; joined += rows->part[i++]) {
      const gsize part = rows->part[i];

      if (part == 0)
        continue;
      guint8 *piece = (guint8 *) move->pieces[i]->data + row * part;
      if (piece == joined)
        continue; /* it was written to its place */
      if (rows->makers != NULL && rows->makers[i] != NULL)
        cpu_interpolate_rows_into (
            rows->makers[i], row, row + n, joined, total);
      else if (move->join)
        cpu_copy_runs (
            joined, (gint64) total, piece, (gint64) part, (gint64) n, part);
      else
        cpu_copy_runs (
            piece, (gint64) part, joined, (gint64) total, (gint64) n, part);
    }
  }
}

static void
move_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Move *move = data;
  const gsize total = move->rows->total;
  const gsize first = begin * UNIT;
  const gsize last = MIN (end * UNIT, move->rows->outer * total);
  const gsize row = (first + total - 1) / total, beyond = last / total;

  if (row > beyond) {
    move_part (move, beyond, first - beyond * total, last - beyond * total);
    return;
  }
  if (first < row * total)
    move_part (move, row - 1, first - (row - 1) * total, total);
  move_rows (move, row, beyond);
  if (last > beyond * total)
    move_part (move, beyond, 0, last - beyond * total);
}

static void
move_whole_rows (gpointer data, gsize begin, gsize end, guint thread)
{
  move_rows (data, begin, end);
}

static void
run_move (CpuStep *step, CpuValue *const *pieces, guint n, gpointer joined,
    gboolean join)
{
  const Rows *rows = step->priv;
  Move move = { rows, pieces, n, joined, join };
  gsize bytes = rows->outer * rows->total;

  if (bytes > 0 && rows->makers != NULL)
    cpu_step_parallel (
        step, rows->outer, 1 + GRAIN / rows->total, move_whole_rows, &move);
  else if (bytes > 0)
    cpu_step_parallel (step, (bytes + UNIT - 1) / UNIT,
        1 + GRAIN / UNIT * rows->total / (rows->total + BEGIN * n), move_range,
        &move);
}

static gboolean
run_concat (CpuStep *step, GError **error)
{
  run_move (step, step->in, step->n_in, step->out[0]->data, TRUE);
  return TRUE;
}

/* A fused Interpolate writes its rows directly to their place. */
static gboolean
take_over (CpuStep *step, CpuStep *earlier, guint input)
{
  Rows *rows = step->priv;

  if (rows->outer == 0 || rows->part[input] == 0
      || earlier->out[0]->n * infer_type_size (earlier->out[0]->desc.type)
             != rows->outer * rows->part[input]
      || !cpu_interpolate_gives_rows (earlier, rows->part[input]))
    return FALSE;
  if (rows->makers == NULL)
    rows->makers = g_new0 (CpuStep *, step->n_in);
  rows->makers[input] = earlier;
  return TRUE;
}

static void
release (gpointer priv)
{
  Rows *rows = priv;

  if (rows != NULL)
    g_free (rows->makers);
  g_free (rows);
}

const CpuOp cpu_op_concat = {
  .flags = CPU_OP_ALL_INPUTS,
  .wants_nspc = wants_nspc,
  .prepare = prepare_concat,
  .input_part = find_part,
  .fuse_producer = take_over,
  .run = run_concat,
  .release = release,
};

static gboolean
prepare_split (CpuStep *step, GError **error)
{
  const InferShape *in = cpu_in_shape (step, 0);
  gint64 axis = cpu_integer_at (step->in[1], 0);

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
  run_move (step, step->out, step->n_out, step->in[0]->data, FALSE);
  return TRUE;
}

const CpuOp cpu_op_split = {
  .prepare = prepare_split,
  .output_part = find_part,
  .run = run_split,
};

const CpuOp cpu_op_variadic_split = {
  .prepare = prepare_split,
  .output_part = find_part,
  .run = run_split,
};
