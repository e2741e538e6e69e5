/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/entry.h"

#include <string.h>

#include "bench/compare/inputs.h"
#include "infer/error.h"
#include "infer/model.h"
#include "tools/inputs.h"

static void
clear_entry (gpointer data)
{
  Entry *entry = data;
  g_free (entry->name);
  g_free (entry->xml);
  g_free (entry->weights);
  g_free (entry->f32);
  g_free (entry->folder);
  g_strfreev (entry->groups);
  g_strfreev (entry->shapes);
}

GArray *
entries_new (void)
{
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_set_clear_func (entries, clear_entry);
  return entries;
}

static char *
folder_of (const char *path)
{
  g_autofree char *dir = g_path_get_dirname (path);
  return g_path_get_basename (dir);
}

static gboolean
read_option (Entry *entry, const char *word, const char *shared, GError **error)
{
  if (g_str_has_prefix (word, "groups=")) {
    g_strfreev (entry->groups);
    entry->groups = g_strsplit (word + strlen ("groups="), ",", -1);
  } else if (g_str_has_prefix (word, "f32=")) {
    g_free (entry->f32);
    entry->f32 = g_build_filename (shared, word + strlen ("f32="), NULL);
  } else if (g_str_has_prefix (word, "shapes=")) {
    g_strfreev (entry->shapes);
    entry->shapes = g_strsplit (word + strlen ("shapes="), ";", -1);
  } else if (entry->weights == NULL && strchr (word, '=') == NULL) {
    entry->weights = g_build_filename (shared, word, NULL);
  } else {
    return infer_fail (
        error, INFER_ERROR_FAILED, "'%.100s' is no option of a model", word);
  }
  return TRUE;
}

static gboolean
read_line (GArray *entries, char *line, const char *shared, GError **error)
{
  g_auto (GStrv) words =
      g_regex_split_simple ("[ \t]+", g_strstrip (line), 0, 0);
  guint n = g_strv_length (words);
  if (n == 0 || words[0][0] == '#' || words[0][0] == '\0')
    return TRUE;
  if (n < 2)
    return infer_fail (error, INFER_ERROR_FAILED, "no file");
  Entry entry = {
    .name = g_strdup (words[0]),
    .xml = g_build_filename (shared, words[1], NULL),
    .folder = folder_of (words[1]),
    .groups = g_new0 (char *, 1),
  };
  gboolean ok = TRUE;
  for (guint i = 2; ok && i < n; i++)
    ok = read_option (&entry, words[i], shared, error);
  g_array_append_val (entries, entry);
  return ok;
}

gboolean
entries_read (
    GArray *entries, const char *path, const char *shared, GError **error)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, error))
    return FALSE;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    if (read_line (entries, lines[i], shared, error))
      continue;
    g_prefix_error (error, "%s: line %u: ", path, i + 1);
    return FALSE;
  }
  return TRUE;
}

void
entries_add_files (GArray *entries, char **paths)
{
  for (guint i = 0; paths[i] != NULL; i++) {
    g_autofree char *file = g_path_get_basename (paths[i]);
    Entry entry = {
      .xml = g_strdup (paths[i]),
      .folder = folder_of (paths[i]),
      .groups = g_new0 (char *, 1),
    };
    entry.name = g_strdup_printf ("%s/%s", entry.folder, file);
    g_array_append_val (entries, entry);
  }
}

gboolean
entries_filter (GArray *entries, const char *pattern, GError **error)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, error);
  if (regex == NULL)
    return FALSE;
  for (guint i = entries->len; i-- > 0;)
    if (!g_regex_match (regex, g_array_index (entries, Entry, i).name, 0, NULL))
      g_array_remove_index (entries, i);
  return entries->len > 0
         || infer_fail (error, INFER_ERROR_NOT_FOUND,
             "no model's name has anything of '%s'", pattern);
}

GArray *
entry_make_inputs (const Entry *entry, GError **error)
{
  g_autoptr (InferModel) model =
      infer_model_load (entry->xml, entry->weights, error);
  g_autoptr (GArray) inputs = inputs_new ();
  g_autofree InferShape *shapes =
      model != NULL ? tool_find_shapes (model, entry->shapes, error) : NULL;
  if (shapes == NULL)
    return NULL;
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferTensor *tensor = infer_tensor_new (
        infer_model_input_desc (model, i)->type, &shapes[i], error);
    if (tensor == NULL)
      return NULL;
    inputs_add (inputs, infer_model_input_name (model, i), tensor);
    if (!tool_fill (tensor, i, error))
      return NULL;
  }
  return g_steal_pointer (&inputs);
}
