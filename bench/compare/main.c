/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Measures models in this runtime and its peers: same inputs, same number of
 * threads, in turns of a few milliseconds, so that other load on the machine
 * affects all alike. */

#include <locale.h>
#include <stdio.h>
#include <unistd.h>

#include "bench/compare/child.h"
#include "bench/compare/measure.h"
#include "bench/compare/published.h"
#include "bench/compare/report.h"
#include "inference/base/clock.h"
#include "infer/error.h"

#define QUICK_SECONDS 0.3

typedef struct
{
  char *peers, *list, *shared, *sources, *json, *filter, *only, *engines;
  int threads;
  double seconds;
  gboolean quick, f32, cpu_time;
  char **models;
} Options;

static void
clear_options (Options *options)
{
  g_free (options->peers);
  g_free (options->list);
  g_free (options->shared);
  g_free (options->sources);
  g_free (options->json);
  g_free (options->filter);
  g_free (options->only);
  g_free (options->engines);
  g_strfreev (options->models);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, clear_options)

/* For --only. */
static const struct
{
  const char *name;
  gboolean (*measure) (const MeasureSettings *settings, Row *row,
      const GArray *inputs, GError **error);
} parts[] = {
  { "latency", measure_latency },
  { "throughput", measure_throughput },
  { "process", measure_processes },
};

static const char *
shared_folder (const Options *options)
{
  return options->shared != NULL ? options->shared : BENCH_SHARED;
}

static gboolean
wanted (const Options *options, const char *part)
{
  g_auto (GStrv) chosen =
      options->only != NULL ? g_strsplit (options->only, ",", -1) : NULL;
  return chosen == NULL || g_strv_contains ((const char *const *) chosen, part);
}

static gboolean
check_only (const Options *options, GError **error)
{
  g_auto (GStrv) chosen = g_strsplit (options->only, ",", -1);
  for (guint i = 0; chosen[i] != NULL; i++) {
    gboolean known = FALSE;
    for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
      known = known || g_str_equal (chosen[i], parts[k].name);
    if (!known)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "--only: '%.100s' is none of latency, throughput, process",
          chosen[i]);
  }
  return TRUE;
}

static gboolean
measure (const MeasureSettings *settings, const Options *options,
    const Published *published, Row *row, GError **error)
{
  g_autoptr (GArray) inputs = entry_make_inputs (row->entry, error);
  if (inputs == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (wanted (options, parts[i].name)
        && !parts[i].measure (settings, row, inputs, error))
      return FALSE;
  published_add (published, settings->threads, row);
  row_compute_ratios (row);
  return TRUE;
}

static void
clear_row (gpointer data)
{
  row_clear (data);
}

static gboolean
compare_all (const GArray *entries, const MeasureSettings *settings,
    const Options *options, GError **error)
{
  ReportHead head = { settings->engines, settings->threads, settings->seconds };
  g_autoptr (GArray) rows = g_array_new (FALSE, TRUE, sizeof (Row));
  g_autoptr (Published) published = published_read (shared_folder (options));
  guint64 begin = infer_clock_ns ();
  g_array_set_clear_func (rows, clear_row);
  report_print_head (&head);
  for (guint i = 0; i < entries->len; i++) {
    const Entry *entry = &g_array_index (entries, Entry, i);
    Row row;
    row_init (&row, entry);
    if (isatty (STDERR_FILENO))
      g_printerr ("%u of %u: %s\r", i + 1, entries->len, entry->name);
    measure (settings, options, published, &row, &row.error);
    report_print_row (&row);
    g_array_append_val (rows, row);
    if (options->json != NULL
        && !report_write_json (options->json, &head, rows, error))
      return FALSE;
  }
  g_autoptr (GArray) groups = rows_group (rows);
  guint failed = 0;
  for (guint i = 0; i < rows->len; i++)
    failed += g_array_index (rows, Row, i).error != NULL;
  report_print_groups (groups);
  printf ("%u models in %.0f s\n", rows->len,
      (double) (infer_clock_ns () - begin) / 1e9);
  return failed == 0
         || infer_fail (error, INFER_ERROR_FAILED,
             "%u of %u models could not be measured", failed, rows->len);
}

/* @chosen: nullable. */
static gboolean
check_engines (const char *const *chosen, GError **error)
{
  for (guint i = 0; chosen != NULL && chosen[i] != NULL; i++)
    if (engine_find (chosen[i]) == NULL)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "--engines: no engine '%.100s'", chosen[i]);
  return TRUE;
}

static gboolean
find_entries (const Options *options, GArray *entries, GError **error)
{
  if (options->models != NULL)
    entries_add_files (entries, options->models);
  else if (!entries_read (entries,
               options->list != NULL ? options->list : BENCH_LIST,
               shared_folder (options), error))
    return FALSE;
  return options->filter == NULL
         || entries_filter (entries, options->filter, error);
}

static gboolean
run (Options *options, GError **error)
{
  g_autoptr (GArray) entries = entries_new ();
  g_autoptr (GString) missing = g_string_new (NULL);
  g_auto (GStrv) chosen =
      options->engines != NULL ? g_strsplit (options->engines, ",", -1) : NULL;
  if ((options->only != NULL && !check_only (options, error))
      || !check_engines ((const char *const *) chosen, error)
      || !find_entries (options, entries, error))
    return FALSE;
  const char *peers = options->peers != NULL ? options->peers : BENCH_PEERS;
  g_autofree char *program = g_file_read_link ("/proc/self/exe", error);
  if (program == NULL)
    return FALSE;
  g_autofree char *sources = options->sources != NULL
                                 ? g_strdup (options->sources)
                                 : g_build_filename (peers, "sources", NULL);
  g_autoptr (GArray) opened =
      engines_open (peers, (const char *const *) chosen, missing);
  g_printerr ("%s", missing->str);
  MeasureSettings settings = {
    .engines = opened,
    .peers = peers,
    .sources = sources,
    .program = program,
    .threads = options->threads,
    .seconds = options->seconds,
    .f32_only = options->f32,
    .cpu_time = options->cpu_time,
    .processes = options->quick ? 1 : 3,
  };
  return compare_all (entries, &settings, options, error);
}

static gboolean
parse (Options *options, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "peers", 0, 0, G_OPTION_ARG_FILENAME, &options->peers,
        "Where bench/setup-peers has put them (else INFER_PEERS)", "DIR" },
    { "sources", 0, 0, G_OPTION_ARG_FILENAME, &options->sources,
        "NAME.onnx, NAME.tflite and NAME.ncnn.param for peers that do not read IR (default: "
        "sources, among the peers)",
        "DIR" },
    { "list", 0, 0, G_OPTION_ARG_FILENAME, &options->list,
        "Models (default: bench/models.txt)", "FILE" },
    { "shared", 0, 0, G_OPTION_ARG_FILENAME, &options->shared,
        "Where the list's models are (else INFER_SHARED)", "DIR" },
    { "filter", 0, 0, G_OPTION_ARG_STRING, &options->filter,
        "Only models whose names match", "REGEX" },
    { "only", 0, 0, G_OPTION_ARG_STRING, &options->only,
        "Of latency, throughput and process (load and memory) only these",
        "WHAT,..." },
    { "engines", 0, 0, G_OPTION_ARG_STRING, &options->engines,
        "Of inferfilter, direct (ONNX files in this runtime), openvino, "
        "onnxruntime, litert and ncnn only these (default: all but direct)",
        "ENGINE,..." },
    { "f32", 0, 0, G_OPTION_ARG_NONE, &options->f32,
        "Without the mode PERFORMANCE", NULL },
    { "cpu-time", 0, 0, G_OPTION_ARG_NONE, &options->cpu_time,
        "Latency is processor time: for one thread on a machine that others "
        "use",
        NULL },
    { "quick", 0, 0, G_OPTION_ARG_NONE, &options->quick,
        "Look only briefly at each", NULL },
    { "json", 0, 0, G_OPTION_ARG_FILENAME, &options->json,
        "Also write the figures here, after each model", "FILE" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options->threads,
        "Threads of every engine (default: 1)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options->seconds,
        "How long to measure each model's latency, and half as long its "
        "throughput (default: 3)",
        "S" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->models,
        NULL, "[MODEL.xml...]" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_option_context_set_summary (
      context, "Measures models side by side with other runtimes");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  if (options->threads < 1 || !(options->seconds >= 0))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "--threads must be at least 1 and --seconds not negative");
  if (options->quick)
    options->seconds = QUICK_SECONDS;
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_auto (Options) options = {
    .peers = g_strdup (g_getenv ("INFER_PEERS")),
    .shared = g_strdup (g_getenv ("INFER_SHARED")),
    .threads = 1,
    .seconds = 3,
  };
  g_autoptr (GError) error = NULL;
  if (argc > 1 && g_str_equal (argv[1], "--child"))
    return process_child (argc, argv);
  setlocale (LC_CTYPE, "");
  if (!parse (&options, argc, argv, &error)) {
    g_printerr ("compare: %s\n", error->message);
    return 2;
  }
  if (!run (&options, &error)) {
    g_printerr ("compare: %s\n", error->message);
    return 1;
  }
  return 0;
}
