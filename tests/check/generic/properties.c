/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each property of each registered element of the plugin can be set and read
 * back, and changes no other property. */

#include "tests/check/support/stream.h"

/* Sets a value other than @value's; FALSE: the type has no other. */
static gboolean
change (GParamSpec *spec, GValue *value)
{
  if (G_IS_PARAM_SPEC_STRING (spec)) {
    g_value_set_string (value, spec->name);
  } else if (G_IS_PARAM_SPEC_BOOLEAN (spec)) {
    g_value_set_boolean (value, !g_value_get_boolean (value));
  } else if (G_IS_PARAM_SPEC_UINT (spec)) {
    guint most = G_PARAM_SPEC_UINT (spec)->maximum;
    g_value_set_uint (
        value, g_value_get_uint (value) == most ? most - 1 : most);
  } else if (G_IS_PARAM_SPEC_INT (spec)) {
    int most = G_PARAM_SPEC_INT (spec)->maximum;
    g_value_set_int (value, g_value_get_int (value) == most ? most - 1 : most);
  } else if (G_IS_PARAM_SPEC_UINT64 (spec)) {
    g_value_set_uint64 (value, g_value_get_uint64 (value) + 1);
  } else if (G_IS_PARAM_SPEC_ENUM (spec)) {
    const GEnumClass *klass = G_PARAM_SPEC_ENUM (spec)->enum_class;
    gboolean is_last =
        g_value_get_enum (value) == klass->values[klass->n_values - 1].value;
    g_value_set_enum (
        value, klass->values[is_last ? 0 : klass->n_values - 1].value);
  } else if (G_IS_PARAM_SPEC_FLAGS (spec)) {
    g_value_set_flags (value, g_value_get_flags (value) ^ 1u);
  } else {
    return FALSE;
  }
  return TRUE;
}

static GValue *
read_all (GObject *object, GParamSpec **specs, guint n)
{
  GValue *values = g_new0 (GValue, n);

  for (guint i = 0; i < n; i++) {
    if ((specs[i]->flags & G_PARAM_READABLE) == 0
        || G_IS_PARAM_SPEC_BOXED (specs[i]))
      continue;
    g_value_init (&values[i], specs[i]->value_type);
    g_object_get_property (object, specs[i]->name, &values[i]);
  }
  return values;
}

static void
free_all (GValue *values, guint n)
{
  for (guint i = 0; i < n; i++)
    if (G_IS_VALUE (&values[i]))
      g_value_unset (&values[i]);
  g_free (values);
}

static guint
check_properties (GstElement *element)
{
  GObject *object = G_OBJECT (element);
  guint n, changed = 0;
  g_autofree GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);

  for (guint i = 0; i < n; i++) {
    GValue *before = read_all (object, specs, n), *after;

    if (g_type_is_a (GST_TYPE_ELEMENT, specs[i]->owner_type)
        || (specs[i]->flags & G_PARAM_WRITABLE) == 0 || !G_IS_VALUE (&before[i])
        || !change (specs[i], &before[i])) {
      free_all (before, n);
      continue;
    }
    g_object_set_property (object, specs[i]->name, &before[i]);
    after = read_all (object, specs, n);
    for (guint k = 0; k < n; k++)
      if (G_IS_VALUE (&before[k]))
        fail_unless (g_param_values_cmp (specs[k], &before[k], &after[k]) == 0,
            "%s: %s after %s was set", G_OBJECT_TYPE_NAME (object),
            specs[k]->name, specs[i]->name);
    free_all (before, n);
    free_all (after, n);
    changed++;
  }
  return changed;
}

GST_START_TEST (test_properties)
{
  const guint n = test_each_element (check_properties);

  fail_unless (n >= 50, "%u properties", n);
}
GST_END_TEST

static Suite *
properties_suite (void)
{
  return test_suite ("properties", NULL, NULL, test_properties, NULL);
}

GST_CHECK_MAIN (properties)
