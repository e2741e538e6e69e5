/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/publish/results-json.h"

#include <string.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "gst/common/json-text.h"
#include "gst/infer/results.h"

#define REAL "%.7g"

static void
add_string (GString *line, const char *key, const char *value)
{
  if (value == NULL)
    return;
  gst_infer_json_key (line, key);
  gst_infer_json_string (line, value);
}

static void
add_int (GString *line, const char *key, gint64 value)
{
  gst_infer_json_key (line, key);
  g_string_append_printf (line, "%" G_GINT64_FORMAT, value);
}

static void
add_real (GString *line, const char *key, double value)
{
  gst_infer_json_key (line, key);
  gst_infer_json_real (line, value, REAL);
}

static void
begin (GString *line, const char *key, char bracket)
{
  gst_infer_json_key (line, key);
  g_string_append_c (line, bracket);
}

/* The next of a list. */
static void
begin_item (GString *line, char bracket)
{
  if (line->str[line->len - 1] != '[')
    g_string_append_c (line, ',');
  g_string_append_c (line, bracket);
}

static void
add_label (GString *line, const GstInferLabel *label)
{
  add_real (line, "confidence", label->confidence);
  add_string (line, "label", label->label);
  if (label->label_id >= 0)
    add_int (line, "label_id", label->label_id);
}

static void
add_origin (GString *line, const GstInferLabel *label)
{
  add_string (line, "layer", label->layer_name);
  if (label->model_name == NULL)
    return;
  begin (line, "model", '{');
  add_string (line, "name", label->model_name);
  g_string_append_c (line, '}');
}

static void
add_detection (GString *line, const GstStructure *s)
{
  static const char *const sides[] = { "x_min", "x_max", "y_min", "y_max" };
  GstInferLabel label = gst_infer_read_label (s);
  double value;

  begin (line, "detection", '{');
  begin (line, "bounding_box", '{');
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    if (gst_structure_get_double (s, sides[i], &value))
      add_real (line, sides[i], value);
  g_string_append_c (line, '}');
  add_label (line, &label);
  add_origin (line, &label);
  g_string_append_c (line, '}');
}

static void
append_points (GString *line, const GstInferKeypointsMeta *points)
{
  g_string_append_c (line, '[');
  for (guint i = 0; i < points->n; i++) {
    const double numbers[] = { points->points[i].x, points->points[i].y,
      points->points[i].score };

    begin_item (line, '[');
    for (guint k = 0; k < 3; k++) {
      if (k > 0)
        g_string_append_c (line, ',');
      gst_infer_json_real (line, numbers[k], REAL);
    }
    g_string_append_c (line, ']');
  }
  g_string_append_c (line, ']');
}

/* All points of region @roi_id: a list of them, or a list of such lists. */
static guint
add_points (GString *line, GstBuffer *buffer, int roi_id)
{
  g_autoptr (GPtrArray) sets = g_ptr_array_new ();
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_INFER_KEYPOINTS_META_API_TYPE)))
    if (((GstInferKeypointsMeta *) meta)->roi_id == roi_id)
      g_ptr_array_add (sets, meta);
  if (sets->len == 0)
    return 0;
  gst_infer_json_key (line, "keypoints");
  if (sets->len > 1)
    g_string_append_c (line, '[');
  for (guint i = 0; i < sets->len; i++) {
    if (i > 0)
      g_string_append_c (line, ',');
    append_points (line, g_ptr_array_index (sets, i));
  }
  if (sets->len > 1)
    g_string_append_c (line, ']');
  return sets->len;
}

static gboolean
is_further_label (const GstStructure *s, const char *name)
{
  return gst_structure_has_field (s, "confidence")
         && !gst_structure_has_name (s, "detection")
         && (name == NULL || gst_structure_has_name (s, name));
}

/* All params called @name: an object, or a list of them. */
static void
add_further (GString *line, const GList *params, const char *name)
{
  guint n = 0;

  for (const GList *l = params; l != NULL; l = l->next)
    n += is_further_label (l->data, name);
  gst_infer_json_key (line, name);
  if (n > 1)
    g_string_append_c (line, '[');
  for (const GList *l = params; l != NULL; l = l->next) {
    GstInferLabel label;

    if (!is_further_label (l->data, name))
      continue;
    label = gst_infer_read_label (l->data);
    if (n > 1)
      begin_item (line, '{');
    else
      g_string_append_c (line, '{');
    add_label (line, &label);
    add_origin (line, &label);
    g_string_append_c (line, '}');
  }
  if (n > 1)
    g_string_append_c (line, ']');
}

/* TRUE for the first param of its name. */
static gboolean
is_first (const GList *params, const GList *at)
{
  const char *name = gst_structure_get_name (at->data);

  for (const GList *l = params; l != at; l = l->next)
    if (is_further_label (l->data, name))
      return FALSE;
  return TRUE;
}

static void
add_object (GString *line, GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi)
{
  const GstStructure *found =
      gst_video_region_of_interest_meta_get_param (roi, "detection");

  begin_item (line, '{');
  if (found != NULL)
    add_detection (line, found);
  add_int (line, "x", roi->x);
  add_int (line, "y", roi->y);
  add_int (line, "w", roi->w);
  add_int (line, "h", roi->h);
  add_int (line, "region_id", roi->id);
  if (roi->parent_id >= 0)
    add_int (line, "parent_id", roi->parent_id);
  if (gst_infer_object_id (roi) > 0)
    add_int (line, "id", gst_infer_object_id (roi));
  add_string (line, "roi_type", g_quark_to_string (roi->roi_type));
  for (const GList *l = roi->params; l != NULL; l = l->next)
    if (is_further_label (l->data, NULL) && is_first (roi->params, l))
      add_further (line, roi->params, gst_structure_get_name (l->data));
  add_points (line, buffer, roi->id);
  g_string_append_c (line, '}');
}

static guint
add_objects (GString *line, GstBuffer *buffer)
{
  gpointer state = NULL;
  GstMeta *meta;
  guint n = 0;

  begin (line, "objects", '[');
  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    add_object (line, buffer, (GstVideoRegionOfInterestMeta *) (gpointer) meta);
    n++;
  }
  g_string_append_c (line, ']');
  return n;
}

/* Of the whole frame. */
static guint
add_frame_labels (GString *line, GstBuffer *buffer)
{
  GType api;
  gpointer state = NULL;
  GstMeta *meta;
  guint n = 0;

  gst_infer_results_init ();
  api = gst_meta_get_info (GST_INFER_LABEL_META)->api;
  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state, api))) {
    const GstStructure *s =
        gst_custom_meta_get_structure ((GstCustomMeta *) (gpointer) meta);
    GstInferLabel label = gst_infer_read_label (s);

    if (n++ == 0)
      begin (line, "tensors", '[');
    begin_item (line, '{');
    add_string (line, "name", gst_structure_get_string (s, "name"));
    add_label (line, &label);
    add_origin (line, &label);
    g_string_append_c (line, '}');
  }
  if (n > 0)
    g_string_append_c (line, ']');
  return n;
}

/* What part of the mask each class has, the background too. */
static void
add_mask (GString *line, const GstInferMaskMeta *mask)
{
  const guint8 *data = g_bytes_get_data (mask->data, NULL);
  gsize n = (gsize) mask->width * mask->height, counts[256] = { 0 };
  double soft = 0;

  for (gsize i = 0; i < n; i++) {
    counts[data[i]]++;
    soft += data[i] / 255.0;
  }
  for (guint c = 0; c < 256; c++) {
    gboolean one = mask->kind == GST_INFER_MASK_SOFT;

    if (counts[c] == 0 || (one && c > 0))
      continue;
    begin_item (line, '{');
    add_int (line, "label_id", one ? 1 : c);
    if (mask->labels != NULL && c < mask->labels->len)
      add_string (line, "label", g_ptr_array_index (mask->labels, c));
    add_real (line, "area", (one ? soft : (double) counts[c]) / (double) n);
    if (mask->roi_id >= 0)
      add_int (line, "region_id", mask->roi_id);
    g_string_append_c (line, '}');
  }
}

static guint
add_masks (GString *line, GstBuffer *buffer)
{
  gpointer state = NULL;
  GstMeta *meta;
  guint n = 0;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_INFER_MASK_META_API_TYPE))) {
    if (n++ == 0)
      begin (line, "segmentation", '[');
    add_mask (line, (GstInferMaskMeta *) meta);
  }
  if (n > 0)
    g_string_append_c (line, ']');
  return n;
}

static GString *
begin_line (const GstInferLineInfo *info)
{
  GString *line = g_string_new ("{");

  gst_infer_json_key (line, "timestamp");
  gst_infer_json_time (line, info->time);
  add_string (line, "source", info->source);
  if (info->tags != NULL) {
    gst_infer_json_key (line, "tags");
    g_string_append (line, info->tags);
  }
  return line;
}

GString *
gst_infer_results_to_json (GstBuffer *buffer, const GstVideoInfo *video,
    const GstInferLineInfo *info, gboolean *empty)
{
  GString *line = begin_line (info);
  guint n;

  begin (line, "resolution", '{');
  add_int (line, "width", GST_VIDEO_INFO_WIDTH (video));
  add_int (line, "height", GST_VIDEO_INFO_HEIGHT (video));
  g_string_append_c (line, '}');
  n = add_objects (line, buffer);
  n += add_frame_labels (line, buffer);
  n += add_points (line, buffer, -1);
  n += add_masks (line, buffer);
  g_string_append_c (line, '}');
  *empty = n == 0;
  return line;
}

GString *
gst_infer_text_to_json (
    GstBuffer *buffer, const GstInferLineInfo *info, gboolean *empty)
{
  GString *line = begin_line (info);
  g_autofree char *text = NULL;
  GstMapInfo map;

  gst_infer_json_key (line, "duration");
  gst_infer_json_time (line, GST_BUFFER_DURATION (buffer));
  *empty = TRUE;
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    text = g_strndup ((const char *) map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    g_strchomp (text);
    add_string (line, "text", text);
    *empty = *text == '\0';
  }
  g_string_append_c (line, '}');
  return line;
}
