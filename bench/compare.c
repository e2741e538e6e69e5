/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models side by side with OpenVINO: same process, same inputs, same number of
 * threads, in turns of a few milliseconds, so that whatever else the machine
 * does falls on both. */

#include <glob.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/peer.h"
#include "inference/clock.h"
#include "inference/error.h"
#include "inference/request.h"
#include "tools/inputs.h"
#include "tools/tool.h"

#define TURN_NS 10000000u /* one side's turn, at least one run */

typedef struct
{
  char *name, *xml, *weights; /* weights nullable */
} Entry;

typedef struct
{
  GArray *ns; /* (element-type guint64) */
  double min_us, median_us;
} Side;

typedef struct
{
  const Entry *entry;
  Side ours, theirs;
  double difference; /* of the first output of the first run, largest */
  GError *error;
} Row;

static void
clear_entry (gpointer data)
{
  Entry *entry = data;
  g_free (entry->name);
  g_free (entry->xml);
  g_free (entry->weights);
}

static void
clear_row (gpointer data)
{
  Row *row = data;
  g_array_unref (row->ours.ns);
  g_array_unref (row->theirs.ns);
  g_clear_error (&row->error);
}

/* --- what to run
 * --------------------------------------------------------------- */

static void
add_entry (
    GArray *entries, const char *name, const char *xml, const char *weights)
{
  Entry entry = { g_strdup (name), g_strdup (xml), g_strdup (weights) };
  g_array_append_val (entries, entry);
}

/* Lines of NAME, XML and (optional) weights, relative to @shared; '#': comment.
 */
static gboolean
read_list (
    GArray *entries, const char *path, const char *shared, GError **error)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, error))
    return FALSE;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    g_auto (GStrv) words =
        g_regex_split_simple ("[ \t]+", g_strstrip (lines[i]), 0, 0);
    guint n = g_strv_length (words);
    if (n == 0 || words[0][0] == '#' || words[0][0] == '\0')
      continue;
    if (n < 2)
      return infer_fail (
          error, INFER_ERROR_FAILED, "%s: line %u has no file", path, i + 1);
    g_autofree char *xml = g_build_filename (shared, words[1], NULL);
    g_autofree char *bin =
        n > 2 ? g_build_filename (shared, words[2], NULL) : NULL;
    add_entry (entries, words[0], xml, bin);
  }
  return TRUE;
}

static void
add_arguments (GArray *entries, char **paths)
{
  for (guint i = 0; paths[i]; i++) {
    g_autofree char *dir = g_path_get_dirname (paths[i]);
    g_autofree char *folder = g_path_get_basename (dir);
    g_autofree char *file = g_path_get_basename (paths[i]);
    g_autofree char *name = g_strdup_printf ("%s/%s", folder, file);
    add_entry (entries, name, paths[i], NULL);
  }
}

/* In a virtual environment made by bench/setup-peers. */
static char *
find_library (const char *venv)
{
  g_autofree char *pattern = g_build_filename (venv, "lib", "python3*",
      "site-packages", "openvino", "libs", "libopenvino_c.so*", NULL);
  glob_t found = { 0 };
  char *path = NULL;
  if (glob (pattern, 0, NULL, &found) == 0)
    path = g_strdup (found.gl_pathv[0]);
  globfree (&found);
  return path;
}

/* --- one model
 * ------------------------------------------------------------------- */

typedef struct
{
  InferModel *model;
  InferExecutable *executable;
  InferRequest *request;
  PeerModel *peer;
} Pair;

static void
clear_pair (Pair *pair)
{
  infer_request_free (pair->request);
  g_clear_pointer (&pair->executable, infer_executable_unref);
  g_clear_pointer (&pair->model, infer_model_unref);
  peer_model_free (pair->peer);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, clear_pair)

static gboolean
load_pair (Pair *pair, Peer *peer, InferRuntime *runtime, const Entry *entry,
    int threads, GError **error)
{
  pair->model = infer_model_load (entry->xml, entry->weights, error);
  if (!pair->model)
    return FALSE;
  pair->executable = infer_executable_new (pair->model, runtime, error);
  if (!pair->executable)
    return FALSE;
  pair->request = infer_request_new (pair->executable, error);
  if (!pair->request)
    return FALSE;
  pair->peer =
      peer_model_new (peer, entry->xml, entry->weights, threads, error);
  return pair->peer != NULL;
}

static gboolean
set_inputs (Pair *pair, GError **error)
{
  for (guint i = 0; i < infer_model_n_inputs (pair->model); i++) {
    InferShape shape;
    if (!tool_default_shape (pair->model, i, &shape, error))
      return FALSE;
    InferTensor *tensor =
        infer_request_set_input_shape (pair->request, i, &shape, error);
    if (!tensor || !tool_fill (tensor, i, error)
        || !peer_model_set_input (pair->peer, i, tensor, error))
      return FALSE;
  }
  return TRUE;
}

/* Both compute the same, or the times say nothing. */
static gboolean
compare_first (Pair *pair, double *difference, GError **error)
{
  gconstpointer data;
  gsize size;
  if (!infer_request_infer (pair->request, error)
      || !peer_model_infer (pair->peer, error))
    return FALSE;
  InferTensor *ours = infer_request_get_output (pair->request, 0, error);
  if (!ours || !peer_model_get_output (pair->peer, 0, &data, &size, error))
    return FALSE;
  if (size != ours->size)
    return infer_fail (error, INFER_ERROR_FAILED,
        "output 0 has %" G_GSIZE_FORMAT " bytes, OpenVINO's %" G_GSIZE_FORMAT,
        ours->size, size);
  *difference = 0;
  for (gsize i = 0; ours->type == INFER_TYPE_F32 && i < size / 4; i++) {
    double distance = fabs ((double) ((const float *) ours->data)[i]
                            - (double) ((const float *) data)[i]);
    *difference = MAX (*difference, distance);
  }
  return TRUE;
}

static gboolean
run_ours (Pair *pair, GError **error)
{
  return infer_request_infer (pair->request, error);
}

static gboolean
run_theirs (Pair *pair, GError **error)
{
  return peer_model_infer (pair->peer, error);
}

static gboolean
take_turn (Pair *pair, gboolean (*run) (Pair *pair, GError **error), GArray *ns,
    GError **error)
{
  guint64 begin = infer_clock_ns (), now = begin;
  /* The other's data is in the caches: one run warms them. */
  if (!run (pair, error))
    return FALSE;
  do {
    guint64 start = infer_clock_ns ();
    if (!run (pair, error))
      return FALSE;
    now = infer_clock_ns ();
    guint64 took = now - start;
    g_array_append_val (ns, took);
  } while (now - begin < TURN_NS);
  return TRUE;
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  guint64 left = *(const guint64 *) a, right = *(const guint64 *) b;
  return (left > right) - (left < right);
}

static void
summarise (Side *side)
{
  g_array_sort (side->ns, compare_ns);
  side->min_us = (double) g_array_index (side->ns, guint64, 0) / 1e3;
  side->median_us =
      (double) g_array_index (side->ns, guint64, side->ns->len / 2) / 1e3;
}

static gboolean
measure (Row *row, Peer *peer, InferRuntime *runtime, int threads,
    double seconds, GError **error)
{
  g_auto (Pair) pair = { NULL, NULL, NULL, NULL };
  if (!load_pair (&pair, peer, runtime, row->entry, threads, error)
      || !set_inputs (&pair, error)
      || !compare_first (&pair, &row->difference, error))
    return FALSE;
  guint64 begin = infer_clock_ns ();
  do
    if (!take_turn (&pair, run_ours, row->ours.ns, error)
        || !take_turn (&pair, run_theirs, row->theirs.ns, error))
      return FALSE;
  while ((double) (infer_clock_ns () - begin) < seconds * 1e9);
  summarise (&row->ours);
  summarise (&row->theirs);
  return TRUE;
}

/* --- the answer
 * -------------------------------------------------------------------- */

static void
print_row (const Row *row)
{
  if (row->error)
    printf ("%-32s %s\n", row->entry->name, row->error->message);
  else
    printf ("%-32s %11.1f %11.1f %11.1f %11.1f %7.2f %9.1e\n", row->entry->name,
        row->ours.median_us, row->theirs.median_us, row->ours.min_us,
        row->theirs.min_us, row->theirs.median_us / row->ours.median_us,
        row->difference);
  fflush (stdout);
}

/* Of OpenVINO's time over ours: above 1 we are faster.  The medians are what a
 * user sees; the minima say the same with less of what else the machine did. */
typedef struct
{
  double median, min;
  guint n;
} Mean;

static Mean
geometric_mean (const GArray *rows)
{
  Mean mean = { 0 };
  for (guint i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index (rows, Row, i);
    if (row->error)
      continue;
    mean.median += log (row->theirs.median_us / row->ours.median_us);
    mean.min += log (row->theirs.min_us / row->ours.min_us);
    mean.n++;
  }
  mean.median = mean.n > 0 ? exp (mean.median / mean.n) : 0;
  mean.min = mean.n > 0 ? exp (mean.min / mean.n) : 0;
  return mean;
}

static void
json_row (GString *json, const Row *row)
{
  g_string_append (json, "    {\"model\": ");
  tool_json_string (json, row->entry->name);
  if (row->error) {
    g_string_append (json, ", \"error\": ");
    tool_json_string (json, row->error->message);
    g_string_append_c (json, '}');
    return;
  }
  g_string_append_printf (json,
      ", \"median_us\": %.3f, \"peer_median_us\": %.3f, \"min_us\": %.3f, "
      "\"peer_min_us\": %.3f, \"ratio\": %.4f, \"max_difference\": %.3g, "
      "\"runs\": %u, \"peer_runs\": %u}",
      row->ours.median_us, row->theirs.median_us, row->ours.min_us,
      row->theirs.min_us, row->theirs.median_us / row->ours.median_us,
      row->difference, row->ours.ns->len, row->theirs.ns->len);
}

static gboolean
write_json (const char *path, const GArray *rows, const Peer *peer, int threads,
    GError **error)
{
  Mean mean = geometric_mean (rows);
  g_autoptr (GString) json = g_string_new (NULL);
  g_string_append_printf (json,
      "{\n  \"peer\": \"OpenVINO %s\",\n  \"threads\": %d,\n"
      "  \"geometric_mean\": %.4f,\n  \"geometric_mean_min\": %.4f,\n"
      "  \"models\": [\n",
      peer_get_version (peer), threads, mean.median, mean.min);
  for (guint i = 0; i < rows->len; i++) {
    json_row (json, &g_array_index (rows, Row, i));
    g_string_append (json, i + 1 < rows->len ? ",\n" : "\n");
  }
  g_string_append (json, "  ]\n}\n");
  return g_file_set_contents (path, json->str, (gssize) json->len, error);
}

typedef struct
{
  char *library, *peers, *list, *shared, *json;
  int threads;
  double seconds;
  char **models;
} Options;

static void
clear_options (Options *options)
{
  g_free (options->library);
  g_free (options->peers);
  g_free (options->list);
  g_free (options->shared);
  g_free (options->json);
  g_strfreev (options->models);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, clear_options)

static gboolean
compare_all (
    const GArray *entries, Peer *peer, const Options *options, GError **error)
{
  g_autofree char *config =
      g_strdup_printf ("INFERENCE_NUM_THREADS=%d", options->threads);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", config, error);
  if (!runtime)
    return FALSE;
  g_autoptr (GArray) rows = g_array_new (FALSE, TRUE, sizeof (Row));
  g_array_set_clear_func (rows, clear_row);
  printf ("OpenVINO %s, f32, threads: %d; microseconds, ratio above 1: we are "
          "faster\n",
      peer_get_version (peer), options->threads);
  printf ("%-32s %11s %11s %11s %11s %7s %9s\n", "model", "median", "theirs",
      "min", "theirs", "ratio", "max diff");
  for (guint i = 0; i < entries->len; i++) {
    Row row = { .entry = &g_array_index (entries, Entry, i) };
    row.ours.ns = g_array_new (FALSE, FALSE, sizeof (guint64));
    row.theirs.ns = g_array_new (FALSE, FALSE, sizeof (guint64));
    measure (
        &row, peer, runtime, options->threads, options->seconds, &row.error);
    print_row (&row);
    g_array_append_val (rows, row);
  }
  Mean mean = geometric_mean (rows);
  printf ("geometric mean of %u of %u: %.3f (of the minima: %.3f)\n", mean.n,
      rows->len, mean.median, mean.min);
  return !options->json
         || write_json (options->json, rows, peer, options->threads, error);
}

static gboolean
run (Options *options, GError **error)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_set_clear_func (entries, clear_entry);
  if (options->models)
    add_arguments (entries, options->models);
  else if (!read_list (entries, options->list ? options->list : BENCH_LIST,
               options->shared ? options->shared : BENCH_SHARED, error))
    return FALSE;
  const char *venv = options->peers ? options->peers : BENCH_PEERS;
  g_autofree char *library =
      options->library ? g_strdup (options->library) : find_library (venv);
  if (!library)
    return infer_fail (error, INFER_ERROR_NOT_FOUND,
        "no OpenVINO in %s: make it with bench/setup-peers", venv);
  g_autoptr (Peer) peer = peer_new (library, error);
  return peer && compare_all (entries, peer, options, error);
}

int
main (int argc, char **argv)
{
  g_auto (Options) options = {
    .peers = g_strdup (g_getenv ("INFER_PEERS")),
    .shared = g_strdup (g_getenv ("INFER_SHARED")),
    .threads = 1,
    .seconds = 2,
  };
  const GOptionEntry entries[] = {
    { "openvino", 0, 0, G_OPTION_ARG_FILENAME, &options.library,
        "libopenvino_c.so to compare with", "FILE" },
    { "peers", 0, 0, G_OPTION_ARG_FILENAME, &options.peers,
        "Where bench/setup-peers has put it (else INFER_PEERS)", "DIR" },
    { "list", 0, 0, G_OPTION_ARG_FILENAME, &options.list,
        "Models (default: bench/models.txt)", "FILE" },
    { "shared", 0, 0, G_OPTION_ARG_FILENAME, &options.shared,
        "Where the list's models are (else INFER_SHARED)", "DIR" },
    { "json", 0, 0, G_OPTION_ARG_FILENAME, &options.json,
        "Also write the figures here", "FILE" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options.threads,
        "Threads on both sides (default: 1)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options.seconds,
        "How long to measure each model (default: 2)", "S" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.models,
        NULL, "[MODEL.xml...]" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GError) error = NULL;
  setlocale (LC_CTYPE, "");
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_option_context_set_summary (
      context, "Times models side by side with OpenVINO");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)
      || options.threads < 1) {
    g_printerr ("compare: %s\n",
        error ? error->message : "--threads must be at least 1");
    return 2;
  }
  if (!run (&options, &error)) {
    g_printerr ("compare: %s\n", error->message);
    return 1;
  }
  return 0;
}
