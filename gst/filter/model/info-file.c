/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/model/info-file.h"

#include <string.h>

#include "gst/common/model-info.h"
#include "infer/error.h"

#define GROUP "model_info"
/* GStreamer's own files (since 1.28) have a group for each tensor. */
#define GST_GROUP "modelinfo"

static gboolean
add_pair (GPtrArray *pairs, const char *key, const char *value,
    const char *where, GError **error)
{
  if (!gst_infer_model_info_has_key (key))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: '%s' is not a key of model_info (docs/model-info.md lists them)",
        where, key);
  g_ptr_array_add (pairs, g_strdup (key));
  g_ptr_array_add (pairs, g_strdup (value));
  return TRUE;
}

/* ranges=0,1;-1,1;…: the values that 0 and 255 become, for each channel. */
static gboolean
add_ranges (
    GPtrArray *pairs, const char *text, const char *path, GError **error)
{
  g_auto (GStrv) ranges = g_strsplit (text, ";", -1);
  g_autoptr (GString) mean = g_string_new (NULL);
  g_autoptr (GString) scale = g_string_new (NULL);

  for (guint i = 0; ranges[i] != NULL; i++) {
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    char *comma, *end;
    double low, high;

    if (*g_strstrip (ranges[i]) == '\0')
      continue;
    low = g_ascii_strtod (ranges[i], &comma);
    high = *comma == ',' ? g_ascii_strtod (comma + 1, &end) : low;
    if (!(high > low) || *end != '\0')
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "%s: ranges=%s is not 'low,high' for each channel", path, text);
    g_string_append_printf (mean, "%s%s", mean->len > 0 ? " " : "",
        g_ascii_dtostr (buffer, sizeof buffer, -low * 255 / (high - low)));
    g_string_append_printf (scale, "%s%s", scale->len > 0 ? " " : "",
        g_ascii_dtostr (buffer, sizeof buffer, 255 / (high - low)));
  }
  return add_pair (pairs, "mean_values", mean->str, path, error)
         && add_pair (pairs, "scale_values", scale->str, path, error);
}

static gboolean
add_gst_groups (
    GPtrArray *pairs, GKeyFile *file, const char *path, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);

  for (guint i = 0; groups[i] != NULL; i++) {
    g_autofree char *dir = g_key_file_get_value (file, groups[i], "dir", NULL);
    g_autofree char *ranges =
        g_key_file_get_value (file, groups[i], "ranges", NULL);

    if (g_strcmp0 (dir, "input") == 0 && ranges != NULL)
      return add_ranges (pairs, ranges, path, error);
  }
  return TRUE;
}

/* The value of @key with its escapes resolved; NULL: one is not known, or the
 * text is not UTF-8.  g_key_file_get_string() returns such values as far as it
 * understands them, and sets its error twice where two escapes are wrong.
 * (transfer full) */
static char *
get_text (GKeyFile *file, const char *key)
{
  static const char letters[] = "sntr\\", meant[] = " \n\t\r\\";
  g_autofree char *text = g_key_file_get_value (file, GROUP, key, NULL);
  char *to = text;

  if (text == NULL || !g_utf8_validate (text, -1, NULL))
    return NULL;
  for (const char *from = text; *from != '\0'; from++) {
    if (*from != '\\') {
      *to++ = *from;
      continue;
    }
    from++;
    const char *letter = *from != '\0' ? strchr (letters, *from) : NULL;
    if (letter == NULL)
      return NULL;
    *to++ = meant[letter - letters];
  }
  *to = '\0';
  return g_steal_pointer (&text);
}

static gboolean
add_file (GPtrArray *pairs, const char *path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) failure = NULL;
  g_auto (GStrv) keys = NULL;

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &failure))
    return infer_fail (
        error, INFER_ERROR_INVALID_ARGUMENT, "%s: %s", path, failure->message);
  keys = g_key_file_get_keys (file, GROUP, NULL, NULL);
  if (keys == NULL && g_key_file_has_group (file, GST_GROUP))
    return add_gst_groups (pairs, file, path, error);
  if (keys == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: has no group [" GROUP "]", path);
  for (guint i = 0; keys[i] != NULL; i++) {
    g_autofree char *value = get_text (file, keys[i]);

    if (value == NULL)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "%s: the value of %s is not UTF-8, or has a backslash that is not "
          "followed by s, n, t, r or a backslash",
          path, keys[i]);
    if (!add_pair (pairs, keys[i], value, path, error))
      return FALSE;
  }
  return TRUE;
}

/* "m.xml.modelinfo", else "m.modelinfo". */
static gboolean
add_files (GPtrArray *pairs, const char *model, GError **error)
{
  static const char *const endings[] = { ".xml", ".onnx" };
  g_autofree char *full = g_strconcat (model, ".modelinfo", NULL);

  if (g_file_test (full, G_FILE_TEST_EXISTS))
    return add_file (pairs, full, error);
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++) {
    if (!g_str_has_suffix (model, endings[i]))
      continue;
    g_autofree char *base = g_strdup_printf (
        "%.*s.modelinfo", (int) (strlen (model) - strlen (endings[i])), model);
    if (g_file_test (base, G_FILE_TEST_EXISTS))
      return add_file (pairs, base, error);
  }
  return TRUE;
}

static gboolean
add_text (GPtrArray *pairs, const char *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ";", -1);

  for (guint i = 0; words[i] != NULL; i++) {
    char *equals = strchr (g_strstrip (words[i]), '=');

    if (words[i][0] == '\0')
      continue;
    if (equals == NULL)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "model-info: '%s' is not KEY=value", words[i]);
    *equals = '\0';
    if (!add_pair (pairs, words[i], equals + 1, "model-info", error))
      return FALSE;
  }
  return TRUE;
}

InferModel *
gst_infer_model_add_info (InferModel *model, const char *text, GError **error)
{
  g_autoptr (InferModel) owned = model;
  g_autoptr (GPtrArray) pairs = g_ptr_array_new_with_free_func (g_free);

  if (!add_files (pairs, infer_model_get_path (model), error)
      || (text != NULL && !add_text (pairs, text, error)))
    return NULL;
  if (pairs->len == 0)
    return g_steal_pointer (&owned);
  g_ptr_array_add (pairs, NULL);
  return infer_model_set_info (
      owned, (const char *const *) pairs->pdata, error);
}
