/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/python/told.h"

#define ALL_DIGITS "%.17g"

static void append_value (GString *line, const GValue *value);

static void
append_fields (GString *line, const GstStructure *s)
{
  g_string_append_c (line, '{');
  for (int i = 0; i < gst_structure_n_fields (s); i++) {
    const char *field = gst_structure_nth_field_name (s, (guint) i);

    gst_infer_json_key (line, field);
    append_value (line, gst_structure_get_value (s, field));
  }
  g_string_append_c (line, '}');
}

static void
append_strings (GString *line, GStrv strings)
{
  g_string_append_c (line, '[');
  for (guint i = 0; strings[i] != NULL; i++) {
    if (i > 0)
      g_string_append_c (line, ',');
    gst_infer_json_string (line, strings[i]);
  }
  g_string_append_c (line, ']');
}

static void
append_array (GString *line, const GValue *array)
{
  g_string_append_c (line, '[');
  for (guint i = 0; i < gst_value_array_get_size (array); i++) {
    if (i > 0)
      g_string_append_c (line, ',');
    append_value (line, gst_value_array_get_value (array, i));
  }
  g_string_append_c (line, ']');
}

static void
append_value (GString *line, const GValue *value)
{
  GType type = value->g_type;
  GValue real = G_VALUE_INIT;

  if (type == G_TYPE_STRING) {
    gst_infer_json_string (line, g_value_get_string (value));
  } else if (type == G_TYPE_BOOLEAN) {
    g_string_append (line, g_value_get_boolean (value) ? "true" : "false");
  } else if (type == GST_TYPE_ARRAY) {
    append_array (line, value);
  } else if (type == GST_TYPE_STRUCTURE) {
    append_fields (line, gst_value_get_structure (value));
  } else if (type == G_TYPE_STRV) {
    append_strings (line, g_value_get_boxed (value));
  } else if (type == G_TYPE_UINT64) {
    g_string_append_printf (
        line, "%" G_GUINT64_FORMAT, g_value_get_uint64 (value));
  } else {
    g_value_init (&real, G_TYPE_DOUBLE);
    g_assert_true (g_value_transform (value, &real));
    gst_infer_json_real (line, g_value_get_double (&real), ALL_DIGITS);
  }
}

void
told_structure (GString *line, const char *name, const GstStructure *s)
{
  gst_infer_json_key (line, name);
  if (s != NULL)
    append_fields (line, s);
  else
    g_string_append (line, "null");
}

void
told_reals (GString *line, const char *name, guint n, const double *v)
{
  gst_infer_json_begin (line, name, '[');
  for (guint i = 0; i < n; i++) {
    if (i > 0)
      g_string_append_c (line, ',');
    gst_infer_json_real (line, v[i], ALL_DIGITS);
  }
  g_string_append_c (line, ']');
}

void
told_bytes (GString *line, const char *name, gconstpointer data, gsize size)
{
  g_autofree char *text = g_base64_encode (data, size);

  gst_infer_json_add_string (line, name, text);
}
