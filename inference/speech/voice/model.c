/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/voice/model.h"

#include <glib/gstdio.h>
#include <string.h>

#include "infer/runtime.h"

static const InferVoiceKind *const kinds[] = {
#define VOICE(name) &infer_voice_##name,
#include "inference/speech/voice/voice-list.h"
#undef VOICE
};

/* Models in use: key → InferVoiceModel, which the table does not own. */
static GMutex lock;
static GHashTable *in_use;

/* --- files --- */

char *
infer_voice_model_find (const char *folder)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const char *const *name = kinds[i]->files;

    for (; name != NULL && *name != NULL; name++) {
      g_autofree char *path = g_build_filename (folder, *name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }
  }
  return NULL;
}

/* The file that @path stands for.  (transfer full) */
static char *
resolve (const char *path, GError **error)
{
  static const char *const names[] = { "model.xml", "model.onnx",
    "model_stateful.xml" };

  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return g_strdup (path);
  g_autofree char *found = infer_voice_model_find (path);
  for (guint i = 0; found == NULL && i < G_N_ELEMENTS (names); i++) {
    g_autofree char *file = g_build_filename (path, names[i], NULL);

    if (g_file_test (file, G_FILE_TEST_IS_REGULAR))
      found = g_steal_pointer (&file);
  }
  if (found == NULL)
    infer_fail (error, INFER_ERROR_NOT_FOUND,
        "%s: the folder has no silero_vad*.onnx, no model.xml and no "
        "model.onnx: name the file of the voice activity detector, or get one "
        "with pipelines/get-model silero-vad",
        path);
  return g_steal_pointer (&found);
}

/* Appends what identifies the present content of a file. */
static void
identify (GString *key, const char *path)
{
  GStatBuf st;

  if (g_stat (path, &st) == 0)
    g_string_append_printf (key,
        "\n%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ":%" G_GINT64_FORMAT
        ":%ld.%09ld",
        (guint64) st.st_dev, (guint64) st.st_ino, (gint64) st.st_size,
        (long) st.st_mtim.tv_sec, (long) st.st_mtim.tv_nsec);
}

/* (transfer full) */
static char *
make_key (const char *path, const char *device)
{
  if (path == NULL)
    return g_strdup ("");
  GString *key = g_string_new (NULL);
  const char *dot = strrchr (path, '.');
  g_autofree char *weights =
      g_strdup_printf ("%.*s.bin", dot != NULL ? (int) (dot - path) : 0, path);
  g_string_printf (key, "%s\n%s", path, device);
  identify (key, path);
  identify (key, weights);
  return g_string_free (key, FALSE);
}

/* --- loading --- */

static const InferVoiceKind *
choose_kind (const InferModel *model, const char *path, GError **error)
{
  GString *wants = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (model == NULL ? kinds[i]->fits == NULL
                      : kinds[i]->fits != NULL && kinds[i]->fits (model))
      return kinds[i];
  wants = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i]->wants != NULL)
      g_string_append_printf (wants, "%s%s has %s", wants->len > 0 ? "; " : "",
          kinds[i]->name, kinds[i]->wants);
  infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "%s is not a voice activity detector that is known: %s", path,
      wants->str);
  g_string_free (wants, TRUE);
  return NULL;
}

static gboolean
load (InferVoiceModel *self, const char *device, GError **error)
{
  if (self->path == NULL) {
    self->kind = choose_kind (NULL, NULL, error);
    return self->kind != NULL;
  }
  g_autoptr (InferRuntime) runtime = infer_runtime_new (device, NULL, error);
  if (runtime == NULL)
    return FALSE;
  g_autoptr (InferModel) read =
      infer_runtime_load (runtime, self->path, NULL, error);
  if (read == NULL)
    return FALSE;
  self->kind = choose_kind (read, self->path, error);
  if (self->kind == NULL)
    return FALSE;
  g_autoptr (InferModel) arranged = self->kind->arrange (read, error);
  if (arranged != NULL)
    self->executable = infer_executable_new (arranged, runtime, error);
  return self->executable != NULL;
}

static void
model_free (InferVoiceModel *self)
{
  g_clear_pointer (&self->executable, infer_executable_unref);
  g_free (self->key);
  g_free (self->path);
  g_free (self);
}

/* Returns the model of @key that is in use, else @loaded (nullable, transfer
 * full), which is then in use.  (transfer full) */
static InferVoiceModel *
share (const char *key, InferVoiceModel *loaded)
{
  g_mutex_lock (&lock);
  if (in_use == NULL)
    in_use = g_hash_table_new (g_str_hash, g_str_equal);
  InferVoiceModel *known = g_hash_table_lookup (in_use, key);
  if (known != NULL)
    known->refs++;
  else if (loaded != NULL)
    g_hash_table_insert (in_use, loaded->key, loaded);
  g_mutex_unlock (&lock);
  if (known == NULL)
    return loaded;
  if (loaded != NULL)
    model_free (loaded);
  return known;
}

InferVoiceModel *
infer_voice_model_load (const char *path, const char *device, GError **error)
{
  g_autofree char *file = NULL;

  if (device == NULL || *device == '\0')
    device = "CPU";
  if (path != NULL && *path != '\0') {
    file = resolve (path, error);
    if (file == NULL)
      return NULL;
  }
  g_autofree char *key = make_key (file, device);
  InferVoiceModel *self = share (key, NULL);
  if (self != NULL)
    return self;
  self = g_new0 (InferVoiceModel, 1);
  self->refs = 1;
  self->key = g_strdup (key);
  self->path = g_steal_pointer (&file);
  if (!load (self, device, error)) {
    model_free (self);
    return NULL;
  }
  return share (key, self);
}

InferVoiceModel *
infer_voice_model_ref (InferVoiceModel *self)
{
  g_mutex_lock (&lock);
  self->refs++;
  g_mutex_unlock (&lock);
  return self;
}

void
infer_voice_model_unref (InferVoiceModel *self)
{
  g_mutex_lock (&lock);
  gboolean last = --self->refs == 0;
  if (last) {
    g_hash_table_remove (in_use, self->key);
    if (g_hash_table_size (in_use) == 0)
      g_clear_pointer (&in_use, g_hash_table_unref);
  }
  g_mutex_unlock (&lock);
  if (last)
    model_free (self);
}

/* --- facts --- */

const char *
infer_voice_model_get_kind (const InferVoiceModel *self)
{
  return self->kind->name;
}

const char *
infer_voice_model_get_path (const InferVoiceModel *self)
{
  return self->path;
}

guint
infer_voice_model_get_rate (const InferVoiceModel *self)
{
  return self->kind->rate;
}

guint
infer_voice_model_get_window (const InferVoiceModel *self)
{
  return self->kind->window;
}
