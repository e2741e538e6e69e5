/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/repository.h"

#include <string.h>

/* A model or version that the folder has had. */
typedef struct
{
  char *name, *version, *path;
  guint64 number;    /* of the version */
  ServeModel *model; /* NULL: not loaded */
  char *reason;      /* why not; NULL: unloaded */
} Entry;

struct _ServeRepository
{
  const ServeSettings *settings;
  ServeShared shared;
  InferRuntime *runtime;
  GMutex loading;     /* one load at a time */
  GMutex lock;        /* of what follows */
  GPtrArray *entries; /* Entry, sorted: names, then versions, highest first */
};

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  serve_model_unref (entry->model);
  g_free (entry->name);
  g_free (entry->version);
  g_free (entry->path);
  g_free (entry->reason);
  g_free (entry);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const Entry *left = *(Entry *const *) a, *right = *(Entry *const *) b;
  const int names = strcmp (left->name, right->name);

  if (names != 0)
    return names;
  return left->number < right->number ? 1 : -1;
}

/* --- the folder --- */

static char *
find_file (const char *folder)
{
  static const char *const names[] = { "model.xml", "model.onnx" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
      return g_steal_pointer (&path);
  }
  return NULL;
}

static void
add_file (GPtrArray *found, const char *name, const char *version, char *path)
{
  Entry *entry = g_new0 (Entry, 1);

  entry->name = g_strdup (name);
  entry->version = g_strdup (version);
  entry->number = g_ascii_strtoull (version, NULL, 10);
  entry->path = path;
  g_ptr_array_add (found, entry);
}

/* A name that stays inside the folder and can be shown. */
static gboolean
is_name (const char *name)
{
  return name[0] != '\0' && name[0] != '.' && strchr (name, '/') == NULL
         && g_utf8_validate (name, -1, NULL);
}

static gboolean
is_version (const char *name)
{
  return name[0] >= '1' && name[0] <= '9' && strlen (name) <= 18
         && strspn (name, "0123456789") == strlen (name);
}

/* All versions of @name.  NULL: none, or no such folder. */
static GPtrArray *
find_versions (const ServeRepository *repository, const char *name)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (entry_free);
  g_autofree char *folder =
      g_build_filename (repository->settings->models, name, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *version;
  char *path;

  if (dir == NULL)
    return NULL;
  while ((version = g_dir_read_name (dir)) != NULL) {
    g_autofree char *inner = g_build_filename (folder, version, NULL);
    if (is_version (version) && (path = find_file (inner)) != NULL)
      add_file (found, name, version, path);
  }
  if (found->len == 0 && (path = find_file (folder)) != NULL)
    add_file (found, name, "1", path);
  g_ptr_array_sort (found, compare);
  return found->len > 0 ? g_steal_pointer (&found) : NULL;
}

/* --- loading --- */

/* Those of the model's file, and @config. */
static gboolean
read_settings (ServeRepository *repository, const char *name,
    const char *config, ServeModelSettings *settings, GError **error)
{
  g_autofree char *path = g_build_filename (
      repository->settings->models, name, SERVE_MODEL_FILE, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) failed = NULL;
  gsize size;

  if (!g_file_get_contents (path, &text, &size, &failed)) {
    if (!g_error_matches (failed, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      return infer_fail (
          error, INFER_ERROR_INVALID_ARGUMENT, "%s", failed->message);
  } else if (!serve_model_settings_read (
                 settings, path, text, size, name, error)) {
    return FALSE;
  }
  return config == NULL
         || serve_model_settings_read (
             settings, "config", config, strlen (config), name, error);
}

/* The runtime of all models, or one of its own.  (transfer full) */
static InferRuntime *
choose_runtime (ServeRepository *repository, const ServeModelSettings *settings,
    GError **error)
{
  g_auto (ServeModelSettings) common;

  serve_model_settings_init (&common, repository->settings);
  return serve_model_settings_share (settings, &common)
             ? infer_runtime_ref (repository->runtime)
             : serve_model_settings_open (settings, error);
}

static ServeModel *
load_entry (ServeRepository *repository, const Entry *entry, const char *config,
    GError **error)
{
  g_auto (ServeModelSettings) settings;

  serve_model_settings_init (&settings, repository->settings);
  if (!read_settings (repository, entry->name, config, &settings, error))
    return NULL;
  g_autoptr (InferRuntime) runtime =
      choose_runtime (repository, &settings, error);
  return runtime == NULL
             ? NULL
             : serve_model_new (entry->name, entry->version, entry->path,
                 &settings, runtime, &repository->shared, error);
}

static gboolean
load_entries (ServeRepository *repository, GPtrArray *entries,
    const char *config, GError **error)
{
  gboolean all = TRUE;

  for (guint i = 0; i < entries->len; i++) {
    Entry *entry = entries->pdata[i];
    g_autoptr (GError) failed = NULL;

    entry->model = load_entry (repository, entry, config, &failed);
    if (entry->model != NULL)
      continue;
    entry->reason = g_strdup (failed->message);
    g_message ("model '%s' version %s is not served: %s", entry->name,
        entry->version, failed->message);
    if (all)
      g_propagate_error (error, g_steal_pointer (&failed));
    all = FALSE;
  }
  return all;
}

/* In place of all entries of @name. */
static void
replace (ServeRepository *repository, const char *name, GPtrArray *entries)
{
  g_autoptr (GPtrArray) old = g_ptr_array_new_with_free_func (entry_free);

  g_mutex_lock (&repository->lock);
  for (guint i = repository->entries->len; i-- > 0;) {
    Entry *entry = repository->entries->pdata[i];
    if (g_str_equal (entry->name, name))
      g_ptr_array_add (old, g_ptr_array_steal_index (repository->entries, i));
  }
  while (entries->len > 0)
    g_ptr_array_add (repository->entries, g_ptr_array_steal_index (entries, 0));
  g_ptr_array_sort (repository->entries, compare);
  g_mutex_unlock (&repository->lock);
}

gboolean
serve_repository_load (ServeRepository *repository, const char *name,
    const char *config, GError **error)
{
  g_autoptr (GPtrArray) found =
      is_name (name) ? find_versions (repository, name) : NULL;

  if (found == NULL)
    return infer_fail (error, INFER_ERROR_NOT_FOUND,
        "%s has no folder '%s' with a model.xml or model.onnx",
        repository->settings->models, name);
  g_mutex_lock (&repository->loading);
  const gboolean done = load_entries (repository, found, config, error);
  if (done)
    replace (repository, name, found);
  g_mutex_unlock (&repository->loading);
  return done;
}

void
serve_repository_load_all (ServeRepository *repository)
{
  g_autoptr (GDir) dir = g_dir_open (repository->settings->models, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autoptr (GPtrArray) found =
        is_name (name) ? find_versions (repository, name) : NULL;
    if (found == NULL)
      continue;
    g_mutex_lock (&repository->loading);
    load_entries (repository, found, NULL, NULL);
    replace (repository, name, found);
    g_mutex_unlock (&repository->loading);
  }
}

gboolean
serve_repository_unload (
    ServeRepository *repository, const char *name, GError **error)
{
  g_autoptr (GPtrArray) models =
      g_ptr_array_new_with_free_func ((GDestroyNotify) serve_model_unref);

  g_mutex_lock (&repository->lock);
  for (guint i = 0; i < repository->entries->len; i++) {
    Entry *entry = repository->entries->pdata[i];
    if (!g_str_equal (entry->name, name) || entry->model == NULL)
      continue;
    g_ptr_array_add (models, g_steal_pointer (&entry->model));
  }
  g_mutex_unlock (&repository->lock);
  return models->len > 0
         || infer_fail (
             error, INFER_ERROR_NOT_FOUND, "no model '%s' is loaded", name);
}

/* --- looking up --- */

static gboolean
fits (const Entry *entry, const char *name, const char *version)
{
  return g_str_equal (entry->name, name)
         && (version[0] == '\0' ? entry->model != NULL
                                : g_str_equal (entry->version, version));
}

/* Why @name is not served, with the lock held. */
static void
explain (const ServeRepository *repository, const char *name,
    const char *version, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < repository->entries->len; i++) {
    const Entry *entry = repository->entries->pdata[i];

    if (g_str_equal (entry->name, name)
        && (version[0] == '\0' || g_str_equal (entry->version, version))) {
      infer_fail (error, INFER_ERROR_NOT_FOUND,
          "model '%s' version %s is not loaded: %s", name, entry->version,
          entry->reason != NULL ? entry->reason : "it was unloaded");
      return;
    }
    if (entry->model != NULL && names->len < 200)
      g_string_append_printf (names, "%s%s/%s", names->len > 0 ? ", " : "",
          entry->name, entry->version);
  }
  infer_fail (error, INFER_ERROR_NOT_FOUND,
      "there is no model '%s'%s%s; served are: %s", name,
      version[0] != '\0' ? " of version " : "", version,
      names->len > 0 ? names->str : "none");
}

ServeModel *
serve_repository_find (ServeRepository *repository, const char *name,
    const char *version, GError **error)
{
  ServeModel *model = NULL;

  g_mutex_lock (&repository->lock);
  for (guint i = 0; i < repository->entries->len && model == NULL; i++) {
    const Entry *entry = repository->entries->pdata[i];
    if (fits (entry, name, version) && entry->model != NULL)
      model = serve_model_ref (entry->model);
  }
  if (model == NULL)
    explain (repository, name, version, error);
  g_mutex_unlock (&repository->lock);
  return model;
}

ProtocolMetadata *
serve_repository_describe (ServeRepository *repository, const char *name,
    const char *version, GError **error)
{
  g_autoptr (ServeModel) model =
      serve_repository_find (repository, name, version, error);

  if (model == NULL)
    return NULL;
  ProtocolMetadata *metadata = serve_model_describe (model);
  g_ptr_array_set_size (metadata->versions, 0);
  g_mutex_lock (&repository->lock);
  for (guint i = 0; i < repository->entries->len; i++) {
    const Entry *entry = repository->entries->pdata[i];
    if (g_str_equal (entry->name, name) && entry->model != NULL)
      g_ptr_array_add (metadata->versions, g_strdup (entry->version));
  }
  g_mutex_unlock (&repository->lock);
  return metadata;
}

static void
clear_list_entry (gpointer data)
{
  ServeEntry *entry = data;

  g_free (entry->name);
  g_free (entry->version);
  g_free (entry->reason);
}

GArray *
serve_repository_list (ServeRepository *repository)
{
  GArray *list = g_array_new (FALSE, TRUE, sizeof (ServeEntry));

  g_array_set_clear_func (list, clear_list_entry);
  g_mutex_lock (&repository->lock);
  for (guint i = 0; i < repository->entries->len; i++) {
    const Entry *from = repository->entries->pdata[i];
    const ServeEntry entry = { g_strdup (from->name), g_strdup (from->version),
      from->model != NULL, g_strdup (from->reason) };
    g_array_append_val (list, entry);
  }
  g_mutex_unlock (&repository->lock);
  return list;
}

GPtrArray *
serve_repository_models (ServeRepository *repository)
{
  GPtrArray *models =
      g_ptr_array_new_with_free_func ((GDestroyNotify) serve_model_unref);

  g_mutex_lock (&repository->lock);
  for (guint i = 0; i < repository->entries->len; i++) {
    const Entry *entry = repository->entries->pdata[i];
    if (entry->model != NULL)
      g_ptr_array_add (models, serve_model_ref (entry->model));
  }
  g_mutex_unlock (&repository->lock);
  return models;
}

ServeLimits *
serve_repository_limits (ServeRepository *repository)
{
  return &repository->shared.limits;
}

/* --- lifetime --- */

ServeRepository *
serve_repository_new (const ServeSettings *settings, GError **error)
{
  g_auto (ServeModelSettings) common;

  serve_model_settings_init (&common, settings);
  if (!g_file_test (settings->models, G_FILE_TEST_IS_DIR)) {
    infer_fail (error, INFER_ERROR_NOT_FOUND,
        "%s is not a folder: models are expected in its subfolders, as "
        "NAME/model.xml or NAME/VERSION/model.onnx",
        settings->models);
    return NULL;
  }
  InferRuntime *runtime = serve_model_settings_open (&common, error);
  if (runtime == NULL)
    return NULL;
  ServeRepository *repository = g_new0 (ServeRepository, 1);
  repository->settings = settings;
  repository->runtime = runtime;
  repository->entries = g_ptr_array_new_with_free_func (entry_free);
  g_mutex_init (&repository->lock);
  g_mutex_init (&repository->loading);
  serve_shared_init (&repository->shared, settings);
  return repository;
}

void
serve_repository_free (ServeRepository *repository)
{
  if (repository == NULL)
    return;
  g_ptr_array_unref (repository->entries);
  serve_shared_clear (&repository->shared);
  infer_runtime_unref (repository->runtime);
  g_mutex_clear (&repository->lock);
  g_mutex_clear (&repository->loading);
  g_free (repository);
}
