/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/speech/speech-model.h"

#include <glib/gstdio.h>

struct _GstInferSpeechModel
{
  char *key;
  guint users;
  gboolean loading;
  InferSpeechModel *model; /* NULL: loading, or it failed */
};

static GMutex lock; /* guards all, but not while a model loads */
static GCond loaded;
static GHashTable *models; /* key → GstInferSpeechModel */

/* Appends the identity of a file with its present content. */
static void
identify (GString *key, const char *path)
{
  GStatBuf st;

  g_string_append_printf (key, "\n%s", path);
  if (g_stat (path, &st) == 0)
    g_string_append_printf (key,
        "@%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ":%" G_GINT64_FORMAT
        ":%ld.%09ld",
        (guint64) st.st_dev, (guint64) st.st_ino, (gint64) st.st_size,
        (long) st.st_mtim.tv_sec, (long) st.st_mtim.tv_nsec);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(char *const *) a, *(char *const *) b);
}

static void
identify_files (GString *key, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
    identify (key, path);
  }
}

static const char *
or_nothing (const char *text)
{
  return text != NULL ? text : "";
}

static char *
make_key (
    const char *path, const char *kind, const char *device, const char *config)
{
  GString *key = g_string_new (NULL);

  g_string_append_printf (key, "%s\n%s\n%s", or_nothing (kind),
      or_nothing (device), or_nothing (config));
  identify (key, path);
  identify_files (key, path);
  return g_string_free (key, FALSE);
}

/* Locked. */
static void
forget (GstInferSpeechModel *shared)
{
  if (models == NULL || g_hash_table_lookup (models, shared->key) != shared)
    return;
  g_hash_table_remove (models, shared->key);
  if (g_hash_table_size (models) == 0)
    g_clear_pointer (&models, g_hash_table_unref);
}

void
gst_infer_speech_model_release (GstInferSpeechModel *shared)
{
  if (shared == NULL)
    return;
  g_mutex_lock (&lock);
  gboolean last = --shared->users == 0;
  if (last)
    forget (shared);
  g_mutex_unlock (&lock);
  if (!last)
    return;
  g_clear_pointer (&shared->model, infer_speech_model_unref);
  g_free (shared->key);
  g_free (shared);
}

static InferSpeechModel *
load (const char *path, const char *kind, const char *device,
    const char *config, GError **error)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new (device, config, error);

  return runtime != NULL ? infer_speech_model_load (path, kind, runtime, error)
                         : NULL;
}

/* Locked.  The model of @key with one more user, after waiting until it is
 * loaded, or a new one (*@is_new).  (transfer full) */
static GstInferSpeechModel *
join (const char *key, gboolean *is_new)
{
  GstInferSpeechModel *shared =
      models != NULL ? g_hash_table_lookup (models, key) : NULL;

  *is_new = shared == NULL;
  if (shared == NULL) {
    shared = g_new0 (GstInferSpeechModel, 1);
    shared->key = g_strdup (key);
    shared->loading = TRUE;
    if (models == NULL)
      models = g_hash_table_new (g_str_hash, g_str_equal);
    g_hash_table_insert (models, shared->key, shared);
  }
  shared->users++;
  while (!*is_new && shared->loading)
    g_cond_wait (&loaded, &lock);
  return shared;
}

GstInferSpeechModel *
gst_infer_speech_model_get (const char *path, const char *kind,
    const char *device, const char *config, GError **error)
{
  g_autofree char *key = make_key (path, kind, device, config);
  gboolean is_new;

  g_mutex_lock (&lock);
  g_autoptr (GstInferSpeechModel) shared = join (key, &is_new);
  g_mutex_unlock (&lock);
  if (!is_new && shared->model == NULL) {
    /* Another element failed to load it and has posted the reason; loading it
     * again gives this element the same error. */
    g_autoptr (InferSpeechModel) model =
        load (path, kind, device, config, error);
    if (model == NULL)
      return NULL;
    g_mutex_lock (&lock);
    if (shared->model == NULL)
      shared->model = g_steal_pointer (&model);
    g_mutex_unlock (&lock);
    return g_steal_pointer (&shared);
  }
  if (!is_new)
    return g_steal_pointer (&shared);
  InferSpeechModel *model = load (path, kind, device, config, error);
  g_mutex_lock (&lock);
  shared->model = model;
  shared->loading = FALSE;
  if (model == NULL)
    forget (shared);
  g_cond_broadcast (&loaded);
  g_mutex_unlock (&lock);
  return model != NULL ? g_steal_pointer (&shared) : NULL;
}

InferSpeechModel *
gst_infer_speech_model_peek (GstInferSpeechModel *shared)
{
  return shared->model;
}

guint
gst_infer_speech_model_count_users (GstInferSpeechModel *shared)
{
  g_mutex_lock (&lock);
  guint users = shared->users;
  g_mutex_unlock (&lock);
  return users;
}
