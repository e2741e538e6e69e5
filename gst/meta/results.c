/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/infer/results.h"

#include <math.h>

#include "gst/meta/params-keeper.h"
#include "gst/meta/relations.h"

/* A label has no coordinates: any transform of the frame keeps it. */
static gboolean
transform_label (GstBuffer *target, GstCustomMeta *meta, GstBuffer *buffer,
    GQuark type, gpointer data, gpointer user_data)
{
  GstCustomMeta *copy =
      gst_buffer_add_custom_meta (target, GST_INFER_LABEL_META);
  GstStructure *from = gst_custom_meta_get_structure (meta);
  GstStructure *to = gst_custom_meta_get_structure (copy);

  for (int i = 0; i < gst_structure_n_fields (from); i++) {
    const char *field = gst_structure_nth_field_name (from, (guint) i);

    gst_structure_set_value (to, field, gst_structure_get_value (from, field));
  }
  return TRUE;
}

void
gst_infer_results_init (void)
{
  static gsize done = 0;
  static const char *tags[] = { NULL };

  if (g_once_init_enter (&done)) {
    if (gst_meta_get_info (GST_INFER_LABEL_META) == NULL)
      gst_meta_register_custom (
          GST_INFER_LABEL_META, tags, transform_label, NULL, NULL);
    g_once_init_leave (&done, 1);
  }
}

static int
next_id (GstBuffer *buffer)
{
  gpointer state = NULL;
  GstMeta *meta;
  int id = 0;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    id = MAX (id, ((GstVideoRegionOfInterestMeta *) meta)->id);
  return id < G_MAXINT ? id + 1 : id;
}

static void
set_label (GstStructure *s, const GstInferLabel *label)
{
  gst_structure_set (s, "confidence", G_TYPE_DOUBLE, label->confidence, NULL);
  if (label->label_id >= 0)
    gst_structure_set (s, "label_id", G_TYPE_INT, label->label_id, NULL);
  if (label->label != NULL)
    gst_structure_set (s, "label", G_TYPE_STRING, label->label, NULL);
  if (label->model_name != NULL)
    gst_structure_set (s, "model_name", G_TYPE_STRING, label->model_name, NULL);
  if (label->layer_name != NULL)
    gst_structure_set (s, "layer_name", G_TYPE_STRING, label->layer_name, NULL);
}

static GstStructure *
new_box (const char *name, const GstInferBox *b, guint width, guint height)
{
  return gst_structure_new (name, "x_min", G_TYPE_DOUBLE,
      (double) b->x0 / width, "x_max", G_TYPE_DOUBLE, (double) b->x1 / width,
      "y_min", G_TYPE_DOUBLE, (double) b->y0 / height, "y_max", G_TYPE_DOUBLE,
      (double) b->y1 / height, NULL);
}

GstVideoRegionOfInterestMeta *
gst_infer_add_object (GstBuffer *buffer, guint width, guint height,
    const GstInferBox *box, const GstInferLabel *label, int parent_id)
{
  GstInferBox d = *box;
  GstStructure *detection;
  guint x, y, w, h;

  d.x0 = CLAMP (d.x0, 0.0f, (float) width);
  d.x1 = CLAMP (d.x1, 0.0f, (float) width);
  d.y0 = CLAMP (d.y0, 0.0f, (float) height);
  d.y1 = CLAMP (d.y1, 0.0f, (float) height);
  if (!(d.x1 > d.x0) || !(d.y1 > d.y0))
    return NULL;
  x = MIN ((guint) lroundf (d.x0), width - 1);
  y = MIN ((guint) lroundf (d.y0), height - 1);
  w = MAX ((guint) lroundf (d.x1), x + 1) - x;
  h = MAX ((guint) lroundf (d.y1), y + 1) - y;
  int id = next_id (buffer);
  GstVideoRegionOfInterestMeta *roi =
      gst_buffer_add_video_region_of_interest_meta (
          buffer, label->label != NULL ? label->label : "", x, y, w, h);
  roi->id = id;
  roi->parent_id = parent_id;
  detection = new_box ("detection", &d, width, height);
  set_label (detection, label);
  gst_video_region_of_interest_meta_add_param (roi, detection);
  gst_infer_keep_params (buffer, id);
  gst_infer_relate_object (buffer, roi, label);
  return roi;
}

void
gst_infer_add_label (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi,
    const char *name, const GstInferLabel *label)
{
  if (g_str_equal (name, "classification"))
    gst_infer_relate_label (buffer, roi, label);
  if (roi != NULL) {
    GstStructure *s = gst_structure_new_empty (name);

    set_label (s, label);
    gst_video_region_of_interest_meta_add_param (roi, s);
    gst_infer_keep_params (buffer, roi->id);
    return;
  }
  gst_infer_results_init ();
  GstCustomMeta *meta =
      gst_buffer_add_custom_meta (buffer, GST_INFER_LABEL_META);
  set_label (gst_custom_meta_get_structure (meta), label);
  gst_structure_set (
      gst_custom_meta_get_structure (meta), "name", G_TYPE_STRING, name, NULL);
}

GstInferMaskMeta *
gst_infer_add_mask (GstBuffer *buffer, int roi_id, GstInferMaskKind kind,
    guint width, guint height, GBytes *data, GstInferMap map, GPtrArray *labels)
{
  GstInferMaskMeta *mask = gst_buffer_add_infer_mask_meta (
      buffer, kind, width, height, data, map, labels);

  mask->roi_id = roi_id;
  gst_infer_relate_mask (buffer, mask);
  return mask;
}

GstVideoRegionOfInterestMeta *
gst_infer_find_object (GstBuffer *buffer, int roi_id)
{
  return roi_id < 0
             ? NULL
             : gst_buffer_get_video_region_of_interest_meta_id (buffer, roi_id);
}

GstInferLabel
gst_infer_read_label (const GstStructure *s)
{
  GstInferLabel label = { gst_structure_get_string (s, "label"), -1, 0,
    gst_structure_get_string (s, "model_name"),
    gst_structure_get_string (s, "layer_name") };

  gst_structure_get_int (s, "label_id", &label.label_id);
  gst_structure_get_double (s, "confidence", &label.confidence);
  return label;
}

GstInferLabel
gst_infer_object_label (GstVideoRegionOfInterestMeta *roi)
{
  const GstStructure *s =
      gst_video_region_of_interest_meta_get_param (roi, "detection");
  GstInferLabel label = { NULL, -1, 1, NULL, NULL };

  if (s == NULL)
    return label;
  label = gst_infer_read_label (s);
  if (!gst_structure_has_field_typed (s, "confidence", G_TYPE_DOUBLE))
    label.confidence = 1;
  return label;
}

/* Reads the fractions of @s as pixels of a frame of @width × @height. */
static gboolean
read_box (const GstStructure *s, double width, double height, double box[4])
{
  if (!gst_structure_get (s, "x_min", G_TYPE_DOUBLE, &box[0], "y_min",
          G_TYPE_DOUBLE, &box[1], "x_max", G_TYPE_DOUBLE, &box[2], "y_max",
          G_TYPE_DOUBLE, &box[3], NULL))
    return FALSE;
  box[0] *= width, box[2] *= width;
  box[1] *= height, box[3] *= height;
  return TRUE;
}

static const GstStructure *
find_param (const GstVideoRegionOfInterestMeta *roi, const char *name)
{
  for (const GList *l = roi->params; l != NULL; l = l->next)
    if (gst_structure_has_name (l->data, name))
      return l->data;
  return NULL;
}

GstInferBox
gst_infer_object_box (
    const GstVideoRegionOfInterestMeta *roi, guint width, guint height)
{
  const GstInferBox whole = { (float) roi->x, (float) roi->y,
    (float) (roi->x + roi->w), (float) (roi->y + roi->h) };
  const GstStructure *s = find_param (roi, "detection");
  double d[4];

  if (s == NULL || !read_box (s, width, height, d))
    return whole;
  GstInferBox exact =
      (GstInferBox){ (float) d[0], (float) d[1], (float) d[2], (float) d[3] };
  /* A crop does not change the fractions: then the whole pixels are right. */
  return fabsf (exact.x0 - whole.x0) < 2 && fabsf (exact.x1 - whole.x1) < 2
                 && fabsf (exact.y0 - whole.y0) < 2
                 && fabsf (exact.y1 - whole.y1) < 2
             ? exact
             : whole;
}

#define REGION "region"
#define FAR 4 /* how far beyond the frame a region may reach, in frames */

void
gst_infer_set_object_region (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, guint width, guint height,
    const GstInferBox *box)
{
  gst_video_region_of_interest_meta_add_param (
      roi, new_box (REGION, box, width, height));
  gst_infer_keep_params (buffer, roi->id);
}

/* Whether [from, to), clipped to [0, @limit), is [@at, @at + @size): a crop
 * does not change the fractions, so that they may be those of another box. */
static gboolean
is_region_of (gint64 from, gint64 to, gint64 limit, gint64 at, gint64 size)
{
  return from < limit && to > 0 && to > from
         && ABS (CLAMP (from, 0, limit) - at) < 2
         && ABS (CLAMP (to, 0, limit) - (at + size)) < 2;
}

gboolean
gst_infer_object_region (const GstVideoRegionOfInterestMeta *roi, gint64 width,
    gint64 height, InferBox *box)
{
  const InferBox cut = { roi->x, roi->y,
    MIN ((gint64) roi->x + roi->w, width) - roi->x,
    MIN ((gint64) roi->y + roi->h, height) - roi->y };
  const double w = (double) width, h = (double) height;
  const GstStructure *s = find_param (roi, REGION);
  gint64 left, right, top, bottom;
  double d[4];

  *box = cut;
  if (s != NULL && read_box (s, w, h, d) && d[0] >= -FAR * w && d[1] >= -FAR * h
      && d[2] <= FAR * w && d[3] <= FAR * h) {
    left = llround (d[0]), right = llround (d[2]);
    top = llround (d[1]), bottom = llround (d[3]);
    if (is_region_of (left, right, width, cut.x, cut.width)
        && is_region_of (top, bottom, height, cut.y, cut.height))
      *box = (InferBox){ left, top, right - left, bottom - top };
  }
  return box->width > 0 && box->height > 0;
}

void
gst_infer_set_object_id (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi,
    int id, GstClockTime first, GstClockTime last, gboolean lost)
{
  gst_infer_keep_params (buffer, roi->id);
  gst_infer_relate_track (buffer, roi, id, first, last, lost);
  gst_video_region_of_interest_meta_add_param (
      roi, gst_structure_new ("object_id", "id", G_TYPE_INT, id, NULL));
}

int
gst_infer_object_id (GstVideoRegionOfInterestMeta *roi)
{
  const GstStructure *s =
      gst_video_region_of_interest_meta_get_param (roi, "object_id");
  int id = 0;

  if (s != NULL)
    gst_structure_get_int (s, "id", &id);
  return id;
}
