/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/folder.h"

#include <errno.h>
#include <string.h>

#define MOST_FILES 10000 /* a folder with more is none of a model */

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static gboolean
read_names (SpeechFolder *folder, GError **error)
{
  GError *failed = NULL;
  GDir *dir = g_dir_open (folder->folder, 0, &failed);

  if (dir == NULL) {
    infer_fail (
        error, INFER_ERROR_NOT_FOUND, "%s: %s", folder->path, failed->message);
    g_error_free (failed);
    return FALSE;
  }
  for (const char *name = g_dir_read_name (dir);
       name != NULL && folder->names->len < MOST_FILES;
       name = g_dir_read_name (dir)) {
    g_autofree char *full = speech_folder_file (folder, name);

    if (g_file_test (full, G_FILE_TEST_IS_REGULAR))
      g_ptr_array_add (folder->names, g_strdup (name));
  }
  g_dir_close (dir);
  g_ptr_array_sort (folder->names, compare_names);
  return TRUE;
}

gboolean
speech_folder_open (SpeechFolder *folder, const char *path, GError **error)
{
  gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);

  *folder = (SpeechFolder){ .path = g_strdup (path) };
  folder->names = g_ptr_array_new_with_free_func (g_free);
  if (!is_folder && !g_file_test (path, G_FILE_TEST_EXISTS))
    return infer_fail (error, INFER_ERROR_NOT_FOUND,
        "%s: there is no such file or folder", path);
  folder->folder = is_folder ? g_strdup (path) : g_path_get_dirname (path);
  folder->file = is_folder ? NULL : g_path_get_basename (path);
  return read_names (folder, error);
}

void
speech_folder_clear (SpeechFolder *folder)
{
  g_clear_pointer (&folder->path, g_free);
  g_clear_pointer (&folder->folder, g_free);
  g_clear_pointer (&folder->file, g_free);
  g_clear_pointer (&folder->names, g_ptr_array_unref);
}

gboolean
speech_folder_has (const SpeechFolder *folder, const char *name)
{
  for (guint i = 0; i < folder->names->len; i++)
    if (strcmp (g_ptr_array_index (folder->names, i), name) == 0)
      return TRUE;
  return FALSE;
}

const char *
speech_folder_find (
    const SpeechFolder *folder, const char *pattern, const char *prefer)
{
  g_autoptr (GPatternSpec) spec = g_pattern_spec_new (pattern);
  const char *best = NULL;
  gboolean best_preferred = FALSE;

  for (guint i = 0; i < folder->names->len; i++) {
    const char *name = g_ptr_array_index (folder->names, i);
    gboolean preferred = prefer != NULL && strstr (name, prefer) != NULL;

    G_GNUC_BEGIN_IGNORE_DEPRECATIONS
    if (!g_pattern_match_string (spec, name))
      continue;
    G_GNUC_END_IGNORE_DEPRECATIONS
    if (best == NULL || preferred > best_preferred
        || (preferred == best_preferred && strlen (name) < strlen (best))) {
      best = name;
      best_preferred = preferred;
    }
  }
  return best;
}

const char *
speech_folder_network (const SpeechFolder *folder, const char *name)
{
  static const char *const endings[] = { ".onnx", ".xml", ".int8.onnx",
    "_int8.onnx", "_quantized.onnx", "_fp16.onnx" };

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++) {
    g_autofree char *file = g_strconcat (name, endings[i], NULL);
    const char *found = speech_folder_find (folder, file, NULL);

    if (found != NULL)
      return found;
  }
  return NULL;
}

char *
speech_folder_file (const SpeechFolder *folder, const char *name)
{
  return g_build_filename (folder->folder, name, NULL);
}
