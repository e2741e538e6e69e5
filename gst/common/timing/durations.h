/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Durations that were measured, for the property `stats` of an element: number,
 * mean and maximum of all, percentiles of the last few hundred.  Of a fixed
 * size, with no allocation; all zeros: none yet.  The owner locks. */

#pragma once

#include <gst/gst.h>

#define GST_INFER_DURATIONS_RECENT 256

typedef struct
{
  guint64 n, sum, max;
  guint64 recent[GST_INFER_DURATIONS_RECENT]; /* a ring */
} GstInferDurations;

void gst_infer_durations_add (GstInferDurations *durations, guint64 ns);

/* Sets a structure `n`, `mean`, `p50`, `p95`, `p99`, `max` (guint64, all but
 * `n` in nanoseconds; 0 where there are none) as field @name of @s.  A
 * percentile is a value that was measured: of k sorted ones p95 is number
 * k * 95 / 100, counted from 0. */
void gst_infer_durations_report (
    const GstInferDurations *durations, const char *name, GstStructure *s);
