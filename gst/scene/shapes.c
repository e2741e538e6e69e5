/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the shapes of a scene are: on the grid, and in pixels of the frame. */

#include <math.h>

#include "gst/scene/rules.h"

static void
place_direction (GstInferSceneWatch *w, double aspect)
{
  const GstInferScenePoint *at = w->item->direction;
  const GstInferGridPoint from =
      gst_infer_scene_to_grid (aspect, at[0].x, at[0].y);
  const GstInferGridPoint to =
      gst_infer_scene_to_grid (aspect, at[1].x, at[1].y);
  const double length = hypot (to.x - from.x, to.y - from.y);

  w->from_x = from.x;
  w->from_y = from.y;
  w->step_x = length > 0 ? (to.x - from.x) / length : 0;
  w->step_y = length > 0 ? (to.y - from.y) / length : 0;
}

/* In units that no distance between points of the grid is equal to. */
static double
to_length (double heights)
{
  return floor (heights * GST_INFER_GRID) + 0.5;
}

void
gst_infer_scene_watch_place (GstInferSceneWatch *w, double aspect)
{
  const GstInferSceneItem *item = w->item;

  for (guint i = 0; i < item->n; i++)
    w->points[i] =
        gst_infer_scene_to_grid (aspect, item->points[i].x, item->points[i].y);
  w->box = gst_infer_grid_box (w->points, item->n);
  w->margin = to_length (item->margin);
  w->still = to_length (item->still);
  w->distance = to_length (item->distance);
  w->width = to_length (item->width);
  if (item->directed)
    place_direction (w, aspect);
  if (item->kind != GST_INFER_SCENE_SPEED_LINE)
    return;
  const gint32 most = (gint32) w->width + 1;
  w->box.x0 -= most, w->box.y0 -= most;
  w->box.x1 += most, w->box.y1 += most;
}

/* --- in pixels --- */

static void
clear_shape (gpointer data)
{
  g_free (((GstInferSceneShape *) data)->points);
}

GArray *
gst_infer_scene_shapes_new (void)
{
  GArray *shapes = g_array_new (FALSE, FALSE, sizeof (GstInferSceneShape));

  g_array_set_clear_func (shapes, clear_shape);
  return shapes;
}

void
gst_infer_scene_shapes_make (
    GArray *shapes, const GArray *watches, guint width, guint height)
{
  g_array_set_size (shapes, 0);
  for (guint i = 0; i < watches->len; i++) {
    const GstInferSceneItem *item =
        g_array_index (watches, GstInferSceneWatch, i).item;
    GstInferSceneShape shape = { .kind = item->kind,
      .id = item->id,
      .n = item->n,
      .points = g_new (GstInferScenePoint, item->n) };

    for (guint k = 0; k < item->n; k++) {
      shape.points[k].x = item->points[k].x * width;
      shape.points[k].y = item->points[k].y * height;
    }
    g_array_append_val (shapes, shape);
  }
}

void
gst_infer_scene_shapes_count (GArray *shapes, const GArray *watches)
{
  for (guint i = 0; i < shapes->len; i++) {
    const GstInferSceneWatch *w =
        &g_array_index (watches, GstInferSceneWatch, i);
    GstInferSceneShape *shape = &g_array_index (shapes, GstInferSceneShape, i);

    shape->count = w->count;
    shape->in = w->in;
    shape->out = w->out;
    shape->area = w->area;
  }
}
