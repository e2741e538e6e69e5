/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/stream/stage-stats.h"

#include <stdlib.h>
#include <string.h>

void
gst_infer_stage_stats_add (GstInferStageStats *stats, guint64 ns)
{
  stats->recent[stats->n % GST_INFER_STATS_RECENT] = ns;
  stats->n++;
  stats->sum += ns;
  stats->max = MAX (stats->max, ns);
}

static guint64
mean (const GstInferStageStats *stats)
{
  return stats->n > 0 ? stats->sum / stats->n : 0;
}

static int
compare (const void *a, const void *b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return x < y ? -1 : x > y ? 1 : 0;
}

void
gst_infer_stage_stats_report (
    const GstInferStageStats *stats, const char *name, GstStructure *s)
{
  gsize n = (gsize) MIN (stats->n, GST_INFER_STATS_RECENT);
  guint64 sorted[GST_INFER_STATS_RECENT] = { 0 };
  g_autoptr (GstStructure) stage = NULL;

  memcpy (sorted, stats->recent, n * sizeof (guint64));
  qsort (sorted, n, sizeof (guint64), compare);
  stage = gst_structure_new ("stage", "mean", G_TYPE_UINT64, mean (stats),
      "p50", G_TYPE_UINT64, n > 0 ? sorted[n / 2] : 0, "p95", G_TYPE_UINT64,
      n > 0 ? sorted[n * 95 / 100] : 0, "max", G_TYPE_UINT64, stats->max, NULL);
  gst_structure_set (s, name, GST_TYPE_STRUCTURE, stage, NULL);
}
