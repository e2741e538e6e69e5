/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Concat, Split and VariadicSplit: rows of bytes along one axis. */

#include "cpu/ops/interpolate.h"
#include "cpu/ops/slice.h"
#include "cpu/ops/strided-copy.h"
#include "cpu/base/step.h"
#include "inference/graph/ops/concat.h"

#include <string.h>

typedef struct
{
  gsize part;            /* bytes of a row */
  CpuStep *maker;        /* nullable: a fused Interpolate */
  const CpuValue *value; /* that holds the rows … */
  gsize at, stride;      /* … from byte @at on, @stride apart */
} Piece;

/* [outer][rows of the axis][inner bytes] */
typedef struct
{
  gsize outer,
      total; /* total: bytes of one outer index of the concatenated tensor */
  gboolean made; /* a piece has a maker */
  guint n;
  Piece pieces[];
} Rows;

static Rows *
rows_new (const InferShape *joined, gint64 axis, gsize size,
    CpuValue *const *pieces, guint n, CpuLayout layout)
{
  Rows *rows = g_malloc0 (sizeof *rows + n * sizeof rows->pieces[0]);
  InferShape order = *joined;
  int place = (int) axis;

  if (layout == CPU_LAYOUT_NSPC) {
    cpu_channels_to_end (order.rank, order.dims);
    place = axis == 0 ? 0 : axis == 1 ? order.rank - 1 : place - 1;
  }
  gsize inner = infer_shape_count_range (&order, place + 1, order.rank);
  rows->outer = infer_shape_count_range (&order, 0, place);
  rows->total = (gsize) joined->dims[axis] * inner * size;
  rows->n = n;
  for (guint i = 0; i < n; i++) {
    const gsize part = (gsize) pieces[i]->desc.shape.dims[axis] * inner * size;

    rows->pieces[i] =
        (Piece){ .part = part, .value = pieces[i], .stride = part };
  }
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
    *at += rows->pieces[i].part;
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
  guint8 *joined;
  gboolean join;
} Move;

static guint8 *
row_of (const Piece *piece, gsize row)
{
  return (guint8 *) piece->value->data + piece->at + row * piece->stride;
}

/* Copies bytes [begin, end) of one row of the concatenated tensor. */
static void
move_part (const Move *move, gsize row, gsize begin, gsize end)
{
  const Rows *rows = move->rows;
  guint8 *joined = move->joined + row * rows->total;
  gsize at = 0;

  for (guint i = 0; i < rows->n && at < end; at += rows->pieces[i++].part) {
    const gsize part = rows->pieces[i].part;
    const gsize first = MAX (at, begin), last = MIN (at + part, end);

    if (first >= last)
      continue;
    guint8 *piece = row_of (&rows->pieces[i], row) + first - at;
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
    for (guint i = 0; i < rows->n; joined += rows->pieces[i++].part) {
      const Piece *piece = &rows->pieces[i];
      const gint64 stride = (gint64) piece->stride;

      if (piece->part == 0)
        continue;
      guint8 *data = row_of (piece, row);
      if (data == joined)
        continue; /* it was written to its place */
      if (piece->maker != NULL)
        cpu_interpolate_rows_into (piece->maker, row, row + n, joined, total);
      else if (move->join)
        cpu_copy_runs (
            joined, (gint64) total, data, stride, (gint64) n, piece->part);
      else
        cpu_copy_runs (
            data, stride, joined, (gint64) total, (gint64) n, piece->part);
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
run_move (CpuStep *step, gpointer joined, gboolean join)
{
  const Rows *rows = step->priv;
  Move move = { rows, joined, join };
  gsize bytes = rows->outer * rows->total;

  if (bytes > 0 && rows->made)
    cpu_step_parallel (
        step, rows->outer, 1 + GRAIN / rows->total, move_whole_rows, &move);
  else if (bytes > 0)
    cpu_step_parallel (step, (bytes + UNIT - 1) / UNIT,
        1 + GRAIN / UNIT * rows->total / (rows->total + BEGIN * rows->n),
        move_range, &move);
}

static gboolean
run_concat (CpuStep *step, GError **error)
{
  run_move (step, step->out[0]->data, TRUE);
  return TRUE;
}

/* A fused Interpolate writes its rows directly to their place; those of a
 * Slice are copied from where it would have copied them. */
static gboolean
take_over (CpuStep *step, CpuStep *earlier, guint input)
{
  Rows *rows = step->priv;
  Piece *piece = &rows->pieces[input];
  CpuSliceRows slice;

  if (rows->outer == 0 || piece->part == 0)
    return FALSE;
  if (cpu_slice_gives_rows (earlier, &slice) && slice.n == rows->outer
      && slice.bytes == piece->part) {
    piece->value = earlier->in[0];
    piece->at = slice.at;
    piece->stride = slice.stride;
    return TRUE;
  }
  if (earlier->out[0]->n * infer_type_size (earlier->out[0]->desc.type)
          != rows->outer * piece->part
      || !cpu_interpolate_gives_rows (earlier, piece->part))
    return FALSE;
  piece->maker = earlier;
  rows->made = TRUE;
  return TRUE;
}

const CpuOp cpu_op_concat = {
  .flags = CPU_OP_ALL_INPUTS,
  .wants_nspc = wants_nspc,
  .prepare = prepare_concat,
  .input_part = find_part,
  .fuse_producer = take_over,
  .run = run_concat,
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
  run_move (step, step->in[0]->data, FALSE);
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
