/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/attributes.h"
#include "inference/graph/known-type.h"

#include <stdlib.h>
#include <string.h>

#include "infer/error.h"
#include "inference/base/tensor.h"

#define FEW 12

typedef struct
{
  const char *name, *value;
} Attribute;

struct _InferAttributes
{
  Attribute *list;
  guint n, room;
  Attribute few[FEW]; /* avoids an allocation for most operations */
  GStringChunk *copies;
};

InferAttributes *
infer_attr_new (void)
{
  InferAttributes *attributes = g_new (InferAttributes, 1);
  attributes->list = attributes->few;
  attributes->n = 0;
  attributes->room = FEW;
  attributes->copies = NULL;
  return attributes;
}

void
infer_attr_free (InferAttributes *attributes)
{
  if (attributes == NULL)
    return;
  if (attributes->list != attributes->few)
    g_free (attributes->list);
  g_clear_pointer (&attributes->copies, g_string_chunk_free);
  g_free (attributes);
}

char *
infer_attr_pack (const InferAttributes *attributes)
{
  gsize size = 1;

  for (guint i = 0; i < attributes->n; i++)
    size += strlen (attributes->list[i].name)
            + strlen (attributes->list[i].value) + 2;
  char *texts = infer_rc_box_zeroed (size), *at = texts;
  for (guint i = 0; i < attributes->n; i++) {
    at = g_stpcpy (at, attributes->list[i].name) + 1;
    at = g_stpcpy (at, attributes->list[i].value) + 1;
  }
  return texts;
}

static Attribute *
find (const InferAttributes *attributes, const char *name)
{
  for (guint i = 0; i < attributes->n; i++)
    if (strcmp (attributes->list[i].name, name) == 0)
      return &attributes->list[i];
  return NULL;
}

static void
append (InferAttributes *attributes, Attribute attribute)
{
  if (attributes->n == attributes->room) {
    Attribute *more = g_new (Attribute, attributes->room * 2);

    memcpy (more, attributes->list, attributes->n * sizeof *more);
    if (attributes->list != attributes->few)
      g_free (attributes->list);
    attributes->list = more;
    attributes->room *= 2;
  }
  attributes->list[attributes->n++] = attribute;
}

void
infer_attr_lend (
    InferAttributes *attributes, const char *name, const char *value)
{
  Attribute attribute = { name, value };
  Attribute *old = find (attributes, name);

  if (old != NULL)
    *old = attribute;
  else
    append (attributes, attribute);
}

void
infer_attr_set (
    InferAttributes *attributes, const char *name, const char *value)
{
  if (attributes->copies == NULL)
    attributes->copies = g_string_chunk_new (256);
  infer_attr_lend (attributes, g_string_chunk_insert (attributes->copies, name),
      g_string_chunk_insert (attributes->copies, value));
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (((const Attribute *) a)->name, ((const Attribute *) b)->name);
}

InferHash
infer_attr_hash (InferAttributes *attributes)
{
  char few[256], *more = NULL;
  gsize size = 0;

  for (guint i = 0; i < attributes->n; i++)
    size += strlen (attributes->list[i].name)
            + strlen (attributes->list[i].value) + 2;
  char *texts = size <= sizeof few ? few : (more = g_malloc (size)),
       *at = texts;
  qsort (attributes->list, attributes->n, sizeof (Attribute), compare_names);
  for (guint i = 0; i < attributes->n; i++) {
    const Attribute *a = &attributes->list[i];

    at = g_stpcpy (at, a->name) + 1;
    at = g_stpcpy (at, a->value) + 1;
  }
  InferHash hash = infer_hash (texts, size, NULL);
  g_free (more);
  hash.words[0] |= 1;
  return hash;
}

const char *
infer_attr_get (const InferAttributes *attributes, const char *name)
{
  const Attribute *attribute = find (attributes, name);
  return attribute != NULL ? attribute->value : NULL;
}

gboolean
infer_attr_require (const InferAttributes *attributes, GError **error, ...)
{
  const char *missing = NULL, *name;
  va_list args;
  va_start (args, error);
  while (missing == NULL && (name = va_arg (args, const char *)) != NULL)
    if (infer_attr_get (attributes, name) == NULL)
      missing = name;
  va_end (args);
  if (missing != NULL)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "attribute '%s' is missing", missing);
  return TRUE;
}

static gboolean
fail_text (const char *name, const char *text, const char *kind, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "attribute '%s': '%.100s' is no %s", name, text, kind);
}

static gboolean
parse_int (const char *text, gint64 *value)
{
  const char *at = text;
  gint64 plain;
  gboolean more;

  if (infer_list_number (&at, &plain, &more) && !more) {
    *value = plain;
    return TRUE;
  }
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  return g_ascii_string_to_signed (
      stripped, 10, G_MININT64, G_MAXINT64, value, NULL);
}

static gboolean
parse_double (const char *text, double *value)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  char *end = NULL;
  double parsed = g_ascii_strtod (stripped, &end);
  if (end == stripped || *end != '\0')
    return FALSE;
  *value = parsed;
  return TRUE;
}

gboolean
infer_attr_int (const InferAttributes *attributes, const char *name,
    gint64 *value, GError **error)
{
  const char *text = infer_attr_get (attributes, name);
  if (text != NULL && !parse_int (text, value))
    return fail_text (name, text, "integer", error);
  return TRUE;
}

gboolean
infer_attr_double (const InferAttributes *attributes, const char *name,
    double *value, GError **error)
{
  const char *text = infer_attr_get (attributes, name);
  if (text != NULL && !parse_double (text, value))
    return fail_text (name, text, "number", error);
  return TRUE;
}

gboolean
infer_attr_bool (const InferAttributes *attributes, const char *name,
    gboolean *value, GError **error)
{
  const char *text = infer_attr_get (attributes, name);
  if (text == NULL)
    return TRUE;
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  gboolean yes =
      g_ascii_strcasecmp (stripped, "true") == 0 || strcmp (stripped, "1") == 0;
  if (!yes && g_ascii_strcasecmp (stripped, "false") != 0
      && strcmp (stripped, "0") != 0)
    return fail_text (name, text, "boolean", error);
  *value = yes;
  return TRUE;
}

gboolean
infer_attr_type (const InferAttributes *attributes, const char *name,
    InferType *value, GError **error)
{
  const char *text = infer_attr_get (attributes, name);
  if (text == NULL)
    return TRUE;
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  if (!infer_type_from_name (stripped, value))
    return fail_text (name, text, "element type", error);
  if (*value == INFER_TYPE_STRING)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "attribute '%s': tensors of strings are not supported", name);
  return TRUE;
}

gboolean
infer_attr_known_type (const InferAttributes *attributes, const char *name,
    InferType *value, GError **error)
{
  const char *text = infer_attr_get (attributes, name);

  if (!infer_attr_type (attributes, name, value, error))
    return FALSE;
  return text == NULL || *value != INFER_TYPE_DYNAMIC
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "attribute '%s': an output's element type cannot be dynamic",
             name);
}

gboolean
infer_attr_index_type (const InferAttributes *attributes, const char *name,
    InferType *value, GError **error)
{
  if (!infer_attr_type (attributes, name, value, error))
    return FALSE;
  return *value == INFER_TYPE_I64 || *value == INFER_TYPE_I32
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "attribute '%s' is %s, not i32 or i64", name,
             infer_type_name (*value));
}

/* The texts between commas; none if @text is only white space. */
static GStrv
split_list (const char *text)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  return g_strsplit (stripped, ",", -1);
}

/* Returns FALSE if the text is not a plain list of integers. */
static gboolean
append_plain (const char *text, GArray *list)
{
  gboolean more = TRUE;

  while (more) {
    gint64 value;
    if (!infer_list_number (&text, &value, &more))
      return FALSE;
    g_array_append_val (list, value);
  }
  return TRUE;
}

/* Accepts everything that the readers of single integers accept. */
static gboolean
append_ints (const char *name, const char *text, GArray *list, GError **error)
{
  g_auto (GStrv) parts = split_list (text);
  g_array_set_size (list, 0);
  for (guint i = 0; parts[i] != NULL; i++) {
    gint64 value;
    if (!parse_int (parts[i], &value))
      return fail_text (name, text, "list of integers", error);
    g_array_append_val (list, value);
  }
  return TRUE;
}

gboolean
infer_attr_ints (const InferAttributes *attributes, const char *name,
    GArray **values, GError **error)
{
  const char *text = infer_attr_get (attributes, name);
  if (text == NULL)
    return TRUE;
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (!append_plain (text, list) && !append_ints (name, text, list, error))
    return FALSE;
  g_clear_pointer (values, g_array_unref);
  *values = g_steal_pointer (&list);
  return TRUE;
}

gboolean
infer_attr_doubles (const InferAttributes *attributes, const char *name,
    GArray **values, GError **error)
{
  const char *text = infer_attr_get (attributes, name);
  if (text == NULL)
    return TRUE;
  g_auto (GStrv) parts = split_list (text);
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; parts[i] != NULL; i++) {
    double value;
    if (!parse_double (parts[i], &value))
      return fail_text (name, text, "list of numbers", error);
    g_array_append_val (list, value);
  }
  g_clear_pointer (values, g_array_unref);
  *values = g_steal_pointer (&list);
  return TRUE;
}

gboolean
infer_attr_strings (const InferAttributes *attributes, const char *name,
    GStrv *values, GError **error)
{
  const char *text = infer_attr_get (attributes, name);
  if (text == NULL)
    return TRUE;
  GStrv parts = split_list (text);
  for (guint i = 0; parts[i] != NULL; i++)
    g_strstrip (parts[i]);
  g_clear_pointer (values, g_strfreev);
  *values = parts;
  return TRUE;
}

gboolean
infer_attr_small_ints (const InferAttributes *attributes, const char *name,
    gint64 *values, guint max, guint *n, GError **error)
{
  g_autoptr (GArray) list = NULL;
  if (!infer_attr_ints (attributes, name, &list, error))
    return FALSE;
  if (list == NULL)
    return TRUE;
  if (list->len > max)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute '%s' has %u values, at most %u are possible", name,
        list->len, max);
  for (guint i = 0; i < list->len; i++)
    values[i] = g_array_index (list, gint64, i);
  *n = list->len;
  return TRUE;
}

gboolean
infer_attr_enum (const InferAttributes *attributes, const char *name,
    const char *const *names, int *value, GError **error)
{
  const char *text = infer_attr_get (attributes, name);
  if (text == NULL)
    return TRUE;
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  for (int i = 0; names[i] != NULL; i++)
    if (g_ascii_strcasecmp (stripped, names[i]) == 0) {
      *value = i;
      return TRUE;
    }
  g_autoptr (GString) list = g_string_new (names[0]);
  for (int i = 1; names[i] != NULL; i++)
    g_string_append_printf (list, ", %s", names[i]);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "attribute '%s': '%.100s' is none of %s", name, text, list->str);
}
