/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Property `stats`, and the same as an element message now and then. */

#include "gst/filter/filter-private.h"

GstStructure *
gst_infer_filter_make_stats (GstInferFilter *self, const char *name)
{
  GstInferCounters *c;
  GstStructure *s;
  guint depth, running;

  gst_infer_queue_get_depth (self->queue, &depth, &running);
  c = g_new (GstInferCounters, 1);
  GST_OBJECT_LOCK (self);
  *c = self->counters;
  GST_OBJECT_UNLOCK (self);
  s = gst_structure_new (name, "buffers", G_TYPE_UINT64, c->buffers,
      "inferences", G_TYPE_UINT64, c->inferences, "resets", G_TYPE_UINT64,
      c->resets, "errors", G_TYPE_UINT64, c->errors, "dropped", G_TYPE_UINT64,
      c->dropped, "skipped", G_TYPE_UINT64, c->skipped, "queue-depth",
      G_TYPE_UINT, depth, "in-flight", G_TYPE_UINT, running, NULL);
  gst_infer_stage_stats_report (&c->preprocess, "preprocess", s);
  gst_infer_stage_stats_report (&c->execute, "execute", s);
  gst_infer_stage_stats_report (&c->postprocess, "postprocess", s);
  gst_infer_stage_stats_report (&c->total, "total", s);
  gst_infer_stage_stats_report (&c->push, "push", s);
  g_free (c);
  return s;
}

void
gst_infer_filter_report_stats (GstInferFilter *self)
{
  gint64 now = g_get_monotonic_time ();
  guint interval = self->active.stats_interval;

  if (interval == 0 || now - self->last_report < interval * (gint64) 1000)
    return;
  self->last_report = now;
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_infer_filter_make_stats (self, "inferfilter-stats")));
}
