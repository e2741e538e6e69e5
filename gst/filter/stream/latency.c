/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/stream/latency.h"

void
gst_infer_latency_reset (GstInferLatency *latency, GstClockTime batch)
{
  g_mutex_lock (&latency->lock);
  latency->window = latency->processing = 0;
  latency->batch = batch;
  latency->reported = GST_CLOCK_TIME_NONE;
  latency->live = FALSE;
  g_mutex_unlock (&latency->lock);
}

void
gst_infer_latency_set_window (GstInferLatency *latency, GstClockTime duration)
{
  g_mutex_lock (&latency->lock);
  latency->window = duration;
  latency->window_observed = FALSE;
  g_mutex_unlock (&latency->lock);
}

void
gst_infer_latency_observe_window (GstInferLatency *latency, GstClockTime wait)
{
  g_mutex_lock (&latency->lock);
  latency->window =
      latency->window_observed ? MAX (latency->window, wait) : wait;
  latency->window_observed = TRUE;
  g_mutex_unlock (&latency->lock);
}

/* Locked. */
static GstClockTime
sum (const GstInferLatency *latency)
{
  return latency->window + latency->processing + latency->batch;
}

/* Locked.  More than was reported, or a quarter less; the 5 % added to
 * `processing` keep small changes from causing message after message. */
static gboolean
is_off (const GstInferLatency *latency)
{
  GstClockTime now = sum (latency), reported = latency->reported;

  return latency->live && GST_CLOCK_TIME_IS_VALID (reported)
         && (now > reported + GST_MSECOND
             || now + GST_MSECOND < reported - reported / 4);
}

GstClockTime
gst_infer_latency_add (
    GstInferLatency *latency, guint64 total, gboolean *changed)
{
  guint64 padded = total + total / 20;

  g_mutex_lock (&latency->lock);
  latency->processing = latency->processing == 0
                            ? padded
                            : (latency->processing * 7 + padded) / 8;
  GstClockTime delay = latency->window + total;
  *changed = is_off (latency);
  if (*changed)
    latency->reported = GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&latency->lock);
  return delay;
}

GstClockTime
gst_infer_latency_report (GstInferLatency *latency, gboolean live)
{
  GstClockTime own;

  g_mutex_lock (&latency->lock);
  own = latency->reported = sum (latency);
  latency->live = live;
  g_mutex_unlock (&latency->lock);
  return own;
}
