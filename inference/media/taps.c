/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/taps.h"

#include <math.h>

typedef struct
{
  gint64 low, high;   /* first and last sample of the axis */
  double begin, step; /* in samples: start of the box, size of an output */
} Axis;

/* Makes room for @outputs with @most weights each. */
static void
make_room (InferTaps *taps, gsize outputs, guint most)
{
  taps->most = most;
  if (outputs > taps->max_outputs) {
    taps->first = g_renew (gint32, taps->first, outputs);
    taps->n = g_renew (guint32, taps->n, outputs);
    taps->max_outputs = outputs;
  }
  if (outputs * most > taps->max_weights) {
    taps->weights = g_renew (float, taps->weights, outputs *most);
    taps->max_weights = outputs * most;
  }
}

static double
cubic (double distance)
{
  const double a = -0.75, x = fabs (distance);

  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? a * (((x - 5) * x + 8) * x - 4) : 0;
}

/* Four samples around the centre; beyond the edge the edge is repeated. */
static void
set_cubic (InferTaps *taps, gsize i, const Axis *axis)
{
  double at = axis->begin + ((double) i + 0.5) * axis->step - 0.5;
  gint64 base = (gint64) floor (at) - 1;
  gint64 first = CLAMP (base, axis->low, axis->high);
  gint64 last = CLAMP (base + 3, axis->low, axis->high);
  float *weights = taps->weights + i * taps->most;

  taps->first[i] = (gint32) first;
  taps->n[i] = (guint32) (last - first + 1);
  for (guint k = 0; k < taps->n[i]; k++)
    weights[k] = 0;
  for (gint64 s = base; s < base + 4; s++)
    weights[CLAMP (s, axis->low, axis->high) - first] +=
        (float) cubic (at - (double) s);
}

/* Each sample is weighted by how much of it the output covers. */
static void
set_area (InferTaps *taps, gsize i, const Axis *axis)
{
  double low = (double) axis->low, high = (double) axis->high + 1;
  double begin = CLAMP (axis->begin + (double) i * axis->step, low, high);
  double end = CLAMP (axis->begin + (double) (i + 1) * axis->step, low, high);
  gint64 first = MIN ((gint64) begin, axis->high);
  gint64 last = MAX ((gint64) ceil (end) - 1, first);
  float *weights = taps->weights + i * taps->most;

  taps->first[i] = (gint32) first;
  taps->n[i] = (guint32) MIN (last - first + 1, taps->most);
  for (guint k = 0; k < taps->n[i]; k++) {
    double from = MAX (begin, (double) (first + k));
    double to = MIN (end, (double) (first + k + 1));

    weights[k] =
        end > begin ? (float) (MAX (to - from, 0) / (end - begin)) : k == 0;
  }
}

void
infer_taps_set (InferTaps *taps, InferSampling sampling, gint64 from, gint64 n,
    gint64 to, guint shift, gint64 size)
{
  const double unit = (double) (1 << shift);
  const gint64 samples = (from + n + (1 << shift) - 1) >> shift;
  const gint64 low = CLAMP (from >> shift, 0, size - 1);
  Axis axis = { .low = low,
    .high = CLAMP (samples - 1, low, size - 1),
    .begin = (double) from / unit,
    .step = (double) n / (double) to / unit };
  gboolean area = sampling == INFER_SAMPLING_AREA;

  make_room (taps, (gsize) to, area ? (guint) axis.step + 3 : 4);
  taps->begin = axis.high;
  taps->end = axis.low;
  for (gsize i = 0; i < (gsize) to; i++) {
    if (area)
      set_area (taps, i, &axis);
    else
      set_cubic (taps, i, &axis);
    taps->begin = MIN (taps->begin, taps->first[i]);
    taps->end = MAX (taps->end, taps->first[i] + taps->n[i]);
  }
}

void
infer_taps_clear (InferTaps *taps)
{
  g_clear_pointer (&taps->first, g_free);
  g_clear_pointer (&taps->n, g_free);
  g_clear_pointer (&taps->weights, g_free);
  *taps = (InferTaps){ 0 };
}
