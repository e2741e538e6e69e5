/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "gst/scene/settings-reader.h"

#define MOST_SECONDS 1e9

/* --- errors --- */

gboolean
gst_infer_scene_fail (
    GstInferSceneReader *r, InferJsonValue value, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *reason = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return r->to != NULL && r->to->id != NULL
             ? infer_json_fail (value, r->error, "%s '%s': %s",
                 gst_infer_scene_kind_name (r->to->kind), r->to->id, reason)
             : infer_json_fail (value, r->error, "%s", reason);
}

/* (transfer full) */
static char *
join (const char *separator, const char *const *names)
{
  GString *list = g_string_new (names[0]);

  for (guint i = 1; names[i] != NULL; i++)
    g_string_append_printf (list, "%s%s", separator, names[i]);
  return g_string_free (list, FALSE);
}

gboolean
gst_infer_scene_check_keys (
    GstInferSceneReader *r, InferJsonValue object, const char *const *known)
{
  for (guint i = 0; i < infer_json_length (object); i++) {
    const char *key = infer_json_key (object, i, NULL);

    if (g_strv_contains (known, key))
      continue;
    g_autofree char *list = join (", ", known);
    return gst_infer_scene_fail (
        r, object, "there is no key '%s'; there are %s", key, list);
  }
  return TRUE;
}

/* --- values --- */

gboolean
gst_infer_scene_read_number (GstInferSceneReader *r, InferJsonValue object,
    const char *key, double least, double most, double *to)
{
  const InferJsonValue value = infer_json_find (object, key);
  double number;

  if (infer_json_type (value) <= INFER_JSON_NULL)
    return TRUE;
  if (infer_json_type (value) != INFER_JSON_NUMBER)
    return gst_infer_scene_fail (r, value, "a number was expected");
  infer_json_to_number (value, &number, NULL);
  if (!(number >= least && number <= most))
    return gst_infer_scene_fail (
        r, value, "%g is not between %g and %g", number, least, most);
  *to = number;
  return TRUE;
}

gboolean
gst_infer_scene_read_count (GstInferSceneReader *r, InferJsonValue object,
    const char *key, guint most, guint *to)
{
  double number = *to;

  if (!gst_infer_scene_read_number (r, object, key, 1, most, &number))
    return FALSE;
  if (number != floor (number))
    return gst_infer_scene_fail (
        r, infer_json_find (object, key), "a whole number was expected");
  *to = (guint) number;
  return TRUE;
}

gboolean
gst_infer_scene_read_seconds (GstInferSceneReader *r, InferJsonValue object,
    const char *key, GstClockTime *to)
{
  double seconds = -1;

  if (!gst_infer_scene_read_number (r, object, key, 0, MOST_SECONDS, &seconds))
    return FALSE;
  if (seconds >= 0)
    *to = (GstClockTime) llround (seconds * GST_SECOND);
  return TRUE;
}

/* Of an array [x, y], or an object {"x": …, "y": …} as in gvaanalytics. */
static gboolean
read_point (
    GstInferSceneReader *r, InferJsonValue value, GstInferScenePoint *to)
{
  const gboolean pair = infer_json_type (value) == INFER_JSON_ARRAY
                        && infer_json_length (value) == 2;
  const InferJsonValue x =
      pair ? infer_json_at (value, 0) : infer_json_find (value, "x");
  const InferJsonValue y =
      pair ? infer_json_at (value, 1) : infer_json_find (value, "y");

  if (infer_json_type (x) != INFER_JSON_NUMBER
      || infer_json_type (y) != INFER_JSON_NUMBER)
    return gst_infer_scene_fail (
        r, value, "a point is [x, y] or {\"x\": x, \"y\": y}");
  infer_json_to_number (x, &to->x, NULL);
  infer_json_to_number (y, &to->y, NULL);
  if (!(to->x >= 0 && to->x <= 1 && to->y >= 0 && to->y <= 1))
    return gst_infer_scene_fail (r, value,
        "the point (%g, %g) is not on the frame: coordinates are fractions of "
        "its width and height, from 0 to 1, not pixels",
        to->x, to->y);
  return TRUE;
}

gboolean
gst_infer_scene_read_points (GstInferSceneReader *r, InferJsonValue list,
    guint n, GstInferScenePoint *points)
{
  for (guint i = 0; i < n; i++)
    if (!read_point (r, infer_json_at (list, i), &points[i]))
      return FALSE;
  return TRUE;
}

GstInferGridPoint
gst_infer_scene_point_to_grid (GstInferScenePoint point)
{
  return (GstInferGridPoint){ (gint32) lround (point.x * GST_INFER_GRID),
    (gint32) lround (point.y * GST_INFER_GRID) };
}

gboolean
gst_infer_scene_take_choice (GstInferSceneReader *r, InferJsonValue value,
    const char *const *names, int *to)
{
  const char *name;

  if (infer_json_type (value) == INFER_JSON_STRING
      && infer_json_to_string (value, &name, NULL, NULL))
    for (int i = 0; names[i] != NULL; i++)
      if (g_str_equal (names[i], name)) {
        *to = i;
        return TRUE;
      }
  g_autofree char *list = join ("\", \"", names);
  return gst_infer_scene_fail (r, value, "one of \"%s\" was expected", list);
}

gboolean
gst_infer_scene_read_choice (GstInferSceneReader *r, InferJsonValue object,
    const char *key, const char *const *names, int *to)
{
  const InferJsonValue value = infer_json_find (object, key);

  return infer_json_type (value) <= INFER_JSON_NULL
         || gst_infer_scene_take_choice (r, value, names, to);
}

gboolean
gst_infer_scene_read_labels (
    GstInferSceneReader *r, InferJsonValue object, const char *key, GStrv *to)
{
  const InferJsonValue list = infer_json_find (object, key);
  const guint n = infer_json_length (list);
  const char *label;

  if (infer_json_type (list) <= INFER_JSON_NULL)
    return TRUE;
  if (infer_json_type (list) != INFER_JSON_ARRAY || n == 0)
    return gst_infer_scene_fail (
        r, list, "a list of labels, such as [\"person\"], was expected");
  *to = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++) {
    const InferJsonValue value = infer_json_at (list, i);

    if (infer_json_type (value) != INFER_JSON_STRING
        || !infer_json_to_string (value, &label, NULL, NULL))
      return gst_infer_scene_fail (
          r, value, "a label, in quotes, was expected");
    (*to)[i] = g_strdup (label);
  }
  return TRUE;
}
