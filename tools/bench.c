/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdio.h>
#include <string.h>

#include "inference/base/clock.h"
#include "infer/error.h"
#include "tools/inputs.h"
#include "tools/options.h"
#include "tools/progress/progress.h"
#include "tools/time/per-op.h"

typedef struct
{
  ToolModelOptions model;
  ToolRuntimeOptions runtime;
  GStrv shapes;
  int nireq;
  double seconds;
  gboolean json, per_op, roofline;
} Options;

static void
clear_options (Options *options)
{
  tool_model_options_clear (&options->model);
  tool_runtime_options_clear (&options->runtime);
  g_strfreev (options->shapes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, clear_options)

typedef struct
{
  double load_ms, first_ms, elapsed_s;
  /* After the first run. */
  gint64 rss_kb, private_kb, peak_kb;
  GArray *latencies_ns; /* (element-type guint64) */
  ToolPerOp *per_op;
} Figures;

static double
seconds_since (guint64 begin)
{
  return (double) (infer_clock_ns () - begin) / 1e9;
}

/* --- memory --- */

/* The number after "@key:" in a file of /proc; 0 if there is none. */
static gint64
number_in (const char *text, const char *key)
{
  g_autofree char *start = g_strdup_printf ("\n%s:", key);
  const char *line = text != NULL ? strstr (text, start) : NULL;

  return line != NULL ? g_ascii_strtoll (line + strlen (start), NULL, 10) : 0;
}

static void
measure_memory (Figures *figures)
{
  g_autofree char *status = NULL, *pages = NULL;

  g_file_get_contents ("/proc/self/status", &status, NULL, NULL);
  g_file_get_contents ("/proc/self/smaps_rollup", &pages, NULL, NULL);
  figures->rss_kb = number_in (status, "VmRSS");
  figures->peak_kb = number_in (status, "VmHWM");
  figures->private_kb =
      number_in (pages, "Private_Dirty") + number_in (pages, "Private_Clean");
}

/* --- sequential requests --- */

static gboolean
run_request (InferRequest *request, const Options *options, Figures *figures,
    GError **error)
{
  guint64 begin = infer_clock_ns (), start = begin, now = begin;
  do {
    if (!infer_request_infer (request, error))
      return FALSE;
    now = infer_clock_ns ();
    guint64 took = now - start;
    g_array_append_val (figures->latencies_ns, took);
    if (options->per_op)
      tool_per_op_add (figures->per_op, request, took);
    start = options->per_op ? infer_clock_ns () : now;
  } while ((double) (now - begin) < options->seconds * 1e9);
  figures->elapsed_s = seconds_since (begin);
  return TRUE;
}

static gboolean
measure_one (InferExecutable *executable, const InferShape *shapes,
    const Options *options, guint64 begin, Figures *figures, GError **error)
{
  InferModel *model = infer_executable_get_model (executable);
  g_autoptr (InferRequest) request = infer_request_new (executable, error);
  if (request == NULL || !tool_fill_inputs (request, model, shapes, error))
    return FALSE;
  figures->load_ms = 1e3 * seconds_since (begin);
  guint64 first = infer_clock_ns ();
  if (!infer_request_infer (request, error))
    return FALSE;
  figures->first_ms = 1e3 * seconds_since (first);
  measure_memory (figures);
  /* A tenth of the time warms up caches, branch predictors and clocks. */
  guint64 warm = infer_clock_ns ();
  while (seconds_since (warm) < options->seconds / 10)
    if (!infer_request_infer (request, error))
      return FALSE;
  gboolean ok = run_request (request, options, figures, error);
  /* The names in the table live as long as the request. */
  tool_progress_end ();
  if (ok && options->per_op)
    tool_per_op_print (figures->per_op, request, shapes, options->roofline);
  return ok;
}

/* --- concurrent requests --- */

typedef struct
{
  InferAsyncRequest *request;
  guint64 started, took;
} Lane;

static void
on_done (InferAsyncRequest *request, const GError *error, gpointer data)
{
  Lane *lane = data;
  lane->took = infer_clock_ns () - lane->started;
}

static void
free_lanes (GArray *lanes)
{
  for (guint i = 0; i < lanes->len; i++)
    infer_async_request_free (g_array_index (lanes, Lane, i).request);
  g_array_unref (lanes);
}

static gboolean
start_lane (Lane *lane, GError **error)
{
  lane->started = infer_clock_ns ();
  return infer_async_request_start (lane->request, INFER_START_DEFAULT, error);
}

/* Lanes are waited for in the order in which they were started. */
static gboolean
run_lanes (GArray *lanes, double seconds, GArray *latencies, GError **error)
{
  Lane *all = (Lane *) (gpointer) lanes->data;
  guint64 begin = infer_clock_ns ();
  for (guint i = 0; i < lanes->len; i++)
    if (!start_lane (&all[i], error))
      return FALSE;
  guint running = lanes->len;
  for (guint i = 0; running > 0; i = (i + 1) % lanes->len) {
    if (!infer_async_request_wait (all[i].request, -1, error))
      return FALSE;
    g_array_append_val (latencies, all[i].took);
    if (seconds_since (begin) >= seconds)
      running--;
    else if (!start_lane (&all[i], error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
measure_many (InferExecutable *executable, const InferShape *shapes,
    const Options *options, guint64 begin, Figures *figures, GError **error)
{
  InferModel *model = infer_executable_get_model (executable);
  GArray *lanes = g_array_new (FALSE, TRUE, sizeof (Lane));
  g_array_set_size (lanes, (guint) options->nireq);
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < lanes->len; i++) {
    Lane *lane = &g_array_index (lanes, Lane, i);
    lane->request = infer_async_request_new (executable, NULL, error);
    ok = lane->request != NULL
         && tool_fill_inputs (infer_async_request_get_request (lane->request),
             model, shapes, error);
    if (ok)
      infer_async_request_set_callback (lane->request, on_done, lane);
  }
  figures->load_ms = 1e3 * seconds_since (begin);
  guint64 start = infer_clock_ns ();
  if (ok)
    ok = start_lane (&g_array_index (lanes, Lane, 0), error)
         && infer_async_request_wait (
             g_array_index (lanes, Lane, 0).request, -1, error);
  figures->first_ms = 1e3 * seconds_since (start);
  measure_memory (figures);
  ok =
      ok
      && run_lanes (lanes, options->seconds / 10, figures->latencies_ns, error);
  g_array_set_size (figures->latencies_ns, 0);
  start = infer_clock_ns ();
  ok = ok && run_lanes (lanes, options->seconds, figures->latencies_ns, error);
  figures->elapsed_s = seconds_since (start);
  free_lanes (lanes);
  return ok;
}

/* --- report --- */

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  guint64 left = *(const guint64 *) a, right = *(const guint64 *) b;
  return (left > right) - (left < right);
}

static double
quantile_us (const GArray *sorted, double q)
{
  guint index = (guint) (q * (sorted->len - 1) + 0.5);
  return (double) g_array_index (sorted, guint64, index) / 1e3;
}

static void
print_figures (const Figures *figures, gboolean json)
{
  GArray *sorted = figures->latencies_ns;
  g_array_sort (sorted, compare_ns);
  double median = quantile_us (sorted, 0.5), least = quantile_us (sorted, 0);
  double p95 = quantile_us (sorted, 0.95), p99 = quantile_us (sorted, 0.99);
  double rate = figures->elapsed_s > 0 ? sorted->len / figures->elapsed_s : 0;
  if (json)
    printf ("{\"median_us\": %.3f, \"min_us\": %.3f, \"p95_us\": %.3f, "
            "\"p99_us\": %.3f, \"throughput_per_s\": %.3f, \"load_ms\": %.3f, "
            "\"first_ms\": %.3f, \"rss_kb\": %" G_GINT64_FORMAT
            ", \"private_kb\": %" G_GINT64_FORMAT
            ", \"peak_kb\": %" G_GINT64_FORMAT "}\n",
        median, least, p95, p99, rate, figures->load_ms, figures->first_ms,
        figures->rss_kb, figures->private_kb, figures->peak_kb);
  else
    g_print ("median      %.2f us\nmin         %.2f us\n"
             "p95         %.2f us\np99         %.2f us\n"
             "throughput  %.2f /s\nload        %.3f ms\n"
             "first run   %.3f ms\n"
             "memory      %" G_GINT64_FORMAT " kB, %" G_GINT64_FORMAT
             " kB of it private, at most %" G_GINT64_FORMAT " kB\n",
        median, least, p95, p99, rate, figures->load_ms, figures->first_ms,
        figures->rss_kb, figures->private_kb, figures->peak_kb);
}

static gboolean
measure (
    const char *path, const Options *options, Figures *figures, GError **error)
{
  guint64 begin = infer_clock_ns ();
  g_autoptr (InferExecutable) executable = tool_compile (path, &options->model,
      &options->runtime, options->nireq, options->per_op, error);
  if (executable == NULL)
    return FALSE;
  g_autofree InferShape *shapes = tool_find_shapes (
      infer_executable_get_model (executable), options->shapes, error);
  if (shapes == NULL)
    return FALSE;
  infer_executable_settle (executable);
  if (!tool_begin_trace (&options->runtime, error))
    return FALSE;
  tool_progress_begin ("measuring %s", path);
  gboolean ok =
      options->nireq > 1
          ? measure_many (executable, shapes, options, begin, figures, error)
          : measure_one (executable, shapes, options, begin, figures, error);
  tool_progress_end ();
  return tool_end_trace (&options->runtime, ok ? error : NULL) && ok;
}

static int
check_options (const Options *options)
{
  if (options->nireq < 1)
    return tool_usage (&tool_bench, "--nireq must be at least 1");
  if (!(options->seconds >= 0 && options->seconds <= 3600))
    return tool_usage (&tool_bench, "--seconds must be between 0 and 3600");
  if (options->per_op && (options->nireq > 1 || options->json))
    return tool_usage (
        &tool_bench, "--per-op goes with neither --nireq nor --json");
  if (options->roofline && !options->per_op)
    return tool_usage (&tool_bench, "--roofline goes with --per-op");
  return tool_check_pairs (
             &tool_bench, "--shape", "NAME=DIM,DIM", options->shapes)
             ? TOOL_DONE
             : TOOL_USAGE;
}

static int
run (int argc, char **argv)
{
  g_auto (Options) options = { .runtime.threads = 1, .nireq = 1, .seconds = 3 };
  const GOptionEntry entries[] = {
    TOOL_MODEL_OPTIONS (&options.model),
    TOOL_RUNTIME_OPTIONS (&options.runtime),
    { "nireq", 0, 0, G_OPTION_ARG_INT, &options.nireq,
        "Requests at the same time (default: 1)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options.seconds,
        "How long to measure (default: 3)", "S" },
    { "shape", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.shapes,
        "Shape of an input, by name or index", "NAME=1,80" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print JSON", NULL },
    { "per-op", 0, 0, G_OPTION_ARG_NONE, &options.per_op,
        "Print the time of each operation", NULL },
    { "roofline", 0, 0, G_OPTION_ARG_NONE, &options.roofline,
        "With --per-op: also what each reaches of what the device does", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) arguments = NULL;
  g_autoptr (GError) error = NULL;
  if (!tool_parse_options (
          &tool_bench, entries, &options.runtime, argc, argv, 1, 1, &arguments)
      || check_options (&options) != TOOL_DONE)
    return TOOL_USAGE;
  g_autoptr (GArray) latencies = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (ToolPerOp) per_op = tool_per_op_new ();
  Figures figures = { .latencies_ns = latencies, .per_op = per_op };
  if (!measure (arguments[0], &options, &figures, &error))
    return tool_fail (error);
  print_figures (&figures, options.json);
  return TOOL_DONE;
}

const ToolCommand tool_bench = {
  .name = "bench",
  .arguments = "MODEL [--threads N] [--nireq N] [--seconds S] [OPTION]...",
  .summary = "how long a model takes, on inputs that are the same every time",
  .run = run,
};
