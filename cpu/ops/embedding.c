/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bags and segments of embeddings. */

#include "inference/graph/ops/embedding.h"

#include "cpu/ops/index.h"
#include "cpu/base/widen.h"

#include <string.h>

/* Sums are computed in f32, f64 or, where the table holds integers, i64. */
typedef struct
{
  InferType work;
  gsize row; /* elements of an embedding */
} Plan;

typedef union
{
  float f32;
  double f64;
  gint64 i64;
} Number;

static gboolean
prepare (CpuStep *step, GError **error)
{
  const CpuValue *table = step->in[0];
  const InferShape *shape = &table->desc.shape;
  Plan *plan = g_new0 (Plan, 1);

  step->priv = plan;
  plan->work = infer_type_is_real (table->desc.type)
                   ? cpu_widen_type (table->desc.type)
                   : INFER_TYPE_I64;
  plan->row = infer_shape_count_range (shape, 1, shape->rank);
  gsize bytes = cpu_scratch_add (0, plan->row, sizeof (Number));
  bytes = cpu_scratch_add (bytes, plan->row, sizeof (Number));
  if (bytes == G_MAXSIZE)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "%" G_GSIZE_FORMAT " elements in a row", plan->row);
  cpu_step_need_scratch (step, bytes);
  return TRUE;
}

static gconstpointer
row_at (const CpuStep *step, gsize index)
{
  const Plan *plan = step->priv;
  const CpuValue *table = step->in[0];

  return (const guint8 *) table->data
         + index * plan->row * infer_type_size (table->desc.type);
}

#define ADD_ROW(T, field)                                                      \
  for (gsize j = 0; j < plan->row; j++)                                        \
  ((T *) sum)[j] += ((const T *) row)[j] * weight.field

/* sum += table[indices[i]] * weight of i */
static gboolean
add_row (CpuStep *step, gpointer sum, gsize i, GError **error)
{
  const Plan *plan = step->priv;
  const InferEmbedding *attrs = step->op->attrs;
  const CpuValue *table = step->in[0], *indices = step->in[1];
  const gint64 length = table->desc.shape.dims[0],
               index = cpu_integer_at (indices, i);
  gpointer row = (Number *) step->scratch + plan->row;
  Number weight = { .i64 = 1 };

  if (index < 0 || index >= length)
    return cpu_fail_index (indices, i, length, error);
  infer_convert (row, plan->work, row_at (step, (gsize) index),
      table->desc.type, plan->row);
  if (cpu_has_in (step, attrs->weights) && attrs->weights > 0) {
    const CpuValue *value = step->in[attrs->weights];
    const gsize size = infer_type_size (value->desc.type);

    infer_convert (&weight, plan->work, (const guint8 *) value->data + i * size,
        value->desc.type, 1);
  } else if (plan->work != INFER_TYPE_I64) {
    infer_convert (&weight, plan->work, &(gint64){ 1 }, INFER_TYPE_I64, 1);
  }
  if (plan->work == INFER_TYPE_F32)
    ADD_ROW (float, f32);
  else if (plan->work == INFER_TYPE_F64)
    ADD_ROW (double, f64);
  else
    for (gsize j = 0; j < plan->row; j++) /* wraps around, as the type does */
      ((guint64 *) sum)[j] += ((const guint64 *) row)[j] * (guint64) weight.i64;
  return TRUE;
}

static void
divide (const Plan *plan, gpointer sum, gsize n)
{
  for (gsize j = 0; j < plan->row; j++) {
    if (plan->work == INFER_TYPE_F32)
      ((float *) sum)[j] /= (float) n;
    else if (plan->work == INFER_TYPE_F64)
      ((double *) sum)[j] /= (double) n;
    else
      ((gint64 *) sum)[j] /= (gint64) n;
  }
}

/* The default embedding, or zeros. */
static gboolean
fill_empty (CpuStep *step, gpointer out, gsize bytes, GError **error)
{
  const InferEmbedding *attrs = step->op->attrs;
  const gint64 length = cpu_in_shape (step, 0)->dims[0];
  const guint input = attrs->default_index;
  gint64 index = -1;

  if (input > 0 && cpu_has_in (step, input) && step->in[input]->n > 0)
    index = cpu_integer_at (step->in[input], 0);
  if (index < -1 || index >= length)
    return cpu_fail_index (step->in[input], 0, length, error);
  if (index < 0)
    memset (out, 0, bytes);
  else
    memcpy (out, row_at (step, (gsize) index), bytes);
  return TRUE;
}

/* Bag @bag from samples [begin, end). */
static gboolean
make_bag (CpuStep *step, gsize bag, gsize begin, gsize end, GError **error)
{
  const Plan *plan = step->priv;
  const InferEmbedding *attrs = step->op->attrs;
  const InferType type = step->out[0]->desc.type;
  const gsize bytes = plan->row * infer_type_size (type);
  gpointer out = (guint8 *) step->out[0]->data + bag * bytes;

  if (bytes == 0)
    return TRUE;
  if (begin == end)
    return fill_empty (step, out, bytes, error);
  memset (step->scratch, 0, plan->row * sizeof (Number));
  for (gsize i = begin; i < end; i++)
    if (!add_row (step, step->scratch, i, error))
      return FALSE;
  if (attrs->mean)
    divide (plan, step->scratch, end - begin);
  infer_convert (out, type, step->scratch, plan->work, plan->row);
  return TRUE;
}

static gboolean
run_packed (CpuStep *step, GError **error)
{
  const InferShape *indices = cpu_in_shape (step, 1);
  const gsize each = (gsize) indices->dims[1];

  for (gsize b = 0; b < (gsize) indices->dims[0]; b++)
    if (!make_bag (step, b, b * each, (b + 1) * each, error))
      return FALSE;
  return TRUE;
}

static gboolean
run_offsets (CpuStep *step, GError **error)
{
  const CpuValue *offsets = step->in[2];
  const gint64 n = (gint64) step->in[1]->n;

  for (gsize b = 0; b < offsets->n; b++) {
    const gint64 begin = cpu_integer_at (offsets, b);
    const gint64 end = b + 1 < offsets->n ? cpu_integer_at (offsets, b + 1) : n;

    if (begin < 0 || end < begin || end > n)
      return infer_fail (error, INFER_ERROR_INVALID_DATA,
          "bag %" G_GSIZE_FORMAT " is from %" G_GINT64_FORMAT
          " to %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " indices",
          b, begin, end, n);
    if (!make_bag (step, b, (gsize) begin, (gsize) end, error))
      return FALSE;
  }
  return TRUE;
}

/* Segments are sorted; those beyond the number of segments are skipped. */
static gboolean
run_segments (CpuStep *step, GError **error)
{
  const CpuValue *segments = step->in[2];
  const gint64 bags = cpu_out_shape (step, 0)->dims[0];
  gsize i = 0;

  for (gint64 b = 0; b < bags; b++) {
    const gsize begin = i;

    while (i < segments->n && cpu_integer_at (segments, i) == b)
      i++;
    if (!make_bag (step, (gsize) b, begin, i, error))
      return FALSE;
  }
  if (i < segments->n && cpu_integer_at (segments, i) < bags)
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "segment %" G_GINT64_FORMAT " of sample %" G_GSIZE_FORMAT
        " is not in order",
        cpu_integer_at (segments, i), i);
  return TRUE;
}

const CpuOp cpu_op_embedding_bag_offsets = {
  .prepare = prepare,
  .run = run_offsets,
};

const CpuOp cpu_op_embedding_bag_offsets_sum = {
  .prepare = prepare,
  .run = run_offsets,
};

const CpuOp cpu_op_embedding_bag_packed = {
  .prepare = prepare,
  .run = run_packed,
};

const CpuOp cpu_op_embedding_bag_packed_sum = {
  .prepare = prepare,
  .run = run_packed,
};

const CpuOp cpu_op_embedding_segments_sum = {
  .prepare = prepare,
  .run = run_segments,
};
