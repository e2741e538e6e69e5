/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/overlay/draw.h"

#include <math.h>

#include "gst/overlay/stencil.h"
#include "gst/overlay/text.h"
#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "gst/infer/results.h"

#define MANY_POINTS 60

typedef struct
{
  GstInferCanvas *canvas;
  GstBuffer *buffer;
  const GstInferOverlayStyle *style;
  int scale;     /* pixels of a font's point and of thin lines */
  GArray *taken; /* by labels (element-type GstVideoRectangle) */
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

/* Of each pixel of the frame how much the mask covers it, and with what. */
static void
read_mask_row (const GstInferMaskMeta *mask, const guint8 *row,
    const gint32 *columns, int n, guint alpha, guint8 *alphas, guint8 *colors)
{
  for (int x = 0; x < n; x++) {
    guint8 value = row[columns[x]];

    if (mask->kind == GST_INFER_MASK_SOFT) {
      alphas[x] = (guint8) (alpha * value / 255);
      colors[x] = 1;
    } else {
      alphas[x] = value != 0 ? (guint8) alpha : 0;
      colors[x] = value != 0 ? (guint8) (value - 1) : 0;
    }
  }
}

/* The pixel of the mask at pixel @at of the frame. */
static gint32
mask_index (int at, double offset, double scale, guint size)
{
  return (gint32) CLAMP (
      floor ((at + 0.5 - offset) / scale), 0, (double) size - 1);
}

static void
draw_mask (Overlay *o, const GstInferMaskMeta *mask)
{
  const GstInferMap *map = &mask->map;
  const guint8 *data = g_bytes_get_data (mask->data, NULL);
  guint alpha = (guint) (o->style->mask_alpha * 255 + 0.5);
  int x0 = (int) MAX (lround (map->x), 0);
  int y0 = (int) MAX (lround (map->y), 0);
  int x1 = (int) MIN (
      lround (map->x + mask->width * map->scale_x), o->canvas->width);
  int y1 = (int) MIN (
      lround (map->y + mask->height * map->scale_y), o->canvas->height);
  g_autoptr (GstInferStencil) stencil = NULL;
  g_autofree gint32 *columns = NULL;
  g_autofree guint8 *pixels = NULL;
  gint32 last = -1;
  int n = x1 - x0;

  if (n <= 0 || y1 <= y0)
    return;
  stencil = gst_infer_stencil_new (o->canvas);
  columns = g_new (gint32, n);
  pixels = g_malloc (2 * (gsize) n);
  for (int x = 0; x < n; x++)
    columns[x] = mask_index (x0 + x, map->x, map->scale_x, mask->width);
  for (int y = y0; y < y1; y++) {
    gint32 row = mask_index (y, map->y, map->scale_y, mask->height);

    if (row != last) {
      read_mask_row (mask, data + (gsize) row * mask->width, columns, n, alpha,
          pixels, pixels + n);
      gst_infer_stencil_set (stencil, x0, x1, pixels, pixels + n);
    }
    last = row;
    gst_infer_stencil_draw (stencil, y);
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

/* Points, and the lines between them. */
typedef struct
{
  Overlay *overlay;
  const GstInferKeypoint *points;
  guint n;
  int radius, width;
} Figure;

static void
draw_line (const Figure *f, guint a, guint b)
{
  gst_infer_canvas_line (f->overlay->canvas, (int) lround (f->points[a].x),
      (int) lround (f->points[a].y), (int) lround (f->points[b].x),
      (int) lround (f->points[b].y), f->width);
}

static gboolean
is_seen (const GstInferKeypoint *point)
{
  return point->score >= 0.3;
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
      gst_infer_canvas_disc (f->overlay->canvas, (int) lround (f->points[i].x),
          (int) lround (f->points[i].y), f->radius);
}

/* Black round it, so that it is seen on anything; not where points lie so close
 * that there would be nothing but black. */
static void
draw_keypoints (Overlay *o, const GstInferKeypointsMeta *points)
{
  gboolean many = points->n > MANY_POINTS;
  Figure figure = { o, points->points, points->n,
    many ? o->scale / 2 : o->scale, MAX (o->scale, 2) };
  Figure edge = figure;

  edge.radius++;
  edge.width += 2;
  if (!many) {
    gst_infer_canvas_set_color (o->canvas, GST_INFER_BLACK);
    draw_figure (&edge, points->kind);
  }
  gst_infer_canvas_set_color (
      o->canvas, gst_infer_palette (MAX (points->roi_id, 0) + 2));
  draw_figure (&figure, points->kind);
}

/* --- regions --- */

/* "cat 0.87", on a plate of the colour, at most to the frame's edges. */
static int
draw_label (
    Overlay *o, const char *text, int x, int y, int scale, GstInferColor color)
{
  int width, height;

  gst_infer_text_size (text, scale, &width, &height);
  x = CLAMP (x, 0, MAX (o->canvas->width - width, 0));
  y = CLAMP (y, 0, MAX (o->canvas->height - height, 0));
  gst_infer_canvas_set_color (o->canvas, color);
  gst_infer_canvas_fill (o->canvas, x, y, width, height, 150);
  gst_infer_text_draw (o->canvas, text, x, y, scale);
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

static GstInferColor
color_of (GstVideoRegionOfInterestMeta *roi)
{
  const GstStructure *found =
      gst_video_region_of_interest_meta_get_param (roi, "detection");
  int object_id = gst_infer_object_id (roi), label_id = 0;

  if (found != NULL)
    label_id = MAX (gst_infer_read_label (found).label_id, 0);
  return gst_infer_palette (object_id > 0 ? object_id : label_id);
}

static void
draw_box (Overlay *o, GstVideoRegionOfInterestMeta *roi)
{
  int x = (int) roi->x, y = (int) roi->y;

  gst_infer_canvas_set_color (o->canvas, GST_INFER_BLACK);
  gst_infer_canvas_box (o->canvas, x - 1, y - 1, (int) roi->w + 2,
      (int) roi->h + 2, o->scale + 2);
  gst_infer_canvas_set_color (o->canvas, color_of (roi));
  gst_infer_canvas_box (o->canvas, x, y, (int) roi->w, (int) roi->h, o->scale);
}

/* (element-type utf8) */
static GPtrArray *
lines_of (GstVideoRegionOfInterestMeta *roi)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  const GstStructure *found =
      gst_video_region_of_interest_meta_get_param (roi, "detection");

  /* What a text says tells more than that it is one. */
  if (found != NULL
      && gst_video_region_of_interest_meta_get_param (roi, "text") == NULL)
    g_ptr_array_add (lines, describe (found, gst_infer_object_id (roi)));
  for (const GList *l = roi->params; l != NULL; l = l->next)
    if (gst_structure_has_field (l->data, "label")
        && !gst_structure_has_name (l->data, "detection"))
      g_ptr_array_add (lines, describe (l->data, 0));
  return lines;
}

static gboolean
is_free (const Overlay *o, GstVideoRectangle r)
{
  if (r.x < 0 || r.y < 0 || r.x + r.w > o->canvas->width
      || r.y + r.h > o->canvas->height)
    return FALSE;
  for (guint i = 0; i < o->taken->len; i++) {
    const GstVideoRectangle *t =
        &g_array_index (o->taken, GstVideoRectangle, i);

    if (r.x < t->x + t->w && t->x < r.x + r.w && r.y < t->y + t->h
        && t->y < r.y + r.h)
      return FALSE;
  }
  return TRUE;
}

/* Above the box, below it, within: where nothing is written yet. */
static GstVideoRectangle
find_place (
    const Overlay *o, const GstVideoRegionOfInterestMeta *roi, int w, int h)
{
  int left = (int) roi->x, right = (int) (roi->x + roi->w) - w;
  int top = (int) roi->y, bottom = (int) (roi->y + roi->h);
  const int corners[][2] = { { left, top - h }, { right, top - h },
    { left, bottom }, { right, bottom }, { left, top }, { right, top },
    { left, bottom - h }, { right, bottom - h } };

  for (guint i = 0; i < G_N_ELEMENTS (corners); i++) {
    GstVideoRectangle place = { corners[i][0], corners[i][1], w, h };

    if (is_free (o, place))
      return place;
  }
  return (GstVideoRectangle){ left, top >= h ? top - h : top, w, h };
}

static void
measure_lines (const GPtrArray *lines, int scale, int *width, int *height)
{
  *width = *height = 0;
  for (guint i = 0; i < lines->len; i++) {
    int w, h;

    gst_infer_text_size (g_ptr_array_index (lines, i), scale, &w, &h);
    *width = MAX (*width, w);
    *height += h;
  }
}

/* Smaller where it would not fit: what a text says is as wide as the text, and
 * nothing much wider than its box. */
static int
fit_lines (const Overlay *o, const GstVideoRegionOfInterestMeta *roi,
    const GPtrArray *lines, gboolean text, int *width, int *height)
{
  int scale = o->scale;
  int most = MIN ((int) roi->w * (text ? 1 : 4), o->canvas->width);

  measure_lines (lines, scale, width, height);
  while (scale > 1 && *width > most)
    measure_lines (lines, --scale, width, height);
  return scale;
}

static void
draw_labels (Overlay *o, GstVideoRegionOfInterestMeta *roi)
{
  g_autoptr (GPtrArray) lines = lines_of (roi);
  gboolean text =
      gst_video_region_of_interest_meta_get_param (roi, "text") != NULL;
  GstVideoRectangle place;
  int w, h, scale;

  if (lines->len == 0)
    return;
  scale = fit_lines (o, roi, lines, text, &w, &h);
  place = find_place (o, roi, w, h);
  g_array_append_val (o->taken, place);
  for (guint i = 0; i < lines->len; i++)
    place.y += draw_label (o, g_ptr_array_index (lines, i), place.x, place.y,
        scale, color_of (roi));
}

static void
for_regions (
    Overlay *o, void (*draw) (Overlay *o, GstVideoRegionOfInterestMeta *roi))
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              o->buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    draw (o, (GstVideoRegionOfInterestMeta *) meta);
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

    y += draw_label (
        o, text, 2 * o->scale, y, o->scale, gst_infer_palette (i++));
  }
}

void
gst_infer_overlay_draw (GstInferCanvas *canvas, GstBuffer *buffer,
    const GstInferOverlayStyle *style)
{
  g_autoptr (GArray) taken =
      g_array_new (FALSE, FALSE, sizeof (GstVideoRectangle));
  Overlay o = { canvas, buffer, style,
    style->scale > 0
        ? style->scale
        : CLAMP ((MIN (canvas->width, canvas->height) + 240) / 360, 1, 8),
    taken };
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
  if (style->boxes)
    for_regions (&o, draw_box);
  if (style->labels)
    for_regions (&o, draw_labels);
  if (style->labels)
    draw_frame_labels (&o);
}
