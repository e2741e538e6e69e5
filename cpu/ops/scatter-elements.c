/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ScatterUpdate and ScatterElementsUpdate. */

#include "cpu/ops/index.h"
#include "inference/graph/ops/index.h"

#include <string.h>

static void
start_from_data (CpuStep *step)
{
  const gsize bytes = step->in[0]->n * infer_type_size (step->in[0]->desc.type);

  if (step->out[0]->data != step->in[0]->data && bytes > 0)
    memcpy (step->out[0]->data, step->in[0]->data, bytes);
}

static gboolean
read_axis (const CpuStep *step, int *axis, GError **error)
{
  gint64 number = cpu_integer_at (step->in[3], 0);

  if (!infer_shape_normalize_axis (cpu_in_shape (step, 0), &number, error))
    return FALSE;
  *axis = (int) number;
  return TRUE;
}

static gboolean
run_update (CpuStep *step, GError **error)
{
  const InferShape *data = cpu_in_shape (step, 0);
  const CpuValue *indices = step->in[1];
  const gsize size = infer_type_size (step->in[0]->desc.type);
  gsize outer, inner;
  int axis;

  if (!read_axis (step, &axis, error))
    return FALSE;
  start_from_data (step);
  outer = infer_shape_count_range (data, 0, axis);
  inner = infer_shape_count_range (data, axis + 1, data->rank) * size;
  for (gsize i = 0; i < indices->n; i++) {
    const gsize length = (gsize) data->dims[axis];
    gsize index;

    if (!cpu_read_index (indices, i, data->dims[axis], &index))
      return cpu_fail_index (indices, i, data->dims[axis], error);
    for (gsize o = 0; o < outer && inner > 0; o++)
      memcpy ((guint8 *) step->out[0]->data + (o * length + index) * inner,
          (const guint8 *) step->in[2]->data + (o * indices->n + i) * inner,
          inner);
  }
  return TRUE;
}

const CpuOp cpu_op_scatter_update = {
  .flags = CPU_OP_INPLACE,
  .run = run_update,
};

/* --- ScatterElementsUpdate --- */

typedef struct
{
  gsize *targets;  /* by element of the indices */
  guint32 *counts; /* by element of the data; NULL: not needed */
} Elements;

static void
elements_free (gpointer data)
{
  Elements *elements = data;

  g_free (elements->targets);
  g_free (elements->counts);
  g_free (elements);
}

static CpuCombine
combine_of (int reduction)
{
  switch (reduction) {
    case INFER_SCATTER_ELEMENTS_SUM:
    case INFER_SCATTER_ELEMENTS_MEAN:
      return CPU_COMBINE_SUM;
    case INFER_SCATTER_ELEMENTS_PROD:
      return CPU_COMBINE_PROD;
    case INFER_SCATTER_ELEMENTS_MIN:
      return CPU_COMBINE_MIN;
    case INFER_SCATTER_ELEMENTS_MAX:
      return CPU_COMBINE_MAX;
    default:
      return CPU_COMBINE_SET;
  }
}

/* Whether it matters how many updates an element gets. */
static gboolean
needs_counts (const InferScatterElements *attrs)
{
  return attrs->reduction == INFER_SCATTER_ELEMENTS_MEAN
         || (!attrs->use_init_val
             && combine_of (attrs->reduction) != CPU_COMBINE_SET);
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  const gboolean counts = needs_counts (step->op->attrs);
  Elements *elements = g_new0 (Elements, 1);

  step->priv = elements;
  elements->targets = g_try_new (gsize, step->in[1]->n + 1);
  elements->counts = counts ? g_try_new (guint32, step->in[0]->n + 1) : NULL;
  return (elements->targets != NULL && (!counts || elements->counts != NULL))
         || infer_fail (error, INFER_ERROR_NO_MEMORY, "too many indices");
}

static gboolean
find_targets (CpuStep *step, int axis, GError **error)
{
  const Elements *elements = step->priv;
  const InferShape *data = cpu_in_shape (step, 0);
  const InferShape *shape = cpu_in_shape (step, 1);
  gint64 strides[INFER_MAX_RANK];

  infer_shape_strides (data, strides);
  for (gsize i = 0; i < step->in[1]->n; i++) {
    gsize flat = i, target = 0, index;

    if (!cpu_read_index (step->in[1], i, data->dims[axis], &index))
      return cpu_fail_index (step->in[1], i, data->dims[axis], error);
    for (int d = shape->rank - 1; d >= 0; d--) {
      gsize at = d == axis ? index : flat % (gsize) shape->dims[d];

      flat /= (gsize) shape->dims[d];
      target += at * (gsize) strides[d];
    }
    elements->targets[i] = target;
  }
  return TRUE;
}

/* Divides the sums; integers round toward minus infinity. */
static void
divide_sums (CpuStep *step, gboolean count_initial)
{
  const Elements *elements = step->priv;
  const InferType type = step->out[0]->desc.type;
  const gsize size = infer_type_size (type);

  for (gsize t = 0; t < step->out[0]->n; t++) {
    guint8 *at = (guint8 *) step->out[0]->data + t * size;
    guint32 n = elements->counts[t];

    if (n == 0)
      continue;
    n += count_initial ? 1 : 0;
    if (infer_type_is_real (type)) {
      double sum;

      infer_convert (&sum, INFER_TYPE_F64, at, type, 1);
      sum /= n;
      infer_convert (at, type, &sum, INFER_TYPE_F64, 1);
    } else {
      gint64 sum, quotient;

      infer_convert (&sum, INFER_TYPE_I64, at, type, 1);
      quotient = sum / n;
      if (sum % n != 0 && sum < 0)
        quotient--;
      infer_convert (at, type, &quotient, INFER_TYPE_I64, 1);
    }
  }
}

static gboolean
run_elements (CpuStep *step, GError **error)
{
  const InferScatterElements *attrs = step->op->attrs;
  const Elements *elements = step->priv;
  const InferType type = step->in[0]->desc.type;
  const gsize size = infer_type_size (type);
  const CpuCombine combine = combine_of (attrs->reduction);
  guint8 *dst = step->out[0]->data;
  int axis;

  if (!read_axis (step, &axis, error) || !find_targets (step, axis, error))
    return FALSE;
  start_from_data (step);
  if (elements->counts != NULL)
    memset (elements->counts, 0, step->in[0]->n * sizeof *elements->counts);
  for (gsize i = 0; i < step->in[1]->n; i++) {
    const gsize target = elements->targets[i];
    gboolean first =
        elements->counts != NULL && elements->counts[target]++ == 0;

    /* Without the initial value, the first update replaces the element. */
    cpu_combine (first && !attrs->use_init_val ? CPU_COMBINE_SET : combine,
        type, dst + target * size,
        (const guint8 *) step->in[2]->data + i * size, 1);
  }
  if (attrs->reduction == INFER_SCATTER_ELEMENTS_MEAN)
    divide_sums (step, attrs->use_init_val);
  return TRUE;
}

const CpuOp cpu_op_scatter_elements_update = {
  .flags = CPU_OP_INPLACE,
  .prepare = prepare,
  .run = run_elements,
  .release = elements_free,
};
