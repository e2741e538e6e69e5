/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/timing/durations.h"

#include <stdlib.h>
#include <string.h>

void
gst_infer_durations_add (GstInferDurations *durations, guint64 ns)
{
  durations->recent[durations->n % GST_INFER_DURATIONS_RECENT] = ns;
  durations->n++;
  durations->sum += ns;
  durations->max = MAX (durations->max, ns);
}

static int
compare (const void *a, const void *b)
{
  const guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return x < y ? -1 : x > y ? 1 : 0;
}

void
gst_infer_durations_report (
    const GstInferDurations *durations, const char *name, GstStructure *s)
{
  const gsize k = (gsize) MIN (durations->n, GST_INFER_DURATIONS_RECENT);
  const guint64 n = durations->n;
  guint64 sorted[GST_INFER_DURATIONS_RECENT] = { 0 };

  memcpy (sorted, durations->recent, k * sizeof (guint64));
  qsort (sorted, k, sizeof (guint64), compare);
  g_autoptr (GstStructure) field =
      gst_structure_new ("durations", "n", G_TYPE_UINT64, n, "mean",
          G_TYPE_UINT64, n > 0 ? durations->sum / n : (guint64) 0, "p50",
          G_TYPE_UINT64, sorted[k / 2], "p95", G_TYPE_UINT64,
          sorted[k * 95 / 100], "p99", G_TYPE_UINT64, sorted[k * 99 / 100],
          "max", G_TYPE_UINT64, durations->max, NULL);
  gst_structure_set (s, name, GST_TYPE_STRUCTURE, field, NULL);
}
