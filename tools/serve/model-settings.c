/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/model-settings.h"

#include <string.h>

#include "infer/batch.h"
#include "inference/base/json.h"

void
serve_model_settings_init (
    ServeModelSettings *settings, const ServeSettings *defaults)
{
  *settings = (ServeModelSettings){
    .device = g_strdup (defaults->device),
    .config = g_strdup (defaults->config),
    .streams = defaults->streams,
    .threads = defaults->threads,
    .batch = defaults->batch,
    .batch_timeout_us = defaults->batch_timeout_us,
    .merge_batches = defaults->merge_batches,
    .max_waiting = defaults->max_waiting,
  };
}

void
serve_model_settings_clear (ServeModelSettings *settings)
{
  g_clear_pointer (&settings->device, g_free);
  g_clear_pointer (&settings->config, g_free);
}

InferRuntime *
serve_model_settings_open (const ServeModelSettings *settings, GError **error)
{
  g_autoptr (GString) config = g_string_new (settings->config);
  g_autofree char *streams = g_strdup_printf (
      "%d", settings->streams > 0 ? settings->streams
                                  : MAX ((int) g_get_num_processors (), 1));
  g_autofree char *threads = g_strdup_printf ("%d", settings->threads);

  infer_config_append (config, "NUM_STREAMS", streams);
  infer_config_append (config, "INFERENCE_NUM_THREADS", threads);
  return infer_runtime_new (settings->device, config->str, error);
}

gboolean
serve_model_settings_share (
    const ServeModelSettings *a, const ServeModelSettings *b)
{
  return g_strcmp0 (a->device, b->device) == 0
         && g_strcmp0 (a->config, b->config) == 0 && a->streams == b->streams
         && a->threads == b->threads;
}

InferExecutable *
serve_model_settings_compile (const ServeModelSettings *settings,
    InferModel *model, const char *name, InferRuntime *runtime, GError **error)
{
  g_autoptr (GError) unsupported = NULL;

  if (settings->batch > 1) {
    InferExecutable *batched =
        (settings->merge_batches ? infer_executable_new_batched
                                 : infer_executable_new_joint) (model, runtime,
            (guint) settings->batch, settings->batch_timeout_us, &unsupported);
    if (batched != NULL)
      return batched;
    if (!g_error_matches (unsupported, INFER_ERROR, INFER_ERROR_UNSUPPORTED)) {
      g_propagate_error (error, g_steal_pointer (&unsupported));
      return NULL;
    }
    g_message (
        "model '%s' runs without batches: %s", name, unsupported->message);
  }
  return infer_executable_new (model, runtime, error);
}

gboolean
serve_model_settings_check_key (const char *key, GError **error)
{
  return g_str_equal (key, "config")
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             g_str_has_prefix (key, "file:")
                 ? "parameter '%s': models are read from the server's folder "
                   "only"
                 : "parameter '%s' is not known: loading takes 'config'",
             key);
}

/* --- members --- */

typedef struct
{
  ServeModelSettings *settings;
  const char *name;
} Reader;

typedef gboolean ReadMember (
    const Reader *reader, InferJsonValue value, GError **error);

typedef struct
{
  const char *key;
  ReadMember *read;
} Member;

/* Every member of @object by its reader; others are refused. */
static gboolean
read_members (const Reader *reader, InferJsonValue object,
    const Member *members, guint n, GError **error)
{
  if (infer_json_type (object) != INFER_JSON_OBJECT)
    return infer_json_fail (object, error, "an object was expected");
  for (guint i = 0; i < infer_json_length (object); i++) {
    const char *key = infer_json_key (object, i, NULL);
    const InferJsonValue value = infer_json_at (object, i);
    guint k = 0;

    while (k < n && !g_str_equal (members[k].key, key))
      k++;
    if (k == n)
      return infer_json_fail (value, error,
          "'%s' is no setting of infer-serve; docs/guides/serving.md lists "
          "them",
          key);
    if (!members[k].read (reader, value, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_number (InferJsonValue value, int *number, gint64 least, gint64 most,
    GError **error)
{
  gint64 read;

  if (!infer_json_to_int (value, &read, error))
    return FALSE;
  if (read < least || read > most)
    return infer_json_fail (value, error,
        "%" G_GINT64_FORMAT " is not from %" G_GINT64_FORMAT
        " to %" G_GINT64_FORMAT,
        read, least, most);
  *number = (int) read;
  return TRUE;
}

static gboolean
read_name (const Reader *reader, InferJsonValue value, GError **error)
{
  const char *name;

  return infer_json_to_string (value, &name, NULL, error)
         && (g_str_equal (name, reader->name)
             || infer_json_fail (
                 value, error, "the model is called '%s'", reader->name));
}

/* Members that only describe the model. */
static gboolean
read_kind (const Reader *reader, InferJsonValue value, GError **error)
{
  const char *kind;

  return infer_json_to_string (value, &kind, NULL, error);
}

static gboolean
read_batch (const Reader *reader, InferJsonValue value, GError **error)
{
  if (!read_number (value, &reader->settings->batch, 0, 1024, error))
    return FALSE;
  reader->settings->batch = MAX (reader->settings->batch, 1);
  return TRUE;
}

static gboolean
read_delay (const Reader *reader, InferJsonValue value, GError **error)
{
  return read_number (value, &reader->settings->batch_timeout_us, 0,
      60 * G_USEC_PER_SEC, error);
}

static gboolean
read_queue_size (const Reader *reader, InferJsonValue value, GError **error)
{
  return read_number (value, &reader->settings->max_waiting, 1, 1 << 20, error);
}

static gboolean
read_policy (const Reader *reader, InferJsonValue value, GError **error)
{
  static const Member members[] = { { "max_queue_size", read_queue_size } };

  return read_members (reader, value, members, G_N_ELEMENTS (members), error);
}

static gboolean
read_batching (const Reader *reader, InferJsonValue value, GError **error)
{
  static const Member members[] = {
    { "max_queue_delay_microseconds", read_delay },
    { "default_queue_policy", read_policy },
  };

  return read_members (reader, value, members, G_N_ELEMENTS (members), error);
}

static gboolean
read_count (const Reader *reader, InferJsonValue value, GError **error)
{
  int count = 0;

  if (!read_number (value, &count, 1, 1024, error))
    return FALSE;
  reader->settings->streams += count;
  return reader->settings->streams <= 1024
         || infer_json_fail (value, error, "more than 1024 instances");
}

static gboolean
read_instances (const Reader *reader, InferJsonValue value, GError **error)
{
  static const Member members[] = {
    { "count", read_count },
    { "kind", read_kind },
    { "name", read_kind },
  };

  if (infer_json_type (value) != INFER_JSON_ARRAY)
    return infer_json_fail (value, error, "an array was expected");
  reader->settings->streams = 0;
  for (guint i = 0; i < infer_json_length (value); i++)
    if (!read_members (reader, infer_json_at (value, i), members,
            G_N_ELEMENTS (members), error))
      return FALSE;
  return TRUE;
}

static gboolean
read_parameter (ServeModelSettings *settings, GString *config, const char *key,
    InferJsonValue value, const char *text, GError **error)
{
  guint64 threads;

  if (g_str_equal (key, "device")) {
    g_free (settings->device);
    settings->device = g_strdup (text);
  } else if (g_str_equal (key, "merge_batches")) {
    settings->merge_batches = g_str_equal (text, "true");
    return settings->merge_batches || g_str_equal (text, "false")
           || infer_json_fail (value, error,
               "'merge_batches' is '%s', not 'true' or 'false'", text);
  } else if (!g_str_equal (key, "threads")) {
    infer_config_append (config, key, text);
  } else if (g_ascii_string_to_unsigned (text, 10, 1, 1024, &threads, NULL)) {
    settings->threads = (int) threads;
  } else {
    return infer_json_fail (
        value, error, "'threads' is '%s', not from 1 to 1024", text);
  }
  return TRUE;
}

/* The rest are properties of the device, which its runtime checks. */
static gboolean
read_parameters (const Reader *reader, InferJsonValue object, GError **error)
{
  ServeModelSettings *settings = reader->settings;
  g_autoptr (GString) config = g_string_new (settings->config);

  if (infer_json_type (object) != INFER_JSON_OBJECT)
    return infer_json_fail (object, error, "an object was expected");
  for (guint i = 0; i < infer_json_length (object); i++) {
    const char *key = infer_json_key (object, i, NULL);
    const InferJsonValue value = infer_json_at (object, i);
    const char *text;

    if (!infer_json_get_string (value, "string_value", &text, error)
        || !read_parameter (settings, config, key, value, text, error))
      return FALSE;
  }
  g_free (settings->config);
  settings->config = g_string_free (g_steal_pointer (&config), FALSE);
  return TRUE;
}

gboolean
serve_model_settings_read (ServeModelSettings *settings, const char *what,
    const char *text, gsize size, const char *name, GError **error)
{
  static const Member members[] = {
    { "name", read_name },
    { "platform", read_kind },
    { "backend", read_kind },
    { "max_batch_size", read_batch },
    { "dynamic_batching", read_batching },
    { "instance_group", read_instances },
    { "parameters", read_parameters },
  };
  const Reader reader = { settings, name };
  g_autoptr (GError) bad = NULL;
  g_autoptr (InferJson) json = infer_json_parse (what, text, size, &bad);

  if (json != NULL
      && read_members (&reader, infer_json_root (json), members,
          G_N_ELEMENTS (members), &bad))
    return TRUE;
  /* The JSON reader takes it for a part of a model. */
  bad->code = INFER_ERROR_INVALID_ARGUMENT;
  g_propagate_error (error, g_steal_pointer (&bad));
  return FALSE;
}
