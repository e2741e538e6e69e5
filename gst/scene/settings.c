/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/scene/settings.h"

#include <string.h>

#include "gst/scene/settings-reader.h"

#define MARGIN 0.01
#define WIDTH 0.1

/* --- shapes --- */

static gboolean
check_polygon (GstInferSceneReader *r, InferJsonValue list)
{
  const GstInferSceneItem *item = r->to;
  g_autofree GstInferGridPoint *points = g_new (GstInferGridPoint, item->n);
  guint a, b;

  for (guint i = 0; i < item->n; i++)
    points[i] = gst_infer_scene_point_to_grid (item->points[i]);
  if (!gst_infer_grid_find_fault (points, item->n, &a, &b))
    return TRUE;
  if (a == b)
    return gst_infer_scene_fail (
        r, list, "point %u is the same as the next one", a);
  return gst_infer_scene_fail (r, list,
      "the edge from point %u meets the edge from point %u: a polygon must not "
      "cross or touch itself",
      a, b);
}

static gboolean
check_line (GstInferSceneReader *r, InferJsonValue list)
{
  const GstInferSceneItem *item = r->to;

  for (guint i = 1; i < item->n; i++) {
    const GstInferGridPoint a =
        gst_infer_scene_point_to_grid (item->points[i - 1]);
    const GstInferGridPoint b = gst_infer_scene_point_to_grid (item->points[i]);

    if (a.x == b.x && a.y == b.y)
      return gst_infer_scene_fail (
          r, list, "point %u is the same as the next one", i - 1);
  }
  return TRUE;
}

static gboolean
read_shape (
    GstInferSceneReader *r, InferJsonValue object, guint least, guint most)
{
  const InferJsonValue list = infer_json_find (object, "points");
  const guint n = infer_json_length (list);

  if (infer_json_type (list) != INFER_JSON_ARRAY)
    return gst_infer_scene_fail (r, list.node != NULL ? list : object,
        "'points' must be a list of points");
  if (n < least || n > most)
    return least == most
               ? gst_infer_scene_fail (
                   r, list, "%u points were expected, not %u", least, n)
               : gst_infer_scene_fail (r, list,
                   "%u to %u points were expected, not %u", least, most, n);
  r->to->points = g_new (GstInferScenePoint, n);
  r->to->n = n;
  if (!gst_infer_scene_read_points (r, list, n, r->to->points))
    return FALSE;
  return r->to->kind == GST_INFER_SCENE_ZONE ? check_polygon (r, list)
                                             : check_line (r, list);
}

/* --- what all have --- */

static gboolean
read_id (GstInferSceneReader *r, InferJsonValue object)
{
  const InferJsonValue value = infer_json_find (object, "id");
  const char *id;

  if (infer_json_type (value) != INFER_JSON_STRING
      || !infer_json_to_string (value, &id, NULL, NULL) || *id == '\0')
    return gst_infer_scene_fail (r, value.node != NULL ? value : object,
        "the %s needs a name in 'id', a text",
        gst_infer_scene_kind_name (r->to->kind));
  for (guint i = 0; i + 1 < r->items->len; i++) {
    const GstInferSceneItem *other =
        &g_array_index (r->items, GstInferSceneItem, i);

    if (other->kind == r->to->kind && g_str_equal (other->id, id))
      return gst_infer_scene_fail (r, value, "another %s is called '%s', too",
          gst_infer_scene_kind_name (other->kind), id);
  }
  r->to->id = g_ref_string_new (id);
  return TRUE;
}

static gboolean
read_common (GstInferSceneReader *r, InferJsonValue object)
{
  static const char *const anchors[] = { "bottom", "center", "top", "mask",
    NULL };
  int anchor = GST_INFER_SCENE_BOTTOM;

  r->to->margin = MARGIN;
  if (!gst_infer_scene_read_labels (r, object, "labels", &r->to->labels)
      || !gst_infer_scene_read_number (
          r, object, "min_confidence", 0, 1, &r->to->min_confidence)
      || !gst_infer_scene_read_number (
          r, object, "margin", 0, 1, &r->to->margin)
      || !gst_infer_scene_read_choice (r, object, "anchor", anchors, &anchor))
    return FALSE;
  r->to->anchor = (GstInferSceneAnchor) anchor;
  return TRUE;
}

/* --- kinds --- */

static gboolean
read_zone (GstInferSceneReader *r, InferJsonValue object)
{
  return gst_infer_scene_check_keys (r, object, gst_infer_scene_zone_keys)
         && read_common (r, object)
         && read_shape (r, object, 3, GST_INFER_SCENE_MOST_POINTS)
         && gst_infer_scene_read_zone (r, object);
}

static gboolean
read_tripwire (GstInferSceneReader *r, InferJsonValue object)
{
  static const char *const known[] = { "id", "points", "labels",
    "min_confidence", "anchor", "margin", "allowed", NULL };
  static const char *const ways[] = { "both", "in", "out", NULL };
  int allowed = 0;

  if (!gst_infer_scene_check_keys (r, object, known) || !read_common (r, object)
      || !read_shape (r, object, 2, 2)
      || !gst_infer_scene_read_choice (r, object, "allowed", ways, &allowed))
    return FALSE;
  r->to->allowed = allowed == 2 ? -1 : allowed;
  return TRUE;
}

static gboolean
read_metres (GstInferSceneReader *r, InferJsonValue object)
{
  const InferJsonValue value = infer_json_find (object, "metres");
  const guint n = r->to->n;

  r->to->metres = g_new0 (double, n);
  if (infer_json_type (value) == INFER_JSON_NUMBER && n == 2)
    return gst_infer_scene_read_number (
        r, object, "metres", 0.001, 1e6, &r->to->metres[1]);
  if (infer_json_type (value) != INFER_JSON_ARRAY
      || infer_json_length (value) != n)
    return gst_infer_scene_fail (r, value.node != NULL ? value : object,
        "'metres' must be the length of a line of two points, or a list with "
        "the distance of each of the %u points from the first",
        n);
  for (guint i = 0; i < n; i++) {
    const InferJsonValue at = infer_json_at (value, i);

    if (infer_json_type (at) != INFER_JSON_NUMBER)
      return gst_infer_scene_fail (r, at, "a number was expected");
    infer_json_to_number (at, &r->to->metres[i], NULL);
    if (i == 0 ? r->to->metres[0] != 0
               : !(r->to->metres[i] > r->to->metres[i - 1]
                   && r->to->metres[i] <= 1e6))
      return gst_infer_scene_fail (
          r, at, "distances begin with 0 and grow, up to 1e6");
  }
  return TRUE;
}

static gboolean
read_speed_line (GstInferSceneReader *r, InferJsonValue object)
{
  static const char *const known[] = { "id", "points", "labels",
    "min_confidence", "anchor", "margin", "metres", "width", "limit", NULL };

  r->to->width = WIDTH;
  return gst_infer_scene_check_keys (r, object, known)
         && read_common (r, object)
         && read_shape (r, object, 2, GST_INFER_SCENE_MOST_POINTS)
         && read_metres (r, object)
         && gst_infer_scene_read_number (
             r, object, "width", 0.001, 10, &r->to->width)
         && gst_infer_scene_read_number (
             r, object, "limit", 0, 1e4, &r->to->limit);
}

/* --- lists --- */

static gboolean
read_item (GstInferSceneReader *r, InferJsonValue value, GstInferSceneKind kind)
{
  const GstInferSceneItem empty = {
    .kind = kind,
    .loitering = GST_CLOCK_TIME_NONE,
    .left = GST_CLOCK_TIME_NONE,
    .removed = GST_CLOCK_TIME_NONE,
  };

  if (r->items->len >= GST_INFER_SCENE_MOST_SHAPES)
    return gst_infer_scene_fail (r, value,
        "there are more than %u zones, tripwires and lines",
        GST_INFER_SCENE_MOST_SHAPES);
  g_array_append_val (r->items, empty);
  r->to = &g_array_index (r->items, GstInferSceneItem, r->items->len - 1);
  if (infer_json_type (value) != INFER_JSON_OBJECT)
    return gst_infer_scene_fail (r, value, "an object in {} was expected");
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
read_list (GstInferSceneReader *r, InferJsonValue list, GstInferSceneKind kind)
{
  if (infer_json_type (list) <= INFER_JSON_NULL)
    return TRUE;
  if (infer_json_type (list) != INFER_JSON_ARRAY)
    return gst_infer_scene_fail (r, list, "a list in [] was expected");
  for (guint i = 0; i < infer_json_length (list); i++)
    if (!read_item (r, infer_json_at (list, i), kind))
      return FALSE;
  return TRUE;
}

#define N_KINDS 3
static const char *const list_names[N_KINDS + 1] = { "zones", "tripwires",
  "speed_lines", NULL };

static GstInferSceneSettings *
finish (GstInferSceneReader *r, gboolean ok)
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
begin (GstInferSceneReader *r, GError **error)
{
  *r = (GstInferSceneReader){
    g_array_new (FALSE, FALSE, sizeof (GstInferSceneItem)), NULL, error
  };
  g_array_set_clear_func (r->items, gst_infer_scene_item_clear);
}

static gboolean
check_root (GstInferSceneReader *r, InferJsonValue root)
{
  if (infer_json_type (root) != INFER_JSON_OBJECT)
    return gst_infer_scene_fail (r, root, "an object in {} was expected");
  return gst_infer_scene_check_keys (r, root, list_names);
}

/* @config may be NULL; @lists [N_KINDS], each of them too. */
static GstInferSceneSettings *
read_all (const InferJson *config, InferJson *const *lists, GError **error)
{
  GstInferSceneReader r;
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
