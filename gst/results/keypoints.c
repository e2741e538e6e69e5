/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keypoints: a disc for each, lines between those of a body, a polygon around a
 * text. */

#include <math.h>

#include "gst/common/json-text.h"
#include "gst/infer/keypoints-meta.h"
#include "gst/results/kind.h"

#define MANY_POINTS 60  /* drawn smaller, without an edge */
#define LEAST_SCORE 0.3 /* to be drawn */

/* COCO's: nose, eyes, ears, shoulders, elbows, wrists, hips, knees, ankles. */
static const guint8 coco_limbs[][2] = { { 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 4 },
  { 5, 6 }, { 5, 7 }, { 7, 9 }, { 6, 8 }, { 8, 10 }, { 5, 11 }, { 6, 12 },
  { 11, 12 }, { 11, 13 }, { 13, 15 }, { 12, 14 }, { 14, 16 } };
/* BlazePose's: nose, eyes and ears (1 to 8), mouth, shoulders, elbows, wrists,
 * hands (17 to 22), hips, knees, ankles, heels, toes. */
static const guint8 blaze_limbs[][2] = { { 0, 2 }, { 2, 7 }, { 0, 5 }, { 5, 8 },
  { 9, 10 }, { 11, 12 }, { 11, 13 }, { 13, 15 }, { 15, 17 }, { 15, 19 },
  { 17, 19 }, { 15, 21 }, { 12, 14 }, { 14, 16 }, { 16, 18 }, { 16, 20 },
  { 18, 20 }, { 16, 22 }, { 11, 23 }, { 12, 24 }, { 23, 24 }, { 23, 25 },
  { 25, 27 }, { 27, 29 }, { 27, 31 }, { 29, 31 }, { 24, 26 }, { 26, 28 },
  { 28, 30 }, { 28, 32 }, { 30, 32 } };

/* Points and the lines between them, with their sizes in pixels. */
typedef struct
{
  GstInferCanvas *canvas;
  const GstInferKeypoint *points;
  guint n;
  int radius, width;
} Figure;

static void
draw_line (const Figure *f, guint a, guint b)
{
  const GstInferKeypoint *from = &f->points[a], *to = &f->points[b];

  gst_infer_canvas_line (f->canvas, gst_infer_canvas_pixel (from->x),
      gst_infer_canvas_pixel (from->y), gst_infer_canvas_pixel (to->x),
      gst_infer_canvas_pixel (to->y), f->width);
}

static gboolean
is_seen (const GstInferKeypoint *point)
{
  return point->score >= LEAST_SCORE;
}

static void
draw_limbs (const Figure *f, const guint8 (*limbs)[2], gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (is_seen (&f->points[limbs[i][0]]) && is_seen (&f->points[limbs[i][1]]))
      draw_line (f, limbs[i][0], limbs[i][1]);
}

static void
draw_figure (const Figure *f, GstInferKeypointsKind kind)
{
  if (kind == GST_INFER_KEYPOINTS_POLYGON) {
    for (guint i = 0; i < f->n; i++)
      draw_line (f, i, (i + 1) % f->n);
    return;
  }
  if (kind == GST_INFER_KEYPOINTS_BODY && f->n == 17)
    draw_limbs (f, coco_limbs, G_N_ELEMENTS (coco_limbs));
  if (kind == GST_INFER_KEYPOINTS_BODY && f->n == 33)
    draw_limbs (f, blaze_limbs, G_N_ELEMENTS (blaze_limbs));
  for (guint i = 0; i < f->n; i++)
    if (is_seen (&f->points[i]))
      gst_infer_canvas_disc (f->canvas, gst_infer_canvas_pixel (f->points[i].x),
          gst_infer_canvas_pixel (f->points[i].y), f->radius);
}

/* With a black edge, to be visible on any background, unless the points are so
 * close that the edges would cover them. */
static void
draw_keypoints (GstInferDrawing *d, const GstInferKeypointsMeta *points)
{
  gboolean many = points->n > MANY_POINTS;
  Figure figure = { d->canvas, points->points, points->n,
    many ? d->scale / 2 : d->scale, MAX (d->scale, 2) };
  Figure edge = figure;

  edge.radius++;
  edge.width += 2;
  if (!many) {
    gst_infer_canvas_set_color (d->canvas, GST_INFER_BLACK);
    draw_figure (&edge, points->kind);
  }
  gst_infer_canvas_set_color (
      d->canvas, gst_infer_palette (MAX (points->roi_id, 0) + 2));
  draw_figure (&figure, points->kind);
}

static void
draw_all (GstInferDrawing *d, GstBuffer *buffer)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_INFER_KEYPOINTS_META_API_TYPE)))
    draw_keypoints (d, (const GstInferKeypointsMeta *) meta);
}

static void
append_points (GString *line, const GstInferKeypointsMeta *points)
{
  g_string_append_c (line, '[');
  for (guint i = 0; i < points->n; i++) {
    const double numbers[] = { points->points[i].x, points->points[i].y,
      points->points[i].score };

    gst_infer_json_begin_item (line, '[');
    for (guint k = 0; k < 3; k++) {
      if (k > 0)
        g_string_append_c (line, ',');
      gst_infer_json_real (line, numbers[k], GST_INFER_JSON_REAL);
    }
    g_string_append_c (line, ']');
  }
  g_string_append_c (line, ']');
}

/* Appends a list of the sets of points that belong to @roi. */
static guint
add_points (GString *line, GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi)
{
  g_autoptr (GPtrArray) sets = g_ptr_array_new ();
  int roi_id = roi != NULL ? roi->id : -1;
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_INFER_KEYPOINTS_META_API_TYPE)))
    if (((GstInferKeypointsMeta *) meta)->roi_id == roi_id)
      g_ptr_array_add (sets, meta);
  if (sets->len == 0)
    return 0;
  gst_infer_json_begin (line, "keypoints", '[');
  for (guint i = 0; i < sets->len; i++) {
    if (i > 0)
      g_string_append_c (line, ',');
    append_points (line, g_ptr_array_index (sets, i));
  }
  g_string_append_c (line, ']');
  return sets->len;
}

const GstInferResultKind gst_infer_result_keypoints = {
  .property = "draw-keypoints",
  .nick = "Keypoints",
  .blurb = "Draw keypoints, limbs of bodies and outlines of texts",
  .api = gst_infer_keypoints_meta_api_get_type,
  .draw_shapes = draw_all,
  .add_json = add_points,
};
