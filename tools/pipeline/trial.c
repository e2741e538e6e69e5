/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/pipeline/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "infer/error.h"
#include "tools/top/source.h"

/* A model may take its time to load. */
#define START_US (60 * (gint64) G_USEC_PER_SEC)
/* Between two looks. */
#define STEP_US (G_USEC_PER_SEC / 20)
/* How long gst-launch-1.0 may take to end. */
#define END_US (3 * (gint64) G_USEC_PER_SEC)
/* The first inferences are slower: plans are made, caches are cold. */
#define WARM_UP 5
#define LEAST_INFERENCES 5
#define LEAST_SECONDS 0.1

#define MOST_DOMAINS 8

typedef struct
{
  GPid pid;
  int err; /* its stderr */
  gboolean ended;
  GString *said;
  TopSource *source;
} Child;

/* --- energy --- */

static gboolean
read_number (const char *folder, const char *file, double *number)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return FALSE;
  *number = g_ascii_strtod (text, NULL);
  return TRUE;
}

static char *
energy_folder (guint package)
{
  const char *root = g_getenv ("INFER_POWERCAP"); /* for tests */

  return g_strdup_printf (
      "%s/intel-rapl:%u", root != NULL ? root : "/sys/class/powercap", package);
}

/* Microjoules of all packages; each counter begins at 0 again at its range. */
typedef struct
{
  guint n;
  double last[MOST_DOMAINS], sum;
} Energy;

static void
read_energy (Energy *energy, gboolean first)
{
  for (guint i = 0; i < MOST_DOMAINS; i++) {
    g_autofree char *folder = energy_folder (i);
    double now, range = 0;

    if (!read_number (folder, "energy_uj", &now))
      return;
    if (!first && i < energy->n) {
      read_number (folder, "max_energy_range_uj", &range);
      energy->sum +=
          now - energy->last[i] + (now < energy->last[i] ? range : 0);
    }
    energy->last[i] = now;
    if (first)
      energy->n = i + 1;
  }
}

gboolean
tool_trial_can_measure_energy (GError **error)
{
  g_autofree char *folder = energy_folder (0);
  g_autofree char *path = g_build_filename (folder, "energy_uj", NULL);
  g_autofree char *text = NULL;

  if (g_file_get_contents (path, &text, NULL, NULL))
    return TRUE;
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "power cannot be measured: %s %s", path,
      g_file_test (path, G_FILE_TEST_EXISTS)
          ? "is not readable: run as root, or let it be read"
          : "does not exist: the machine has no RAPL, or hides it");
}

/* --- the process --- */

/* It does not outlive this one. */
static void
in_child (gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}

static gboolean
start (Child *child, GStrv words, GError **error)
{
  g_auto (GStrv) environment = g_get_environ ();
  const char *tracers = g_environ_getenv (environment, "GST_TRACERS");
  g_autofree char *ours = tracers != NULL
                              ? g_strconcat (tracers, ";infertop", NULL)
                              : g_strdup ("infertop");
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GError) failure = NULL;
  static char program[] = "gst-launch-1.0", quiet[] = "-q";

  environment = g_environ_setenv (
      g_steal_pointer (&environment), "GST_TRACERS", ours, TRUE);
  g_ptr_array_add (argv, program);
  g_ptr_array_add (argv, quiet);
  for (guint i = 0; words[i] != NULL; i++)
    g_ptr_array_add (argv, words[i]);
  g_ptr_array_add (argv, NULL);
  if (!g_spawn_async_with_pipes (NULL, (char **) argv->pdata, environment,
          G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD
              | G_SPAWN_STDOUT_TO_DEV_NULL,
          in_child, NULL, &child->pid, NULL, NULL, &child->err, &failure))
    return infer_fail (error, INFER_ERROR_FAILED,
        "%s: install the package gstreamer1.0-tools", failure->message);
  fcntl (child->err, F_SETFL, O_NONBLOCK);
  child->said = g_string_new (NULL);
  child->source = top_source_new (child->pid);
  return TRUE;
}

static void
listen_to (Child *child)
{
  char buffer[4096];
  gssize n;

  while ((n = read (child->err, buffer, sizeof buffer)) > 0)
    if (child->said->len < 65536)
      g_string_append_len (child->said, buffer, n);
}

static gboolean
has_ended (Child *child)
{
  int status;

  listen_to (child);
  if (!child->ended && waitpid (child->pid, &status, WNOHANG) == child->pid) {
    child->ended = TRUE;
    listen_to (child);
  }
  return child->ended;
}

static void
stop (Child *child)
{
  gint64 deadline = g_get_monotonic_time () + END_US;

  if (!has_ended (child))
    kill (child->pid, SIGINT);
  while (!has_ended (child) && g_get_monotonic_time () < deadline)
    g_usleep (5000);
  if (!child->ended) {
    kill (child->pid, SIGKILL);
    waitpid (child->pid, NULL, 0);
  }
  close (child->err);
  g_string_free (child->said, TRUE);
  top_source_free (child->source);
}

/* The error message of @child: its first line with ERROR, or the last line
 * without WARNING. */
static char *
complaint (const Child *child)
{
  g_auto (GStrv) lines = g_strsplit (g_strstrip (child->said->str), "\n", -1);
  const char *found = NULL;

  for (guint i = 0; lines[i] != NULL; i++)
    if (found == NULL || strstr (lines[i], "ERROR") != NULL
        || strstr (lines[i], "WARNING") == NULL)
      if (found == NULL || strstr (found, "ERROR") == NULL)
        found = lines[i];
  return g_strdup (found != NULL && *found != '\0' ? found : "it ended");
}

/* --- samples --- */

/* Sums over inferfilter elements. */
typedef struct
{
  double time, cpu, inferences, p50, p99;
} Sample;

static void
add_element (Sample *sample, InferJsonValue element)
{
  InferJsonValue stats = infer_json_find (element, "stats");
  InferJsonValue total = infer_json_find (stats, "total");

  if (g_strcmp0 (top_string (element, "type"), "inferfilter") != 0)
    return;
  sample->inferences += top_number (stats, "inferences", 0);
  sample->p50 = MAX (sample->p50, top_number (total, "p50", 0));
  sample->p99 = MAX (sample->p99, top_number (total, "p99", 0));
}

/* FALSE: it tells nothing (yet, or any more). */
static gboolean
look (Child *child, Sample *sample)
{
  if (!top_source_sample (child->source, NULL))
    return FALSE;
  InferJsonValue root = infer_json_root (child->source->now);
  InferJsonValue elements = infer_json_find (root, "elements");
  *sample = (Sample){ .time = top_number (root, "time", 0),
    .cpu = top_number (root, "cpu", 0) };
  for (guint i = 0; i < infer_json_length (elements); i++)
    add_element (sample, infer_json_at (elements, i));
  return TRUE;
}

static gboolean
await_first (Child *child, Sample *first, GError **error)
{
  gint64 deadline = g_get_monotonic_time () + START_US;

  while (g_get_monotonic_time () < deadline) {
    if (look (child, first) && first->inferences >= WARM_UP)
      return TRUE;
    if (has_ended (child)) {
      g_autofree char *why = complaint (child);

      return infer_fail (error, INFER_ERROR_FAILED,
          "the pipeline ends before it can be measured (%s): mend it, or give it a "
          "longer input",
          why);
    }
    g_usleep (STEP_US / 5);
  }
  return infer_fail (error, INFER_ERROR_FAILED,
      "the pipeline infers nothing within %d s: is the plugin inferfilter that of "
      "this infer-model?",
      (int) (START_US / G_USEC_PER_SEC));
}

static gboolean
measure_child (
    Child *child, double seconds, ToolMeasure *measure, GError **error)
{
  Sample first, last, sample;
  Energy energy = { 0 };

  if (!await_first (child, &first, error))
    return FALSE;
  read_energy (&energy, TRUE);
  last = first;
  while (last.time - first.time < seconds * 1e9) {
    double left = seconds * 1e6 - (last.time - first.time) / 1e3;

    g_usleep ((gulong) CLAMP (left, 1000, STEP_US));
    if (!look (child, &sample))
      break;
    last = sample;
    read_energy (&energy, FALSE);
  }
  double n = last.inferences - first.inferences;
  double time = (last.time - first.time) / 1e9;
  if (time < MIN (seconds, LEAST_SECONDS) || n < LEAST_INFERENCES) {
    g_autofree char *why =
        has_ended (child) ? complaint (child) : g_strdup ("it is too slow");

    return infer_fail (error, INFER_ERROR_FAILED,
        "%.0f inferences within %.2f s are too few to measure (%s): give the "
        "pipeline a longer input, or more --seconds",
        MAX (n, 0), MAX (time, 0), why);
  }
  *measure = (ToolMeasure){ n / time, last.p50, last.p99,
    (last.cpu - first.cpu) / n, energy.sum / 1e6 / n };
  return TRUE;
}

gboolean
tool_trial_run (
    GStrv words, double seconds, ToolMeasure *measure, GError **error)
{
  Child child = { .err = -1 };

  if (!start (&child, words, error))
    return FALSE;
  gboolean ok = measure_child (&child, seconds, measure, error);
  stop (&child);
  return ok;
}
