/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/publish/drops.h"

void
gst_infer_publish_drops_add (
    GstInferPublishDrops *drops, guint n, const char *reason, GstClockTime time)
{
  if (drops->n == 0)
    drops->first = drops->last = GST_CLOCK_TIME_NONE;
  drops->n += n;
  drops->reason = reason;
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (drops->first))
    drops->first = time;
  drops->last = time;
}

GstMessage *
gst_infer_publish_drops_take_message (GstInferPublishDrops *drops,
    GstElement *element, const char *key, guint64 total, gboolean at_end)
{
  gint64 now = g_get_monotonic_time ();

  if (drops->n == 0
      || (!at_end && drops->posted_at > 0
          && now - drops->posted_at < G_USEC_PER_SEC))
    return NULL;
  GstStructure *said = gst_structure_new ("inferpublish-dropped", "lines",
      G_TYPE_UINT64, drops->n, "dropped", G_TYPE_UINT64, total, "reason",
      G_TYPE_STRING, drops->reason, "key", G_TYPE_STRING, key, NULL);
  if (GST_CLOCK_TIME_IS_VALID (drops->first))
    gst_structure_set (said, "first", GST_TYPE_CLOCK_TIME, drops->first, "last",
        GST_TYPE_CLOCK_TIME, drops->last, NULL);
  drops->n = 0;
  drops->posted_at = now;
  return gst_message_new_element (GST_OBJECT (element), said);
}
