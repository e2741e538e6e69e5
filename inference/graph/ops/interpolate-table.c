/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/interpolate-table.h"

#include <math.h>

/* In float, as the training frameworks do: the rounding decides ties. */
static float
original (const InferInterpolate *attrs, gint64 at, float scale, gint64 in,
    gint64 out)
{
  const float x = (float) at;

  switch (attrs->coordinate) {
    case INFER_COORDINATE_HALF_PIXEL:
      return (x + 0.5f) / scale - 0.5f;
    case INFER_COORDINATE_PYTORCH_HALF_PIXEL:
      return out > 1 ? (x + 0.5f) / scale - 0.5f : 0.0f;
    case INFER_COORDINATE_ASYMMETRIC:
      return x / scale;
    case INFER_COORDINATE_TF_HALF_PIXEL_FOR_NN:
      return (x + 0.5f) / scale;
    default:
      return out == 1 ? 0.0f : x * (float) (in - 1) / (float) (out - 1);
  }
}

static float
round_nearest (const InferInterpolate *attrs, float x, gboolean down)
{
  switch (attrs->nearest) {
    case INFER_NEAREST_ROUND_PREFER_FLOOR:
      return x == truncf (x) + 0.5f ? floorf (x) : roundf (x);
    case INFER_NEAREST_ROUND_PREFER_CEIL:
      return roundf (x);
    case INFER_NEAREST_FLOOR:
      return floorf (x);
    case INFER_NEAREST_CEIL:
      return ceilf (x);
    default:
      return down ? ceilf (x) : truncf (x);
  }
}

static gint64
clip (float x, gint64 n)
{
  return x >= (float) n ? n - 1 : (gint64) MAX (x, 0);
}

static void
set_linear_onnx (
    InferInterpolateTable *table, gint64 *index, double *weight, float x)
{
  const float last = (float) (table->in - 1);

  x = CLAMP (x, 0, last);
  index[0] = MIN ((gint64) x, table->in - 1);
  index[1] = MIN (index[0] + 1, table->in - 1);
  weight[0] = fabs ((double) x - (double) index[1]);
  weight[1] = fabs ((double) x - (double) index[0]);
  if (index[0] == index[1])
    weight[0] = weight[1] = 0.5;
}

static void
set_linear (InferInterpolateTable *table, gint64 *index, double *weight,
    float x, double a)
{
  const gint64 reach = ((gint64) table->taps - 1) / 2;
  const gint64 first = (gint64) roundf (x) - reach;
  double sum = 0;

  for (gsize k = 0; k < table->taps; k++) {
    const gint64 at = first + (gint64) k;
    const gboolean inside = at >= 0 && at < table->in;

    index[k] = inside ? at : 0;
    weight[k] = inside ? MAX (0, 1 - fabs (a * ((double) x - (double) at))) : 0;
    sum += weight[k];
  }
  for (gsize k = 0; k < table->taps && sum > 0; k++)
    weight[k] /= sum;
}

static void
set_cubic (InferInterpolateTable *table, gint64 *index, double *weight, float x,
    double a)
{
  const double whole = floor (x), s = (double) x - whole;

  for (int k = 0; k < 4; k++)
    index[k] = CLAMP ((gint64) whole + k - 1, 0, table->in - 1);
  weight[0] = a * (s - 1) * (s - 1) * s;
  weight[1] = ((a + 2) * s - (a + 3)) * s * s + 1;
  weight[2] = (((-a - 2) * s + (2 * a + 3)) * s - a) * s;
  weight[3] = -a * s * s * (s - 1);
}

/* --- Pillow: the filter is as wide as the picture shrinks --- */

static double
pillow_filter (const InferInterpolate *attrs, double x)
{
  const double a = attrs->cube_coeff;

  x = fabs (x);
  if (attrs->mode == INFER_INTERPOLATE_BILINEAR_PILLOW)
    return x < 1 ? 1 - x : 0;
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static double
pillow_support (const InferInterpolate *attrs, double ratio)
{
  return (attrs->mode == INFER_INTERPOLATE_BILINEAR_PILLOW ? 1 : 2)
         * MAX (ratio, 1);
}

static void
set_pillow (InferInterpolateTable *table, const InferInterpolate *attrs,
    gint64 at, gint64 *index, double *weight)
{
  const double ratio = (double) table->in / (double) table->out;
  const double support = pillow_support (attrs, ratio);
  const double center = ((double) at + 0.5) * ratio;
  const gint64 first = (gint64) MAX (center - support + 0.5, 0);
  const gint64 end = (gint64) MIN (center + support + 0.5, (double) table->in);
  double sum = 0;

  for (gsize k = 0; k < table->taps; k++) {
    const gint64 from = first + (gint64) k;
    const gboolean inside = from < end;

    index[k] = inside ? from : 0;
    weight[k] = inside ? pillow_filter (
                    attrs, ((double) from - center + 0.5) / MAX (ratio, 1))
                       : 0;
    sum += weight[k];
  }
  for (gsize k = 0; k < table->taps && sum != 0; k++)
    weight[k] /= sum;
}

/* --- area: each weighs as much as is covered of it --- */

static void
set_area (
    InferInterpolateTable *table, gint64 at, gint64 *index, double *weight)
{
  const double ratio = (double) table->in / (double) table->out;
  const double begin = (double) at * ratio, end = (double) (at + 1) * ratio;

  for (gsize k = 0; k < table->taps; k++) {
    const gint64 from = (gint64) begin + (gint64) k;
    const double low = MAX (begin, (double) from);
    const double high = MIN (end, (double) from + 1);
    const gboolean inside = from < table->in && high > low;

    index[k] = inside ? from : 0;
    weight[k] = inside ? (high - low) / ratio : 0;
  }
}

/* --- tables --- */

static double
count_taps (const InferInterpolateTable *table, const InferInterpolate *attrs,
    float scale, double a)
{
  switch (attrs->mode) {
    case INFER_INTERPOLATE_NEAREST:
      return 1;
    case INFER_INTERPOLATE_LINEAR_ONNX:
      return 2;
    case INFER_INTERPOLATE_CUBIC:
      return 4;
    case INFER_INTERPOLATE_AREA:
      return ceil ((double) table->in / (double) table->out) + 1;
    case INFER_INTERPOLATE_LINEAR:
      return 2 * (scale > 1 ? 2 : ceil (2 / a)) + 1;
    default:
      return 2
                 * ceil (pillow_support (
                     attrs, (double) table->in / (double) table->out))
             + 1;
  }
}

static void
set_taps (InferInterpolateTable *table, const InferInterpolate *attrs,
    gint64 at, float scale, double a)
{
  gint64 *index = table->index + (gsize) at * table->taps;
  double *weight = table->weight + (gsize) at * table->taps;
  float x = original (attrs, at, scale, table->in, table->out);

  switch (attrs->mode) {
    case INFER_INTERPOLATE_NEAREST:
      index[0] = clip (round_nearest (attrs, x, scale < 1), table->in);
      weight[0] = 1;
      break;
    case INFER_INTERPOLATE_LINEAR_ONNX:
      set_linear_onnx (table, index, weight, x);
      break;
    case INFER_INTERPOLATE_LINEAR:
      set_linear (table, index, weight, x, a);
      break;
    case INFER_INTERPOLATE_CUBIC:
      set_cubic (table, index, weight, x, attrs->cube_coeff);
      break;
    case INFER_INTERPOLATE_AREA:
      set_area (table, at, index, weight);
      break;
    default:
      set_pillow (table, attrs, at, index, weight);
      break;
  }
}

gboolean
infer_interpolate_table_init (InferInterpolateTable *table,
    const InferInterpolate *attrs, gint64 in, gint64 out, float scale,
    gboolean antialias)
{
  const double a = antialias ? scale : 1;
  gsize n;

  table->in = in;
  table->out = out;
  double taps = out == 0 ? 1 : count_taps (table, attrs, scale, a);
  if (!(taps <= G_MAXINT32)
      || !g_size_checked_mul (&n, (gsize) taps, (gsize) out))
    return FALSE;
  table->taps = (gsize) taps;
  table->index = g_try_new (gint64, MAX (n, 1));
  table->weight = g_try_new (double, MAX (n, 1));
  if (table->index == NULL || table->weight == NULL)
    return FALSE;
  for (gint64 i = 0; i < out; i++)
    set_taps (table, attrs, i, scale, a);
  return TRUE;
}

void
infer_interpolate_table_clear (InferInterpolateTable *table)
{
  g_clear_pointer (&table->index, g_free);
  g_clear_pointer (&table->weight, g_free);
}
