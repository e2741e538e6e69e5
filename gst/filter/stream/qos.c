/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/stream/qos.h"

void
gst_infer_qos_init (GstInferQos *qos)
{
  g_mutex_init (&qos->lock);
  gst_infer_qos_reset (qos);
}

void
gst_infer_qos_clear (GstInferQos *qos)
{
  g_mutex_clear (&qos->lock);
}

void
gst_infer_qos_reset (GstInferQos *qos)
{
  g_mutex_lock (&qos->lock);
  qos->earliest = GST_CLOCK_TIME_NONE;
  qos->proportion = 1.0;
  g_mutex_unlock (&qos->lock);
}

/* A late buffer's successors will be later still when they arrive, hence twice
 * the difference, as in GstBaseTransform. */
static GstClockTime
earliest_after (GstQOSType type, GstClockTime timestamp, GstClockTimeDiff diff)
{
  if (!GST_CLOCK_TIME_IS_VALID (timestamp))
    return GST_CLOCK_TIME_NONE;
  if (diff < 0 && timestamp < (GstClockTime) -diff)
    return 0;
  if (diff > 0 && type != GST_QOS_TYPE_THROTTLE)
    diff *= 2;
  return timestamp + (GstClockTime) diff;
}

void
gst_infer_qos_update (GstInferQos *qos, GstEvent *event)
{
  GstClockTime timestamp;
  GstClockTimeDiff diff;
  GstQOSType type;
  double proportion;

  gst_event_parse_qos (event, &type, &proportion, &diff, &timestamp);
  g_mutex_lock (&qos->lock);
  qos->proportion = proportion;
  qos->earliest = earliest_after (type, timestamp, diff);
  g_mutex_unlock (&qos->lock);
}

GstClockTime
gst_infer_qos_get_earliest (GstInferQos *qos, double *proportion)
{
  GstClockTime earliest;

  g_mutex_lock (&qos->lock);
  earliest = qos->earliest;
  *proportion = qos->proportion;
  g_mutex_unlock (&qos->lock);
  return earliest;
}
