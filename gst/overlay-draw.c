/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/overlay-draw.h"

#include <math.h>

#include "gst/draw/text.h"
#include "gst/inferkeypointsmeta.h"
#include "gst/infermaskmeta.h"
#include "gst/results.h"

#define MANY_POINTS 60

typedef struct
{
  GstInferCanvas *canvas;
  GstBuffer *buffer;
  const GstInferOverlayStyle *style;
  int scale; /* pixels of a font's point and of thin lines */
} Overlay;

static gboolean
has_meta (GstBuffer *buffer, GType api)
{
  gpointer state = NULL;

  return gst_buffer_iterate_meta_filtered (buffer, &state, api) != NULL;
}

static GType
label_api (void)
{
  gst_infer_results_init ();
  return gst_meta_get_info (GST_INFER_LABEL_META)->api;
}

gboolean
gst_infer_overlay_has_work (
    GstBuffer *buffer, const GstInferOverlayStyle *style)
{
  return ((style->boxes || style->labels)
             && has_meta (buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))
         || (style->labels && has_meta (buffer, label_api ()))
         || (style->keypoints
             && has_meta (buffer, GST_INFER_KEYPOINTS_META_API_TYPE))
         || (style->masks && has_meta (buffer, GST_INFER_MASK_META_API_TYPE));
}

/* --- masks --- */

/* Pixels of a row that have one value are one span. */
static void
draw_mask_row (Overlay *o, const GstInferMaskMeta *mask, const guint8 *row,
    int y, int x0, int x1)
{
  guint alpha = (guint) (o->style->mask_alpha * 255 + 0.5);
  int from = x0;

  while (from < x1) {
    double scale = mask->map.scale_x;
    gsize column = (gsize) CLAMP (floor ((from + 0.5 - mask->map.x) / scale), 0,
        (double) mask->width - 1);
    guint8 value = row[column];
    gsize next = column + 1;
    int to;

    while (next < mask->width && row[next] == value)
      next++;
    to = (int) ceil (mask->map.x + (double) next * scale - 0.5);
    to = next >= mask->width ? x1 : CLAMP (to, from + 1, x1);
    if (value != 0) {
      gst_infer_canvas_set_color (o->canvas,
          gst_infer_palette (mask->kind == INFER_MASK_SOFT ? 1 : value - 1));
      gst_infer_canvas_span (o->canvas, y, from, to,
          mask->kind == INFER_MASK_SOFT ? alpha * value / 255 : alpha);
    }
    from = to;
  }
}

static void
draw_mask (Overlay *o, const GstInferMaskMeta *mask)
{
  const GstInferMap *map = &mask->map;
  const guint8 *data = g_bytes_get_data (mask->data, NULL);
  int x0 = (int) MAX (lround (map->x), 0);
  int y0 = (int) MAX (lround (map->y), 0);
  int x1 = (int) MIN (
      lround (map->x + mask->width * map->scale_x), o->canvas->width);
  int y1 = (int) MIN (
      lround (map->y + mask->height * map->scale_y), o->canvas->height);

  for (int y = y0; y < y1; y++) {
    double row = floor ((y + 0.5 - map->y) / map->scale_y);

    draw_mask_row (o, mask,
        data + (gsize) CLAMP (row, 0, (double) mask->height - 1) * mask->width,
        y, x0, x1);
  }
}

/* --- keypoints --- */

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

static void
draw_line (Overlay *o, const GstInferKeypoint *a, const GstInferKeypoint *b)
{
  gst_infer_canvas_line (o->canvas, (int) lround (a->x), (int) lround (a->y),
      (int) lround (b->x), (int) lround (b->y), MAX (o->scale, 2));
}

static gboolean
is_seen (const GstInferKeypoint *point)
{
  return point->score >= 0.3;
}

static void
draw_limbs (Overlay *o, const GstInferKeypoint *points,
    const guint8 (*limbs)[2], gsize n)
{
  for (gsize i = 0; i < n; i++) {
    const GstInferKeypoint *a = &points[limbs[i][0]], *b = &points[limbs[i][1]];

    if (is_seen (a) && is_seen (b))
      draw_line (o, a, b);
  }
}

static void
draw_keypoints (Overlay *o, const GstInferKeypointsMeta *points)
{
  int radius = points->n > MANY_POINTS ? o->scale / 2 : o->scale;

  gst_infer_canvas_set_color (
      o->canvas, gst_infer_palette (MAX (points->roi_id, 0) + 2));
  for (guint i = 0;
       points->kind == GST_INFER_KEYPOINTS_POLYGON && i < points->n; i++)
    draw_line (o, &points->points[i], &points->points[(i + 1) % points->n]);
  if (points->kind == GST_INFER_KEYPOINTS_BODY && points->n == 17)
    draw_limbs (o, points->points, coco_limbs, G_N_ELEMENTS (coco_limbs));
  if (points->kind == GST_INFER_KEYPOINTS_BODY && points->n == 33)
    draw_limbs (o, points->points, blaze_limbs, G_N_ELEMENTS (blaze_limbs));
  for (guint i = 0;
       points->kind != GST_INFER_KEYPOINTS_POLYGON && i < points->n; i++)
    if (is_seen (&points->points[i]))
      gst_infer_canvas_disc (o->canvas, (int) lround (points->points[i].x),
          (int) lround (points->points[i].y), radius);
}

/* --- regions --- */

/* "cat 0.87", on a plate of the colour, at most to the frame's edges. */
static int
draw_label (Overlay *o, const char *text, int x, int y, GstInferColor color)
{
  int width, height;

  gst_infer_text_size (text, o->scale, &width, &height);
  x = CLAMP (x, 0, MAX (o->canvas->width - width, 0));
  y = CLAMP (y, 0, MAX (o->canvas->height - height, 0));
  gst_infer_canvas_set_color (o->canvas, color);
  gst_infer_canvas_fill (o->canvas, x, y, width, height, 150);
  gst_infer_text_draw (o->canvas, text, x, y, o->scale);
  return height;
}

static char *
describe (const GstStructure *s, int object_id)
{
  GstInferLabel label = gst_infer_read_label (s);
  GString *text = g_string_new (label.label);
  char *valid;

  if (label.label == NULL && label.label_id >= 0)
    g_string_append_printf (text, "%d", label.label_id);
  if (object_id > 0)
    g_string_append_printf (text, "%s#%d", text->len > 0 ? " " : "", object_id);
  if (!gst_structure_has_name (s, "text")
      && g_strcmp0 (gst_structure_get_string (s, "name"), "text") != 0)
    g_string_append_printf (
        text, "%s%.2f", text->len > 0 ? " " : "", label.confidence);
  valid = g_utf8_make_valid (text->str, (gssize) text->len);
  g_string_free (text, TRUE);
  return valid;
}

static void
draw_region (Overlay *o, GstVideoRegionOfInterestMeta *roi)
{
  int object_id = gst_infer_object_id (roi), width, height;
  int y = (int) roi->y, x = (int) roi->x;
  const GstStructure *found =
      gst_video_region_of_interest_meta_get_param (roi, "detection");
  GstInferLabel label = { .label_id = -1 };
  GstInferColor color;

  if (found != NULL)
    label = gst_infer_read_label (found);
  color =
      gst_infer_palette (object_id > 0 ? object_id : MAX (label.label_id, 0));
  if (o->style->boxes) {
    gst_infer_canvas_set_color (o->canvas, GST_INFER_BLACK);
    gst_infer_canvas_box (o->canvas, x - 1, y - 1, (int) roi->w + 2,
        (int) roi->h + 2, o->scale + 2);
    gst_infer_canvas_set_color (o->canvas, color);
    gst_infer_canvas_box (
        o->canvas, x, y, (int) roi->w, (int) roi->h, o->scale);
  }
  if (!o->style->labels)
    return;
  /* What a text says tells more than that it is one. */
  if (gst_video_region_of_interest_meta_get_param (roi, "text") != NULL)
    found = NULL;
  /* Above the box where there is room. */
  gst_infer_text_size ("", o->scale, &width, &height);
  y -= y >= height ? height : 0;
  if (found != NULL) {
    g_autofree char *text = describe (found, object_id);

    y += draw_label (o, text, x, y, color);
  }
  for (const GList *l = roi->params; l != NULL; l = l->next)
    if (gst_structure_has_field (l->data, "label")
        && !gst_structure_has_name (l->data, "detection")) {
      g_autofree char *text = describe (l->data, 0);

      y += draw_label (o, text, x, y, color);
    }
}

static void
draw_frame_labels (Overlay *o)
{
  gpointer state = NULL;
  int y = 2 * o->scale, i = 0;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              o->buffer, &state, label_api ()))) {
    GstStructure *s =
        gst_custom_meta_get_structure ((GstCustomMeta *) (gpointer) meta);
    g_autofree char *text = describe (s, 0);

    y += draw_label (o, text, 2 * o->scale, y, gst_infer_palette (i++));
  }
}

void
gst_infer_overlay_draw (GstInferCanvas *canvas, GstBuffer *buffer,
    const GstInferOverlayStyle *style)
{
  Overlay o = { canvas, buffer, style,
    style->scale > 0 ? style->scale
                     : CLAMP ((canvas->height + 120) / 300, 1, 8) };
  gpointer state = NULL;
  GstMeta *meta;

  while (style->masks
         && (meta = gst_buffer_iterate_meta_filtered (
                 buffer, &state, GST_INFER_MASK_META_API_TYPE)))
    draw_mask (&o, (GstInferMaskMeta *) meta);
  state = NULL;
  while (style->keypoints
         && (meta = gst_buffer_iterate_meta_filtered (
                 buffer, &state, GST_INFER_KEYPOINTS_META_API_TYPE)))
    draw_keypoints (&o, (GstInferKeypointsMeta *) meta);
  state = NULL;
  while ((style->boxes || style->labels)
         && (meta = gst_buffer_iterate_meta_filtered (
                 buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    draw_region (&o, (GstVideoRegionOfInterestMeta *) meta);
  if (style->labels)
    draw_frame_labels (&o);
}
