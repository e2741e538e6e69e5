/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is counted, for Prometheus.  Any thread. */

#pragma once

#include "tools/serve/statistics.h"

#define SERVE_BUCKETS 14

/* Of a model; lives as long as the model. */
typedef struct
{
  guint64 done, failed, refused; /* atomic: __atomic builtins */
  guint64 input_bytes, output_bytes;
  guint64 queue_ns, compute_ns;   /* sums */
  guint64 buckets[SERVE_BUCKETS]; /* requests of at most this time */
  guint64 request_ns;
  guint64 failed_ns;
  guint64 last_ms; /* when the last one was done; of the Unix epoch */
} ServeCounters;

static inline void
serve_count (guint64 *counter, guint64 n)
{
  __atomic_fetch_add (counter, n, __ATOMIC_RELAXED);
}

/* From arrival, over the start, to the end; µs of g_get_monotonic_time. */
void serve_counters_add_done (
    ServeCounters *counters, gint64 arrived, gint64 started, gint64 ended);
void serve_counters_add_failed (ServeCounters *counters, gint64 arrived);
/* Fills all but the name and the version. */
void serve_counters_read (
    const ServeCounters *counters, ServeStatistics *statistics);
/* Appends all series, each of all @n models; @labels[i]:
 * `model="m",version="1"`
 */
void serve_counters_write (ServeCounters *const *counters, char *const *labels,
    guint n, GString *text);
