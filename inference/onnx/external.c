/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files with the values of tensors.  They must lie in the model's folder or
 * below it, links resolved: a model must not read other files of its user.  A
 * model that is a link itself may have them beside its target, as in the cache
 * of Hugging Face's hub.  A model in memory has no folder; what its one file
 * contains is given with it. */

#include <stdlib.h>
#include <string.h>

#include "infer/error.h"
#include "inference/base/file.h"
#include "inference/onnx/tensor.h"

static gboolean
is_inside (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);

  return *path != '\0' && !g_path_is_absolute (path)
         && strchr (path, '\\') == NULL
         && !g_strv_contains ((const char *const *) parts, "..");
}

/* Without links; NULL: there is no such file. (transfer full) */
static char *
resolve (const char *path)
{
  char *real = realpath (path, NULL);
  char *copy = g_strdup (real);

  free (real);
  return copy;
}

/* @real and @folder (nullable) are without links. */
static gboolean
is_below (const char *real, const char *folder)
{
  const gsize n = folder != NULL ? strlen (folder) : 0;

  return folder != NULL && strncmp (real, folder, n) == 0
         && (real[n] == '/' || n == 1);
}

static gboolean
stays_inside (const OnnxStore *store, const char *real)
{
  g_autofree char *folder = resolve (store->folder);
  g_autofree char *model = store->path != NULL ? resolve (store->path) : NULL;
  g_autofree char *target = model != NULL ? g_path_get_dirname (model) : NULL;

  return is_below (real, folder) || is_below (real, target);
}

static void
file_free (gpointer file)
{
  infer_file_clear (file);
  g_free (file);
}

/* The file of a model in memory. */
static InferFile *
open_given (const OnnxStore *store, const char *name, GError **error)
{
  GHashTableIter iter;
  gpointer other;

  if (store->weights == NULL) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "its values are in the file '%.200s', and a model in memory has no "
        "folder: give the content of that file as weights, or load the model "
        "from its file",
        name);
    return NULL;
  }
  g_hash_table_iter_init (&iter, store->externals);
  if (g_hash_table_iter_next (&iter, &other, NULL)) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "its values are in the file '%.200s', those of others in '%.200s', and "
        "weights of a model in memory are one file: load it from its file",
        name, (const char *) other);
    return NULL;
  }
  InferFile *file = g_new0 (InferFile, 1);

  file->bytes = g_bytes_ref (store->weights);
  return file;
}

static InferFile *
open_in_folder (const OnnxStore *store, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (store->folder, name, NULL);
  g_autofree char *real = resolve (path);
  if (real != NULL && !stays_inside (store, real)) {
    infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "its values are in '%.200s', a link that leads out of the model's "
        "folder",
        name);
    return NULL;
  }
  InferFile *file = g_new0 (InferFile, 1);
  if (infer_file_open (file, real != NULL ? real : path, TRUE, error))
    return file;
  file_free (file);
  return NULL;
}

const InferFile *
onnx_open_external (const OnnxStore *store, const char *name, GError **error)
{
  InferFile *file = store->externals != NULL
                        ? g_hash_table_lookup (store->externals, name)
                        : NULL;

  if (file != NULL)
    return file;
  if (!is_inside (name)) {
    infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "its values are in '%.200s', which is not in the model's folder", name);
    return NULL;
  }
  file = store->folder != NULL ? open_in_folder (store, name, error)
                               : open_given (store, name, error);
  if (file != NULL)
    g_hash_table_insert (store->externals, g_strdup (name), file);
  return file;
}

GHashTable *
onnx_externals_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, file_free);
}

gboolean
onnx_externals_check (GHashTable *externals, GError **error)
{
  GHashTableIter iter;
  gpointer file;

  g_hash_table_iter_init (&iter, externals);
  while (g_hash_table_iter_next (&iter, NULL, &file))
    if (!infer_file_check (file, error))
      return FALSE;
  return TRUE;
}

GStrv
onnx_externals_paths (GHashTable *externals)
{
  GPtrArray *paths = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer file;

  g_hash_table_iter_init (&iter, externals);
  while (g_hash_table_iter_next (&iter, NULL, &file))
    if (((InferFile *) file)->path != NULL)
      g_ptr_array_add (paths, g_strdup (((InferFile *) file)->path));
  const gboolean none = paths->len == 0;
  g_ptr_array_add (paths, NULL);
  char **texts = (char **) g_ptr_array_free (paths, FALSE);
  if (none)
    g_clear_pointer (&texts, g_strfreev);
  return texts;
}
