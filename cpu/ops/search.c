/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bucketize, SearchSorted, NonZero, Unique. */

#include "cpu/ops/search.h"

#include "inference/graph/ops/search.h"

#include <math.h>
#include <string.h>

void
cpu_order_keys (gint64 *dst, gconstpointer src, InferType type, gsize n)
{
  double *reals = (gpointer) dst;

  if (!infer_type_is_real (type)) {
    infer_convert (dst, INFER_TYPE_I64, src, type, n);
    for (gsize i = 0; i < n && type == INFER_TYPE_U64; i++)
      dst[i] ^= G_MININT64;
    return;
  }
  infer_convert (reals, INFER_TYPE_F64, src, type, n);
  for (gsize i = 0; i < n; i++) {
    double x = isnan (reals[i]) ? fabs (reals[i]) : reals[i] + 0.0;
    gint64 bits;

    memcpy (&bits, &x, sizeof bits);
    /* The bits of negative numbers are in descending order. */
    dst[i] = bits < 0 ? bits ^ G_MAXINT64 : bits;
  }
}

/* The first of n ascending keys that is not below @key or, if @above, is above
 * it; n: none. */
static gsize
order_find (const gint64 *keys, gsize n, gint64 key, gboolean above)
{
  gsize low = 0;

  while (n > 0) {
    gsize half = n / 2;

    if (keys[low + half] < key || (above && keys[low + half] == key)) {
      low += half + 1;
      n -= half + 1;
    } else
      n = half;
  }
  return low;
}

static void
store_index (CpuValue *out, gsize i, gint64 index)
{
  if (out->desc.type == INFER_TYPE_I64)
    ((gint64 *) out->data)[i] = index;
  else
    ((gint32 *) out->data)[i] = (gint32) index;
}

/* --- Bucketize, SearchSorted --- */

static gboolean
find_prepare (CpuStep *step, GError **error)
{
  cpu_step_need_scratch (
      step, (step->in[0]->n + step->in[1]->n) * sizeof (gint64));
  step->kernel = "ref";
  return TRUE;
}

static gboolean
bucketize_run (CpuStep *step, GError **error)
{
  const InferSearch *attrs = step->op->attrs;
  CpuValue *data = step->in[0], *bounds = step->in[1], *out = step->out[0];
  gint64 *keys = step->scratch, *bound_keys = keys + data->n;
  InferType type = data->desc.type, bound_type = bounds->desc.type;

  if (type != bound_type
      && (infer_type_is_real (type) || infer_type_is_real (bound_type))) {
    double *reals = (gpointer) keys;

    /* Integers and reals are compared in double. */
    infer_convert (reals, INFER_TYPE_F64, data->data, type, data->n);
    infer_convert (
        reals + data->n, INFER_TYPE_F64, bounds->data, bound_type, bounds->n);
    cpu_order_keys (keys, reals, INFER_TYPE_F64, data->n + bounds->n);
  } else {
    cpu_order_keys (keys, data->data, type, data->n);
    cpu_order_keys (bound_keys, bounds->data, bound_type, bounds->n);
  }
  for (gsize i = 0; i < data->n; i++)
    store_index (out, i,
        (gint64) order_find (bound_keys, bounds->n, keys[i], !attrs->right));
  return TRUE;
}

static gboolean
search_sorted_run (CpuStep *step, GError **error)
{
  const InferSearch *attrs = step->op->attrs;
  CpuValue *sorted = step->in[0], *values = step->in[1], *out = step->out[0];
  const InferShape *shape = &sorted->desc.shape;
  const InferShape *value_shape = &values->desc.shape;
  gsize n = (gsize) shape->dims[shape->rank - 1];
  gsize per_row = value_shape->rank == 0
                      ? 1
                      : (gsize) value_shape->dims[value_shape->rank - 1];
  gint64 *keys = step->scratch, *value_keys = keys + sorted->n;

  cpu_order_keys (keys, sorted->data, sorted->desc.type, sorted->n);
  cpu_order_keys (value_keys, values->data, values->desc.type, values->n);
  for (gsize i = 0; i < values->n; i++) {
    gsize row = shape->rank == 1 ? 0 : i / per_row;

    store_index (out, i,
        (gint64) order_find (keys + row * n, n, value_keys[i], attrs->right));
  }
  return TRUE;
}

const CpuOp cpu_op_bucketize = {
  .prepare = find_prepare,
  .run = bucketize_run,
};

const CpuOp cpu_op_search_sorted = {
  .prepare = find_prepare,
  .run = search_sorted_run,
};

/* --- NonZero --- */

static gboolean
is_zero (const char *p, InferType type)
{
  gint64 bits = 0;
  double x = 0;

  if (infer_type_is_real (type)) {
    infer_convert (&x, INFER_TYPE_F64, p, type, 1);
    return x == 0;
  }
  memcpy (&bits, p, infer_type_size (type));
  return bits == 0;
}

static gboolean
non_zero_run (CpuStep *step, GError **error)
{
  CpuValue *in = step->in[0], *out = step->out[0];
  const InferShape *shape = &in->desc.shape;
  gsize size = infer_type_size (in->desc.type), count = 0, k = 0;
  const char *src = in->data;
  InferShape found = infer_shape_of_rank (2);

  for (gsize i = 0; i < in->n; i++)
    count += !is_zero (src + i * size, in->desc.type);
  found.dims[0] = shape->rank;
  found.dims[1] = (gint64) count;
  if (!cpu_step_alloc_output (step, 0, &found, error))
    return FALSE;
  for (gsize i = 0; i < in->n; i++) {
    gsize rest = i;

    if (is_zero (src + i * size, in->desc.type))
      continue;
    for (int d = shape->rank - 1; d >= 0; d--) {
      store_index (
          out, (gsize) d * count + k, (gint64) (rest % (gsize) shape->dims[d]));
      rest /= (gsize) shape->dims[d];
    }
    k++;
  }
  return TRUE;
}

const CpuOp cpu_op_non_zero = {
  .run = non_zero_run,
};

/* --- Unique --- */

/* Slices to compare: element i of the axis, [outer][i][inner]. */
typedef struct
{
  const gint64 *keys;
  gsize outer, length, inner;
} Slices;

static int
compare_slices (const Slices *s, gsize a, gsize b)
{
  for (gsize o = 0; o < s->outer; o++) {
    const gint64 *row = s->keys + o * s->length * s->inner;

    for (gsize i = 0; i < s->inner; i++) {
      gint64 x = row[a * s->inner + i], y = row[b * s->inner + i];

      if (x != y)
        return x < y ? -1 : 1;
    }
  }
  return 0;
}

static int
compare_entries (gconstpointer a, gconstpointer b, gpointer data)
{
  gsize i = *(const gsize *) a, j = *(const gsize *) b;
  int order = compare_slices (data, i, j);

  return order != 0 ? order : i < j ? -1 : i > j;
}

static int
compare_indices (gconstpointer a, gconstpointer b, gpointer data)
{
  const gsize *first = data;
  gsize i = first[*(const gsize *) a], j = first[*(const gsize *) b];

  return i < j ? -1 : i > j;
}

static gboolean
unique_prepare (CpuStep *step, GError **error)
{
  /* Keys, and four lists of slices. */
  cpu_step_need_scratch (
      step, step->in[0]->n * (sizeof (gint64) + 4 * sizeof (gsize)));
  step->kernel = "ref";
  return TRUE;
}

/* Groups equal slices: first[g] the first slice of group g, group[i] the group
 * of slice i.  Returns the number of groups, in ascending order. */
static gsize
find_groups (Slices *s, gsize *order, gsize *first, gsize *group)
{
  gsize n = 0;

  for (gsize i = 0; i < s->length; i++)
    order[i] = i;
  g_qsort_with_data (order, (int) s->length, sizeof *order, compare_entries, s);
  for (gsize i = 0; i < s->length; i++) {
    if (i == 0 || compare_slices (s, order[i - 1], order[i]) != 0)
      first[n++] = order[i];
    group[order[i]] = n - 1;
  }
  return n;
}

static void
store_slices (CpuStep *step, const Slices *s, const gsize *order, gsize n,
    const gsize *first)
{
  gsize bytes = s->inner * infer_type_size (step->in[0]->desc.type);
  const char *src = step->in[0]->data;
  char *dst = step->out[0]->data;

  for (gsize o = 0; o < s->outer; o++)
    for (gsize g = 0; g < n; g++, dst += bytes)
      memcpy (dst, src + (o * s->length + first[order[g]]) * bytes, bytes);
}

static gboolean
unique_shapes (
    CpuStep *step, const Slices *s, gint64 axis, gsize n, GError **error)
{
  InferShape list = infer_shape_of_rank (1), out = *cpu_in_shape (step, 0);

  list.dims[0] = (gint64) n;
  if (step->n_in == 1)
    out = list;
  else
    out.dims[axis] = (gint64) n;
  if (!cpu_step_alloc_output (step, 0, &out, error)
      || !cpu_step_alloc_output (step, 1, &list, error)
      || !cpu_step_alloc_output (step, 3, &list, error))
    return FALSE;
  list.dims[0] = (gint64) s->length;
  return infer_shape_is_static (cpu_out_shape (step, 2))
         || cpu_step_alloc_output (step, 2, &list, error);
}

static gboolean
unique_run (CpuStep *step, GError **error)
{
  const InferSearch *attrs = step->op->attrs;
  CpuValue *in = step->in[0];
  const InferShape *shape = &in->desc.shape;
  gint64 *keys = step->scratch, axis = 0;
  gsize *order, *first, *group, *rank, n;
  Slices s = { .keys = keys, .outer = 1, .length = in->n, .inner = 1 };

  if (step->n_in > 1) {
    infer_convert (
        &axis, INFER_TYPE_I64, step->in[1]->data, step->in[1]->desc.type, 1);
    if (!infer_shape_normalize_axis (shape, &axis, error))
      return FALSE;
    s.outer = infer_shape_count_range (shape, 0, (int) axis);
    s.length = (gsize) shape->dims[axis];
    s.inner = infer_shape_count_range (shape, (int) axis + 1, shape->rank);
  }
  if (in->n == 0)
    s.length = 0;
  if (s.length > G_MAXINT)
    return infer_fail (
        error, INFER_ERROR_UNSUPPORTED, "more than %d elements", G_MAXINT);
  order = (gsize *) (gpointer) (keys + in->n);
  first = order + in->n;
  group = first + in->n;
  rank = group + in->n;
  cpu_order_keys (keys, in->data, in->desc.type, in->n);
  n = find_groups (&s, order, first, group);
  if (!unique_shapes (step, &s, axis, n, error))
    return FALSE;
  for (gsize g = 0; g < n; g++)
    order[g] = g;
  if (!attrs->sorted)
    g_qsort_with_data (order, (int) n, sizeof *order, compare_indices, first);
  store_slices (step, &s, order, n, first);
  for (gsize g = 0; g < n; g++) {
    rank[order[g]] = g;
    store_index (step->out[1], g, (gint64) first[order[g]]);
    store_index (step->out[3], g, 0);
  }
  for (gsize i = 0; i < s.length; i++) {
    gsize g = rank[group[i]];
    CpuValue *counts = step->out[3];

    store_index (step->out[2], i, (gint64) g);
    store_index (counts, g,
        1
            + (counts->desc.type == INFER_TYPE_I64
                    ? ((gint64 *) counts->data)[g]
                    : ((gint32 *) counts->data)[g]));
  }
  return TRUE;
}

const CpuOp cpu_op_unique = {
  .prepare = unique_prepare,
  .run = unique_run,
};
