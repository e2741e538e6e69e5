/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/continuity.h"

/* Many containers round timestamps to milliseconds. */
#define ROUNDING GST_MSECOND

gboolean
gst_infer_segment_continues (
    const GstSegment *previous, const GstSegment *segment, GstClockTime next)
{
  if (previous->format != segment->format || previous->rate != segment->rate
      || previous->applied_rate != segment->applied_rate)
    return FALSE;
  if (previous->start == segment->start && previous->base == segment->base
      && previous->time == segment->time && previous->offset == segment->offset)
    return TRUE;
  if (segment->format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (next)
      || next + ROUNDING < segment->start)
    return FALSE;
  next = MAX (next, segment->start);
  return gst_segment_to_running_time (previous, GST_FORMAT_TIME, next)
             == gst_segment_to_running_time (segment, GST_FORMAT_TIME, next)
         && gst_segment_to_stream_time (previous, GST_FORMAT_TIME, next)
                == gst_segment_to_stream_time (segment, GST_FORMAT_TIME, next);
}

gboolean
gst_infer_survives_flush (GstEvent *event)
{
  return GST_EVENT_IS_STICKY (event)
         && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
         && GST_EVENT_TYPE (event) != GST_EVENT_EOS;
}

gboolean
gst_infer_event_replaces (GstEvent *event, GstEvent *old)
{
  GstEventType type = GST_EVENT_TYPE (event);

  if (type != GST_EVENT_TYPE (old) || type == GST_EVENT_EOS)
    return FALSE;
  return (gst_event_type_get_flags (type) & GST_EVENT_TYPE_STICKY_MULTI) == 0
         || gst_structure_get_name_id (gst_event_get_structure (event))
                == gst_structure_get_name_id (gst_event_get_structure (old));
}

gboolean
gst_infer_ends_eos (GstEvent *event)
{
  return GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START
         || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT;
}

void
gst_infer_push_before_eos (GstPad *pad, GQueue *held)
{
  for (guint left = held->length; left > 0; left--) {
    GstEvent *event = g_queue_pop_head (held);

    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
      g_queue_push_tail (held, event);
    else if (GST_EVENT_TYPE (event) == GST_EVENT_GAP)
      gst_event_unref (event);
    else
      gst_pad_push_event (pad, event);
  }
}

gboolean
gst_infer_is_reset_event (GstEvent *event)
{
  return gst_event_has_name (event, "inferfilter/reset-state");
}

GstClockTime
gst_infer_frame_time (int fps_n, int fps_d)
{
  return fps_n > 0 && fps_d > 0 ? gst_util_uint64_scale (
             GST_SECOND, (guint64) fps_d, (guint64) fps_n)
                                : 0;
}
