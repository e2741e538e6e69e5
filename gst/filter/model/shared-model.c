/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/model/shared-model.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "gst/filter/model/fixed-inputs.h"
#include "gst/filter/model/info-file.h"
#include "infer/error.h"
#include "infer/batch.h"

struct _GstInferShared
{
  char *key;         /* in `entries` */
  char *description; /* of the source */
  char *path;
  char *place; /* device and config */
  char *files; /* with which content it has been loaded, beside @description */
  guint users;
  gboolean loading;
  InferModel *model;
  InferExecutable *executable;
};

static GMutex lock;
static GCond loaded;
static GHashTable *entries; /* key → GstInferShared */

static const char *
or_nothing (const char *text)
{
  return text != NULL ? text : "";
}

/* Identifies the file with its present content. */
static char *
identify (const char *path)
{
  GStatBuf st;

  if (path == NULL || *path == '\0')
    return g_strdup ("");
  if (g_stat (path, &st) != 0)
    return g_strdup (path);
  return g_strdup_printf ("%s@%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT
                          ":%" G_GINT64_FORMAT ":%ld.%09ld",
      path, (guint64) st.st_dev, (guint64) st.st_ino, (gint64) st.st_size,
      (long) st.st_mtim.tv_sec, (long) st.st_mtim.tv_nsec);
}

/* The model's path with another ending. */
static char *
beside (const GstInferModelSource *source, const char *ending)
{
  const char *model = or_nothing (source->model);
  const char *dot = strrchr (model, '.');
  gsize length = dot != NULL ? (gsize) (dot - model) : strlen (model);

  return g_strdup_printf ("%.*s%s", (int) length, model, ending);
}

/* Files that only the loaded model knows of. */
static char *
identify_files (const InferModel *model)
{
  const char *const *files = infer_model_get_external_files (model);
  GString *text = g_string_new (NULL);

  for (guint i = 0; files != NULL && files[i] != NULL; i++) {
    g_autofree char *file = identify (files[i]);

    g_string_append_printf (text, "%s\n", file);
  }
  return g_string_free (text, FALSE);
}

static char *
describe (const GstInferModelSource *source)
{
  gboolean own = *or_nothing (source->weights) != '\0';
  g_autofree char *weights =
      own ? g_strdup (source->weights) : beside (source, ".bin");
  g_autofree char *info = beside (source, ".modelinfo");
  g_autofree char *other_info =
      g_strconcat (or_nothing (source->model), ".modelinfo", NULL);
  g_autofree char *xml = identify (source->model);
  g_autofree char *bin = identify (weights);
  g_autofree char *info_id = identify (info);
  g_autofree char *other_info_id = identify (other_info);

  return g_strdup_printf (
      "%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%d\n%u\n%" G_GINT64_FORMAT, xml,
      bin, info_id, other_info_id, or_nothing (source->model_info),
      or_nothing (source->device), or_nothing (source->config),
      or_nothing (source->extra_outputs), or_nothing (source->constant_inputs),
      or_nothing (source->state_pairs), source->low_latency, source->batch_size,
      source->batch_size > 1 ? source->batch_timeout : 0);
}

/* --- loading --- */

/* "a, b" → "a", "b"; NULL for none. */
static GStrv
split_list (const char *text)
{
  if (text == NULL || *text == '\0')
    return NULL;
  GStrv parts = g_strsplit (text, ",", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    g_strstrip (parts[i]);
  return parts;
}

static InferModel *
load_model (const GstInferModelSource *s, InferRuntime *runtime, GError **error)
{
  g_autoptr (InferModel) model =
      infer_runtime_load (runtime, s->model, s->weights, error);
  g_auto (GStrv) ports = split_list (s->extra_outputs);
  g_auto (GStrv) values = split_list (s->constant_inputs);
  g_auto (GStrv) pairs = split_list (s->state_pairs);

  if (model != NULL)
    model = gst_infer_model_add_info (
        g_steal_pointer (&model), s->model_info, error);
  if (model != NULL && ports != NULL) {
    g_autoptr (InferModel) before = g_steal_pointer (&model);
    model =
        infer_model_add_outputs (before, (const char *const *) ports, error);
  }
  if (model != NULL)
    model = gst_infer_model_fix_inputs (
        g_steal_pointer (&model), (const char *const *) values, error);
  if (model != NULL && s->low_latency) {
    g_autoptr (InferModel) before = g_steal_pointer (&model);
    model = infer_model_low_latency (before, error);
  }
  if (model != NULL && pairs != NULL) {
    g_autoptr (InferModel) before = g_steal_pointer (&model);
    model = infer_model_tie_states (before, (const char *const *) pairs, error);
  }
  return g_steal_pointer (&model);
}

/* Locked.  The runtime in use for this device and config, on which models share
 * parameters; NULL: none.  (transfer full) */
static InferRuntime *
find_runtime (const char *place)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, entries);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    const GstInferShared *other = value;

    if (!other->loading && other->executable != NULL
        && strcmp (other->place, place) == 0)
      return infer_runtime_ref (
          infer_executable_get_runtime (other->executable));
  }
  return NULL;
}

static gboolean
load (GstInferShared *shared, const GstInferModelSource *source,
    InferRuntime *known, GError **error)
{
  g_autoptr (InferRuntime) runtime = known;

  if (runtime == NULL)
    runtime = infer_runtime_new (source->device, source->config, error);
  if (runtime == NULL)
    return FALSE;
  shared->model = load_model (source, runtime, error);
  if (shared->model == NULL)
    return FALSE;
  shared->files = identify_files (shared->model);
  shared->executable =
      source->batch_size > 1
          ? infer_executable_new_batched (shared->model, runtime,
              source->batch_size, source->batch_timeout, error)
          : infer_executable_new (shared->model, runtime, error);
  return shared->executable != NULL;
}

static void
shared_free (GstInferShared *shared)
{
  g_clear_pointer (&shared->executable, infer_executable_unref);
  g_clear_pointer (&shared->model, infer_model_unref);
  g_free (shared->key);
  g_free (shared->description);
  g_free (shared->path);
  g_free (shared->place);
  g_free (shared->files);
  g_free (shared);
}

/* Locked. */
static void
forget (GstInferShared *shared)
{
  if (entries == NULL || g_hash_table_lookup (entries, shared->key) != shared)
    return;
  g_hash_table_remove (entries, shared->key);
  if (g_hash_table_size (entries) == 0)
    g_clear_pointer (&entries, g_hash_table_unref);
}

/* Locked.  TRUE: the caller has to free it, unlocked. */
static gboolean
drop (GstInferShared *shared)
{
  if (--shared->users > 0)
    return FALSE;
  forget (shared);
  return TRUE;
}

/* Locked.  Whether files of the loaded model have been replaced since. */
static gboolean
is_stale (const GstInferShared *shared)
{
  if (shared->loading || shared->files == NULL)
    return FALSE;
  g_autofree char *now = identify_files (shared->model);
  return strcmp (now, shared->files) != 0;
}

/* Locked.  Adds a user to @shared and waits until it is loaded.  NULL: with
 * @error where it has other settings, without where loading failed. */
static GstInferShared *
join (GstInferShared *shared, const GstInferModelSource *source,
    const char *description, GError **error)
{
  if (source->model != NULL
      && (strcmp (shared->description, description) != 0
          || is_stale (shared))) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "model-instance-id '%s' is in use with other settings, for %s",
        source->instance, shared->path);
    return NULL;
  }
  shared->users++;
  while (shared->loading)
    g_cond_wait (&loaded, &lock);
  gboolean ok = shared->executable != NULL;
  if (ok)
    return shared;
  if (drop (shared))
    shared_free (shared);
  return NULL;
}

/* Locked, but not while it loads.  NULL: it failed. */
static GstInferShared *
make (const GstInferModelSource *source, const char *key,
    const char *description, GError **error)
{
  GstInferShared *shared = g_new0 (GstInferShared, 1);
  gboolean ok, last = FALSE;

  shared->key = g_strdup (key);
  shared->description = g_strdup (description);
  shared->path = g_strdup (source->model);
  shared->place = g_strdup_printf (
      "%s\n%s", or_nothing (source->device), or_nothing (source->config));
  shared->users = 1;
  shared->loading = TRUE;
  if (entries == NULL)
    entries = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (entries, shared->key, shared);
  InferRuntime *runtime = find_runtime (shared->place);
  g_mutex_unlock (&lock);
  ok = load (shared, source, runtime, error);
  g_mutex_lock (&lock);
  shared->loading = FALSE;
  g_cond_broadcast (&loaded);
  if (!ok) {
    forget (shared); /* threads that waited for it load it themselves */
    last = drop (shared);
  }
  if (last)
    shared_free (shared);
  return ok ? shared : NULL;
}

GstInferShared *
gst_infer_shared_get (const GstInferModelSource *source, GError **error)
{
  g_autofree char *description = describe (source);
  g_autofree char *key = source->instance != NULL && *source->instance != '\0'
                             ? g_strdup_printf ("id:%s", source->instance)
                             : g_strdup_printf ("model:%s", description);
  g_autoptr (GError) failure = NULL;
  GstInferShared *shared = NULL;

  g_mutex_lock (&lock);
  while (shared == NULL && failure == NULL) {
    GstInferShared *known =
        entries != NULL ? g_hash_table_lookup (entries, key) : NULL;

    if (known != NULL && g_str_has_prefix (key, "model:") && is_stale (known)) {
      forget (known);
      known = NULL;
    }
    if (g_cancellable_is_cancelled (g_cancellable_get_current ()))
      infer_fail (&failure, INFER_ERROR_CANCELLED, "cancelled");
    else if (known != NULL)
      shared = join (known, source, description, &failure);
    else if (source->model != NULL && *source->model != '\0')
      shared = make (source, key, description, &failure);
    else
      infer_fail (&failure, INFER_ERROR_INVALID_ARGUMENT,
          "No model: set the property 'model' to an ONNX file (.onnx) or an "
          "OpenVINO IR file (.xml)");
  }
  if (shared != NULL)
    infer_executable_expect_sequences (shared->executable, shared->users);
  g_mutex_unlock (&lock);
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  return shared;
}

void
gst_infer_shared_release (GstInferShared *shared)
{
  if (shared == NULL)
    return;
  g_mutex_lock (&lock);
  gboolean last = drop (shared);
  g_mutex_unlock (&lock);
  if (last)
    shared_free (shared);
}

InferModel *
gst_infer_shared_get_model (GstInferShared *shared)
{
  return shared->model;
}

InferExecutable *
gst_infer_shared_get_executable (GstInferShared *shared)
{
  return shared->executable;
}

guint
gst_infer_shared_count_users (GstInferShared *shared)
{
  g_mutex_lock (&lock);
  guint users = shared->users;
  g_mutex_unlock (&lock);
  return users;
}

const char *
gst_infer_shared_get_path (GstInferShared *shared)
{
  return shared->path;
}
