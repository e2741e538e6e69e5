/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ScatterNDUpdate. */

#include "inference/ops/scatter-nd.h"

#include "cpu/step.h"

#include <string.h>

#define REDUCE(type)                                                           \
  static void reduce_##type (int how, type *dst, const type *src, gsize n)     \
  {                                                                            \
    for (gsize i = 0; i < n; i++)                                              \
      switch (how) {                                                           \
        case INFER_SCATTER_SUM:                                                \
          dst[i] = (type) (dst[i] + src[i]);                                   \
          break;                                                               \
        case INFER_SCATTER_SUB:                                                \
          dst[i] = (type) (dst[i] - src[i]);                                   \
          break;                                                               \
        case INFER_SCATTER_PROD:                                               \
          dst[i] = (type) (dst[i] * src[i]);                                   \
          break;                                                               \
        case INFER_SCATTER_MIN:                                                \
          dst[i] = MIN (dst[i], src[i]);                                       \
          break;                                                               \
        default:                                                               \
          dst[i] = MAX (dst[i], src[i]);                                       \
          break;                                                               \
      }                                                                        \
  }

REDUCE (float)
REDUCE (double)
REDUCE (gint64)
REDUCE (guint64)
REDUCE (gint32)
REDUCE (guint32)
REDUCE (gint16)
REDUCE (guint16)
REDUCE (gint8)
REDUCE (guint8)

static void
reduce_half (InferType type, int how, gpointer dst, gconstpointer src, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    float a, b;

    infer_convert (&a, INFER_TYPE_F32, (guint16 *) dst + i, type, 1);
    infer_convert (&b, INFER_TYPE_F32, (const guint16 *) src + i, type, 1);
    reduce_float (how, &a, &b, 1);
    infer_convert ((guint16 *) dst + i, type, &a, INFER_TYPE_F32, 1);
  }
}

static void
reduce (InferType type, int how, gpointer dst, gconstpointer src, gsize n)
{
  switch (type) {
    case INFER_TYPE_F32:
      reduce_float (how, dst, src, n);
      break;
    case INFER_TYPE_F64:
      reduce_double (how, dst, src, n);
      break;
    case INFER_TYPE_F16:
    case INFER_TYPE_BF16:
      reduce_half (type, how, dst, src, n);
      break;
    case INFER_TYPE_I64:
      reduce_gint64 (how, dst, src, n);
      break;
    case INFER_TYPE_U64:
      reduce_guint64 (how, dst, src, n);
      break;
    case INFER_TYPE_I32:
      reduce_gint32 (how, dst, src, n);
      break;
    case INFER_TYPE_U32:
      reduce_guint32 (how, dst, src, n);
      break;
    case INFER_TYPE_I16:
      reduce_gint16 (how, dst, src, n);
      break;
    case INFER_TYPE_U16:
      reduce_guint16 (how, dst, src, n);
      break;
    case INFER_TYPE_I8:
      reduce_gint8 (how, dst, src, n);
      break;
    default:
      reduce_guint8 (how, dst, src, n);
      break;
  }
}

/* [tuples of depth][rest] */
typedef struct
{
  gsize depth, tuples, rest;
  guint32 *targets; /* per tuple, where the indices are constant; nullable */
} ScatterPlan;

static void
scatter_free (gpointer data)
{
  ScatterPlan *plan = data;

  g_free (plan->targets);
  g_free (plan);
}

static gboolean
find_target (const CpuStep *step, const ScatterPlan *plan, gsize tuple,
    gsize *offset, GError **error)
{
  const InferShape *data = cpu_in_shape (step, 0);
  const CpuValue *indices = step->in[1];
  const gsize size = infer_type_size (indices->desc.type);

  *offset = 0;
  for (gsize d = 0; d < plan->depth; d++) {
    gint64 index;

    infer_convert (&index, INFER_TYPE_I64,
        (const guint8 *) indices->data + (tuple * plan->depth + d) * size,
        indices->desc.type, 1);
    if (index < 0)
      index += data->dims[d];
    if (index < 0 || index >= data->dims[d])
      return infer_fail (error, INFER_ERROR_INVALID_DATA,
          "an index is beyond axis %" G_GSIZE_FORMAT " of %" G_GINT64_FORMAT, d,
          data->dims[d]);
    *offset = *offset * (gsize) data->dims[d] + (gsize) index;
  }
  return TRUE;
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferShape *data = cpu_in_shape (step, 0);
  const InferShape *indices = cpu_in_shape (step, 1);
  ScatterPlan *plan = g_new0 (ScatterPlan, 1);

  step->priv = plan;
  plan->depth = (gsize) indices->dims[indices->rank - 1];
  plan->tuples = infer_shape_count_range (indices, 0, indices->rank - 1);
  plan->rest = infer_shape_count_range (data, (int) plan->depth, data->rank);
  if (!step->in[1]->constant || step->in[0]->n > G_MAXUINT32)
    return TRUE;
  step->kernel = "fixed_targets";
  plan->targets = g_new (guint32, plan->tuples + 1);
  for (gsize t = 0; t < plan->tuples; t++) {
    gsize offset;

    if (!find_target (step, plan, t, &offset, error))
      return FALSE;
    plan->targets[t] = (guint32) offset;
  }
  return TRUE;
}

#define SCATTER(type)                                                          \
  static void scatter_##type (                                                 \
      type *dst, const type *src, const guint32 *targets, gsize n)             \
  {                                                                            \
    for (gsize i = 0; i < n; i++)                                              \
      dst[targets[i]] = src[i];                                                \
  }

SCATTER (guint16)
SCATTER (guint32)
SCATTER (guint64)

/* Single elements to known places. */
static gboolean
scatter_elements (const CpuStep *step, const ScatterPlan *plan, gsize size)
{
  gpointer dst = step->out[0]->data;
  gconstpointer src = step->in[2]->data;

  if (plan->rest != 1 || plan->targets == NULL)
    return FALSE;
  if (size == 2)
    scatter_guint16 (dst, src, plan->targets, plan->tuples);
  else if (size == 4)
    scatter_guint32 (dst, src, plan->targets, plan->tuples);
  else if (size == 8)
    scatter_guint64 (dst, src, plan->targets, plan->tuples);
  return size > 1;
}

static gboolean
run (CpuStep *step, GError **error)
{
  const InferScatterNd *attrs = step->op->attrs;
  const ScatterPlan *plan = step->priv;
  const InferType type = step->in[0]->desc.type;
  const gsize rest = plan->rest, size = infer_type_size (type);
  guint8 *dst = step->out[0]->data;

  if (dst != step->in[0]->data && step->in[0]->n > 0)
    memcpy (dst, step->in[0]->data, step->in[0]->n * size);
  if (attrs->reduction == INFER_SCATTER_NONE
      && scatter_elements (step, plan, size))
    return TRUE;
  for (gsize t = 0; t < plan->tuples && rest > 0; t++) {
    const guint8 *src = (const guint8 *) step->in[2]->data + t * rest * size;
    gsize offset;

    if (plan->targets != NULL)
      offset = plan->targets[t];
    else if (!find_target (step, plan, t, &offset, error))
      return FALSE;
    if (attrs->reduction == INFER_SCATTER_NONE)
      memcpy (dst + offset * rest * size, src, rest * size);
    else
      reduce (type, attrs->reduction, dst + offset * rest * size, src, rest);
  }
  return TRUE;
}

const CpuOp cpu_op_scatter_nd_update = {
  .type = "ScatterNDUpdate",
  .flags = CPU_OP_INPLACE,
  .prepare = prepare,
  .run = run,
  .release = scatter_free,
};
