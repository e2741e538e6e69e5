/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/search.h"
#include "inference/ops/search.h"

#include <math.h>
#include <string.h>

typedef struct
{
  gint64 key;
  gint64 index;
} Entry;

typedef struct
{
  gboolean min, by_index;
  InferType type, index_type;
  gsize size, length, inner, k;
  gsize part_bytes; /* of scratch for one thread */
  const char *src;
  char *dst, *indices, *scratch;
} TopK;

/* Does @a come after @b?  By value, of equal ones the first; or by index. */
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

/* A heap becomes a list, best first. */
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

/* NaN is the largest of all. */
static inline gboolean
is_better (float x, float best, gboolean min)
{
  if (min)
    return x < best || (isnan (best) && !isnan (x));
  return x > best || (isnan (x) && !isnan (best));
}

/* The one best of f32: nothing has to be ordered. */
static void
run_best (gpointer data, gsize begin, gsize end, guint thread)
{
  const TopK *t = data;

  for (gsize i = begin; i < end; i++) {
    const float *src = (const float *) (gconstpointer) t->src
                       + i / t->inner * t->length * t->inner + i % t->inner;
    float best = *src;
    gsize at = 0;

    for (gsize j = 1; j < t->length; j++) {
      float x = src[j * t->inner];

      if (is_better (x, best, t->min)) {
        best = x;
        at = j;
      }
    }
    ((float *) (gpointer) t->dst)[i] = best;
    if (t->index_type == INFER_TYPE_I64)
      ((gint64 *) (gpointer) t->indices)[i] = (gint64) at;
    else
      ((gint32 *) (gpointer) t->indices)[i] = (gint32) at;
  }
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
  /* k is no more than the length. */
  t->part_bytes =
      (t->length * (sizeof (gint64) + sizeof (Entry)) + 63) & ~(gsize) 63;
  cpu_step_need_scratch (step, t->part_bytes * step->threads);
  step->kernel = "ref";
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
  t->scratch = step->scratch;
  cpu_step_parallel (step, step->in[0]->n / t->length,
      MAX (4096 / t->length, 1),
      t->k == 1 && t->type == INFER_TYPE_F32 ? run_best : run_range, t);
  return TRUE;
}

const CpuOp cpu_op_top_k = {
  .type = "TopK",
  .prepare = prepare,
  .run = run,
};
