/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <glib/gstdio.h>

#include "bench/compare/inputs.h"
#include "bench/compare/measure.h"
#include "infer/error.h"

/* Models that load longer are loaded less often. */
#define LONG_MS 500

/* Peers run in a program without this runtime. */
static char *
find_program (const MeasureSettings *settings, const Engine *engine)
{
  if (engine->ours)
    return g_strdup (settings->program);
  g_autofree char *folder = g_path_get_dirname (settings->program);
  return g_build_filename (folder, "compare-peer", NULL);
}

static void
add_option (GPtrArray *args, const char *option, const char *value)
{
  if (value == NULL)
    return;
  g_ptr_array_add (args, g_strdup (option));
  g_ptr_array_add (args, g_strdup (value));
}

static GPtrArray *
make_arguments (const MeasureSettings *settings, const Engine *engine,
    const Entry *entry, const GArray *inputs, const char *cache_dir)
{
  const char *weights = NULL;
  g_autofree char *model =
      measure_find_model (settings, engine, entry, &weights);
  g_autofree char *threads = g_strdup_printf ("%d", settings->threads);
  GPtrArray *args = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (args, find_program (settings, engine));
  add_option (args, "--child", engine->key);
  add_option (args, "--peers", settings->peers);
  add_option (args, "--model", model);
  add_option (args, "--weights", weights);
  add_option (args, "--threads", threads);
  add_option (args, "--cache", cache_dir);
  for (guint i = 0; i < inputs->len; i++) {
    g_autofree char *text =
        input_to_text (&g_array_index (inputs, EngineInput, i));
    add_option (args, "--input", text);
  }
  g_ptr_array_add (args, NULL);
  return args;
}

static gboolean
run_process (const MeasureSettings *settings, const Engine *engine,
    const Entry *entry, const GArray *inputs, const char *cache_dir,
    ProcessRun *run, GError **error)
{
  g_autoptr (GPtrArray) args =
      make_arguments (settings, engine, entry, inputs, cache_dir);
  g_autofree char *out = NULL;
  g_autofree char *err = NULL;
  int status = 0;
  if (!g_spawn_sync (NULL, (char **) args->pdata, NULL, G_SPAWN_DEFAULT, NULL,
          NULL, &out, &err, &status, error))
    return FALSE;
  if (!g_spawn_check_wait_status (status, error)) {
    g_prefix_error (error, "%s%s", g_strstrip (err), *err ? ": " : "");
    return FALSE;
  }
  return process_run_from_text (run, out, error);
}

/* One process of each kind, in turns. */
static gboolean
run_both (const MeasureSettings *settings, Process *process, const Entry *entry,
    const GArray *inputs, const char *cache_dir, gboolean first, GError **error)
{
  ProcessRun plain, cached = { 0 };
  if (!run_process (
          settings, process->engine, entry, inputs, NULL, &plain, error)
      || (process->has_cache
          && !run_process (settings, process->engine, entry, inputs, cache_dir,
              &cached, error)))
    return FALSE;
  if (first) {
    process->plain = plain;
    process->cached = cached;
  } else {
    process_run_merge (&process->plain, &plain);
    process_run_merge (&process->cached, &cached);
  }
  return TRUE;
}

static void
remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *file = g_build_filename (path, name, NULL);
    if (g_file_test (file, G_FILE_TEST_IS_DIR)
        && !g_file_test (file, G_FILE_TEST_IS_SYMLINK))
      remove_folder (file);
    else
      g_unlink (file);
  }
  g_rmdir (path);
}

static void
measure_all (const MeasureSettings *settings, GArray *processes,
    char *const *caches, const Entry *entry, const GArray *inputs)
{
  guint rounds = settings->processes;
  for (guint round = 0; round < rounds; round++)
    for (guint i = 0; i < processes->len; i++) {
      Process *process = &g_array_index (processes, Process, i);
      g_autoptr (GError) error = NULL;
      ProcessRun filling;
      if (process->error != NULL)
        continue;
      /* The first run fills CACHE_DIR and the page cache. */
      if ((round > 0
              || run_process (settings, process->engine, entry, inputs,
                  process->has_cache ? caches[i] : NULL, &filling, &error))
          && run_both (settings, process, entry, inputs, caches[i], round == 0,
              &error)) {
        if (process->plain.load_ms > LONG_MS)
          rounds = MIN (rounds, 2);
      } else {
        process->error = g_strdup (error->message);
      }
    }
}

gboolean
measure_processes (const MeasureSettings *settings, Row *row,
    const GArray *inputs, GError **error)
{
  g_autoptr (GPtrArray) caches = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < settings->engines->len; i++) {
    const Engine *engine =
        g_array_index (settings->engines, OpenEngine, i).engine;
    const char *weights = NULL;
    g_autofree char *model =
        measure_find_model (settings, engine, row->entry, &weights);
    if (model == NULL || engine->infer == NULL)
      continue;
    Process process = { .engine = engine, .has_cache = engine->start != NULL };
    char *cache = g_dir_make_tmp ("compare-XXXXXX", error);
    if (cache == NULL)
      return FALSE;
    g_ptr_array_add (caches, cache);
    g_array_append_val (row->processes, process);
  }
  measure_all (settings, row->processes, (char *const *) caches->pdata,
      row->entry, inputs);
  for (guint i = 0; i < caches->len; i++)
    remove_folder (g_ptr_array_index (caches, i));
  for (guint i = 0; i < row->processes->len; i++) {
    const Process *process = &g_array_index (row->processes, Process, i);
    if (process->error != NULL && process->engine->ours)
      return infer_fail (error, INFER_ERROR_FAILED, "%s", process->error);
  }
  return TRUE;
}
