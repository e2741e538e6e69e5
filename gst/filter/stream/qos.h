/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last QOS event from downstream.  Any thread. */

#pragma once

#include <gst/gst.h>

typedef struct
{
  GMutex lock;           /* guards all */
  GstClockTime earliest; /* running time that is not too late; NONE: any */
  double proportion;     /* of downstream's speed to the ideal one */
} GstInferQos;

void gst_infer_qos_init (GstInferQos *qos);
void gst_infer_qos_clear (GstInferQos *qos);
void gst_infer_qos_reset (GstInferQos *qos);
void gst_infer_qos_update (GstInferQos *qos, GstEvent *event);
GstClockTime gst_infer_qos_get_earliest (GstInferQos *qos, double *proportion);
