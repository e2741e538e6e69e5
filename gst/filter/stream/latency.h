/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element's own latency: what a window waits for its rows, what an
 * inference takes and what it may wait for its batch.  Any thread. */

#pragma once

#include <gst/gst.h>

typedef struct
{
  GMutex lock; /* guards all */
  /* From the end of the buffer that begins a window to the window's last row:
   * the whole window until it has been observed, then the longest wait. */
  GstClockTime window;
  gboolean window_observed;
  GstClockTime processing; /* moving average, 5 % added */
  GstClockTime batch;      /* the longest wait */
  GstClockTime reported;   /* NONE: not asked for since it last changed */
  gboolean live;           /* when it was asked for: others rely on it */
} GstInferLatency;

/* Forgets what was measured. */
void gst_infer_latency_reset (GstInferLatency *latency, GstClockTime batch);

/* New caps: a window lasts @duration. */
void gst_infer_latency_set_window (
    GstInferLatency *latency, GstClockTime duration);
/* A window waited for @wait. */
void gst_infer_latency_observe_window (
    GstInferLatency *latency, GstClockTime wait);
/* An inference took @total ns; returns that with the window's wait.  *@changed:
 * in a live pipeline, the sum is no longer what was reported, which is worth a
 * LATENCY message. */
GstClockTime gst_infer_latency_add (
    GstInferLatency *latency, guint64 total, gboolean *changed);
/* The sum, for the answer to a LATENCY query.  @live: as upstream says. */
GstClockTime gst_infer_latency_report (GstInferLatency *latency, gboolean live);
