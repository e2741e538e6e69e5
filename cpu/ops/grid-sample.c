/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GridSample. */

#include "inference/graph/ops/grid-sample.h"

#include "cpu/base/step.h"
#include "cpu/base/work-type.h"

#include <math.h>
#include <string.h>

#define CUBIC_A (-0.75) /* the coefficient that the specification names */
#define FARTHEST 1e15   /* beyond every picture, and exactly representable */

/* Pixels for one point of the grid: up to 4 × 4; index -1: none. */
typedef struct
{
  guint n;
  gint64 y[4], x[4];
  double wy[4], wx[4];
} Taps;

static double
denormalize (const InferGridSample *attrs, double at, gint64 length)
{
  double pixel = attrs->align_corners ? (at + 1) / 2 * (double) (length - 1)
                                      : ((at + 1) * (double) length - 1) / 2;

  return isnan (pixel) ? -FARTHEST : CLAMP (pixel, -FARTHEST, FARTHEST);
}

/* A pixel within the picture, or -1. */
static gint64
place (const InferGridSample *attrs, gint64 i, gint64 length)
{
  gint64 period;

  if (attrs->padding == INFER_GRID_ZEROS)
    return i >= 0 && i < length ? i : -1;
  if (attrs->padding == INFER_GRID_BORDER)
    return CLAMP (i, 0, length - 1);
  if (attrs->align_corners) { /* mirrored at the centre of the last pixel */
    period = MAX (2 * (length - 1), 1);
    i = ABS (i) % period;
    return i >= length ? period - i : i;
  }
  period = 2 * length; /* … at its far edge */
  i = (i % period + period) % period;
  return i >= length ? period - 1 - i : i;
}

static void
find_weights (int mode, double fraction, double *weights)
{
  static const double far[] = { 1, 0, 0, 1 };

  if (mode == INFER_GRID_BILINEAR) {
    weights[0] = 1 - fraction;
    weights[1] = fraction;
    return;
  }
  for (guint k = 0; k < 4; k++) {
    double d = fabs (fraction - (double) k + 1);

    weights[k] =
        far[k] > 0
            ? ((CUBIC_A * d - 5 * CUBIC_A) * d + 8 * CUBIC_A) * d - 4 * CUBIC_A
            : ((CUBIC_A + 2) * d - (CUBIC_A + 3)) * d * d + 1;
  }
}

static void
find_taps (const InferGridSample *attrs, double at, gint64 length,
    gint64 *index, double *weights)
{
  const gint64 first = attrs->mode == INFER_GRID_BICUBIC ? -1 : 0;
  const guint n = attrs->mode == INFER_GRID_BICUBIC ? 4 : 2;
  const double floored = floor (at);

  if (attrs->mode == INFER_GRID_NEAREST) {
    index[0] = place (attrs, (gint64) nearbyint (at), length);
    return;
  }
  find_weights (attrs->mode, at - floored, weights);
  for (guint k = 0; k < n; k++)
    index[k] = place (attrs, (gint64) floored + first + (gint64) k, length);
}

static void
find_point (const CpuStep *step, gsize point, Taps *taps)
{
  const InferGridSample *attrs = step->op->attrs;
  const InferShape *data = cpu_in_shape (step, 0);
  const CpuValue *grid = step->in[1];
  const gsize size = infer_type_size (grid->desc.type);
  double at[2];

  infer_convert (at, INFER_TYPE_F64,
      (const guint8 *) grid->data + 2 * point * size, grid->desc.type, 2);
  taps->n = attrs->mode == INFER_GRID_NEAREST    ? 1
            : attrs->mode == INFER_GRID_BILINEAR ? 2
                                                 : 4;
  find_taps (attrs, denormalize (attrs, at[0], data->dims[3]), data->dims[3],
      taps->x, taps->wx);
  find_taps (attrs, denormalize (attrs, at[1], data->dims[2]), data->dims[2],
      taps->y, taps->wy);
}

#define SAMPLE(T)                                                              \
  static T sample_##T (const Taps *taps, const T *plane, gint64 width)         \
  {                                                                            \
    double sum = 0;                                                            \
    for (guint i = 0; i < taps->n; i++) {                                      \
      double row = 0;                                                          \
      for (guint j = 0; j < taps->n; j++)                                      \
        if (taps->y[i] >= 0 && taps->x[j] >= 0)                                \
          row +=                                                               \
              taps->wx[j] * (double) plane[taps->y[i] * width + taps->x[j]];   \
      sum += taps->wy[i] * row;                                                \
    }                                                                          \
    return (T) sum;                                                            \
  }

SAMPLE (float)
SAMPLE (double)

typedef struct
{
  CpuStep *step;
  gconstpointer data;
  gpointer out;
  InferType type; /* of both */
} Job;

/* One channel of one point. */
static void
sample (const Job *job, const Taps *taps, gsize plane, gsize to)
{
  const InferShape *shape = cpu_in_shape (job->step, 0);
  const gsize pixels = (gsize) (shape->dims[2] * shape->dims[3]);
  const gsize size = infer_type_size (job->type);

  if (taps->n > 1 && job->type == INFER_TYPE_F32) {
    ((float *) job->out)[to] = sample_float (
        taps, (const float *) job->data + plane * pixels, shape->dims[3]);
  } else if (taps->n > 1) {
    ((double *) job->out)[to] = sample_double (
        taps, (const double *) job->data + plane * pixels, shape->dims[3]);
  } else if (taps->x[0] < 0 || taps->y[0] < 0) {
    memset ((guint8 *) job->out + to * size, 0, size);
  } else {
    gsize from =
        plane * pixels + (gsize) (taps->y[0] * shape->dims[3] + taps->x[0]);

    memcpy ((guint8 *) job->out + to * size,
        (const guint8 *) job->data + from * size, size);
  }
}

static void
run_points (gpointer data, gsize begin, gsize end, guint thread)
{
  const Job *job = data;
  const InferShape *out = cpu_out_shape (job->step, 0);
  const gsize channels = (gsize) out->dims[1];
  const gsize points = (gsize) (out->dims[2] * out->dims[3]);

  for (gsize p = begin; p < end; p++) {
    const gsize batch = p / points;
    Taps taps;

    find_point (job->step, p, &taps);
    for (gsize c = 0; c < channels; c++)
      sample (job, &taps, batch * channels + c,
          (batch * channels + c) * points + p % points);
  }
}

/* Pixels are copied unchanged, or interpolated in f32 or f64. */
static InferType
work_type (const CpuStep *step)
{
  const InferGridSample *attrs = step->op->attrs;
  const InferType type = step->in[0]->desc.type;

  if (attrs->mode == INFER_GRID_NEAREST)
    return type;
  return type == INFER_TYPE_F16 || type == INFER_TYPE_BF16
                 || type == INFER_TYPE_F32
             ? INFER_TYPE_F32
             : INFER_TYPE_F64;
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferType work = work_type (step);

  cpu_step_need_scratch (step,
      cpu_work_bytes (step->in[0], work) + cpu_work_bytes (step->out[0], work));
  return TRUE;
}

static gboolean
run (CpuStep *step, GError **error)
{
  const InferShape *out = cpu_out_shape (step, 0);
  const InferType work = work_type (step);
  const gsize size = infer_type_size (step->out[0]->desc.type);
  char *scratch = step->scratch;
  Job job = { step, NULL, NULL, work };

  if (step->out[0]->n == 0)
    return TRUE;
  if (step->in[0]->n == 0) { /* a picture without pixels */
    memset (step->out[0]->data, 0, step->out[0]->n * size);
    return TRUE;
  }
  job.data = cpu_work_input (step->in[0], work, &scratch);
  job.out = cpu_work_memory (step->out[0], work, &scratch);
  cpu_step_parallel (step, (gsize) (out->dims[0] * out->dims[2] * out->dims[3]),
      64, run_points, &job);
  cpu_work_output (step->out[0], work, job.out);
  return TRUE;
}

const CpuOp cpu_op_grid_sample = {
  .prepare = prepare,
  .run = run,
};
