/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rules of a zone. */

#include "gst/scene/pose.h"
#include "gst/scene/settings-reader.h"

#define STILL 0.05
#define DISTANCE 0.1
#define OVERLAP 0.5
#define COVERED 0.5
#define VOTES 3
#define SHARE 0.6
#define POSE_TIME (500 * GST_MSECOND)

static gboolean
read_direction (GstInferSceneReader *r, InferJsonValue object)
{
  const InferJsonValue list = infer_json_find (object, "direction");

  if (infer_json_type (list) <= INFER_JSON_NULL)
    return TRUE;
  if (infer_json_type (list) != INFER_JSON_ARRAY
      || infer_json_length (list) != 2)
    return gst_infer_scene_fail (
        r, list, "two points, from and to, were expected");
  if (!gst_infer_scene_read_points (r, list, 2, r->to->direction))
    return FALSE;
  const GstInferGridPoint a =
      gst_infer_scene_point_to_grid (r->to->direction[0]);
  const GstInferGridPoint b =
      gst_infer_scene_point_to_grid (r->to->direction[1]);
  if (a.x == b.x && a.y == b.y)
    return gst_infer_scene_fail (r, list, "the two points are the same");
  r->to->directed = TRUE;
  return TRUE;
}

static gboolean
read_crowd (GstInferSceneReader *r, InferJsonValue object)
{
  return gst_infer_scene_read_count (
             r, object, "object_threshold", 1000000, &r->to->object_threshold)
         && gst_infer_scene_read_seconds (
             r, object, "time_threshold", &r->to->time_threshold);
}

static gboolean
read_poses (GstInferSceneReader *r, InferJsonValue object)
{
  const InferJsonValue list = infer_json_find (object, "poses");
  const guint n = infer_json_length (list);

  r->to->pose_time = POSE_TIME;
  if (!gst_infer_scene_read_seconds (r, object, "pose_time", &r->to->pose_time))
    return FALSE;
  if (infer_json_type (list) <= INFER_JSON_NULL)
    return TRUE;
  if (infer_json_type (list) != INFER_JSON_ARRAY || n == 0)
    return gst_infer_scene_fail (
        r, list, "a list of poses, such as [\"fallen\"], was expected");
  for (guint i = 0; i < n; i++) {
    int pose = 0;

    if (!gst_infer_scene_take_choice (
            r, infer_json_at (list, i), gst_infer_pose_names, &pose))
      return FALSE;
    r->to->poses |= GST_INFER_POSE_BIT (pose);
  }
  return TRUE;
}

/* Points all over the polygon, at which masks are looked up. */
static void
place_samples (GstInferSceneItem *item)
{
  g_autofree GstInferGridPoint *points = g_new (GstInferGridPoint, item->n);
  g_autoptr (GArray) samples =
      g_array_new (FALSE, FALSE, sizeof (GstInferScenePoint));
  const guint n = GST_INFER_SCENE_SAMPLES;
  double x0 = 1, y0 = 1, x1 = 0, y1 = 0;

  for (guint i = 0; i < item->n; i++) {
    points[i] = gst_infer_scene_point_to_grid (item->points[i]);
    x0 = MIN (x0, item->points[i].x), x1 = MAX (x1, item->points[i].x);
    y0 = MIN (y0, item->points[i].y), y1 = MAX (y1, item->points[i].y);
  }
  for (guint i = 0; i < n * n; i++) {
    const GstInferScenePoint at = { x0 + (x1 - x0) * (i % n + 0.5) / n,
      y0 + (y1 - y0) * (i / n + 0.5) / n };

    if (gst_infer_grid_contains (
            points, item->n, gst_infer_scene_point_to_grid (at)))
      g_array_append_val (samples, at);
  }
  item->n_samples = samples->len;
  item->samples = (GstInferScenePoint *) (gpointer) g_array_free (
      g_steal_pointer (&samples), FALSE);
}

static gboolean
read_area (GstInferSceneReader *r, InferJsonValue object)
{
  r->to->overlap = OVERLAP;
  r->to->covered = COVERED;
  if (!gst_infer_scene_read_number (
          r, object, "overlap", 0.01, 1, &r->to->overlap)
      || !gst_infer_scene_read_labels (r, object, "masks", &r->to->masks)
      || !gst_infer_scene_read_number (
          r, object, "covered", 0.001, 1, &r->to->covered)
      || !gst_infer_scene_read_seconds (
          r, object, "covered_time", &r->to->covered_time))
    return FALSE;
  if (r->to->masks != NULL)
    place_samples (r->to);
  return TRUE;
}

static gboolean
read_reading (GstInferSceneReader *r, InferJsonValue object)
{
  static const char *const votes[] = { "off", "text", "characters", NULL };
  int reading = GST_INFER_READING_OFF;

  r->to->reading_votes = VOTES;
  r->to->reading_share = SHARE;
  if (!gst_infer_scene_read_choice (r, object, "reading", votes, &reading))
    return FALSE;
  r->to->reading = (GstInferReading) reading;
  return gst_infer_scene_read_count (
             r, object, "reading_votes", 1000, &r->to->reading_votes)
         && gst_infer_scene_read_number (
             r, object, "reading_share", 0, 1, &r->to->reading_share);
}

const char *const gst_infer_scene_zone_keys[] = { "id", "type", "points",
  "labels", "min_confidence", "anchor", "margin", "loitering", "left",
  "removed", "still", "object_threshold", "time_threshold", "direction",
  "distance", "poses", "pose_time", "overlap", "masks", "covered",
  "covered_time", "reading", "reading_votes", "reading_share", NULL };

gboolean
gst_infer_scene_read_zone (GstInferSceneReader *r, InferJsonValue object)
{
  static const char *const types[] = { "polygon", NULL };
  int type = 0;

  r->to->still = STILL;
  r->to->distance = DISTANCE;
  return gst_infer_scene_read_choice (r, object, "type", types, &type)
         && gst_infer_scene_read_seconds (
             r, object, "loitering", &r->to->loitering)
         && gst_infer_scene_read_seconds (r, object, "left", &r->to->left)
         && gst_infer_scene_read_seconds (r, object, "removed", &r->to->removed)
         && gst_infer_scene_read_number (
             r, object, "still", 0, 1, &r->to->still)
         && gst_infer_scene_read_number (
             r, object, "distance", 0, 1, &r->to->distance)
         && read_crowd (r, object) && read_direction (r, object)
         && read_poses (r, object) && read_area (r, object)
         && read_reading (r, object);
}
