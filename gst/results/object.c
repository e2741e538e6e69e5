/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Objects: a box in the colour of the identity or the class, and the labels
 * beside it; in JSON an object with everything known about the region. */

#include "gst/common/json-text.h"
#include "gst/draw/text.h"
#include "gst/results/kind.h"

static GstInferColor
color_of (GstVideoRegionOfInterestMeta *roi)
{
  int object_id = gst_infer_object_id (roi);

  return gst_infer_palette (
      object_id > 0 ? object_id
                    : MAX (gst_infer_object_label (roi).label_id, 0));
}

/* Beyond any frame; sums of a few such numbers do not overflow. */
#define FARTHEST (1u << 24)

static GstVideoRectangle
box_of (const GstVideoRegionOfInterestMeta *roi)
{
  return (GstVideoRectangle){ (int) MIN (roi->x, FARTHEST),
    (int) MIN (roi->y, FARTHEST), (int) MIN (roi->w, FARTHEST),
    (int) MIN (roi->h, FARTHEST) };
}

static void
draw_box (GstInferDrawing *d, GstVideoRegionOfInterestMeta *roi)
{
  const GstVideoRectangle r = box_of (roi);

  gst_infer_canvas_set_color (d->canvas, GST_INFER_BLACK);
  gst_infer_canvas_box (
      d->canvas, r.x - 1, r.y - 1, r.w + 2, r.h + 2, d->scale + 2);
  gst_infer_canvas_set_color (d->canvas, color_of (roi));
  gst_infer_canvas_box (d->canvas, r.x, r.y, r.w, r.h, d->scale);
}

/* (element-type utf8) */
static GPtrArray *
lines_of (GstVideoRegionOfInterestMeta *roi)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  const GstStructure *found =
      gst_video_region_of_interest_meta_get_param (roi, "detection");

  /* A recognised text replaces the label of its region. */
  if (found != NULL
      && gst_video_region_of_interest_meta_get_param (roi, "text") == NULL)
    g_ptr_array_add (
        lines, gst_infer_label_to_text (found, gst_infer_object_id (roi)));
  for (const GList *l = roi->params; l != NULL; l = l->next)
    if (gst_structure_has_field (l->data, "label")
        && !gst_structure_has_name (l->data, "detection"))
      g_ptr_array_add (lines, gst_infer_label_to_text (l->data, 0));
  return lines;
}

static gboolean
is_free (const GstInferDrawing *d, GstVideoRectangle r)
{
  if (r.x < 0 || r.y < 0 || r.x + r.w > d->canvas->width
      || r.y + r.h > d->canvas->height)
    return FALSE;
  for (guint i = 0; i < d->taken->len; i++) {
    const GstVideoRectangle *t =
        &g_array_index (d->taken, GstVideoRectangle, i);

    if (r.x < t->x + t->w && t->x < r.x + r.w && r.y < t->y + t->h
        && t->y < r.y + r.h)
      return FALSE;
  }
  return TRUE;
}

/* Finds a place above, below or inside the box that no text covers yet. */
static GstVideoRectangle
find_place (const GstInferDrawing *d, const GstVideoRegionOfInterestMeta *roi,
    int w, int h)
{
  const GstVideoRectangle r = box_of (roi);
  int left = r.x, right = r.x + r.w - w;
  int top = r.y, bottom = r.y + r.h;
  const int corners[][2] = { { left, top - h }, { right, top - h },
    { left, bottom }, { right, bottom }, { left, top }, { right, top },
    { left, bottom - h }, { right, bottom - h } };

  for (guint i = 0; i < G_N_ELEMENTS (corners); i++) {
    GstVideoRectangle place = { corners[i][0], corners[i][1], w, h };

    if (is_free (d, place))
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

/* Returns the largest scale at which a text is at most as wide as its box, and
 * other labels at most four times as wide. */
static int
fit_lines (const GstInferDrawing *d, const GstVideoRegionOfInterestMeta *roi,
    const GPtrArray *lines, gboolean text, int *width, int *height)
{
  int scale = d->scale;
  int most = MIN (box_of (roi).w * (text ? 1 : 4), d->canvas->width);

  measure_lines (lines, scale, width, height);
  while (scale > 1 && *width > most)
    measure_lines (lines, --scale, width, height);
  return scale;
}

static void
draw_labels (GstInferDrawing *d, GstVideoRegionOfInterestMeta *roi)
{
  g_autoptr (GPtrArray) lines = lines_of (roi);
  gboolean text =
      gst_video_region_of_interest_meta_get_param (roi, "text") != NULL;
  int w, h, scale;

  if (lines->len == 0)
    return;
  scale = fit_lines (d, roi, lines, text, &w, &h);
  GstVideoRectangle place = find_place (d, roi, w, h);
  g_array_append_val (d->taken, place);
  for (guint i = 0; i < lines->len; i++)
    place.y += gst_infer_text_draw_plate (d->canvas,
        g_ptr_array_index (lines, i), place.x, place.y, scale, color_of (roi));
}

static void
for_regions (GstInferDrawing *d, GstBuffer *buffer,
    void (*draw) (GstInferDrawing *d, GstVideoRegionOfInterestMeta *roi))
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    draw (d, (GstVideoRegionOfInterestMeta *) (gpointer) meta);
}

static void
draw_all_boxes (GstInferDrawing *d, GstBuffer *buffer)
{
  for_regions (d, buffer, draw_box);
}

static void
draw_all_labels (GstInferDrawing *d, GstBuffer *buffer)
{
  for_regions (d, buffer, draw_labels);
}

/* --- JSON --- */

static void
add_detection (GString *line, const GstStructure *s)
{
  static const char *const sides[] = { "x_min", "x_max", "y_min", "y_max" };
  GstInferLabel label = gst_infer_read_label (s);
  double value;

  gst_infer_json_begin (line, "detection", '{');
  gst_infer_json_begin (line, "bounding_box", '{');
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    if (gst_structure_get_double (s, sides[i], &value))
      gst_infer_json_add_real (line, sides[i], value);
  g_string_append_c (line, '}');
  gst_infer_label_add_json (line, &label);
  g_string_append_c (line, '}');
}

static void
add_object (GString *line, GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi)
{
  const GstStructure *found =
      gst_video_region_of_interest_meta_get_param (roi, "detection");

  gst_infer_json_begin_item (line, '{');
  if (found != NULL)
    add_detection (line, found);
  gst_infer_json_add_int (line, "x", roi->x);
  gst_infer_json_add_int (line, "y", roi->y);
  gst_infer_json_add_int (line, "w", roi->w);
  gst_infer_json_add_int (line, "h", roi->h);
  gst_infer_json_add_int (line, "region_id", roi->id);
  if (roi->parent_id >= 0)
    gst_infer_json_add_int (line, "parent_id", roi->parent_id);
  if (gst_infer_object_id (roi) > 0)
    gst_infer_json_add_int (line, "id", gst_infer_object_id (roi));
  gst_infer_json_add_string (
      line, "roi_type", g_quark_to_string (roi->roi_type));
  gst_infer_results_add_json (line, buffer, roi);
  g_string_append_c (line, '}');
}

static guint
add_objects (
    GString *line, GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi)
{
  gpointer state = NULL;
  GstMeta *meta;
  guint n = 0;

  if (roi != NULL)
    return 0;
  gst_infer_json_begin (line, "objects", '[');
  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    add_object (line, buffer, (GstVideoRegionOfInterestMeta *) (gpointer) meta);
    n++;
  }
  g_string_append_c (line, ']');
  return n;
}

const GstInferResultKind gst_infer_result_object = {
  .property = "draw-boxes",
  .nick = "Boxes",
  .blurb = "Draw the boxes of regions",
  .api = gst_video_region_of_interest_meta_api_get_type,
  .draw_shapes = draw_all_boxes,
  .draw_texts = draw_all_labels,
  .add_json = add_objects,
};
