/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/scene/settings.h"

#include <math.h>
#include <string.h>

#include "gst/scene/geometry.h"
#include "inference/base/json.h"

#define MOST_SECONDS 1e9
#define MARGIN 0.01
#define STILL 0.05
#define DISTANCE 0.1
#define WIDTH 0.1

typedef struct
{
  GArray *items;         /* (element-type GstInferSceneItem) */
  GstInferSceneItem *to; /* NULL, or what is read */
  GError **error;
} Reader;

/* --- errors --- */

/* Says which item is meant: its place in the list alone tells people little. */
static gboolean fail (Reader *r, InferJsonValue value, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
fail (Reader *r, InferJsonValue value, const char *format, ...)
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

static gboolean
check_keys (Reader *r, InferJsonValue object, const char *const *known)
{
  for (guint i = 0; i < infer_json_length (object); i++) {
    const char *key = infer_json_key (object, i, NULL);

    if (g_strv_contains (known, key))
      continue;
    g_autofree char *list = join (", ", known);
    return fail (r, object, "there is no key '%s'; there are %s", key, list);
  }
  return TRUE;
}

/* --- values --- */

/* @least < the number ≤ @most; absent: *@to stays. */
static gboolean
read_number (Reader *r, InferJsonValue object, const char *key, double least,
    double most, double *to)
{
  const InferJsonValue value = infer_json_find (object, key);
  double number;

  if (infer_json_type (value) <= INFER_JSON_NULL)
    return TRUE;
  if (infer_json_type (value) != INFER_JSON_NUMBER)
    return fail (r, value, "a number was expected");
  infer_json_to_number (value, &number, NULL);
  if (!(number >= least && number <= most))
    return fail (r, value, "%g is not between %g and %g", number, least, most);
  *to = number;
  return TRUE;
}

static gboolean
read_seconds (
    Reader *r, InferJsonValue object, const char *key, GstClockTime *to)
{
  double seconds = -1;

  if (!read_number (r, object, key, 0, MOST_SECONDS, &seconds))
    return FALSE;
  if (seconds >= 0)
    *to = (GstClockTime) llround (seconds * GST_SECOND);
  return TRUE;
}

/* Of an array [x, y], or an object {"x": …, "y": …} as in gvaanalytics. */
static gboolean
read_point (Reader *r, InferJsonValue value, GstInferScenePoint *to)
{
  const gboolean pair = infer_json_type (value) == INFER_JSON_ARRAY
                        && infer_json_length (value) == 2;
  const InferJsonValue x =
      pair ? infer_json_at (value, 0) : infer_json_find (value, "x");
  const InferJsonValue y =
      pair ? infer_json_at (value, 1) : infer_json_find (value, "y");

  if (infer_json_type (x) != INFER_JSON_NUMBER
      || infer_json_type (y) != INFER_JSON_NUMBER)
    return fail (r, value, "a point is [x, y] or {\"x\": x, \"y\": y}");
  infer_json_to_number (x, &to->x, NULL);
  infer_json_to_number (y, &to->y, NULL);
  if (!(to->x >= 0 && to->x <= 1 && to->y >= 0 && to->y <= 1))
    return fail (r, value,
        "the point (%g, %g) is not on the frame: coordinates are fractions of "
        "its width and height, from 0 to 1, not pixels",
        to->x, to->y);
  return TRUE;
}

static gboolean
read_points (
    Reader *r, InferJsonValue list, guint n, GstInferScenePoint *points)
{
  for (guint i = 0; i < n; i++)
    if (!read_point (r, infer_json_at (list, i), &points[i]))
      return FALSE;
  return TRUE;
}

static GstInferGridPoint
to_grid (GstInferScenePoint point)
{
  return (GstInferGridPoint){ (gint32) lround (point.x * GST_INFER_GRID),
    (gint32) lround (point.y * GST_INFER_GRID) };
}

static gboolean
check_polygon (Reader *r, InferJsonValue list)
{
  const GstInferSceneItem *item = r->to;
  g_autofree GstInferGridPoint *points = g_new (GstInferGridPoint, item->n);
  guint a, b;

  for (guint i = 0; i < item->n; i++)
    points[i] = to_grid (item->points[i]);
  if (!gst_infer_grid_find_fault (points, item->n, &a, &b))
    return TRUE;
  if (a == b)
    return fail (r, list, "point %u is the same as the next one", a);
  return fail (r, list,
      "the edge from point %u meets the edge from point %u: a polygon must not "
      "cross or touch itself",
      a, b);
}

static gboolean
check_line (Reader *r, InferJsonValue list)
{
  const GstInferSceneItem *item = r->to;

  for (guint i = 1; i < item->n; i++) {
    const GstInferGridPoint a = to_grid (item->points[i - 1]);
    const GstInferGridPoint b = to_grid (item->points[i]);

    if (a.x == b.x && a.y == b.y)
      return fail (r, list, "point %u is the same as the next one", i - 1);
  }
  return TRUE;
}

static gboolean
read_shape (Reader *r, InferJsonValue object, guint least, guint most)
{
  const InferJsonValue list = infer_json_find (object, "points");
  const guint n = infer_json_length (list);

  if (infer_json_type (list) != INFER_JSON_ARRAY)
    return fail (r, list.node != NULL ? list : object,
        "'points' must be a list of points");
  if (n < least || n > most)
    return least == most
               ? fail (r, list, "%u points were expected, not %u", least, n)
               : fail (r, list, "%u to %u points were expected, not %u", least,
                   most, n);
  r->to->points = g_new (GstInferScenePoint, n);
  r->to->n = n;
  if (!read_points (r, list, n, r->to->points))
    return FALSE;
  return r->to->kind == GST_INFER_SCENE_ZONE ? check_polygon (r, list)
                                             : check_line (r, list);
}

/* --- what all have --- */

static gboolean
read_id (Reader *r, InferJsonValue object)
{
  const InferJsonValue value = infer_json_find (object, "id");
  const char *id;

  if (infer_json_type (value) != INFER_JSON_STRING
      || !infer_json_to_string (value, &id, NULL, NULL) || *id == '\0')
    return fail (r, value.node != NULL ? value : object,
        "the %s needs a name in 'id', a text",
        gst_infer_scene_kind_name (r->to->kind));
  for (guint i = 0; i + 1 < r->items->len; i++) {
    const GstInferSceneItem *other =
        &g_array_index (r->items, GstInferSceneItem, i);

    if (other->kind == r->to->kind && g_str_equal (other->id, id))
      return fail (r, value, "another %s is called '%s', too",
          gst_infer_scene_kind_name (other->kind), id);
  }
  r->to->id = g_ref_string_new (id);
  return TRUE;
}

static gboolean
read_labels (Reader *r, InferJsonValue object)
{
  const InferJsonValue list = infer_json_find (object, "labels");
  const guint n = infer_json_length (list);
  const char *label;

  if (infer_json_type (list) <= INFER_JSON_NULL)
    return TRUE;
  if (infer_json_type (list) != INFER_JSON_ARRAY || n == 0)
    return fail (
        r, list, "a list of labels, such as [\"person\"], was expected");
  r->to->labels = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++) {
    const InferJsonValue value = infer_json_at (list, i);

    if (infer_json_type (value) != INFER_JSON_STRING
        || !infer_json_to_string (value, &label, NULL, NULL))
      return fail (r, value, "a label, in quotes, was expected");
    r->to->labels[i] = g_strdup (label);
  }
  return TRUE;
}

/* One of @names, NULL-terminated; absent: *@to stays. */
static gboolean
read_choice (Reader *r, InferJsonValue object, const char *key,
    const char *const *names, int *to)
{
  const InferJsonValue value = infer_json_find (object, key);
  const char *name;

  if (infer_json_type (value) <= INFER_JSON_NULL)
    return TRUE;
  if (infer_json_type (value) == INFER_JSON_STRING
      && infer_json_to_string (value, &name, NULL, NULL))
    for (int i = 0; names[i] != NULL; i++)
      if (g_str_equal (names[i], name)) {
        *to = i;
        return TRUE;
      }
  g_autofree char *list = join ("\", \"", names);
  return fail (r, value, "one of \"%s\" was expected", list);
}

static gboolean
read_common (Reader *r, InferJsonValue object)
{
  static const char *const anchors[] = { "bottom", "center", "top", NULL };
  int anchor = GST_INFER_SCENE_BOTTOM;

  r->to->margin = MARGIN;
  if (!read_labels (r, object)
      || !read_number (
          r, object, "min_confidence", 0, 1, &r->to->min_confidence)
      || !read_number (r, object, "margin", 0, 1, &r->to->margin)
      || !read_choice (r, object, "anchor", anchors, &anchor))
    return FALSE;
  r->to->anchor = (GstInferSceneAnchor) anchor;
  return TRUE;
}

/* --- kinds --- */

static gboolean
read_direction (Reader *r, InferJsonValue object)
{
  const InferJsonValue list = infer_json_find (object, "direction");

  if (infer_json_type (list) <= INFER_JSON_NULL)
    return TRUE;
  if (infer_json_type (list) != INFER_JSON_ARRAY
      || infer_json_length (list) != 2)
    return fail (r, list, "two points, from and to, were expected");
  if (!read_points (r, list, 2, r->to->direction))
    return FALSE;
  const GstInferGridPoint a = to_grid (r->to->direction[0]);
  const GstInferGridPoint b = to_grid (r->to->direction[1]);
  if (a.x == b.x && a.y == b.y)
    return fail (r, list, "the two points are the same");
  r->to->directed = TRUE;
  return TRUE;
}

static gboolean
read_crowd (Reader *r, InferJsonValue object)
{
  double threshold = 0;

  r->to->time_threshold = 0;
  if (!read_number (r, object, "object_threshold", 1, 1e6, &threshold)
      || !read_seconds (r, object, "time_threshold", &r->to->time_threshold))
    return FALSE;
  if (threshold != floor (threshold))
    return fail (r, infer_json_find (object, "object_threshold"),
        "a whole number was expected");
  r->to->object_threshold = (guint) threshold;
  return TRUE;
}

static gboolean
read_zone (Reader *r, InferJsonValue object)
{
  static const char *const known[] = { "id", "type", "points", "labels",
    "min_confidence", "anchor", "margin", "loitering", "left", "removed",
    "still", "object_threshold", "time_threshold", "direction", "distance",
    NULL };
  static const char *const types[] = { "polygon", NULL };
  int type = 0;

  r->to->still = STILL;
  r->to->distance = DISTANCE;
  return check_keys (r, object, known) && read_common (r, object)
         && read_choice (r, object, "type", types, &type)
         && read_shape (r, object, 3, GST_INFER_SCENE_MOST_POINTS)
         && read_seconds (r, object, "loitering", &r->to->loitering)
         && read_seconds (r, object, "left", &r->to->left)
         && read_seconds (r, object, "removed", &r->to->removed)
         && read_number (r, object, "still", 0, 1, &r->to->still)
         && read_number (r, object, "distance", 0, 1, &r->to->distance)
         && read_crowd (r, object) && read_direction (r, object);
}

static gboolean
read_tripwire (Reader *r, InferJsonValue object)
{
  static const char *const known[] = { "id", "points", "labels",
    "min_confidence", "anchor", "margin", "allowed", NULL };
  static const char *const ways[] = { "both", "in", "out", NULL };
  int allowed = 0;

  if (!check_keys (r, object, known) || !read_common (r, object)
      || !read_shape (r, object, 2, 2)
      || !read_choice (r, object, "allowed", ways, &allowed))
    return FALSE;
  r->to->allowed = allowed == 2 ? -1 : allowed;
  return TRUE;
}

static gboolean
read_metres (Reader *r, InferJsonValue object)
{
  const InferJsonValue value = infer_json_find (object, "metres");
  const guint n = r->to->n;

  r->to->metres = g_new0 (double, n);
  if (infer_json_type (value) == INFER_JSON_NUMBER && n == 2)
    return read_number (r, object, "metres", 0.001, 1e6, &r->to->metres[1]);
  if (infer_json_type (value) != INFER_JSON_ARRAY
      || infer_json_length (value) != n)
    return fail (r, value.node != NULL ? value : object,
        "'metres' must be the length of a line of two points, or a list with "
        "the distance of each of the %u points from the first",
        n);
  for (guint i = 0; i < n; i++) {
    const InferJsonValue at = infer_json_at (value, i);

    if (infer_json_type (at) != INFER_JSON_NUMBER)
      return fail (r, at, "a number was expected");
    infer_json_to_number (at, &r->to->metres[i], NULL);
    if (i == 0 ? r->to->metres[0] != 0
               : !(r->to->metres[i] > r->to->metres[i - 1]
                   && r->to->metres[i] <= 1e6))
      return fail (r, at, "distances begin with 0 and grow, up to 1e6");
  }
  return TRUE;
}

static gboolean
read_speed_line (Reader *r, InferJsonValue object)
{
  static const char *const known[] = { "id", "points", "labels",
    "min_confidence", "anchor", "margin", "metres", "width", "limit", NULL };

  r->to->width = WIDTH;
  return check_keys (r, object, known) && read_common (r, object)
         && read_shape (r, object, 2, GST_INFER_SCENE_MOST_POINTS)
         && read_metres (r, object)
         && read_number (r, object, "width", 0.001, 10, &r->to->width)
         && read_number (r, object, "limit", 0, 1e4, &r->to->limit);
}

/* --- lists --- */

static gboolean
read_item (Reader *r, InferJsonValue value, GstInferSceneKind kind)
{
  const GstInferSceneItem empty = {
    .kind = kind,
    .loitering = GST_CLOCK_TIME_NONE,
    .left = GST_CLOCK_TIME_NONE,
    .removed = GST_CLOCK_TIME_NONE,
  };

  if (r->items->len >= GST_INFER_SCENE_MOST_SHAPES)
    return fail (r, value, "there are more than %u zones, tripwires and lines",
        GST_INFER_SCENE_MOST_SHAPES);
  g_array_append_val (r->items, empty);
  r->to = &g_array_index (r->items, GstInferSceneItem, r->items->len - 1);
  if (infer_json_type (value) != INFER_JSON_OBJECT)
    return fail (r, value, "an object in {} was expected");
  if (!read_id (r, value))
    return FALSE;
  const gboolean ok = kind == GST_INFER_SCENE_ZONE ? read_zone (r, value)
                      : kind == GST_INFER_SCENE_TRIPWIRE
                          ? read_tripwire (r, value)
                          : read_speed_line (r, value);
  r->to = NULL;
  return ok;
}

/* @list may be absent. */
static gboolean
read_list (Reader *r, InferJsonValue list, GstInferSceneKind kind)
{
  if (infer_json_type (list) <= INFER_JSON_NULL)
    return TRUE;
  if (infer_json_type (list) != INFER_JSON_ARRAY)
    return fail (r, list, "a list in [] was expected");
  for (guint i = 0; i < infer_json_length (list); i++)
    if (!read_item (r, infer_json_at (list, i), kind))
      return FALSE;
  return TRUE;
}

#define N_KINDS 3
static const char *const list_names[N_KINDS + 1] = { "zones", "tripwires",
  "speed_lines", NULL };

static GstInferSceneSettings *
finish (Reader *r, gboolean ok)
{
  GstInferSceneSettings *settings = NULL;

  if (ok) {
    settings = g_atomic_rc_box_new0 (GstInferSceneSettings);
    settings->n = r->items->len;
    g_array_set_clear_func (r->items, NULL);
    settings->items =
        (GstInferSceneItem *) (gpointer) g_array_free (r->items, FALSE);
  } else {
    g_array_unref (r->items);
  }
  return settings;
}

static void
begin (Reader *r, GError **error)
{
  *r = (Reader){ g_array_new (FALSE, FALSE, sizeof (GstInferSceneItem)), NULL,
    error };
  g_array_set_clear_func (r->items, gst_infer_scene_item_clear);
}

static gboolean
check_root (Reader *r, InferJsonValue root)
{
  if (infer_json_type (root) != INFER_JSON_OBJECT)
    return fail (r, root, "an object in {} was expected");
  return check_keys (r, root, list_names);
}

/* @config may be NULL; @lists [N_KINDS], each of them too. */
static GstInferSceneSettings *
read_all (const InferJson *config, InferJson *const *lists, GError **error)
{
  Reader r;
  gboolean ok = TRUE;

  begin (&r, error);
  if (config != NULL)
    ok = check_root (&r, infer_json_root (config));
  for (guint i = 0; i < N_KINDS && ok; i++) {
    InferJsonValue list = { NULL, NULL };

    if (lists[i] != NULL)
      list = infer_json_root (lists[i]);
    else if (config != NULL)
      list = infer_json_find (infer_json_root (config), list_names[i]);
    ok = read_list (&r, list, (GstInferSceneKind) i);
  }
  return finish (&r, ok);
}

GstInferSceneSettings *
gst_infer_scene_settings_parse (
    const char *name, const char *text, gsize size, GError **error)
{
  InferJson *const lists[N_KINDS] = { NULL };
  g_autoptr (InferJson) json = infer_json_parse (name, text, size, error);

  return json != NULL ? read_all (json, lists, error) : NULL;
}

GstInferSceneSettings *
gst_infer_scene_settings_new (const char *config, const char *zones,
    const char *tripwires, const char *speed_lines, GError **error)
{
  const char *const texts[N_KINDS] = { zones, tripwires, speed_lines };
  static const char *const properties[N_KINDS] = { "zones", "tripwires",
    "speed-lines" };
  InferJson *lists[N_KINDS] = { NULL };
  g_autoptr (InferJson) json = NULL;
  gboolean ok = TRUE;

  if (config != NULL && *config != '\0') {
    json = infer_json_read (config, error);
    ok = json != NULL;
  }
  for (guint i = 0; i < N_KINDS && ok; i++)
    if (texts[i] != NULL && *texts[i] != '\0') {
      lists[i] =
          infer_json_parse (properties[i], texts[i], strlen (texts[i]), error);
      ok = lists[i] != NULL;
    }
  GstInferSceneSettings *settings = ok ? read_all (json, lists, error) : NULL;
  for (guint i = 0; i < N_KINDS; i++)
    infer_json_free (lists[i]);
  return settings;
}
