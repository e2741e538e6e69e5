/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ROIPooling, PSROIPooling and DeformablePSROIPooling. */

#include "cpu/ops/detections.h"
#include "cpu/base/widen.h"
#include "inference/graph/ops/roi.h"

#include <math.h>

typedef struct
{
  CpuWiden widen;
  const InferRoiPool *attrs;
  gint64 channels, size[2];     /* of the maps: width, height */
  gint64 out_channels, bins[2]; /* width, height */
  gint64 classes;               /* that have offsets of their own */
  gconstpointer data, rois, moves;
  gpointer out;
  const CpuValue *images; /* the first of each region's numbers */
  gsize count;            /* of the regions; batch entries of -1 are skipped */
} Pool;

#define REAL float
#define NAME(x) x##_f32
#include "cpu/ops/roi-pool.inc"
#undef REAL
#undef NAME
#define REAL double
#define NAME(x) x##_f64
#include "cpu/ops/roi-pool.inc"
#undef REAL
#undef NAME

static gboolean
prepare (CpuStep *step, GError **error)
{
  InferType type = cpu_widen_type (step->in[0]->desc.type);
  const gint64 *in = cpu_in_shape (step, 0)->dims;
  const gint64 *out = cpu_out_shape (step, 0)->dims;
  Pool *pool = g_new0 (Pool, 1);

  step->priv = pool;
  step->kernel = type == INFER_TYPE_F64 ? "ref_f64" : "ref_f32";
  pool->attrs = step->op->attrs;
  pool->channels = in[1];
  pool->size[0] = in[3];
  pool->size[1] = in[2];
  pool->out_channels = out[1];
  pool->bins[0] = out[3];
  pool->bins[1] = out[2];
  pool->classes =
      cpu_has_in (step, 2) ? cpu_in_shape (step, 2)->dims[1] / 2 : 1;
  return cpu_widen_prepare (&pool->widen, step, type, 0, 0, error);
}

static void
pool_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Pool *pool = data;

  (void) thread;
  for (gsize r = begin; r < end; r++)
    if (pool->widen.to == INFER_TYPE_F64)
      pool_roi_f64 (pool, r);
    else
      pool_roi_f32 (pool, r);
}

static gboolean
run (CpuStep *step, GError **error)
{
  Pool *pool = step->priv;

  if (!cpu_count_regions (
          step->in[1], 5, cpu_in_shape (step, 0)->dims[0], &pool->count, error))
    return FALSE;
  if (step->out[0]->n == 0)
    return TRUE;
  pool->images = step->in[1];
  pool->data = cpu_widen_in (&pool->widen, step, 0);
  pool->rois = cpu_widen_in (&pool->widen, step, 1);
  pool->moves =
      cpu_has_in (step, 2) ? cpu_widen_in (&pool->widen, step, 2) : NULL;
  pool->out = cpu_widen_out (&pool->widen, step, 0);
  cpu_step_parallel (
      step, (gsize) cpu_in_shape (step, 1)->dims[0], 1, pool_range, pool);
  cpu_widen_finish (&pool->widen, step);
  return TRUE;
}

const CpuOp cpu_op_roi_pooling = {
  .prepare = prepare,
  .run = run,
};

const CpuOp cpu_op_psroi_pooling = {
  .prepare = prepare,
  .run = run,
};

const CpuOp cpu_op_deformable_psroi_pooling = {
  .prepare = prepare,
  .run = run,
};
