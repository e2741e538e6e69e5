/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is not inferred on purpose: buffers that come too late for downstream
 * (qos), and all but each so many (inference-interval). */

#include "gst/filter/filter-private.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

void
gst_infer_filter_forget_qos (GstInferFilter *self)
{
  GST_OBJECT_LOCK (self);
  self->earliest = GST_CLOCK_TIME_NONE;
  self->proportion = 1.0;
  GST_OBJECT_UNLOCK (self);
}

/* What is already late will be later still when it arrives, hence twice the
 * difference, as in GstBaseTransform. */
void
gst_infer_filter_note_qos (GstInferFilter *self, GstEvent *event)
{
  GstClockTime timestamp;
  GstClockTimeDiff diff;
  GstQOSType type;
  double proportion;

  gst_event_parse_qos (event, &type, &proportion, &diff, &timestamp);
  GST_OBJECT_LOCK (self);
  self->proportion = proportion;
  if (!GST_CLOCK_TIME_IS_VALID (timestamp))
    self->earliest = GST_CLOCK_TIME_NONE;
  else if (diff < 0 && timestamp < (GstClockTime) -diff)
    self->earliest = 0;
  else
    self->earliest =
        timestamp
        + (GstClockTime) (diff > 0 && type != GST_QOS_TYPE_THROTTLE ? 2 * diff
                                                                    : diff);
  GST_OBJECT_UNLOCK (self);
}

static void
post_qos (GstInferFilter *self, GstClockTime running, GstClockTime pts,
    GstClockTime duration, GstClockTimeDiff jitter)
{
  guint64 stream =
      gst_segment_to_stream_time (&self->segment, GST_FORMAT_TIME, pts);
  GstMessage *message = gst_message_new_qos (
      GST_OBJECT (self), FALSE, running, stream, pts, duration);
  guint64 processed, dropped;
  double proportion;

  GST_OBJECT_LOCK (self);
  processed = self->counters.inferences;
  dropped = ++self->counters.dropped;
  proportion = self->proportion;
  GST_OBJECT_UNLOCK (self);
  gst_message_set_qos_values (message, jitter, proportion, 1000000);
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, processed, dropped);
  gst_element_post_message (GST_ELEMENT (self), message);
}

gboolean
gst_infer_filter_drops (
    GstInferFilter *self, GstClockTime pts, GstClockTime duration)
{
  GstClockTime running, earliest;
  gboolean qos;

  GST_OBJECT_LOCK (self);
  qos = self->settings.qos;
  earliest = self->earliest;
  GST_OBJECT_UNLOCK (self);
  if (!qos || !GST_CLOCK_TIME_IS_VALID (earliest)
      || !GST_CLOCK_TIME_IS_VALID (pts)
      || self->segment.format != GST_FORMAT_TIME)
    return FALSE;
  running = gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME, pts);
  if (!GST_CLOCK_TIME_IS_VALID (running) || running > earliest)
    return FALSE;
  post_qos (self, running, pts, duration, GST_CLOCK_DIFF (running, earliest));
  self->discont = TRUE;
  if ((self->active.state_reset & GST_INFER_RESET_DISCONT) != 0)
    g_atomic_int_set (&self->reset_pending, TRUE);
  return TRUE;
}

gboolean
gst_infer_filter_takes_turn (GstInferFilter *self)
{
  guint turn = self->turn;

  if (self->active.interval <= 1 || self->window != NULL)
    return TRUE;
  self->turn = (turn + 1) % self->active.interval;
  if (turn == 0)
    return TRUE;
  GST_OBJECT_LOCK (self);
  self->counters.skipped++;
  GST_OBJECT_UNLOCK (self);
  return FALSE;
}
