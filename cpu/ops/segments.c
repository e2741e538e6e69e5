/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SegmentMax, SparseFillEmptyRows and GatherTree. */

#include "inference/graph/ops/segments.h"

#include "cpu/ops/index.h"
#include "cpu/ops/strided-copy.h"

#include <math.h>
#include <string.h>

/* The lowest value of a type, through the widest type of its kind. */
static void
lowest (InferType type, gpointer value)
{
  const guint bits = infer_type_bits (type);
  const double low[] = { -G_MAXDOUBLE, -G_MAXFLOAT, -65504.0,
    -0x1.fep127 }; /* in the order of the enumeration */
  gint64 least = 0;

  if (infer_type_is_real (type)) {
    infer_convert (value, type, &low[type - INFER_TYPE_F64], INFER_TYPE_F64, 1);
    return;
  }
  if (infer_type_is_signed (type))
    least = (gint64) (G_GUINT64_CONSTANT (-1) << (bits - 1));
  infer_convert (value, type, &least, INFER_TYPE_I64, 1);
}

static gboolean
run_segment_max (CpuStep *step, GError **error)
{
  const InferSegmentMax *attrs = step->op->attrs;
  const InferShape *data = cpu_in_shape (step, 0);
  const InferType type = step->in[0]->desc.type;
  const gsize size = infer_type_size (type);
  const gsize row = infer_shape_count_range (data, 1, data->rank);
  const gint64 count = cpu_out_shape (step, 0)->dims[0];
  guint8 *out = step->out[0]->data;
  guint64 fill = 0;
  gint64 last = -1;

  if (attrs->lowest)
    lowest (type, &fill);
  cpu_fill (out, &fill, size, step->out[0]->n);
  for (gsize i = 0; i < step->in[1]->n; i++) {
    const guint8 *src = (const guint8 *) step->in[0]->data + i * row * size;
    const gint64 id = cpu_integer_at (step->in[1], i);

    if (id < 0 || id < last)
      return infer_fail (error, INFER_ERROR_INVALID_DATA,
          "segment %" G_GINT64_FORMAT " of element %" G_GSIZE_FORMAT
          " is negative or not in order",
          id, i);
    if (id < count && row > 0)
      cpu_combine (id == last ? CPU_COMBINE_MAX : CPU_COMBINE_SET, type,
          out + (gsize) id * row * size, src, row);
    last = id;
  }
  return TRUE;
}

const CpuOp cpu_op_segment_max = {
  .run = run_segment_max,
};

/* --- SparseFillEmptyRows --- */

typedef struct
{
  gint64 row, column;
  gsize from; /* of the values */
} Entry;

static int
compare_entries (gconstpointer a, gconstpointer b, gpointer unused)
{
  const Entry *x = a, *y = b;

  if (x->row != y->row)
    return x->row < y->row ? -1 : 1;
  if (x->column != y->column)
    return x->column < y->column ? -1 : 1;
  return x->from < y->from ? -1 : x->from > y->from;
}

/* Marks the rows without an entry, and counts them. */
static gboolean
find_empty (const CpuStep *step, gint64 rows, gint64 columns, gsize *n_empty,
    GError **error)
{
  guint8 *empty = step->out[2]->data;

  *n_empty = (gsize) rows;
  if (rows > 0)
    memset (empty, 1, (gsize) rows);
  for (gsize i = 0; i < step->in[0]->n; i++) {
    const gint64 row = cpu_integer_at (step->in[2], 2 * i);
    const gint64 column = cpu_integer_at (step->in[2], 2 * i + 1);

    if (row < 0 || row >= rows || column < 0 || column >= columns)
      return infer_fail (error, INFER_ERROR_INVALID_DATA,
          "index (%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
          ") is beyond the dense shape",
          row, column);
    *n_empty -= empty[row];
    empty[row] = 0;
  }
  return TRUE;
}

/* The entries, and one for each empty row, marked by G_MAXSIZE. */
static Entry *
list_entries (
    const CpuStep *step, gint64 rows, gint64 columns, gsize *n, GError **error)
{
  const guint8 *empty = step->out[2]->data;
  gsize n_empty, at = 0;

  if (!find_empty (step, rows, columns, &n_empty, error))
    return NULL;
  *n = step->in[0]->n + n_empty;
  Entry *entries = *n <= G_MAXINT ? g_try_new (Entry, *n + 1) : NULL;
  if (entries == NULL) {
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "there is no memory for %" G_GSIZE_FORMAT " entries", *n);
    return NULL;
  }
  for (gsize i = 0; i < step->in[0]->n; i++)
    entries[at++] = (Entry){ cpu_integer_at (step->in[2], 2 * i),
      cpu_integer_at (step->in[2], 2 * i + 1), i };
  for (gint64 r = 0; r < rows; r++)
    if (empty[r])
      entries[at++] = (Entry){ r, 0, G_MAXSIZE };
  g_qsort_with_data (
      entries, (gint) *n, sizeof *entries, compare_entries, NULL);
  return entries;
}

static gboolean
run_sparse (CpuStep *step, GError **error)
{
  const InferType type = step->in[2]->desc.type;
  const gsize value = infer_type_size (step->in[0]->desc.type);
  const gsize index = infer_type_size (type);
  const gint64 rows = cpu_integer_at (step->in[1], 0);
  gsize n;

  g_autofree Entry *entries =
      list_entries (step, rows, cpu_integer_at (step->in[1], 1), &n, error);
  if (entries == NULL)
    return FALSE;
  const InferShape pairs = infer_shape_make (2, (gint64) n, (gint64) 2);
  const InferShape single = infer_shape_make (1, (gint64) n);
  if (!cpu_step_alloc_output (step, 0, &pairs, error)
      || !cpu_step_alloc_output (step, 1, &single, error))
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const Entry *entry = &entries[i];
    const gint64 at[2] = { entry->row, entry->column };
    const guint8 *src =
        entry->from == G_MAXSIZE
            ? step->in[3]->data
            : (const guint8 *) step->in[0]->data + entry->from * value;

    infer_convert ((guint8 *) step->out[0]->data + 2 * i * index, type, at,
        INFER_TYPE_I64, 2);
    memcpy ((guint8 *) step->out[1]->data + i * value, src, value);
  }
  return TRUE;
}

const CpuOp cpu_op_sparse_fill_empty_rows = {
  .run = run_sparse,
};

/* --- GatherTree --- */

typedef struct
{
  gint64 times, beams;
  gsize batches, size;
} Tree;

static gsize
place (const Tree *tree, gint64 time, gsize batch, gint64 beam)
{
  return ((gsize) time * tree->batches + batch) * (gsize) tree->beams
         + (gsize) beam;
}

/* Walks from the last step to the first, then fills up with the end token after
 * the first one. */
static gboolean
follow_beam (CpuStep *step, const Tree *tree, gsize batch, gint64 beam,
    gint64 length, GError **error)
{
  const CpuValue *out = step->out[0];
  const gint64 end = cpu_integer_at (step->in[3], 0);
  gint64 parent = beam;
  gboolean finished = FALSE;

  for (gint64 t = length - 1; t >= 0; t--) {
    const gsize from = place (tree, t, batch, parent);

    memcpy ((guint8 *) out->data + place (tree, t, batch, beam) * tree->size,
        (const guint8 *) step->in[0]->data + from * tree->size, tree->size);
    parent = cpu_integer_at (step->in[1], from);
    if (t > 0 && (parent < 0 || parent >= tree->beams))
      return cpu_fail_index (step->in[1], from, tree->beams, error);
  }
  for (gint64 t = 0; t < length; t++) {
    const gsize at = place (tree, t, batch, beam);

    if (finished)
      memcpy ((guint8 *) out->data + at * tree->size, step->in[3]->data,
          tree->size);
    finished = finished || cpu_integer_at (out, at) == end;
  }
  return TRUE;
}

static gboolean
run_gather_tree (CpuStep *step, GError **error)
{
  const InferShape *shape = cpu_in_shape (step, 0);
  Tree tree = { shape->dims[0], shape->dims[2], (gsize) shape->dims[1],
    infer_type_size (step->in[0]->desc.type) };

  cpu_fill (step->out[0]->data, step->in[3]->data, tree.size, step->out[0]->n);
  for (gsize b = 0; b < tree.batches; b++) {
    const gint64 length = MIN (cpu_integer_at (step->in[2], b), tree.times);

    for (gint64 beam = 0; beam < tree.beams; beam++)
      if (!follow_beam (step, &tree, b, beam, length, error))
        return FALSE;
  }
  return TRUE;
}

const CpuOp cpu_op_gather_tree = {
  .run = run_gather_tree,
};
