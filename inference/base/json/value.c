/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/json.h"

#include <string.h>

#include "inference/base/json/private.h"

void
infer_json_free (InferJson *json)
{
  if (json == NULL)
    return;
  g_free (json->name);
  g_free (json->text);
  g_free (json->nodes);
  g_free (json->tables);
  g_free (json);
}

InferJsonValue
infer_json_root (const InferJson *json)
{
  return (InferJsonValue){ json, &json->root };
}

const char *
infer_json_name (const InferJson *json)
{
  return json->name;
}

/* --- the tree --- */

static gboolean
is (InferJsonValue value, InferJsonType type)
{
  return value.node != NULL && value.node->type == type;
}

static InferJsonValue
absent (InferJsonValue value)
{
  return (InferJsonValue){ value.json, NULL };
}

InferJsonType
infer_json_type (InferJsonValue value)
{
  return value.node != NULL ? value.node->type : INFER_JSON_ABSENT;
}

guint
infer_json_length (InferJsonValue value)
{
  return is (value, INFER_JSON_ARRAY) || is (value, INFER_JSON_OBJECT)
             ? value.node->n
             : 0;
}

InferJsonValue
infer_json_at (InferJsonValue value, guint i)
{
  if (i >= infer_json_length (value))
    return absent (value);
  const InferJsonNode *first = &value.json->nodes[value.node->at];
  return (InferJsonValue){ value.json,
    is (value, INFER_JSON_OBJECT) ? &first[2 * (gsize) i + 1] : &first[i] };
}

static const InferJsonNode *
key_at (InferJsonValue object, guint i)
{
  return &object.json->nodes[object.node->at + 2 * (gsize) i];
}

const char *
infer_json_key (InferJsonValue object, guint i, gsize *length)
{
  g_return_val_if_fail (is (object, INFER_JSON_OBJECT), NULL);
  g_return_val_if_fail (i < object.node->n, NULL);
  const InferJsonNode *key = key_at (object, i);
  if (length != NULL)
    *length = key->n;
  return object.json->text + key->at;
}

static gboolean
is_key (InferJsonValue object, guint i, const char *name, gsize length)
{
  const InferJsonNode *key = key_at (object, i);

  return key->n == length
         && memcmp (object.json->text + key->at, name, length) == 0;
}

InferJsonValue
infer_json_find (InferJsonValue object, const char *key)
{
  const gsize length = strlen (key);

  if (!is (object, INFER_JSON_OBJECT))
    return absent (object);
  if (object.node->n <= INFER_JSON_LINEAR) {
    for (guint i = object.node->n; i > 0; i--)
      if (is_key (object, i - 1, key, length))
        return infer_json_at (object, i - 1);
    return absent (object);
  }
  const guint32 *table = object.json->tables + object.node->table;
  const guint32 mask = infer_json_slots (object.node->n) - 1;
  guint32 slot = (guint32) infer_hash_key (key, length) & mask;
  for (; table[slot] != 0; slot = (slot + 1) & mask)
    if (is_key (object, table[slot] - 1, key, length))
      return infer_json_at (object, table[slot] - 1);
  return absent (object);
}

/* --- errors --- */

/* Appends the path from @from down to @node, e.g. "model.vocab[3]"; FALSE: it
 * is not there. */
static gboolean
add_path (InferJsonValue from, const InferJsonNode *node, GString *path)
{
  const guint n = infer_json_length (from);
  const gsize length = path->len;

  if (from.node == node)
    return TRUE;
  for (guint i = 0; i < n; i++) {
    if (is (from, INFER_JSON_ARRAY))
      g_string_append_printf (path, "[%u]", i);
    else
      g_string_append_printf (path, "%s%.64s", length > 0 ? "." : "",
          infer_json_key (from, i, NULL));
    if (add_path (infer_json_at (from, i), node, path))
      return TRUE;
    g_string_truncate (path, length);
  }
  return FALSE;
}

/* The place of @value, of its member @key where that is given. */
static char *
place_of (InferJsonValue value, const char *key)
{
  GString *path = g_string_new (NULL);

  if (value.json != NULL && value.node != NULL)
    add_path (infer_json_root (value.json), value.node, path);
  if (key != NULL)
    g_string_append_printf (path, "%s%s", path->len > 0 ? "." : "", key);
  if (path->len == 0)
    g_string_append (path, "the whole");
  /* A name was cut where it was long. */
  char *valid = g_utf8_make_valid (path->str, (gssize) path->len);
  g_string_free (path, TRUE);
  return valid;
}

gboolean
infer_json_fail (InferJsonValue value, GError **error, const char *format, ...)
{
  g_autofree char *place = place_of (value, NULL);
  va_list args;

  va_start (args, format);
  g_autofree char *reason = g_strdup_vprintf (format, args);
  va_end (args);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL, "%s: %s: %s",
      infer_json_name (value.json), place, reason);
}

static const char *
describe (InferJsonValue value)
{
  static const char *const names[] = { "nothing", "null", "a boolean",
    "a number", "a string", "an array", "an object" };

  return names[infer_json_type (value)];
}

static gboolean
expect (
    InferJsonValue value, InferJsonType type, const char *what, GError **error)
{
  return is (value, type)
         || infer_json_fail (
             value, error, "%s was expected, not %s", what, describe (value));
}

/* --- as C values --- */

gboolean
infer_json_to_string (
    InferJsonValue value, const char **string, gsize *length, GError **error)
{
  if (!expect (value, INFER_JSON_STRING, "a string", error))
    return FALSE;
  *string = value.json->text + value.node->at;
  if (length != NULL)
    *length = value.node->n;
  else if (strlen (*string) != value.node->n)
    return infer_json_fail (value, error, "a string without NUL was expected");
  return TRUE;
}

gboolean
infer_json_to_int (InferJsonValue value, gint64 *number, GError **error)
{
  if (!expect (value, INFER_JSON_NUMBER, "an integer", error))
    return FALSE;
  if (value.node->whole) {
    *number = value.node->integer;
    return TRUE;
  }
  const double x = value.node->number;
  if (!(ABS (x) <= 0x1p53) || (double) (gint64) x != x)
    return infer_json_fail (value, error, "an integer was expected, not %g", x);
  *number = (gint64) x;
  return TRUE;
}

gboolean
infer_json_to_number (InferJsonValue value, double *number, GError **error)
{
  if (!expect (value, INFER_JSON_NUMBER, "a number", error))
    return FALSE;
  *number =
      value.node->whole ? (double) value.node->integer : value.node->number;
  return TRUE;
}

gboolean
infer_json_to_bool (InferJsonValue value, gboolean *flag, GError **error)
{
  if (!expect (value, INFER_JSON_BOOL, "true or false", error))
    return FALSE;
  *flag = value.node->flag;
  return TRUE;
}

/* --- members --- */

static gboolean
find_member (InferJsonValue object, const char *key, InferJsonValue *member,
    GError **error)
{
  if (!expect (object, INFER_JSON_OBJECT, "an object", error))
    return FALSE;
  *member = infer_json_find (object, key);
  if (member->node != NULL)
    return TRUE;
  g_autofree char *place = place_of (object, key);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL, "%s: %s is missing",
      infer_json_name (object.json), place);
}

static gboolean
is_given (InferJsonValue object, const char *key)
{
  return infer_json_type (infer_json_find (object, key)) > INFER_JSON_NULL;
}

gboolean
infer_json_get_string (
    InferJsonValue object, const char *key, const char **string, GError **error)
{
  InferJsonValue member;

  return find_member (object, key, &member, error)
         && infer_json_to_string (member, string, NULL, error);
}

gboolean
infer_json_get_int (
    InferJsonValue object, const char *key, gint64 *number, GError **error)
{
  InferJsonValue member;

  return find_member (object, key, &member, error)
         && infer_json_to_int (member, number, error);
}

gboolean
infer_json_get_number (
    InferJsonValue object, const char *key, double *number, GError **error)
{
  InferJsonValue member;

  return find_member (object, key, &member, error)
         && infer_json_to_number (member, number, error);
}

gboolean
infer_json_get_bool (
    InferJsonValue object, const char *key, gboolean *flag, GError **error)
{
  InferJsonValue member;

  return find_member (object, key, &member, error)
         && infer_json_to_bool (member, flag, error);
}

gboolean
infer_json_get_array (InferJsonValue object, const char *key,
    InferJsonValue *array, GError **error)
{
  return find_member (object, key, array, error)
         && expect (*array, INFER_JSON_ARRAY, "an array", error);
}

gboolean
infer_json_get_object (InferJsonValue object, const char *key,
    InferJsonValue *member, GError **error)
{
  return find_member (object, key, member, error)
         && expect (*member, INFER_JSON_OBJECT, "an object", error);
}

gboolean
infer_json_opt_string (
    InferJsonValue object, const char *key, const char **string, GError **error)
{
  return !is_given (object, key)
         || infer_json_get_string (object, key, string, error);
}

gboolean
infer_json_opt_int (
    InferJsonValue object, const char *key, gint64 *number, GError **error)
{
  return !is_given (object, key)
         || infer_json_get_int (object, key, number, error);
}

gboolean
infer_json_opt_number (
    InferJsonValue object, const char *key, double *number, GError **error)
{
  return !is_given (object, key)
         || infer_json_get_number (object, key, number, error);
}

gboolean
infer_json_opt_bool (
    InferJsonValue object, const char *key, gboolean *flag, GError **error)
{
  return !is_given (object, key)
         || infer_json_get_bool (object, key, flag, error);
}

gboolean
infer_json_opt_array (InferJsonValue object, const char *key,
    InferJsonValue *array, GError **error)
{
  return !is_given (object, key)
         || infer_json_get_array (object, key, array, error);
}

gboolean
infer_json_opt_object (InferJsonValue object, const char *key,
    InferJsonValue *member, GError **error)
{
  return !is_given (object, key)
         || infer_json_get_object (object, key, member, error);
}
