/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GRN, NormalizeL2, LRN; in float, with sums in double. */

#include "inference/graph/ops/local-norm.h"

#include "cpu/ops/broadcast.h"

#include <math.h>
#include <string.h>

/* Offsets in scratch: operands of other types as f32; sums. */
typedef struct
{
  gsize wide_at, sums_at;
} Norm;

static const float *
as_float (CpuStep *step, const Norm *norm)
{
  CpuValue *in = step->in[0];
  char *wide = (char *) step->scratch + norm->wide_at;

  if (in->desc.type == INFER_TYPE_F32)
    return in->data;
  infer_convert (wide, INFER_TYPE_F32, in->data, in->desc.type, in->n);
  return (gpointer) wide;
}

/* Results of other types overwrite the widened input. */
static float *
result (CpuStep *step, const Norm *norm)
{
  return step->out[0]->desc.type == INFER_TYPE_F32
             ? step->out[0]->data
             : (gpointer) ((char *) step->scratch + norm->wide_at);
}

static void
give_result (CpuStep *step, const float *dst)
{
  CpuValue *out = step->out[0];

  if (out->desc.type != INFER_TYPE_F32)
    infer_convert (out->data, out->desc.type, dst, INFER_TYPE_F32, out->n);
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  Norm *norm = g_new0 (Norm, 1);
  gsize n = step->in[0]->n;

  step->priv = norm;
  norm->sums_at = 0;
  norm->wide_at = n * sizeof (double);
  cpu_step_need_scratch (step, n * (sizeof (double) + sizeof (float)));
  step->kernel = "ref";
  return TRUE;
}

static gboolean
mark_axes (CpuStep *step, gboolean *marked, GError **error)
{
  const CpuValue *axes = step->in[1];

  for (gsize i = 0; i < axes->n; i++) {
    gint64 axis = cpu_integer_at (axes, i);

    if (!infer_shape_normalize_axis (cpu_in_shape (step, 0), &axis, error))
      return FALSE;
    marked[axis] = TRUE;
  }
  return TRUE;
}

/* --- GRN, NormalizeL2 --- */

static void
normalize (CpuStep *step, const gboolean *marked)
{
  const InferLocalNorm *attrs = step->op->attrs;
  const Norm *norm = step->priv;
  const InferShape *shape = cpu_in_shape (step, 0);
  InferShape shapes[2] = { *shape, *shape };
  CpuBroadcast b;
  CpuBroadcastRow row;
  const float *src = as_float (step, norm);
  float *dst = result (step, norm);
  double *sums = (gpointer) ((char *) step->scratch + norm->sums_at);
  gsize n_sums, step_1;

  for (int i = 0; i < shape->rank; i++)
    if (marked[i])
      shapes[1].dims[i] = 1;
  n_sums = infer_shape_count (&shapes[1]);
  memset (sums, 0, n_sums * sizeof *sums);
  cpu_broadcast_init (&b, shape, 2, shapes, FALSE);
  step_1 = b.step[1];
  cpu_broadcast_seek (&b, &row, 0);
  for (gsize r = 0; r < b.rows; r++, cpu_broadcast_next (&b, &row))
    for (gsize i = 0; i < b.row; i++) {
      double x = (double) src[row.at[0] + i];

      sums[row.at[1] + i * step_1] += x * x;
    }
  for (gsize i = 0; i < n_sums; i++)
    sums[i] = 1.0
              / sqrt (attrs->eps_max ? MAX (sums[i], attrs->eps)
                                     : sums[i] + attrs->eps);
  cpu_broadcast_seek (&b, &row, 0);
  for (gsize r = 0; r < b.rows; r++, cpu_broadcast_next (&b, &row))
    for (gsize i = 0; i < b.row; i++)
      dst[row.at[0] + i] =
          (float) ((double) src[row.at[0] + i] * sums[row.at[1] + i * step_1]);
  give_result (step, dst);
}

static gboolean
grn_run (CpuStep *step, GError **error)
{
  gboolean marked[INFER_MAX_RANK] = { FALSE, TRUE };

  if (step->in[0]->n > 0)
    normalize (step, marked);
  return TRUE;
}

/* As OpenVINO computes without axes. */
static void
fill_ones (CpuStep *step)
{
  CpuValue *out = step->out[0];
  gsize size = infer_type_size (out->desc.type);
  float one = 1;

  for (gsize i = 0; i < out->n; i++)
    infer_convert (
        (char *) out->data + i * size, out->desc.type, &one, INFER_TYPE_F32, 1);
}

static gboolean
normalize_l2_run (CpuStep *step, GError **error)
{
  gboolean marked[INFER_MAX_RANK] = { FALSE };

  if (!mark_axes (step, marked, error))
    return FALSE;
  if (step->in[1]->n == 0)
    fill_ones (step);
  else if (step->in[0]->n > 0)
    normalize (step, marked);
  return TRUE;
}

/* --- LRN --- */

/* Sums over a window of @size along one axis; [outer][length][inner]. */
static void
window_sums (const CpuStep *step, double *dst, const double *src, gsize outer,
    gsize length, gsize inner, gint64 size)
{
  gsize half = (gsize) (size - 1) / 2;

  for (gsize o = 0; o < outer; o++)
    for (gsize i = 0; i < length && !cpu_step_is_cancelled (step); i++) {
      gsize first = i > half ? i - half : 0;
      gsize last = MIN (length - 1 - i, half) + i;
      double *to = dst + (o * length + i) * inner;

      memset (to, 0, inner * sizeof *to);
      for (gsize j = first; j <= last; j++)
        for (gsize c = 0; c < inner; c++)
          to[c] += src[(o * length + j) * inner + c];
    }
}

static gboolean
lrn_prepare (CpuStep *step, GError **error)
{
  Norm *norm = g_new0 (Norm, 1);
  gsize n = step->in[0]->n;

  /* Two fields of sums. */
  step->priv = norm;
  norm->wide_at = 2 * n * sizeof (double);
  cpu_step_need_scratch (step, n * (2 * sizeof (double) + sizeof (float)));
  step->kernel = "ref";
  return TRUE;
}

static gboolean
lrn_run (CpuStep *step, GError **error)
{
  const InferLocalNorm *attrs = step->op->attrs;
  const Norm *norm = step->priv;
  const InferShape *shape = cpu_in_shape (step, 0);
  gsize n = step->in[0]->n;
  double *sums = step->scratch, *next = sums + n, scale = attrs->alpha;
  gboolean marked[INFER_MAX_RANK] = { FALSE };

  if (!mark_axes (step, marked, error))
    return FALSE;
  if (n == 0)
    return TRUE;
  const float *src = as_float (step, norm);
  float *dst = result (step, norm);
  for (gsize i = 0; i < n; i++)
    sums[i] = (double) src[i] * (double) src[i];
  /* A box is a window along each axis in turn. */
  for (int d = 0; d < shape->rank; d++) {
    double *swap = sums;

    if (!marked[d])
      continue;
    window_sums (step, next, sums, infer_shape_count_range (shape, 0, d),
        (gsize) shape->dims[d],
        infer_shape_count_range (shape, d + 1, shape->rank), attrs->size);
    sums = next;
    next = swap;
    scale /= (double) attrs->size;
  }
  for (gsize i = 0; i < n; i++)
    dst[i] = (float) ((double) src[i]
                      / pow (attrs->bias + scale * sums[i], attrs->beta));
  give_result (step, dst);
  return TRUE;
}

#define NORM(name, prepare_, run_)                                             \
  const CpuOp cpu_op_##name = {                                                \
    .flags = CPU_OP_INPLACE,                                                   \
    .prepare = prepare_,                                                       \
    .run = run_,                                                               \
  };

/* clang-format off */
NORM (grn, prepare, grn_run)
NORM (lrn, lrn_prepare, lrn_run)
NORM (normalize_l2, prepare, normalize_l2_run)
/* clang-format on */
