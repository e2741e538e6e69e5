/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* JSON files (RFC 8259), read into a tree that never changes.
 *
 * Strict, but for a byte order mark, which is skipped: UTF-8 is checked, at
 * most 64 levels, no half of a surrogate pair, no number beyond the range of a
 * double. Of members of the same name the last one is found, all are listed.
 *
 * A value is passed by value and is valid as long as its document.  Any thread.
 */

#pragma once

#include "infer/error.h"

/* The most bytes of a file. */
#define INFER_JSON_MOST ((gsize) 1 << 26)

typedef struct _InferJson InferJson;         /* a document */
typedef struct _InferJsonNode InferJsonNode; /* private */

/* @node NULL: there is no such value; its type is INFER_JSON_ABSENT. */
typedef struct
{
  const InferJson *json;
  const InferJsonNode *node;
} InferJsonValue;

typedef enum
{
  INFER_JSON_ABSENT,
  INFER_JSON_NULL,
  INFER_JSON_BOOL,
  INFER_JSON_NUMBER,
  INFER_JSON_STRING,
  INFER_JSON_ARRAY,
  INFER_JSON_OBJECT,
} InferJsonType;

/* Errors name the file, line and column.  (transfer full) */
InferJson *infer_json_read (const char *path, GError **error);
/* @name: the file, for errors. */
InferJson *infer_json_parse (
    const char *name, const char *text, gsize size, GError **error);
void infer_json_free (InferJson *json); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferJson, infer_json_free)

/* Whether @text is one JSON value. */
gboolean infer_json_is_valid (const char *text);

InferJsonValue infer_json_root (const InferJson *json);
const char *infer_json_name (const InferJson *json);

InferJsonType infer_json_type (InferJsonValue value);
/* Items of an array, members of an object; 0 for other values. */
guint infer_json_length (InferJsonValue value);
/* Item @i of an array, the value of member @i of an object; O(1). */
InferJsonValue infer_json_at (InferJsonValue value, guint i);
/* The name of member @i of an object, @length bytes (nullable) and a NUL. */
const char *infer_json_key (InferJsonValue object, guint i, gsize *length);
/* The member called @key; absent: no such member, or @value is no object. */
InferJsonValue infer_json_find (InferJsonValue object, const char *key);

/* --- as C values; errors say which value, of what file, was to be what --- */

/* @length (nullable): without it, a string that contains a NUL is an error. */
gboolean infer_json_to_string (
    InferJsonValue value, const char **string, gsize *length, GError **error);
/* A number without a fraction, such as 3 or 3.0. */
gboolean infer_json_to_int (
    InferJsonValue value, gint64 *number, GError **error);
gboolean infer_json_to_number (
    InferJsonValue value, double *number, GError **error);
gboolean infer_json_to_bool (
    InferJsonValue value, gboolean *flag, GError **error);

/* The same for the member called @key of @object, which must be there. */
gboolean infer_json_get_string (InferJsonValue object, const char *key,
    const char **string, GError **error);
gboolean infer_json_get_int (
    InferJsonValue object, const char *key, gint64 *number, GError **error);
gboolean infer_json_get_number (
    InferJsonValue object, const char *key, double *number, GError **error);
gboolean infer_json_get_bool (
    InferJsonValue object, const char *key, gboolean *flag, GError **error);
gboolean infer_json_get_array (InferJsonValue object, const char *key,
    InferJsonValue *array, GError **error);
gboolean infer_json_get_object (InferJsonValue object, const char *key,
    InferJsonValue *member, GError **error);

/* The same for one that may be absent or null: the result stays as it is. */
gboolean infer_json_opt_string (InferJsonValue object, const char *key,
    const char **string, GError **error);
gboolean infer_json_opt_int (
    InferJsonValue object, const char *key, gint64 *number, GError **error);
gboolean infer_json_opt_number (
    InferJsonValue object, const char *key, double *number, GError **error);
gboolean infer_json_opt_bool (
    InferJsonValue object, const char *key, gboolean *flag, GError **error);
gboolean infer_json_opt_array (InferJsonValue object, const char *key,
    InferJsonValue *array, GError **error);
gboolean infer_json_opt_object (InferJsonValue object, const char *key,
    InferJsonValue *member, GError **error);

/* For errors about a value of one's own: sets @error to "FILE: PATH: REASON".
 * Returns FALSE. */
gboolean infer_json_fail (InferJsonValue value, GError **error,
    const char *format, ...) G_GNUC_PRINTF (3, 4);
