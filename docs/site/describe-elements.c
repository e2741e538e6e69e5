/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Prints as JSON what the elements of a plugin have: properties, pad templates
 * and signals.  Usage: describe-elements PLUGIN.so */

#include <stdio.h>

#include <gst/gst.h>

static void
print_string (const char *text)
{
  putchar ('"');
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\')
      printf ("\\%c", *c);
    else if ((unsigned char) *c < ' ')
      printf ("\\u%04x", (guint) *c);
    else
      putchar (*c);
  }
  putchar ('"');
}

/* Starts a member of an object; the first one has no comma. */
static void
print_key (const char *key, gboolean first)
{
  if (!first)
    printf (", ");
  print_string (key);
  printf (": ");
}

static void
print_member (const char *key, const char *text, gboolean first)
{
  print_key (key, first);
  print_string (text);
}

static void
print_default (GParamSpec *spec)
{
  const GValue *value = g_param_spec_get_default_value (spec);
  g_autofree char *text = NULL;

  if (G_VALUE_HOLDS_STRING (value))
    text = g_value_dup_string (value);
  else if (!G_VALUE_HOLDS_BOXED (value))
    text = gst_value_serialize (value);
  print_member ("default", text != NULL ? text : "", FALSE);
}

#define PRINT_RANGE(TYPE, Type, format)                                        \
  if (G_IS_PARAM_SPEC_##TYPE (spec))                                           \
    text = g_strdup_printf (format " … " format,                               \
        ((GParamSpec##Type *) spec)->minimum,                                  \
        ((GParamSpec##Type *) spec)->maximum);

static void
print_range (GParamSpec *spec)
{
  g_autofree char *text = NULL;

  PRINT_RANGE (INT, Int, "%d")
  PRINT_RANGE (UINT, UInt, "%u")
  PRINT_RANGE (INT64, Int64, "%" G_GINT64_FORMAT)
  PRINT_RANGE (UINT64, UInt64, "%" G_GUINT64_FORMAT)
  PRINT_RANGE (FLOAT, Float, "%g")
  PRINT_RANGE (DOUBLE, Double, "%g")
  print_member ("range", text != NULL ? text : "", FALSE);
}

static void
print_value (const char *nick, const char *description, gboolean first)
{
  printf (first ? "[" : ", [");
  print_string (nick);
  printf (", ");
  print_string (description);
  printf ("]");
}

/* The values of an enumeration or of flags: [[nick, description], …]. */
static void
print_values (GParamSpec *spec)
{
  print_key ("values", FALSE);
  printf ("[");
  if (G_IS_PARAM_SPEC_ENUM (spec)) {
    const GEnumClass *klass = ((GParamSpecEnum *) spec)->enum_class;

    for (guint i = 0; i < klass->n_values; i++)
      print_value (
          klass->values[i].value_nick, klass->values[i].value_name, i == 0);
  } else if (G_IS_PARAM_SPEC_FLAGS (spec)) {
    const GFlagsClass *klass = ((GParamSpecFlags *) spec)->flags_class;

    for (guint i = 0; i < klass->n_values; i++)
      print_value (
          klass->values[i].value_nick, klass->values[i].value_name, i == 0);
  }
  printf ("]");
}

static void
print_property (GParamSpec *spec, gboolean first)
{
  printf (first ? "\n    {" : ",\n    {");
  print_member ("name", spec->name, TRUE);
  print_member ("type", g_type_name (spec->value_type), FALSE);
  print_member ("blurb", g_param_spec_get_blurb (spec), FALSE);
  print_member ("access",
      (spec->flags & G_PARAM_WRITABLE) == 0   ? "read"
      : (spec->flags & G_PARAM_READABLE) == 0 ? "write"
                                              : "read, write",
      FALSE);
  print_member ("when",
      (spec->flags & GST_PARAM_MUTABLE_PLAYING) != 0  ? "any state"
      : (spec->flags & GST_PARAM_MUTABLE_PAUSED) != 0 ? "up to PAUSED"
      : (spec->flags & GST_PARAM_MUTABLE_READY) != 0  ? "up to READY"
                                                      : "",
      FALSE);
  print_default (spec);
  print_range (spec);
  print_values (spec);
  printf ("}");
}

static void
print_properties (GstElement *element)
{
  guint n;
  g_autofree GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  gboolean first = TRUE;

  print_key ("properties", FALSE);
  printf ("[");
  for (guint i = 0; i < n; i++) {
    /* Those of GstElement and GstBaseTransform are documented there. */
    if (!g_str_has_prefix (g_type_name (specs[i]->owner_type), "GstInfer"))
      continue;
    print_property (specs[i], first);
    first = FALSE;
  }
  printf ("]");
}

static void
print_signals (GType type)
{
  guint n;
  g_autofree guint *ids = g_signal_list_ids (type, &n);

  print_key ("signals", FALSE);
  printf ("[");
  for (guint i = 0; i < n; i++) {
    GSignalQuery query;
    g_autoptr (GString) params = g_string_new (NULL);

    g_signal_query (ids[i], &query);
    for (guint k = 0; k < query.n_params; k++)
      g_string_append_printf (params, "%s%s", k == 0 ? "" : ", ",
          g_type_name (query.param_types[k] & ~G_SIGNAL_TYPE_STATIC_SCOPE));
    printf (i == 0 ? "\n    {" : ",\n    {");
    print_member ("name", query.signal_name, TRUE);
    print_member ("parameters", params->str, FALSE);
    print_member ("returns",
        g_type_name (query.return_type & ~G_SIGNAL_TYPE_STATIC_SCOPE), FALSE);
    print_member ("kind",
        (query.signal_flags & G_SIGNAL_ACTION) != 0 ? "action" : "signal",
        FALSE);
    printf ("}");
  }
  printf ("]");
}

static void
print_templates (GstElementFactory *factory)
{
  gboolean first = TRUE;

  print_key ("templates", FALSE);
  printf ("[");
  for (const GList *l = gst_element_factory_get_static_pad_templates (factory);
       l != NULL; l = l->next) {
    const GstStaticPadTemplate *t = l->data;
    g_autoptr (GstCaps) caps =
        gst_static_caps_get (&((GstStaticPadTemplate *) l->data)->static_caps);
    g_autofree char *text = gst_caps_to_string (caps);

    printf (first ? "\n    {" : ",\n    {");
    print_member ("name", t->name_template, TRUE);
    print_member (
        "direction", t->direction == GST_PAD_SRC ? "source" : "sink", FALSE);
    print_member ("presence",
        t->presence == GST_PAD_ALWAYS      ? "always"
        : t->presence == GST_PAD_SOMETIMES ? "sometimes"
                                           : "on request",
        FALSE);
    print_member ("caps", text, FALSE);
    printf ("}");
    first = FALSE;
  }
  printf ("]");
}

static gboolean
print_element (GstPluginFeature *feature, gboolean first)
{
  g_autoptr (GstElementFactory) factory =
      GST_ELEMENT_FACTORY (gst_plugin_feature_load (feature));
  g_autoptr (GstElement) element = NULL;

  if (factory == NULL
      || (element = gst_element_factory_create (factory, NULL)) == NULL) {
    g_printerr (
        "%s: no element is made\n", gst_plugin_feature_get_name (feature));
    return FALSE;
  }
  gst_object_ref_sink (element);
  printf (first ? "\n  {" : ",\n  {");
  print_member ("name", gst_plugin_feature_get_name (feature), TRUE);
  print_member ("class",
      gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_KLASS),
      FALSE);
  print_member ("description",
      gst_element_factory_get_metadata (
          factory, GST_ELEMENT_METADATA_DESCRIPTION),
      FALSE);
  print_templates (factory);
  print_properties (element);
  print_signals (G_OBJECT_TYPE (element));
  printf ("}");
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstPlugin) plugin = NULL;
  GList *features;
  gboolean good = TRUE;
  guint n = 0;

  gst_init (&argc, &argv);
  plugin = argc == 2 ? gst_plugin_load_file (argv[1], &error) : NULL;
  if (plugin == NULL) {
    g_printerr ("%s\n",
        error != NULL ? error->message : "usage: describe-elements PLUGIN.so");
    return 1;
  }
  features = gst_registry_get_feature_list_by_plugin (
      gst_registry_get (), gst_plugin_get_name (plugin));
  printf ("[");
  for (GList *l = features; l != NULL; l = l->next)
    if (GST_IS_ELEMENT_FACTORY (l->data))
      good = print_element (l->data, n++ == 0) && good;
  printf ("]\n");
  gst_plugin_feature_list_free (features);
  return good ? 0 : 1;
}
