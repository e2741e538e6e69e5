/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/counters.h"

/* µs. */
static const gint64 bounds[SERVE_BUCKETS] = { 100, 250, 500, 1000, 2500, 5000,
  10000, 25000, 50000, 100000, 250000, 500000, 1000000, 10000000 };

static guint64
get (const guint64 *counter)
{
  return __atomic_load_n (counter, __ATOMIC_RELAXED);
}

void
serve_counters_add_done (
    ServeCounters *counters, gint64 arrived, gint64 started, gint64 ended)
{
  serve_count (&counters->done, 1);
  serve_count (&counters->queue_ns, (guint64) (started - arrived) * 1000);
  serve_count (&counters->compute_ns, (guint64) (ended - started) * 1000);
  serve_count (&counters->request_ns, (guint64) (ended - arrived) * 1000);
  __atomic_store_n (&counters->last_ms, (guint64) (g_get_real_time () / 1000),
      __ATOMIC_RELAXED);
  for (guint i = 0; i < SERVE_BUCKETS; i++)
    if (ended - arrived <= bounds[i]) {
      serve_count (&counters->buckets[i], 1);
      return;
    }
}

void
serve_counters_add_failed (ServeCounters *counters, gint64 arrived)
{
  serve_count (&counters->failed, 1);
  serve_count (&counters->failed_ns,
      (guint64) (g_get_monotonic_time () - arrived) * 1000);
}

void
serve_counters_read (const ServeCounters *counters, ServeStatistics *statistics)
{
  statistics->last_ms = get (&counters->last_ms);
  statistics->done = get (&counters->done);
  statistics->failed = get (&counters->failed) + get (&counters->refused);
  statistics->done_ns = get (&counters->request_ns);
  statistics->queue_ns = get (&counters->queue_ns);
  statistics->compute_ns = get (&counters->compute_ns);
  statistics->failed_ns = get (&counters->failed_ns);
}

static void
head (GString *text, const char *name, const char *type, const char *help)
{
  g_string_append_printf (
      text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void
add_seconds (GString *text, const char *name, const char *labels, guint64 ns)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (number, sizeof number, "%.9g", (double) ns * 1e-9);
  g_string_append_printf (text, "%s{%s} %s\n", name, labels, number);
}

static void
add_results (GString *text, const ServeCounters *c, const char *labels)
{
  static const char *const results[] = { "done", "failed", "refused" };
  const guint64 counts[] = { get (&c->done), get (&c->failed),
    get (&c->refused) };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    g_string_append_printf (text,
        "infer_requests_total{%s,result=\"%s\"} %" G_GUINT64_FORMAT "\n",
        labels, results[i], counts[i]);
}

static void
add_histogram (GString *text, const ServeCounters *c, const char *labels)
{
  const guint64 all = get (&c->done);
  guint64 below = 0;

  for (guint i = 0; i < SERVE_BUCKETS; i++) {
    char bound[G_ASCII_DTOSTR_BUF_SIZE];

    below += get (&c->buckets[i]);
    g_ascii_formatd (bound, sizeof bound, "%g", (double) bounds[i] * 1e-6);
    g_string_append_printf (text,
        "infer_request_seconds_bucket{%s,le=\"%s\"} %" G_GUINT64_FORMAT "\n",
        labels, bound, below);
  }
  g_string_append_printf (text,
      "infer_request_seconds_bucket{%s,le=\"+Inf\"} %" G_GUINT64_FORMAT "\n",
      labels, all);
  add_seconds (text, "infer_request_seconds_sum", labels, get (&c->request_ns));
  g_string_append_printf (text,
      "infer_request_seconds_count{%s} %" G_GUINT64_FORMAT "\n", labels, all);
}

/* Sums: where they are in the counters, and whether they are times. */
static const struct
{
  const char *name, *help;
  gsize offset;
  gboolean time;
} sums[] = {
  { "infer_input_bytes_total", "Bytes of tensors received.",
      G_STRUCT_OFFSET (ServeCounters, input_bytes), FALSE },
  { "infer_output_bytes_total", "Bytes of tensors sent.",
      G_STRUCT_OFFSET (ServeCounters, output_bytes), FALSE },
  { "infer_queue_seconds_total",
      "Time that requests waited before they were computed.",
      G_STRUCT_OFFSET (ServeCounters, queue_ns), TRUE },
  { "infer_compute_seconds_total", "Time that requests were computed.",
      G_STRUCT_OFFSET (ServeCounters, compute_ns), TRUE },
};

void
serve_counters_write (
    ServeCounters *const *counters, char *const *labels, guint n, GString *text)
{
  head (text, "infer_requests_total", "counter", "Requests, by their result.");
  for (guint i = 0; i < n; i++)
    add_results (text, counters[i], labels[i]);
  for (guint s = 0; s < G_N_ELEMENTS (sums); s++) {
    head (text, sums[s].name, "counter", sums[s].help);
    for (guint i = 0; i < n; i++) {
      const guint64 value =
          get (G_STRUCT_MEMBER_P (counters[i], sums[s].offset));
      if (sums[s].time)
        add_seconds (text, sums[s].name, labels[i], value);
      else
        g_string_append_printf (text, "%s{%s} %" G_GUINT64_FORMAT "\n",
            sums[s].name, labels[i], value);
    }
  }
  head (text, "infer_request_seconds", "histogram",
      "Time from a request's arrival to its response.");
  for (guint i = 0; i < n; i++)
    add_histogram (text, counters[i], labels[i]);
}
