/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/stream/stats.h"

#include <stdlib.h>
#include <string.h>

/* --- a stage --- */

static void
add_time (GstInferStageStats *stats, guint64 ns)
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

/* Sets a structure `mean`, `p50`, `p95`, `p99`, `max` as field @name of @s. */
static void
report (const GstInferStageStats *stats, const char *name, GstStructure *s)
{
  gsize n = (gsize) MIN (stats->n, GST_INFER_STATS_RECENT);
  guint64 sorted[GST_INFER_STATS_RECENT] = { 0 };
  g_autoptr (GstStructure) stage = NULL;

  memcpy (sorted, stats->recent, n * sizeof (guint64));
  qsort (sorted, n, sizeof (guint64), compare);
  stage = gst_structure_new ("stage", "mean", G_TYPE_UINT64, mean (stats),
      "p50", G_TYPE_UINT64, n > 0 ? sorted[n / 2] : 0, "p95", G_TYPE_UINT64,
      n > 0 ? sorted[n * 95 / 100] : 0, "p99", G_TYPE_UINT64,
      n > 0 ? sorted[n * 99 / 100] : 0, "max", G_TYPE_UINT64, stats->max, NULL);
  gst_structure_set (s, name, GST_TYPE_STRUCTURE, stage, NULL);
}

/* --- all --- */

void
gst_infer_stats_reset (GstInferStats *stats)
{
  g_mutex_lock (&stats->lock);
  stats->counters = (GstInferCounters){ 0 };
  g_mutex_unlock (&stats->lock);
}

void
gst_infer_stats_count (GstInferStats *stats, guint64 *counter)
{
  g_mutex_lock (&stats->lock);
  ++*counter;
  g_mutex_unlock (&stats->lock);
}

guint64
gst_infer_stats_count_dropped (GstInferStats *stats, guint64 *inferences)
{
  g_mutex_lock (&stats->lock);
  guint64 dropped = ++stats->counters.dropped;
  *inferences = stats->counters.inferences;
  g_mutex_unlock (&stats->lock);
  return dropped;
}

void
gst_infer_stats_add_inference (GstInferStats *stats, guint64 preprocess,
    guint64 execute, guint64 postprocess, guint64 total, GstClockTime delay)
{
  GstInferCounters *c = &stats->counters;

  g_mutex_lock (&stats->lock);
  c->inferences++;
  c->max_delay = MAX (c->max_delay, delay);
  add_time (&c->preprocess, preprocess);
  add_time (&c->execute, execute);
  add_time (&c->postprocess, postprocess);
  add_time (&c->total, total);
  g_mutex_unlock (&stats->lock);
}

void
gst_infer_stats_add_push (GstInferStats *stats, guint64 ns)
{
  g_mutex_lock (&stats->lock);
  add_time (&stats->counters.push, ns);
  g_mutex_unlock (&stats->lock);
}

GstClockTime
gst_infer_stats_get_max_delay (GstInferStats *stats)
{
  g_mutex_lock (&stats->lock);
  GstClockTime delay = stats->counters.max_delay;
  g_mutex_unlock (&stats->lock);
  return delay;
}

GstStructure *
gst_infer_stats_to_structure (
    GstInferStats *stats, const char *name, guint queue_depth, guint in_flight)
{
  g_autofree GstInferCounters *c = g_new (GstInferCounters, 1);

  g_mutex_lock (&stats->lock);
  *c = stats->counters;
  g_mutex_unlock (&stats->lock);
  GstStructure *s = gst_structure_new (name, "buffers", G_TYPE_UINT64,
      c->buffers, "inferences", G_TYPE_UINT64, c->inferences, "resets",
      G_TYPE_UINT64, c->resets, "errors", G_TYPE_UINT64, c->errors, "dropped",
      G_TYPE_UINT64, c->dropped, "skipped", G_TYPE_UINT64, c->skipped,
      "queue-depth", G_TYPE_UINT, queue_depth, "in-flight", G_TYPE_UINT,
      in_flight, NULL);
  report (&c->preprocess, "preprocess", s);
  report (&c->execute, "execute", s);
  report (&c->postprocess, "postprocess", s);
  report (&c->total, "total", s);
  report (&c->push, "push", s);
  return s;
}

gboolean
gst_infer_stats_is_due (GstInferStats *stats, guint interval)
{
  if (interval == 0)
    return FALSE;
  gint64 now = g_get_monotonic_time ();
  if (now - stats->last_report < interval * (gint64) 1000)
    return FALSE;
  stats->last_report = now;
  return TRUE;
}
