/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scenes: the outlines of zones, tripwires with an arrow to the side that is
 * "in", speed lines, and their counts; in JSON the events, and the counts
 * beside them. */

#include <math.h>

#include "gst/common/json-text.h"
#include "gst/draw/text.h"
#include "gst/infer/scene-meta.h"
#include "gst/results/kind.h"

#define COLOR 5 /* of the first shape, in the palette */

static GstInferSceneMeta *
next_meta (GstBuffer *buffer, gpointer *state)
{
  return (GstInferSceneMeta *) gst_buffer_iterate_meta_filtered (
      buffer, state, GST_INFER_SCENE_META_API_TYPE);
}

/* --- drawing --- */

static void
draw_line (GstInferDrawing *d, GstInferScenePoint a, GstInferScenePoint b,
    GstInferColor color)
{
  gst_infer_canvas_set_color (d->canvas, GST_INFER_BLACK);
  gst_infer_canvas_line (d->canvas, gst_infer_canvas_pixel (a.x),
      gst_infer_canvas_pixel (a.y), gst_infer_canvas_pixel (b.x),
      gst_infer_canvas_pixel (b.y), d->scale + 2);
  gst_infer_canvas_set_color (d->canvas, color);
  gst_infer_canvas_line (d->canvas, gst_infer_canvas_pixel (a.x),
      gst_infer_canvas_pixel (a.y), gst_infer_canvas_pixel (b.x),
      gst_infer_canvas_pixel (b.y), d->scale);
}

/* From the middle of a tripwire to the right of its direction. */
static void
draw_arrow (
    GstInferDrawing *d, const GstInferScenePoint *line, GstInferColor color)
{
  const double dx = line[1].x - line[0].x, dy = line[1].y - line[0].y;
  const double length = hypot (dx, dy), size = 8.0 * d->scale;
  const GstInferScenePoint from = { (line[0].x + line[1].x) / 2,
    (line[0].y + line[1].y) / 2 };

  if (!(length > 0))
    return;
  const double ux = -dy / length, uy = dx / length;
  const GstInferScenePoint tip = { from.x + size * ux, from.y + size * uy };
  draw_line (d, from, tip, color);
  for (int side = -1; side <= 1; side += 2) {
    const GstInferScenePoint end = { tip.x - size * 0.4 * ux
                                         + side * size * 0.4 * uy,
      tip.y - size * 0.4 * uy - side * size * 0.4 * ux };

    draw_line (d, tip, end, color);
  }
}

static void
draw_shape (
    GstInferDrawing *d, const GstInferSceneShape *shape, GstInferColor color)
{
  for (guint i = 1; i < shape->n; i++)
    draw_line (d, shape->points[i - 1], shape->points[i], color);
  if (shape->kind == GST_INFER_SCENE_ZONE)
    draw_line (d, shape->points[shape->n - 1], shape->points[0], color);
  else if (shape->kind == GST_INFER_SCENE_TRIPWIRE)
    draw_arrow (d, shape->points, color);
}

/* (transfer full) */
static char *
text_of (const GstInferSceneShape *shape)
{
  g_autofree char *id = g_utf8_make_valid (shape->id, -1);

  switch (shape->kind) {
    case GST_INFER_SCENE_ZONE:
      return shape->area >= 0 ? g_strdup_printf (
                 "%s: %u, %.0f %%", id, shape->count, 100 * shape->area)
                              : g_strdup_printf ("%s: %u", id, shape->count);
    case GST_INFER_SCENE_TRIPWIRE:
      return g_strdup_printf ("%s: in %" G_GUINT64_FORMAT
                              ", out %" G_GUINT64_FORMAT,
          id, shape->in, shape->out);
    default:
      return g_steal_pointer (&id);
  }
}

static void
draw_text (
    GstInferDrawing *d, const GstInferSceneShape *shape, GstInferColor color)
{
  g_autofree char *text = text_of (shape);
  const GstInferScenePoint *top = &shape->points[0];

  for (guint i = 1; i < shape->n; i++)
    if (shape->points[i].y < top->y)
      top = &shape->points[i];
  gst_infer_text_draw_plate (d->canvas, text,
      gst_infer_canvas_pixel (top->x) + 2 * d->scale,
      gst_infer_canvas_pixel (top->y) + 2 * d->scale, d->scale, color);
}

static void
for_shapes (GstInferDrawing *d, GstBuffer *buffer,
    void (*draw) (GstInferDrawing *d, const GstInferSceneShape *shape,
        GstInferColor color))
{
  gpointer state = NULL;
  const GstInferSceneMeta *meta;

  while ((meta = next_meta (buffer, &state)) != NULL)
    for (guint i = 0; i < meta->n_shapes; i++)
      if (meta->shapes[i].n > 0)
        draw (d, &meta->shapes[i], gst_infer_palette (COLOR + (int) i));
}

static void
draw_shapes (GstInferDrawing *d, GstBuffer *buffer)
{
  for_shapes (d, buffer, draw_shape);
}

static void
draw_texts (GstInferDrawing *d, GstBuffer *buffer)
{
  for_shapes (d, buffer, draw_text);
}

/* --- JSON --- */

static void
add_integer (GString *line, const GstStructure *s, const char *field)
{
  const GValue *value = gst_structure_get_value (s, field);

  if (value == NULL)
    return;
  gst_infer_json_key (line, field);
  if (G_VALUE_HOLDS_UINT64 (value))
    gst_infer_json_time (line, g_value_get_uint64 (value));
  else
    g_string_append_printf (line, "%d",
        G_VALUE_HOLDS_UINT (value) ? (int) g_value_get_uint (value)
                                   : g_value_get_int (value));
}

void
gst_infer_scene_event_add_json (GString *line, const GstStructure *event)
{
  static const char *const integers[] = { "object_id", "time", "duration",
    "direction", "count" };
  const char *kind = gst_structure_get_string (event, "kind");
  static const char *const reals[] = { "speed", "confidence", "area" };
  double real;

  gst_infer_json_begin_item (line, '{');
  gst_infer_json_add_string (
      line, "type", gst_structure_get_string (event, "type"));
  gst_infer_json_add_string (line, kind != NULL ? kind : "kind",
      gst_structure_get_string (event, "id"));
  gst_infer_json_add_string (
      line, "label", gst_structure_get_string (event, "label"));
  for (guint i = 0; i < G_N_ELEMENTS (integers); i++)
    add_integer (line, event, integers[i]);
  for (guint i = 0; i < G_N_ELEMENTS (reals); i++)
    if (gst_structure_get_double (event, reals[i], &real))
      gst_infer_json_add_real (line, reals[i], real);
  gst_infer_json_add_string (
      line, "text", gst_structure_get_string (event, "text"));
  gst_infer_json_add_string (
      line, "reason", gst_structure_get_string (event, "reason"));
  g_string_append_c (line, '}');
}

static void
add_shape (GString *line, const GstInferSceneShape *shape)
{
  gst_infer_json_begin_item (line, '{');
  gst_infer_json_add_string (line, "id", shape->id);
  if (shape->kind != GST_INFER_SCENE_TRIPWIRE)
    gst_infer_json_add_int (line, "count", shape->count);
  gst_infer_json_add_int (line, "in", (gint64) shape->in);
  gst_infer_json_add_int (line, "out", (gint64) shape->out);
  if (shape->area >= 0)
    gst_infer_json_add_real (line, "area", shape->area);
  g_string_append_c (line, '}');
}

static void
add_shapes (
    GString *line, GstBuffer *buffer, GstInferSceneKind kind, const char *key)
{
  gpointer state = NULL;
  const GstInferSceneMeta *meta;
  guint n = 0;

  while ((meta = next_meta (buffer, &state)) != NULL)
    for (guint i = 0; i < meta->n_shapes; i++) {
      if (meta->shapes[i].kind != kind)
        continue;
      if (n++ == 0)
        gst_infer_json_begin (line, key, '[');
      add_shape (line, &meta->shapes[i]);
    }
  if (n > 0)
    g_string_append_c (line, ']');
}

/* Counts alone are no result: most frames have nothing to tell. */
static guint
add_scene (GString *line, GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi)
{
  gpointer state = NULL;
  const GstInferSceneMeta *meta;
  guint n = 0;

  if (roi != NULL)
    return 0;
  add_shapes (line, buffer, GST_INFER_SCENE_ZONE, "zones");
  add_shapes (line, buffer, GST_INFER_SCENE_TRIPWIRE, "tripwires");
  add_shapes (line, buffer, GST_INFER_SCENE_SPEED_LINE, "speed_lines");
  while ((meta = next_meta (buffer, &state)) != NULL)
    for (guint i = 0; i < meta->n_events; i++) {
      g_autoptr (GstStructure) event =
          gst_infer_scene_event_to_structure (&meta->events[i]);

      if (n++ == 0)
        gst_infer_json_begin (line, "events", '[');
      gst_infer_scene_event_add_json (line, event);
    }
  if (n > 0)
    g_string_append_c (line, ']');
  return n;
}

const GstInferResultKind gst_infer_result_scene = {
  .property = "draw-zones",
  .nick = "Zones",
  .blurb = "Draw the zones, tripwires and speed lines of inferscene (Since: "
           "0.2)",
  .api = gst_infer_scene_meta_api_get_type,
  .draw_shapes = draw_shapes,
  .draw_texts = draw_texts,
  .add_json = add_scene,
};
