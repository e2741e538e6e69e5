/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/stream/stats.h"

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
  gst_infer_durations_add (&c->preprocess, preprocess);
  gst_infer_durations_add (&c->execute, execute);
  gst_infer_durations_add (&c->postprocess, postprocess);
  gst_infer_durations_add (&c->total, total);
  g_mutex_unlock (&stats->lock);
}

void
gst_infer_stats_add_push (GstInferStats *stats, guint64 ns)
{
  g_mutex_lock (&stats->lock);
  gst_infer_durations_add (&stats->counters.push, ns);
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
  gst_infer_durations_report (&c->preprocess, "preprocess", s);
  gst_infer_durations_report (&c->execute, "execute", s);
  gst_infer_durations_report (&c->postprocess, "postprocess", s);
  gst_infer_durations_report (&c->total, "total", s);
  gst_infer_durations_report (&c->push, "push", s);
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
