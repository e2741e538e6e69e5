/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/pool/nspc.h"
#include "cpu/base/work-type.h"

#include "inference/graph/ops/pooling.h"

#include <math.h>

#define REF_TYPE float
#define REF_SUM float
#define REF_NAME(what) what##_f32
#define REF_LOWEST (-INFINITY)
#define REF_ISNAN(x) isnan (x)
#include "cpu/conv/pool/ref.inc"
#define REF_TYPE double
#define REF_SUM double
#define REF_NAME(what) what##_f64
#define REF_LOWEST (-(double) INFINITY)
#define REF_ISNAN(x) isnan (x)
#include "cpu/conv/pool/ref.inc"
#define REF_TYPE gint64
/* Too large sums wrap around. */
#define REF_SUM guint64
#define REF_NAME(what) what##_i64
#define REF_LOWEST G_MININT64
#define REF_ISNAN(x) FALSE
#include "cpu/conv/pool/ref.inc"

typedef void (*PoolFast) (
    CpuStep *step, const CpuPoolGeometry *g, const float *data, float *out);

typedef struct
{
  CpuPoolGeometry geometry;
  PoolFast fast; /* NULL: the reference */
  InferType work;
} Pool;

static gboolean
needs_indices (const CpuStep *step)
{
  return step->n_out > 1 && cpu_step_output_is_read (step, 1);
}

static gboolean
can_be_fast (const CpuStep *step)
{
  return step->in[0]->desc.type == INFER_TYPE_F32 && !needs_indices (step)
         && step->in[0]->n > 0 && step->out[0]->n > 0;
}

/* Global pooling: one window, usually the whole input. */
static gboolean
is_global (const CpuStep *step)
{
  const InferShape *out = cpu_out_shape (step, 0);

  return infer_shape_count_range (out, 2, out->rank) == 1;
}

/* The global average is as fast in either layout: the input's layout is kept.
 */
static gboolean
wants_nspc (const CpuStep *step)
{
  return can_be_fast (step)
         && (step->in[0]->form.layout == CPU_LAYOUT_NSPC || !is_global (step));
}

static gboolean
prepare_fast (CpuStep *step, Pool *pool)
{
  if (!can_be_fast (step))
    return FALSE;
  if (step->layout == CPU_LAYOUT_NSPC) {
    pool->fast = cpu_pool_nspc_run;
    step->kernel = "nspc_f32";
  } else if (cpu_pool_is_global_average (&pool->geometry)) {
    pool->fast = cpu_pool_global_average_run;
    step->kernel = "global_f32";
  }
  return pool->fast != NULL;
}

static gboolean
prepare_pool (CpuStep *step, Pool *pool, GError **error)
{
  InferType type = step->in[0]->desc.type;

  if (prepare_fast (step, pool))
    return TRUE;
  pool->work = type == INFER_TYPE_F64      ? INFER_TYPE_F64
               : infer_type_is_real (type) ? INFER_TYPE_F32
                                           : INFER_TYPE_I64;
  cpu_step_need_scratch (
      step, cpu_work_bytes (step->in[0], pool->work)
                + cpu_work_bytes (step->out[0], pool->work)
                + cpu_work_bytes (
                    step->n_out > 1 ? step->out[1] : NULL, INFER_TYPE_I64));
  step->kernel = pool->work == INFER_TYPE_F32   ? "ref_f32"
                 : pool->work == INFER_TYPE_F64 ? "ref_f64"
                                                : "ref_i64";
  return TRUE;
}

static gboolean
prepare_avg (CpuStep *step, GError **error)
{
  const InferAvgPool *attrs = step->op->attrs;
  Pool *pool = g_new0 (Pool, 1);

  step->priv = pool;
  pool->geometry.exclude_pad = attrs->exclude_pad;
  return cpu_pool_geometry (step, &attrs->window, &pool->geometry, error)
         && prepare_pool (step, pool, error);
}

static gboolean
prepare_max (CpuStep *step, GError **error)
{
  const InferMaxPool *attrs = step->op->attrs;
  const InferShape *data = cpu_in_shape (step, 0);
  Pool *pool = g_new0 (Pool, 1);
  gint64 axis = attrs->axis;

  step->priv = pool;
  pool->geometry.max = TRUE;
  if (!infer_shape_normalize_axis (data, &axis, error))
    return FALSE;
  pool->geometry.index_modulus =
      MAX (infer_shape_count_range (data, (int) axis, data->rank), 1);
  return cpu_pool_geometry (step, &attrs->window, &pool->geometry, error)
         && prepare_pool (step, pool, error);
}

static gboolean
run (CpuStep *step, GError **error)
{
  const Pool *pool = step->priv;
  char *scratch = step->scratch;
  gint64 *indices = NULL;

  if (pool->fast != NULL) {
    pool->fast (step, &pool->geometry, step->in[0]->data, step->out[0]->data);
    return TRUE;
  }
  gconstpointer data = cpu_work_input (step->in[0], pool->work, &scratch);
  gpointer result = cpu_work_memory (step->out[0], pool->work, &scratch);
  if (step->n_out > 1)
    indices = cpu_work_memory (step->out[1], INFER_TYPE_I64, &scratch);
  if (pool->work == INFER_TYPE_F32)
    pool_f32 (&pool->geometry, data, result, indices);
  else if (pool->work == INFER_TYPE_F64)
    pool_f64 (&pool->geometry, data, result, indices);
  else
    pool_i64 (&pool->geometry, data, result, indices);
  cpu_work_output (step->out[0], pool->work, result);
  if (indices)
    cpu_work_output (step->out[1], INFER_TYPE_I64, indices);
  return TRUE;
}

const CpuOp cpu_op_avg_pool = {
  .wants_nspc = wants_nspc,
  .prepare = prepare_avg,
  .run = run,
};

const CpuOp cpu_op_max_pool = {
  .wants_nspc = wants_nspc,
  .prepare = prepare_max,
  .run = run,
};
