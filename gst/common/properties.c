/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/properties.h"

void
gst_infer_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  gpointer field = G_STRUCT_MEMBER_P (object, id);

  GST_OBJECT_LOCK (object);
  switch (G_TYPE_FUNDAMENTAL (spec->value_type)) {
    case G_TYPE_STRING:
      g_free (*(char **) field);
      *(char **) field = g_value_dup_string (value);
      break;
    case G_TYPE_BOOLEAN:
      *(gboolean *) field = g_value_get_boolean (value);
      break;
    case G_TYPE_INT:
      *(int *) field = g_value_get_int (value);
      break;
    case G_TYPE_UINT:
      *(guint *) field = g_value_get_uint (value);
      break;
    case G_TYPE_UINT64:
      *(guint64 *) field = g_value_get_uint64 (value);
      break;
    case G_TYPE_DOUBLE:
      *(double *) field = g_value_get_double (value);
      break;
    case G_TYPE_ENUM:
      *(int *) field = g_value_get_enum (value);
      break;
    case G_TYPE_FLAGS:
      *(guint *) field = g_value_get_flags (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
  GST_OBJECT_UNLOCK (object);
}

void
gst_infer_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  gconstpointer field = G_STRUCT_MEMBER_P (object, id);

  GST_OBJECT_LOCK (object);
  switch (G_TYPE_FUNDAMENTAL (spec->value_type)) {
    case G_TYPE_STRING:
      g_value_set_string (value, *(char *const *) field);
      break;
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) field);
      break;
    case G_TYPE_INT:
      g_value_set_int (value, *(const int *) field);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) field);
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) field);
      break;
    case G_TYPE_DOUBLE:
      g_value_set_double (value, *(const double *) field);
      break;
    case G_TYPE_ENUM:
      g_value_set_enum (value, *(const int *) field);
      break;
    case G_TYPE_FLAGS:
      g_value_set_flags (value, *(const guint *) field);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
  GST_OBJECT_UNLOCK (object);
}

GType
gst_infer_enum_type (const char *name, const GEnumValue *values)
{
  GType type = g_enum_register_static (name, values);

  gst_type_mark_as_plugin_api (type, 0);
  return type;
}
