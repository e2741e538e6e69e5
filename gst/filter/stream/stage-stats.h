/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Times of one stage: mean and maximum of all, percentiles of the last few
 * hundred.  A plain value without a lock. */

#pragma once

#include <gst/gst.h>

#define GST_INFER_STATS_RECENT 256

typedef struct
{
  guint64 n, sum, max;
  guint64 recent[GST_INFER_STATS_RECENT];
} GstInferStageStats;

void gst_infer_stage_stats_add (GstInferStageStats *stats, guint64 ns);

/* Sets a structure `mean`, `p50`, `p95`, `max` as field @name of @s. */
void gst_infer_stage_stats_report (
    const GstInferStageStats *stats, const char *name, GstStructure *s);
