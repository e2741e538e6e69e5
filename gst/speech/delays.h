/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How long after its first sample a text leaves, and what the element says of
 * it: LATENCY, max-observed-delay, stats.  Any thread. */

#pragma once

#include <gst/gst.h>

#define GST_INFER_DELAYS_RECENT 16

typedef struct
{
  GMutex lock;        /* guards all */
  GstClockTime least; /* what is known before anything was observed */
  GstClockTime fixed; /* latency as set; 0: measured */
  GstClockTime recent[GST_INFER_DELAYS_RECENT]; /* of the last texts */
  guint n;
  GstClockTime longest;
  GstClockTime reported; /* NONE: not asked for since it last changed */
  gboolean live;
} GstInferDelays;

void gst_infer_delays_reset (
    GstInferDelays *delays, GstClockTime least, GstClockTime fixed);
/* A text left @delay after its first sample came.  *@changed: others rely on a
 * latency that was reported and is off now.  Returns whether it is the longest
 * so far. */
gboolean gst_infer_delays_add (
    GstInferDelays *delays, GstClockTime delay, gboolean *changed);
/* For the answer to a LATENCY query. */
GstClockTime gst_infer_delays_report (GstInferDelays *delays, gboolean live);
GstClockTime gst_infer_delays_get_longest (GstInferDelays *delays);
void gst_infer_delays_forget_longest (GstInferDelays *delays);
gboolean gst_infer_delays_is_live (GstInferDelays *delays);
void gst_infer_delays_set_live (GstInferDelays *delays, gboolean live);
