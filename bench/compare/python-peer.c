/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/python-peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "infer/error.h"

typedef struct
{
  char *python, *script;
} Library;

typedef struct
{
  GPid pid;
  FILE *to, *from;
  const char *script; /* the library's */
} Loaded;

void
python_peer_close (gpointer library)
{
  Library *self = library;
  g_free (self->python);
  g_free (self->script);
  g_free (self);
}

/* "2.3.0" of the folder ai_edge_litert-2.3.0.dist-info */
static char *
version_of (const char *folder)
{
  g_autofree char *name = g_path_get_basename (folder);
  char *version =
      g_strdup (strchr (name, '-') != NULL ? strchr (name, '-') + 1 : name);
  char *end = strstr (version, ".dist-info");
  if (end != NULL)
    *end = '\0';
  return version;
}

gpointer
python_peer_open (const char *peers, const char *wheel, const char *script,
    char **version, GError **error)
{
  g_autofree char *pattern =
      g_strdup_printf ("lib/python3*/site-packages/%s-*.dist-info", wheel);
  g_autofree char *folder = engine_find_file (peers, pattern, error);
  g_autofree char *python =
      folder != NULL ? engine_find_file (peers, "bin/python", error) : NULL;
  if (python == NULL)
    return NULL;
  Library *self = g_new0 (Library, 1);
  self->python = g_steal_pointer (&python);
  self->script = g_build_filename (BENCH_SCRIPTS, script, NULL);
  *version = version_of (folder);
  return self;
}

void
python_peer_unload (gpointer model)
{
  Loaded *self = model;
  if (self == NULL)
    return;
  if (self->to != NULL)
    fclose (self->to); /* it exits at the end of its input */
  if (self->from != NULL)
    fclose (self->from);
  if (self->pid > 0)
    waitpid (self->pid, NULL, 0);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Loaded, python_peer_unload)

/* (transfer full) */
static char *
read_line (const Loaded *self, GError **error)
{
  char *line = NULL;
  size_t capacity = 0;
  if (getline (&line, &capacity, self->from) > 0)
    return line;
  free (line);
  infer_fail (error, INFER_ERROR_FAILED, "%s: the process exited; see above",
      self->script);
  return NULL;
}

gpointer
python_peer_load (
    gpointer library, const EngineSettings *settings, GError **error)
{
  const Library *of = library;
  g_autoptr (Loaded) self = g_new0 (Loaded, 1);
  g_autofree char *threads = g_strdup_printf ("%d", settings->threads);
  g_autofree char *model = g_strdup (settings->model);
  char *argv[] = { of->python, of->script, model, threads, NULL };
  int to = -1, from = -1;
  self->script = of->script;
  if (!g_spawn_async_with_pipes (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
          NULL, NULL, &self->pid, &to, &from, NULL, error))
    return NULL;
  self->to = fdopen (to, "w");
  self->from = fdopen (from, "r");
  char *ready = read_line (self, error);
  if (ready == NULL)
    return NULL;
  free (ready);
  return g_steal_pointer (&self);
}

gboolean
python_peer_set_inputs (
    gpointer model, guint request, const GArray *inputs, GError **error)
{
  return TRUE;
}

gboolean
python_peer_turn (gpointer model, guint64 budget_ns, GArray *ns, GError **error)
{
  Loaded *self = model;
  if (fprintf (self->to, "%" G_GUINT64_FORMAT "\n", budget_ns) < 0
      || fflush (self->to) != 0)
    return infer_fail (
        error, INFER_ERROR_FAILED, "%s: the process exited", self->script);
  char *line = read_line (self, error);
  if (line == NULL)
    return FALSE;
  for (char *at = line, *end;; at = end) {
    guint64 took = g_ascii_strtoull (at, &end, 10);
    if (end == at)
      break;
    g_array_append_val (ns, took);
  }
  free (line);
  return TRUE;
}
