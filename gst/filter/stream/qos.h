/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last QOS event from downstream, as a plain value. */

#pragma once

#include <gst/gst.h>

typedef struct
{
  GstClockTime earliest; /* running time that is not too late; NONE: any */
  double proportion;     /* of downstream's speed to the ideal one */
} GstInferQos;

/* Before the first event. */
#define GST_INFER_QOS_NONE ((GstInferQos){ GST_CLOCK_TIME_NONE, 1.0 })

GstInferQos gst_infer_qos_parse (GstEvent *event);
