/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/engine.h"

#include <glob.h>

#include "infer/error.h"

const Engine *const engines[] = {
#define ENGINE(name) &engine_##name,
#include "bench/compare/engine-list.h"
#undef ENGINE
  NULL,
};

const Engine *
engine_find (const char *key)
{
  for (guint i = 0; engines[i] != NULL; i++)
    if (g_str_equal (engines[i]->key, key))
      return engines[i];
  return NULL;
}

gboolean
engine_open (
    const Engine *engine, const char *peers, OpenEngine *open, GError **error)
{
  *open = (OpenEngine){ .engine = engine };
  open->library = engine->open (peers, &open->version, error);
  return open->library != NULL;
}

void
engine_close (OpenEngine *open)
{
  if (open->library != NULL)
    open->engine->close (open->library);
  g_free (open->version);
  *open = (OpenEngine){ .engine = NULL };
}

static void
close_element (gpointer data)
{
  engine_close (data);
}

GArray *
engines_open (const char *peers, const char *const *chosen, GString *missing)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (OpenEngine));
  g_array_set_clear_func (list, close_element);
  for (guint i = 0; engines[i] != NULL; i++) {
    g_autoptr (GError) error = NULL;
    OpenEngine open;
    if (chosen != NULL ? !g_strv_contains (chosen, engines[i]->key)
                       : engines[i]->on_request)
      continue;
    if (engine_open (engines[i], peers, &open, &error))
      g_array_append_val (list, open);
    else if (missing != NULL)
      g_string_append_printf (
          missing, "%s: %s\n", engines[i]->name, error->message);
  }
  return list;
}

char *
engine_find_file (const char *peers, const char *pattern, GError **error)
{
  g_autofree char *path = g_build_filename (peers, pattern, NULL);
  glob_t found = { 0 };
  char *file = NULL;
  if (glob (path, 0, NULL, &found) == 0)
    file = g_strdup (found.gl_pathv[0]);
  else
    infer_fail (error, INFER_ERROR_NOT_FOUND,
        "no %s: make it with bench/setup-peers", path);
  globfree (&found);
  return file;
}
