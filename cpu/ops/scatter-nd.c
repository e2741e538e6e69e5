/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ScatterNDUpdate. */

#include "inference/graph/ops/scatter-nd.h"

#include "cpu/ops/index.h"
#include "cpu/ops/slice.h"

#include <string.h>

/* Tuples whose targets are contiguous. */
typedef struct
{
  guint32 target, n;
} Run;

/* [tuples of depth][rest] */
typedef struct
{
  gsize depth, tuples, rest;
  guint32 *targets; /* by tuple, if the indices are constant; nullable */
  Run *runs;        /* nullable: runs of all tuples, if there are few */
  gsize n_runs;
  const CpuValue *source; /* nullable: each run is a row of a slice of it … */
  CpuSliceRows rows;      /* … in place of in[2] */
} ScatterPlan;

static void
scatter_free (gpointer data)
{
  ScatterPlan *plan = data;

  g_free (plan->targets);
  g_free (plan->runs);
  g_free (plan);
}

static gboolean
find_target (const CpuStep *step, const ScatterPlan *plan, gsize tuple,
    gsize *offset, GError **error)
{
  const InferShape *data = cpu_in_shape (step, 0);
  const CpuValue *indices = step->in[1];

  *offset = 0;
  for (gsize d = 0; d < plan->depth; d++) {
    const gsize i = tuple * plan->depth + d;
    gsize index;

    if (!cpu_read_index (indices, i, data->dims[d], &index))
      return cpu_fail_index (indices, i, data->dims[d], error);
    *offset = *offset * (gsize) data->dims[d] + index;
  }
  return TRUE;
}

/* Length of a run from which on it is copied as a whole. */
#define LONG_RUN 4

static gsize
run_length (const ScatterPlan *plan, gsize first)
{
  gsize n = 1;

  while (first + n < plan->tuples
         && plan->targets[first + n] == plan->targets[first] + n)
    n++;
  return n;
}

static void
find_runs (ScatterPlan *plan)
{
  const gsize most = plan->tuples / LONG_RUN + 1;
  g_autofree Run *runs = g_try_new (Run, most);
  gsize n = 0;

  if (runs == NULL)
    return; /* without runs, each target is copied for itself */

  for (gsize t = 0; t < plan->tuples; t += runs[n++].n) {
    if (n == most)
      return;
    runs[n] = (Run){ plan->targets[t], (guint32) run_length (plan, t) };
  }
  plan->runs = g_steal_pointer (&runs);
  plan->n_runs = n;
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
  plan->targets = g_try_new (guint32, plan->tuples + 1);
  if (plan->targets == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for %" G_GSIZE_FORMAT " indices", plan->tuples);
  for (gsize t = 0; t < plan->tuples; t++) {
    gsize offset;

    if (!find_target (step, plan, t, &offset, error))
      return FALSE;
    plan->targets[t] = (guint32) offset;
  }
  if (plan->tuples <= G_MAXUINT32)
    find_runs (plan);
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

static void
scatter_runs (
    guint8 *dst, const guint8 *src, const ScatterPlan *plan, gsize bytes)
{
  for (gsize i = 0; i < plan->n_runs; i++) {
    const Run *run = &plan->runs[i];

    memcpy (dst + run->target * bytes, src, run->n * bytes);
    src += plan->source != NULL ? plan->rows.stride : run->n * bytes;
  }
}

/* Copies the data apart from what runs replace. */
static void
copy_rest (guint8 *dst, const guint8 *src, const ScatterPlan *plan, gsize n,
    gsize bytes)
{
  gsize at = 0;

  for (gsize i = 0; i < plan->n_runs; i++) {
    const Run *run = &plan->runs[i];

    if (run->target > at)
      memcpy (dst + at * bytes, src + at * bytes, (run->target - at) * bytes);
    at = MAX (at, (gsize) run->target + run->n);
  }
  memcpy (dst + at * bytes, src + at * bytes, (n - at) * bytes);
}

/* Copies to targets known in prepare. */
static gboolean
scatter_fixed (const CpuStep *step, const ScatterPlan *plan, gsize size)
{
  gpointer dst = step->out[0]->data;
  gconstpointer src = plan->source != NULL
                          ? (const guint8 *) plan->source->data + plan->rows.at
                          : step->in[2]->data;

  if (plan->runs != NULL && size > 0) {
    scatter_runs (dst, src, plan, plan->rest * size);
    return TRUE;
  }
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

  const gboolean replaces = attrs->reduction == INFER_SCATTER_NONE;

  if (dst != step->in[0]->data && step->in[0]->n > 0) {
    if (replaces && plan->runs != NULL)
      copy_rest (
          dst, step->in[0]->data, plan, step->in[0]->n / rest, rest * size);
    else
      memcpy (dst, step->in[0]->data, step->in[0]->n * size);
  }
  if (replaces && scatter_fixed (step, plan, size))
    return TRUE;
  for (gsize t = 0; t < plan->tuples && rest > 0; t++) {
    const guint8 *src = (const guint8 *) step->in[2]->data + t * rest * size;
    gsize offset;

    if (plan->targets != NULL)
      offset = plan->targets[t];
    else if (!find_target (step, plan, t, &offset, error))
      return FALSE;
    cpu_combine ((CpuCombine) attrs->reduction, type,
        dst + offset * rest * size, src, rest);
  }
  return TRUE;
}

/* Runs are copied from where a Slice would have copied them. */
static gboolean
take_over (CpuStep *step, CpuStep *earlier, guint input)
{
  const InferScatterNd *attrs = step->op->attrs;
  ScatterPlan *plan = step->priv;
  const gsize bytes = plan->rest * infer_type_size (step->in[0]->desc.type);
  CpuSliceRows rows;

  if (input != 2 || plan->runs == NULL || attrs->reduction != INFER_SCATTER_NONE
      || !cpu_slice_gives_rows (earlier, &rows) || rows.n != plan->n_runs)
    return FALSE;
  for (gsize i = 0; i < plan->n_runs; i++)
    if (plan->runs[i].n * bytes != rows.bytes)
      return FALSE;
  plan->source = earlier->in[0];
  plan->rows = rows;
  return TRUE;
}

const CpuOp cpu_op_scatter_nd_update = {
  .flags = CPU_OP_INPLACE,
  .prepare = prepare,
  .fuse_producer = take_over,
  .run = run,
  .release = scatter_free,
};
