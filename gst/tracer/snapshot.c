/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/tracer/snapshot.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "gst/common/json-text.h"

/* Of elements of this plugin. */
static const char *const settings[] = { "model", "device", "kind", "nireq",
  "batch-size" };
/* Of queues. */
static const char *const levels[] = { "current-level-buffers",
  "current-level-bytes", "current-level-time", "max-size-buffers",
  "max-size-bytes", "max-size-time" };

/* --- values --- */

static void add_structure (GString *json, const char *key, const GValue *value);

static void
add_value (GString *json, const char *key, const GValue *value)
{
  GType type = value->g_type; /* G_VALUE_TYPE casts const away */
  GValue number = G_VALUE_INIT;

  if (type == GST_TYPE_STRUCTURE) {
    add_structure (json, key, value);
  } else if (type == G_TYPE_STRING) {
    gst_infer_json_add_string (json, key, g_value_get_string (value));
  } else if (type == G_TYPE_DOUBLE || type == G_TYPE_FLOAT) {
    g_value_init (&number, G_TYPE_DOUBLE);
    if (g_value_transform (value, &number))
      gst_infer_json_add_real (json, key, g_value_get_double (&number));
  } else if (g_value_type_transformable (type, G_TYPE_INT64)) {
    g_value_init (&number, G_TYPE_INT64);
    if (g_value_transform (value, &number))
      gst_infer_json_add_int (json, key, g_value_get_int64 (&number));
  }
}

static gboolean
add_field (GQuark field, const GValue *value, gpointer json)
{
  add_value (json, g_quark_to_string (field), value);
  return TRUE;
}

static void
add_structure (GString *json, const char *key, const GValue *value)
{
  const GstStructure *s = gst_value_get_structure (value);

  if (s == NULL)
    return;
  gst_infer_json_begin (json, key, '{');
  gst_structure_foreach (s, add_field, json);
  g_string_append_c (json, '}');
}

static gboolean
has_property (GstElement *element, const char *name)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);

  return spec != NULL && (spec->flags & G_PARAM_READABLE) != 0;
}

static void
add_property (GString *json, GstElement *element, const char *name)
{
  GValue value = G_VALUE_INIT;

  if (!has_property (element, name))
    return;
  g_object_get_property (G_OBJECT (element), name, &value);
  add_value (json, name, &value);
  g_value_unset (&value);
}

/* --- elements --- */

static gboolean
is_ours (GstElementFactory *factory)
{
  const char *plugin =
      gst_plugin_feature_get_plugin_name (GST_PLUGIN_FEATURE (factory));

  return g_strcmp0 (plugin, "inferfilter") == 0;
}

static void
add_states (GString *json, GstElement *element)
{
  g_auto (GStrv) names = NULL;

  if (!has_property (element, "state-names"))
    return;
  g_object_get (element, "state-names", &names, NULL);
  gst_infer_json_add_int (
      json, "states", names != NULL ? g_strv_length (names) : 0);
}

static void
add_element (GString *json, GstElement *element, GstElementFactory *factory)
{
  g_autofree char *path = gst_object_get_path_string (GST_OBJECT (element));
  gboolean ours = is_ours (factory);

  gst_infer_json_begin_item (json, '{');
  gst_infer_json_add_string (json, "path", path);
  gst_infer_json_add_string (json, "type", GST_OBJECT_NAME (factory));
  gst_infer_json_add_string (
      json, "state", gst_element_state_get_name (GST_STATE (element)));
  if (ours) {
    for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
      add_property (json, element, settings[i]);
    add_states (json, element);
    add_property (json, element, "max-observed-delay");
  } else {
    for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
      add_property (json, element, levels[i]);
  }
  add_property (json, element, "stats");
  g_string_append_c (json, '}');
}

/* Elements of this plugin, queues and sinks. */
static gboolean
is_shown (GstElement *element, GstElementFactory *factory)
{
  return is_ours (factory) || has_property (element, levels[0])
         || (GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK)
             && !GST_IS_BIN (element) && has_property (element, "stats"));
}

/* --- the process --- */

static gint64
processor_time (void)
{
  struct timespec now = { 0, 0 };

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (gint64) now.tv_sec * GST_SECOND + now.tv_nsec;
}

/* 0: no /proc. */
static gint64
resident_kb (void)
{
  FILE *file = fopen ("/proc/self/statm", "re");
  long total, resident = 0;

  if (file == NULL)
    return 0;
  if (fscanf (file, "%ld %ld", &total, &resident) != 2)
    resident = 0;
  fclose (file);
  return (gint64) resident * sysconf (_SC_PAGESIZE) / 1024;
}

char *
gst_infer_snapshot (const GPtrArray *elements)
{
  GString *json = g_string_new ("{");

  gst_infer_json_add_int (json, "version", 1);
  gst_infer_json_add_int (json, "pid", getpid ());
  gst_infer_json_add_string (json, "program", g_get_prgname ());
  gst_infer_json_add_int (
      json, "time", g_get_monotonic_time () * (gint64) GST_USECOND);
  gst_infer_json_add_int (json, "cpu", processor_time ());
  gst_infer_json_add_int (json, "rss-kb", resident_kb ());
  gst_infer_json_begin (json, "elements", '[');
  for (guint i = 0; i < elements->len; i++) {
    GstElement *element = elements->pdata[i];
    GstElementFactory *factory = gst_element_get_factory (element);

    if (factory != NULL && is_shown (element, factory))
      add_element (json, element, factory);
  }
  g_string_append (json, "]}");
  return g_string_free (json, FALSE);
}
