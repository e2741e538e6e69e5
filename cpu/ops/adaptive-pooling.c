/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Adaptive pooling: window o of n outputs reads [floor (o * in / n), ceil ((o +
 * 1) * in / n)). */

#include "cpu/base/work-type.h"

typedef struct
{
  gboolean max;
  gsize planes, in[3], out[3];
} Adaptive;

static gboolean
prepare_any (CpuStep *step, gboolean max)
{
  const InferShape *in = cpu_in_shape (step, 0);
  const InferShape *out = cpu_out_shape (step, 0);
  Adaptive *pool = g_new0 (Adaptive, 1);
  gsize scratch = 0;

  step->priv = pool;
  pool->max = max;
  pool->planes = (gsize) (in->dims[0] * in->dims[1]);
  for (int d = 0; d < 3; d++) {
    int i = in->rank - 3 + d;

    pool->in[d] = i < 2 ? 1 : (gsize) in->dims[i];
    pool->out[d] = i < 2 ? 1 : (gsize) out->dims[i];
  }
  scratch += cpu_work_bytes (step->in[0], INFER_TYPE_F64);
  scratch += cpu_work_bytes (step->out[0], INFER_TYPE_F64);
  if (max)
    scratch += cpu_work_bytes (step->out[1], INFER_TYPE_I64);
  cpu_step_need_scratch (step, scratch);
  step->kernel = "ref_f64";
  return TRUE;
}

static gboolean
prepare_avg (CpuStep *step, GError **error)
{
  return prepare_any (step, FALSE);
}

static gboolean
prepare_max (CpuStep *step, GError **error)
{
  return prepare_any (step, TRUE);
}

/* One window of one plane; *@where: the index of the largest element. */
static double
pool_window (
    const Adaptive *pool, const double *data, const gsize *o, gint64 *where)
{
  gsize begin[3], end[3], n = 1;
  double sum = 0, largest = 0;

  for (guint d = 0; d < 3; d++) {
    begin[d] = o[d] * pool->in[d] / pool->out[d];
    end[d] = ((o[d] + 1) * pool->in[d] + pool->out[d] - 1) / pool->out[d];
    n *= end[d] - begin[d];
  }
  *where = -1;
  for (gsize z = begin[0]; z < end[0]; z++) {
    for (gsize y = begin[1]; y < end[1]; y++) {
      for (gsize x = begin[2]; x < end[2]; x++) {
        gsize i = (z * pool->in[1] + y) * pool->in[2] + x;

        sum += data[i];
        if (*where < 0 || data[i] > largest) {
          largest = data[i];
          *where = (gint64) i;
        }
      }
    }
  }
  return pool->max ? largest : sum / (double) n;
}

static gboolean
run (CpuStep *step, GError **error)
{
  const Adaptive *pool = step->priv;
  char *scratch = step->scratch;
  const double *data = cpu_work_input (step->in[0], INFER_TYPE_F64, &scratch);
  double *out = cpu_work_memory (step->out[0], INFER_TYPE_F64, &scratch);
  gint64 *indices =
      pool->max ? cpu_work_memory (step->out[1], INFER_TYPE_I64, &scratch)
                : NULL;
  gsize size = pool->in[0] * pool->in[1] * pool->in[2], i = 0;
  gsize o[3];

  for (gsize p = 0; p < pool->planes; p++) {
    for (o[0] = 0; o[0] < pool->out[0]; o[0]++) {
      for (o[1] = 0; o[1] < pool->out[1]; o[1]++) {
        for (o[2] = 0; o[2] < pool->out[2] && !cpu_step_is_cancelled (step);
             o[2]++, i++) {
          gint64 where;

          out[i] = pool_window (pool, data + p * size, o, &where);
          if (indices)
            indices[i] = where;
        }
      }
    }
  }
  cpu_work_output (step->out[0], INFER_TYPE_F64, out);
  if (indices)
    cpu_work_output (step->out[1], INFER_TYPE_I64, indices);
  return TRUE;
}

const CpuOp cpu_op_adaptive_avg_pool = {
  .prepare = prepare_avg,
  .run = run,
};

const CpuOp cpu_op_adaptive_max_pool = {
  .prepare = prepare_max,
  .run = run,
};
