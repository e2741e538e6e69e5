/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/search.h"
#include "inference/graph/ops/search.h"

#include <math.h>
#include <string.h>

typedef struct
{
  gint64 key;
  gint64 index;
} Entry;

typedef struct
{
  gboolean min, by_index, best; /* best: k == 1 of f32 */
  InferType type, index_type;
  gsize size, length, inner, k;
  gsize part_bytes; /* of scratch for one thread */
  const CpuKernels *kernels;
  const char *src;
  char *dst, *indices, *scratch;
  const CpuStep *maker;    /* nullable: makes the input row by row */
  gboolean transposed;     /* its rows come as transposed parts */
  gsize rows_at, parts_at; /* in scratch: its rows, what is used here */
} TopK;

/* Whether @a comes after @b: by value, equal ones by index; or by index. */
static inline gboolean
is_worse (const Entry *a, const Entry *b, gboolean by_index)
{
  if (by_index || a->key == b->key)
    return a->index > b->index;
  return a->key < b->key;
}

/* The worst entry is at the root. */
static void
sift_down (Entry *heap, gsize n, gsize i, gboolean by_index)
{
  Entry e = heap[i];

  for (gsize child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && is_worse (&heap[child + 1], &heap[child], by_index))
      child++;
    if (!is_worse (&heap[child], &e, by_index))
      break;
    heap[i] = heap[child];
  }
  heap[i] = e;
}

static void
make_heap (Entry *heap, gsize n, gboolean by_index)
{
  for (gsize i = n / 2; i > 0; i--)
    sift_down (heap, n, i - 1, by_index);
}

/* Sorts the heap, best first. */
static void
sort_heap (Entry *heap, gsize n, gboolean by_index)
{
  while (n > 1) {
    Entry worst = heap[0];

    heap[0] = heap[--n];
    heap[n] = worst;
    sift_down (heap, n, 0, by_index);
  }
}

static void
select_best (const TopK *t, Entry *heap, const gint64 *keys)
{
  for (gsize i = 0; i < t->length; i++) {
    Entry e = { t->min ? ~keys[i] : keys[i], (gint64) i };

    if (i < t->k) {
      heap[i] = e;
      if (i + 1 == t->k)
        make_heap (heap, t->k, FALSE);
    } else if (is_worse (&heap[0], &e, FALSE)) {
      heap[0] = e;
      sift_down (heap, t->k, 0, FALSE);
    }
  }
  if (t->by_index)
    make_heap (heap, t->k, TRUE);
  sort_heap (heap, t->k, t->by_index);
}

static void
store (const TopK *t, const Entry *heap, gsize outer, gsize column)
{
  for (gsize i = 0; i < t->k; i++) {
    gsize from =
        (outer * t->length + (gsize) heap[i].index) * t->inner + column;
    gsize to = (outer * t->k + i) * t->inner + column;

    memcpy (t->dst + to * t->size, t->src + from * t->size, t->size);
    if (t->index_type == INFER_TYPE_I64)
      ((gint64 *) (gpointer) t->indices)[to] = heap[i].index;
    else
      ((gint32 *) (gpointer) t->indices)[to] = (gint32) heap[i].index;
  }
}

static void
run_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const TopK *t = data;
  gint64 *keys = (gpointer) (t->scratch + thread * t->part_bytes);
  Entry *heap = (gpointer) (keys + t->length);

  for (gsize i = begin; i < end; i++) {
    gsize outer = i / t->inner, column = i % t->inner;
    const char *src =
        t->src + (outer * t->length * t->inner + column) * t->size;

    if (t->inner == 1)
      cpu_order_keys (keys, src, t->type, t->length);
    else
      for (gsize j = 0; j < t->length; j++)
        cpu_order_keys (keys + j, src + j * t->inner * t->size, t->type, 1);
    select_best (t, heap, keys);
    store (t, heap, outer, column);
  }
}

/* Columns processed together, and the shortest row processed by itself: shorter
 * rows are transposed. */
#define COLUMNS CPU_ROW_PART

/* Whether @x at @i beats @best at @at.  NaN is the largest of all. */
static gboolean
is_better (float x, gsize i, float best, gsize at, gboolean min)
{
  if (x == best || (isnan (x) && isnan (best)))
    return i < at;
  if (min)
    return x < best || (isnan (best) && !isnan (x));
  return x > best || (isnan (x) && !isnan (best));
}

/* Treats a row as columns of interleaved elements, then takes the best of these
 * and of the remaining elements. */
static gint64
best_of_row (const TopK *t, const float *src, float *best)
{
  const gsize rows = t->length / COLUMNS;
  float top[COLUMNS];
  gint32 row[COLUMNS];
  gsize at = 0;

  t->kernels->best_f32 (top, row, src, rows, COLUMNS, COLUMNS, t->min);
  *best = src[0];
  for (gsize i = 0; i < COLUMNS; i++) {
    const gsize from = (gsize) row[i] * COLUMNS + i;

    if (is_better (top[i], from, *best, at, t->min)) {
      *best = top[i];
      at = from;
    }
  }
  for (gsize i = rows * COLUMNS; i < t->length; i++)
    if (is_better (src[i], i, *best, at, t->min)) {
      *best = src[i];
      at = i;
    }
  return (gint64) at;
}

static void
put_index (const TopK *t, gsize i, gint64 index)
{
  if (t->index_type == INFER_TYPE_I64)
    ((gint64 *) (gpointer) t->indices)[i] = index;
  else
    ((gint32 *) (gpointer) t->indices)[i] = (gint32) index;
}

/* Processes @n ≤ COLUMNS columns from @first on, whose elements are @stride
 * apart, the first ones at @src. */
static void
best_of_columns (
    const TopK *t, const float *src, gsize stride, gsize first, gsize n)
{
  gint32 at[COLUMNS];

  t->kernels->best_f32 ((float *) (gpointer) t->dst + first, at, src, t->length,
      stride, n, t->min);
  for (gsize i = 0; i < n; i++)
    put_index (t, first + i, at[i]);
}

/* Columns [begin, end); @src: the elements of the outer index of the first. */
static void
best_of_range (
    const TopK *t, const float *src, gsize begin, gsize end, guint thread)
{
  float *transposed = (gpointer) (t->scratch + thread * t->part_bytes);
  const gsize outer = begin / t->inner;

  for (gsize i = begin, n; i < end; i += n) {
    const float *from =
        src + (i / t->inner - outer) * t->length * t->inner + i % t->inner;

    if (t->inner == 1 && t->length >= COLUMNS) {
      put_index (t, i, best_of_row (t, from, (float *) (gpointer) t->dst + i));
      n = 1;
      continue;
    }
    n = MIN (COLUMNS, end - i);
    if (t->inner > 1) {
      n = MIN (n, t->inner - i % t->inner);
      best_of_columns (t, from, t->inner, i, n);
    } else {
      t->kernels->transpose_u32 ((gpointer) transposed, COLUMNS,
          (gconstpointer) from, t->length, n, t->length);
      best_of_columns (t, transposed, COLUMNS, i, n);
    }
  }
}

/* k == 1 of f32: nothing has to be sorted. */
static void
run_best (gpointer data, gsize begin, gsize end, guint thread)
{
  const TopK *t = data;

  best_of_range (t,
      (const float *) (gconstpointer) t->src
          + begin / t->inner * t->length * t->inner,
      begin, end, thread);
}

/* A row of the input. */
static void
run_row (gpointer data, float *row, gsize at, gsize n, guint thread)
{
  const TopK *t = data;

  if (t->transposed)
    best_of_columns (t, row, n / t->length, at / t->length, n / t->length);
  else
    best_of_range (t, row, at / t->length, (at + n) / t->length, thread);
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferSearch *attrs = step->op->attrs;
  const InferShape *shape = cpu_in_shape (step, 0);
  gint64 axis = attrs->axis;
  TopK *t = g_new0 (TopK, 1);

  step->priv = t;
  if (!infer_shape_normalize_axis (shape, &axis, error))
    return FALSE;
  t->min = attrs->min;
  t->by_index = attrs->sort == INFER_TOP_K_INDEX;
  t->type = step->in[0]->desc.type;
  t->index_type = attrs->index_type;
  t->size = infer_type_size (t->type);
  t->length = (gsize) shape->dims[axis];
  t->inner = infer_shape_count_range (shape, (int) axis + 1, shape->rank);
  t->kernels = step->kernels;
  /* k is at most the length. */
  t->part_bytes =
      (t->length * (sizeof (gint64) + sizeof (Entry)) + 63) & ~(gsize) 63;
  if (t->type == INFER_TYPE_F32 && t->length < COLUMNS)
    t->part_bytes = MAX (t->part_bytes, t->length * COLUMNS * sizeof (float));
  cpu_step_need_scratch (step, t->part_bytes * step->threads);
  t->best =
      t->type == INFER_TYPE_F32 && cpu_out_shape (step, 0)->dims[axis] == 1;
  step->kernel = t->best ? "best_f32" : "ref";
  return TRUE;
}

static gsize
round_up (gsize bytes)
{
  return (bytes + 63) & ~(gsize) 63;
}

/* Rows of the input that hold whole outer indices are searched while they are
 * in the cache.  Scratch begins with that of @earlier. */
static gboolean
take_over (CpuStep *step, CpuStep *earlier, guint input)
{
  TopK *t = step->priv;
  const CpuRows *rows = earlier->cpu_op->rows;
  const gsize size = rows != NULL && input == 0 ? rows->size (earlier) : 0;

  if (size == 0 || t->type != INFER_TYPE_F32 || !t->best || t->inner == 0
      || size % (t->length * t->inner) != 0)
    return FALSE;
  t->maker = earlier;
  t->transposed = t->inner == 1 && rows->vector (earlier) == t->length;
  t->rows_at = round_up (earlier->scratch_size);
  t->parts_at = t->rows_at + round_up (step->threads * size * sizeof (float));
  cpu_step_need_scratch (step, t->parts_at + t->part_bytes * step->threads);
  return TRUE;
}

static gboolean
run (CpuStep *step, GError **error)
{
  const InferSearch *attrs = step->op->attrs;
  gint64 axis = attrs->axis;
  TopK *t = step->priv;

  if (step->out[0]->n == 0)
    return TRUE;
  if (!infer_shape_normalize_axis (cpu_in_shape (step, 0), &axis, error))
    return FALSE;
  t->k = (gsize) cpu_out_shape (step, 0)->dims[axis];
  if (t->k > t->length)
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "k is %" G_GSIZE_FORMAT ", the axis has %" G_GSIZE_FORMAT " elements",
        t->k, t->length);
  t->src = step->in[0]->data;
  t->dst = step->out[0]->data;
  t->indices = step->out[1]->data;
  t->scratch = (char *) step->scratch + t->parts_at;
  if (t->maker != NULL) {
    t->maker->cpu_op->rows->run (step, t->maker, NULL,
        (gpointer) ((char *) step->scratch + t->rows_at), t->transposed,
        run_row, t);
    return TRUE;
  }
  cpu_step_parallel (step, step->in[0]->n / t->length,
      MAX (4096 / t->length, 1),
      t->k == 1 && t->type == INFER_TYPE_F32 ? run_best : run_range, t);
  return TRUE;
}

const CpuOp cpu_op_top_k = {
  .prepare = prepare,
  .fuse_producer = take_over,
  .run = run,
};
