/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/files/states.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "infer/error.h"
#include "inference/base/file.h"
#include "inference/base/npy.h"
#include "tools/inputs.h"
#include "tools/files/zip.h"

#define ENDING ".npy"

/* --- reading --- */

static gboolean
read_state (const char *where, const char *name, GBytes *bytes,
    const InferModel *model, InferStateSet *states, GError **error)
{
  InferState *state = infer_state_set_find (states, name, error);
  if (state == NULL) {
    g_prefix_error (error, "%s: ", where);
    return FALSE;
  }
  int index = infer_model_find_variable (model, name);
  g_autofree char *label = g_strdup_printf ("%s: '%s'", where, name);
  g_autoptr (InferTensor) value = tool_parse_input (
      label, bytes, &infer_model_variable (model, (guint) index)->desc, error);
  if (value != NULL && infer_state_set_value (state, value, error))
    return TRUE;
  if (value != NULL)
    g_prefix_error (error, "%s: ", where);
  return FALSE;
}

/* Without ".npy"; NULL if it does not end so. */
static char *
strip_ending (const char *file)
{
  return g_str_has_suffix (file, ENDING)
             ? g_strndup (file, strlen (file) - strlen (ENDING))
             : NULL;
}

static gboolean
read_archive (const char *path, const InferModel *model, InferStateSet *states,
    GError **error)
{
  g_autoptr (GPtrArray) entries = zip_read (path, error);
  for (guint i = 0; entries != NULL && i < entries->len; i++) {
    const ZipEntry *entry = entries->pdata[i];
    g_autofree char *name = strip_ending (entry->name);
    if (!read_state (path, name != NULL ? name : entry->name, entry->bytes,
            model, states, error))
      return FALSE;
  }
  return entries != NULL;
}

static gboolean
read_file (const char *folder, const char *file, const char *name,
    const InferModel *model, InferStateSet *states, GError **error)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (GBytes) bytes = infer_file_read (path, G_MAXSIZE, error);
  if (bytes == NULL)
    return FALSE;
  return read_state (path, name, bytes, model, states, error);
}

static gboolean
read_folder (const char *path, const InferModel *model, InferStateSet *states,
    GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GDir) dir = g_dir_open (path, 0, &cause);
  const char *file;
  if (dir == NULL)
    return infer_fail (
        error, INFER_ERROR_FAILED, "%s: cannot read: %s", path, cause->message);
  while ((file = g_dir_read_name (dir)) != NULL) {
    g_autofree char *escaped = strip_ending (file);
    g_autofree char *name =
        escaped != NULL ? g_uri_unescape_string (escaped, NULL) : NULL;
    if (escaped == NULL)
      continue; /* no array */
    if (!read_file (
            path, file, name != NULL ? name : escaped, model, states, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
tool_read_states (const char *path, const InferModel *model,
    InferStateSet *states, GError **error)
{
  if (states == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: the model has no variables", infer_model_get_path (model));
  return g_file_test (path, G_FILE_TEST_IS_DIR)
             ? read_folder (path, model, states, error)
             : read_archive (path, model, states, error);
}

/* --- writing --- */

/* NULL without error: reset, and the initial value is unknown. */
static GBytes *
state_bytes (InferState *state, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (InferTensor) value = infer_state_get_value (state, &cause);
  if (value != NULL)
    return infer_npy_to_bytes (infer_state_get_name (state), value, error);
  if (!g_error_matches (cause, INFER_ERROR, INFER_ERROR_NOT_FOUND))
    g_propagate_error (error, g_steal_pointer (&cause));
  return NULL;
}

static gboolean
write_archive (const char *path, InferStateSet *states, GError **error)
{
  g_autoptr (GPtrArray) entries =
      g_ptr_array_new_with_free_func (zip_entry_free);
  for (guint i = 0; i < infer_state_set_n_states (states); i++) {
    InferState *state = infer_state_set_get (states, i);
    GError *failure = NULL;
    GBytes *bytes = state_bytes (state, &failure);
    if (failure != NULL) {
      g_propagate_error (error, failure);
      return FALSE;
    }
    if (bytes != NULL)
      g_ptr_array_add (entries,
          zip_entry_new (
              g_strconcat (infer_state_get_name (state), ENDING, NULL), bytes));
  }
  return zip_write (path, entries, error);
}

/* '.' is escaped at the beginning only. */
static char *
file_name (const char *variable)
{
  g_autofree char *escaped = g_uri_escape_string (variable, " ", TRUE);
  gboolean hidden = *escaped == '.';
  return g_strconcat (hidden ? "%2E" : "", escaped + hidden, ENDING, NULL);
}

static gboolean
write_file (const char *folder, InferState *state, GError **error)
{
  GError *failure = NULL;
  g_autoptr (GBytes) bytes = state_bytes (state, &failure);
  g_autofree char *file = file_name (infer_state_get_name (state));
  g_autofree char *path = g_build_filename (folder, file, NULL);
  gsize size;
  if (failure != NULL) {
    g_propagate_error (error, failure);
    return FALSE;
  }
  if (bytes == NULL) {
    g_unlink (path); /* of an earlier run */
    return TRUE;
  }
  gconstpointer data = g_bytes_get_data (bytes, &size);
  return infer_file_write (
      path, &(InferFilePart){ data, size }, 1, 0666, error);
}

gboolean
tool_write_states (const char *path, InferStateSet *states, GError **error)
{
  if (states == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: the model has no variables", path);
  if (g_str_has_suffix (path, ".npz"))
    return write_archive (path, states, error);
  if (g_mkdir_with_parents (path, 0777) != 0)
    return infer_fail (error, INFER_ERROR_FAILED,
        "%s: cannot make the folder: %s", path, g_strerror (errno));
  for (guint i = 0; i < infer_state_set_n_states (states); i++)
    if (!write_file (path, infer_state_set_get (states, i), error))
      return FALSE;
  return TRUE;
}
