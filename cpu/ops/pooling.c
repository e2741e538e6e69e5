/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/pool-geometry.h"

#include "inference/ops/pooling.h"

#include <math.h>

#define REF_TYPE float
#define REF_NAME(what) what##_f32
#define REF_LOWEST (-INFINITY)
#define REF_ISNAN(x) isnan (x)
#include "cpu/pool-ref.inc"
#define REF_TYPE double
#define REF_NAME(what) what##_f64
#define REF_LOWEST (-(double) INFINITY)
#define REF_ISNAN(x) isnan (x)
#include "cpu/pool-ref.inc"
#define REF_TYPE gint64
#define REF_NAME(what) what##_i64
#define REF_LOWEST G_MININT64
#define REF_ISNAN(x) FALSE
#include "cpu/pool-ref.inc"

typedef struct
{
  CpuPoolGeometry geometry;
  InferType work;
  /* Offsets into scratch; what is not converted has none. */
  gsize data_at, out_at, indices_at;
} Pool;

static gsize
reserve (gsize *total, gsize bytes)
{
  gsize at = *total;

  *total += (bytes + 63) & ~(gsize) 63;
  return at;
}

static gboolean
prepare_pool (CpuStep *step, Pool *pool, GError **error)
{
  InferType type = step->in[0]->desc.type;
  gsize total = 0, size;

  pool->work = type == INFER_TYPE_F64      ? INFER_TYPE_F64
               : infer_type_is_real (type) ? INFER_TYPE_F32
                                           : INFER_TYPE_I64;
  size = infer_type_size (pool->work);
  if (type != pool->work) {
    pool->data_at = reserve (&total, step->in[0]->n * size);
    pool->out_at = reserve (&total, step->out[0]->n * size);
  }
  if (step->n_out > 1 && step->out[1]->desc.type != INFER_TYPE_I64)
    pool->indices_at = reserve (&total, step->out[1]->n * sizeof (gint64));
  cpu_step_need_scratch (step, total);
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
  CpuValue *in = step->in[0], *out = step->out[0];
  char *scratch = step->scratch;
  gconstpointer data = in->data;
  gpointer result = out->data;
  gint64 *indices = NULL;

  if (in->desc.type != pool->work) {
    infer_convert (
        scratch + pool->data_at, pool->work, data, in->desc.type, in->n);
    data = scratch + pool->data_at;
    result = scratch + pool->out_at;
  }
  if (step->n_out > 1)
    indices = step->out[1]->desc.type == INFER_TYPE_I64
                  ? step->out[1]->data
                  : (gpointer) (scratch + pool->indices_at);
  if (pool->work == INFER_TYPE_F32)
    pool_f32 (&pool->geometry, data, result, indices);
  else if (pool->work == INFER_TYPE_F64)
    pool_f64 (&pool->geometry, data, result, indices);
  else
    pool_i64 (&pool->geometry, data, result, indices);
  if (result != out->data)
    infer_convert (out->data, out->desc.type, result, pool->work, out->n);
  if (indices && (gpointer) indices != step->out[1]->data)
    infer_convert (step->out[1]->data, step->out[1]->desc.type, indices,
        INFER_TYPE_I64, step->out[1]->n);
  return TRUE;
}

const CpuOp cpu_op_avg_pool = {
  .type = "AvgPool",
  .prepare = prepare_avg,
  .run = run,
};

const CpuOp cpu_op_max_pool = {
  .type = "MaxPool",
  .prepare = prepare_max,
  .run = run,
};
