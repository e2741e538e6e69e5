/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/stream/qos.h"

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

GstInferQos
gst_infer_qos_parse (GstEvent *event)
{
  GstClockTime timestamp;
  GstClockTimeDiff diff;
  GstQOSType type;
  double proportion;

  gst_event_parse_qos (event, &type, &proportion, &diff, &timestamp);
  return (GstInferQos){ earliest_after (type, timestamp, diff), proportion };
}
