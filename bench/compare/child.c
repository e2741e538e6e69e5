/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/child.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/compare/inputs.h"
#include "bench/compare/process-run.h"
#include "inference/base/clock.h"
#include "infer/error.h"

#define FURTHER_RUNS 3 /* before memory is read; */
#define LONG_MS 100    /* one if a run takes longer */

typedef struct
{
  char *engine, *peers, *model, *weights, *cache_dir;
  int threads;
  char **inputs;
} Options;

static void
clear_options (Options *options)
{
  g_free (options->engine);
  g_free (options->peers);
  g_free (options->model);
  g_free (options->weights);
  g_free (options->cache_dir);
  g_strfreev (options->inputs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, clear_options)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OpenEngine, engine_close)

static double
ms_since (guint64 begin)
{
  return (double) (infer_clock_ns () - begin) / 1e6;
}

static double
cpu_ms (void)
{
  struct timespec now;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

/* --- memory --- */

/* Kilobytes in the line of @text that begins with @key. */
static double
find_kb (const char *text, const char *key)
{
  g_autofree char *line = g_strdup_printf ("\n%s:", key);
  const char *found = strstr (text, line);
  return found != NULL ? g_ascii_strtod (found + strlen (line), NULL) : 0;
}

static void
look_at_memory (ProcessRun *run)
{
  g_autofree char *maps = NULL;
  g_autofree char *status = NULL;
  if (g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    run->peak_kb = find_kb (status, "VmHWM");
  if (!g_file_get_contents ("/proc/self/smaps_rollup", &maps, NULL, NULL))
    return;
  run->rss_kb = find_kb (maps, "Rss");
  run->private_kb =
      find_kb (maps, "Private_Clean") + find_kb (maps, "Private_Dirty");
  run->shared_kb =
      find_kb (maps, "Shared_Clean") + find_kb (maps, "Shared_Dirty");
}

/* --- one model --- */

/* NULL with @error; @load_ms includes the first result. */
static gpointer
load_and_run (const OpenEngine *open, const EngineSettings *settings,
    const GArray *inputs, double *load_ms, double *first_ms, GError **error)
{
  const Engine *engine = open->engine;
  guint64 begin = infer_clock_ns ();
  gpointer model = engine->load (open->library, settings, error);
  if (model == NULL)
    return NULL;
  gboolean ok = engine->set_inputs (model, 0, inputs, error);
  guint64 first = infer_clock_ns ();
  ok = ok && engine->infer (model, error);
  *first_ms = ms_since (first);
  *load_ms = ms_since (begin);
  if (ok)
    return model;
  engine->unload (model);
  return NULL;
}

static gboolean
measure (const Options *options, ProcessRun *run, GError **error)
{
  const Engine *engine = engine_find (options->engine);
  g_autoptr (GArray) inputs = inputs_new ();
  g_auto (OpenEngine) open = { .engine = NULL };
  double ignored;
  if (engine == NULL)
    return infer_fail (
        error, INFER_ERROR_NOT_FOUND, "no engine '%.100s'", options->engine);
  for (guint i = 0; options->inputs != NULL && options->inputs[i] != NULL; i++)
    if (!inputs_add_text (inputs, options->inputs[i], error))
      return FALSE;
  guint64 begin = infer_clock_ns ();
  if (!engine_open (engine, options->peers, &open, error))
    return FALSE;
  run->open_ms = ms_since (begin);
  EngineSettings settings = {
    .model = options->model,
    .weights = options->weights,
    .threads = options->threads,
    .precision = ENGINE_F32,
    .cache_dir = options->cache_dir,
  };
  double before = cpu_ms ();
  gpointer model = load_and_run (
      &open, &settings, inputs, &run->load_ms, &run->first_ms, error);
  run->cpu_ms = cpu_ms () - before;
  gboolean ok = model != NULL;
  guint further = run->first_ms < LONG_MS ? FURTHER_RUNS : 1;
  for (guint i = 0; ok && i < further; i++)
    ok = engine->infer (model, error);
  if (!ok)
    return FALSE; /* the process ends anyway */
  look_at_memory (run);
  engine->unload (model);
  model =
      load_and_run (&open, &settings, inputs, &run->again_ms, &ignored, error);
  if (model == NULL)
    return FALSE;
  engine->unload (model);
  return TRUE;
}

int
process_child (int argc, char **argv)
{
  g_auto (Options) options = { .threads = 1 };
  const GOptionEntry entries[] = {
    { "child", 0, 0, G_OPTION_ARG_STRING, &options.engine, NULL, NULL },
    { "peers", 0, 0, G_OPTION_ARG_FILENAME, &options.peers, NULL, NULL },
    { "model", 0, 0, G_OPTION_ARG_FILENAME, &options.model, NULL, NULL },
    { "weights", 0, 0, G_OPTION_ARG_FILENAME, &options.weights, NULL, NULL },
    { "cache", 0, 0, G_OPTION_ARG_FILENAME, &options.cache_dir, NULL, NULL },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options.threads, NULL, NULL },
    { "input", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.inputs, NULL, NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  ProcessRun run = { 0 };
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)
      || !measure (&options, &run, &error)) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  g_autofree char *text = process_run_to_text (&run);
  printf ("%s\n", text);
  return 0;
}
