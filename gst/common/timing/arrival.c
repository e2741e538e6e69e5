/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/timing/arrival.h"

#define REQUEST "inferscene/mark-arrival"

/* The caps of the mark, which live as long as the process.  (transfer none) */
static GstCaps *
arrival_caps (void)
{
  static GstStaticCaps caps = GST_STATIC_CAPS ("timestamp/x-infer-arrival");
  static gsize got = 0;

  if (g_once_init_enter (&got)) {
    GstCaps *own = gst_static_caps_get (&caps);

    GST_MINI_OBJECT_FLAG_SET (own, GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED);
    g_once_init_leave (&got, (gsize) own);
  }
  return (GstCaps *) got;
}

GstEvent *
gst_infer_arrival_request (void)
{
  return gst_event_new_custom (
      GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty (REQUEST));
}

gboolean
gst_infer_is_arrival_request (GstEvent *event)
{
  return GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM
         && gst_event_has_name (event, REQUEST);
}

void
gst_infer_mark_arrival (GstBuffer *buffer, GstClockTime arrived)
{
  if (GST_CLOCK_TIME_IS_VALID (arrived)
      && !GST_CLOCK_TIME_IS_VALID (gst_infer_arrival_of (buffer)))
    gst_buffer_add_reference_timestamp_meta (
        buffer, arrival_caps (), arrived, GST_CLOCK_TIME_NONE);
}

GstClockTime
gst_infer_arrival_of (GstBuffer *buffer)
{
  const GstReferenceTimestampMeta *meta =
      gst_buffer_get_reference_timestamp_meta (buffer, arrival_caps ());

  return meta != NULL ? meta->timestamp : GST_CLOCK_TIME_NONE;
}
