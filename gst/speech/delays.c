/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/speech/delays.h"

/* Measured latencies are multiples of this, so that they seldom change: each
 * change makes a live pipeline wait. */
#define STEP (500 * GST_MSECOND)

void
gst_infer_delays_reset (
    GstInferDelays *delays, GstClockTime least, GstClockTime fixed)
{
  g_mutex_lock (&delays->lock);
  delays->least = least;
  delays->fixed = fixed;
  delays->n = 0;
  delays->longest = 0;
  delays->reported = GST_CLOCK_TIME_NONE;
  delays->live = FALSE;
  g_mutex_unlock (&delays->lock);
}

/* Locked. */
static GstClockTime
latency (const GstInferDelays *delays)
{
  GstClockTime most = delays->least;

  if (delays->fixed > 0)
    return delays->fixed;
  for (guint i = 0; i < MIN (delays->n, GST_INFER_DELAYS_RECENT); i++)
    most = MAX (most, delays->recent[i]);
  return delays->n > 0 ? (most + STEP - 1) / STEP * STEP : most;
}

gboolean
gst_infer_delays_add (
    GstInferDelays *delays, GstClockTime delay, gboolean *changed)
{
  g_mutex_lock (&delays->lock);
  delays->recent[delays->n++ % GST_INFER_DELAYS_RECENT] = delay;
  gboolean is_longest = delay > delays->longest;
  delays->longest = MAX (delays->longest, delay);
  GstClockTime now = latency (delays), before = delays->reported;
  *changed = delays->live && GST_CLOCK_TIME_IS_VALID (before)
             && (now > before || now < before / 2);
  if (*changed)
    delays->reported = GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&delays->lock);
  return is_longest;
}

GstClockTime
gst_infer_delays_report (GstInferDelays *delays, gboolean live)
{
  g_mutex_lock (&delays->lock);
  GstClockTime own = delays->reported = latency (delays);
  delays->live = live;
  g_mutex_unlock (&delays->lock);
  return own;
}

GstClockTime
gst_infer_delays_get_longest (GstInferDelays *delays)
{
  g_mutex_lock (&delays->lock);
  GstClockTime longest = delays->longest;
  g_mutex_unlock (&delays->lock);
  return longest;
}

void
gst_infer_delays_forget_longest (GstInferDelays *delays)
{
  g_mutex_lock (&delays->lock);
  delays->longest = 0;
  g_mutex_unlock (&delays->lock);
}

gboolean
gst_infer_delays_is_live (GstInferDelays *delays)
{
  g_mutex_lock (&delays->lock);
  gboolean live = delays->live;
  g_mutex_unlock (&delays->lock);
  return live;
}

void
gst_infer_delays_set_live (GstInferDelays *delays, gboolean live)
{
  g_mutex_lock (&delays->lock);
  delays->live = live;
  g_mutex_unlock (&delays->lock);
}
