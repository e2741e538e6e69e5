/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/settings.h"

#include <stddef.h>

#define FIELD(name, field, type)                                               \
  {                                                                            \
    name, offsetof (GstInferSettings, field), type                             \
  }

/* clang-format off */
static const struct
{
  const char *property;
  gsize offset;
  GType type;
} fields[] = {
  FIELD ("model", model, G_TYPE_STRING),
  FIELD ("weights", weights, G_TYPE_STRING),
  FIELD ("device", device, G_TYPE_STRING),
  FIELD ("config", config, G_TYPE_STRING),
  FIELD ("nireq", nireq, G_TYPE_UINT),
  FIELD ("window", window, G_TYPE_UINT),
  FIELD ("hop", hop, G_TYPE_UINT),
  FIELD ("tail", tail, G_TYPE_ENUM),
  FIELD ("state-reset", state_reset, G_TYPE_FLAGS),
  FIELD ("max-gap", max_gap, G_TYPE_UINT64),
  FIELD ("extra-outputs", extra_outputs, G_TYPE_STRING),
  FIELD ("low-latency", low_latency, G_TYPE_BOOLEAN),
  FIELD ("state-pairs", state_pairs, G_TYPE_STRING),
  FIELD ("dump", dump, G_TYPE_STRING),
  FIELD ("dump-dir", dump_dir, G_TYPE_STRING),
  FIELD ("output", output, G_TYPE_ENUM),
  FIELD ("inference-region", region, G_TYPE_ENUM),
  FIELD ("model-info", model_info, G_TYPE_STRING),
  FIELD ("object-class", object_class, G_TYPE_STRING),
  FIELD ("crop", crop, G_TYPE_STRING),
  FIELD ("model-instance-id", instance, G_TYPE_STRING),
  FIELD ("batch-size", batch_size, G_TYPE_UINT),
  FIELD ("batch-timeout", batch_timeout, G_TYPE_INT),
  FIELD ("stats-interval", stats_interval, G_TYPE_UINT),
  FIELD ("async-load", async_load, G_TYPE_BOOLEAN),
  FIELD ("qos", qos, G_TYPE_BOOLEAN),
  FIELD ("inference-interval", interval, G_TYPE_UINT),
};
/* clang-format on */

static char **
string_field (GstInferSettings *settings, guint i)
{
  return (char **) (gpointer) ((char *) settings + fields[i].offset);
}

void
gst_infer_settings_clear (GstInferSettings *settings)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (fields[i].type == G_TYPE_STRING)
      g_clear_pointer (string_field (settings, i), g_free);
}

void
gst_infer_settings_copy (GstInferSettings *to, const GstInferSettings *from)
{
  gst_infer_settings_clear (to);
  *to = *from;
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (fields[i].type == G_TYPE_STRING)
      *string_field (to, i) = g_strdup (*string_field (to, i));
}

/* The index in `fields`, their number if there is none. */
static guint
find_field (const char *property)
{
  guint i = 0;

  while (
      i < G_N_ELEMENTS (fields) && !g_str_equal (fields[i].property, property))
    i++;
  return i;
}

gboolean
gst_infer_settings_set (
    GstInferSettings *settings, const char *property, const GValue *value)
{
  guint i = find_field (property);
  gpointer at;

  if (i == G_N_ELEMENTS (fields))
    return FALSE;
  at = (char *) settings + fields[i].offset;
  switch (fields[i].type) {
    case G_TYPE_STRING:
      g_free (*(char **) at);
      *(char **) at = g_value_dup_string (value);
      break;
    case G_TYPE_UINT:
      *(guint *) at = g_value_get_uint (value);
      break;
    case G_TYPE_INT:
      *(int *) at = g_value_get_int (value);
      break;
    case G_TYPE_BOOLEAN:
      *(gboolean *) at = g_value_get_boolean (value);
      break;
    case G_TYPE_ENUM:
      *(int *) at = g_value_get_enum (value);
      break;
    case G_TYPE_FLAGS:
      *(guint *) at = g_value_get_flags (value);
      break;
    default:
      *(guint64 *) at = g_value_get_uint64 (value);
      break;
  }
  return TRUE;
}

gboolean
gst_infer_settings_get (
    const GstInferSettings *settings, const char *property, GValue *value)
{
  guint i = find_field (property);
  gconstpointer at;

  if (i == G_N_ELEMENTS (fields))
    return FALSE;
  at = (const char *) settings + fields[i].offset;
  switch (fields[i].type) {
    case G_TYPE_STRING:
      g_value_set_string (value, *(char *const *) at);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) at);
      break;
    case G_TYPE_INT:
      g_value_set_int (value, *(const int *) at);
      break;
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) at);
      break;
    case G_TYPE_ENUM:
      g_value_set_enum (value, *(const int *) at);
      break;
    case G_TYPE_FLAGS:
      g_value_set_flags (value, *(const guint *) at);
      break;
    default:
      g_value_set_uint64 (value, *(const guint64 *) at);
      break;
  }
  return TRUE;
}

GstClockTime
gst_infer_settings_batch_wait (const GstInferSettings *settings)
{
  return settings->batch_size > 1 && settings->batch_timeout > 0
             ? (GstClockTime) settings->batch_timeout * GST_MSECOND
             : 0;
}
