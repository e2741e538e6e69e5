/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/infer/bindings.h"

/* --- metas by number --- */

static GstMeta *
nth_meta (GstBuffer *buffer, GType api, guint n)
{
  gpointer state = NULL;
  GstMeta *meta;

  while (
      (meta = gst_buffer_iterate_meta_filtered (buffer, &state, api)) != NULL)
    if (n-- == 0)
      return meta;
  return NULL;
}

GstVideoRegionOfInterestMeta *
gst_infer_nth_object (GstBuffer *buffer, guint n)
{
  return (GstVideoRegionOfInterestMeta *) nth_meta (
      buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE, n);
}

GstInferTensorMeta *
gst_infer_nth_tensor_meta (GstBuffer *buffer, guint n)
{
  return (GstInferTensorMeta *) nth_meta (
      buffer, GST_INFER_TENSOR_META_API_TYPE, n);
}

GstInferKeypointsMeta *
gst_infer_nth_keypoints_meta (GstBuffer *buffer, guint n)
{
  return (GstInferKeypointsMeta *) nth_meta (
      buffer, GST_INFER_KEYPOINTS_META_API_TYPE, n);
}

GstInferMaskMeta *
gst_infer_nth_mask_meta (GstBuffer *buffer, guint n)
{
  return (GstInferMaskMeta *) nth_meta (
      buffer, GST_INFER_MASK_META_API_TYPE, n);
}

GstInferSceneMeta *
gst_infer_nth_scene_meta (GstBuffer *buffer, guint n)
{
  return (GstInferSceneMeta *) nth_meta (
      buffer, GST_INFER_SCENE_META_API_TYPE, n);
}

/* --- labels --- */

static GstStructure *
nth_label_of_frame (GstBuffer *buffer, guint n)
{
  gst_infer_results_init ();
  const GstMetaInfo *info = gst_meta_get_info (GST_INFER_LABEL_META);
  GstMeta *meta = nth_meta (buffer, info->api, n);

  return meta != NULL ? gst_structure_copy (
             gst_custom_meta_get_structure ((GstCustomMeta *) meta))
                      : NULL;
}

/* Params that tell where the object is, not what it is. */
static gboolean
is_label (const GstStructure *param)
{
  return !gst_structure_has_name (param, "detection")
         && !gst_structure_has_name (param, "region")
         && !gst_structure_has_name (param, "object_id");
}

GstStructure *
gst_infer_nth_label (
    GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi, guint n)
{
  if (roi == NULL)
    return nth_label_of_frame (buffer, n);
  for (const GList *l = roi->params; l != NULL; l = l->next) {
    if (!is_label (l->data) || n-- != 0)
      continue;
    GstStructure *label = gst_structure_copy (l->data);
    gst_structure_set (
        label, "name", G_TYPE_STRING, gst_structure_get_name (label), NULL);
    return label;
  }
  return NULL;
}

/* --- values --- */

void
gst_infer_get_object_box (const GstVideoRegionOfInterestMeta *roi, guint width,
    guint height, float *x0, float *y0, float *x1, float *y1)
{
  GstInferBox box = gst_infer_object_box (roi, width, height);

  *x0 = box.x0;
  *y0 = box.y0;
  *x1 = box.x1;
  *y1 = box.y1;
}

InferTensor *
gst_infer_tensor_meta_get_tensor (const GstInferTensorMeta *meta, guint index)
{
  return index < meta->n ? infer_tensor_ref (meta->tensors[index]) : NULL;
}

gboolean
gst_infer_keypoints_meta_get_point (const GstInferKeypointsMeta *meta,
    guint index, double *x, double *y, double *score)
{
  const GstInferKeypoint point =
      index < meta->n ? meta->points[index] : (GstInferKeypoint){ 0 };

  *x = point.x;
  *y = point.y;
  *score = point.score;
  return index < meta->n;
}

GBytes *
gst_infer_mask_meta_get_data (const GstInferMaskMeta *meta)
{
  return g_bytes_ref (meta->data);
}

const char *
gst_infer_mask_meta_get_label (const GstInferMaskMeta *meta, guint index)
{
  return meta->labels != NULL && index < meta->labels->len
             ? meta->labels->pdata[index]
             : NULL;
}

GstStructure *
gst_infer_scene_meta_get_event (const GstInferSceneMeta *meta, guint index)
{
  return index < meta->n_events
             ? gst_infer_scene_event_to_structure (&meta->events[index])
             : NULL;
}

GstStructure *
gst_infer_scene_meta_get_shape (const GstInferSceneMeta *meta, guint index)
{
  if (index >= meta->n_shapes)
    return NULL;
  const GstInferSceneShape *shape = &meta->shapes[index];
  return gst_structure_new ("shape", "kind", G_TYPE_STRING,
      gst_infer_scene_kind_name (shape->kind), "id", G_TYPE_STRING, shape->id,
      "count", G_TYPE_UINT, shape->count, "in", G_TYPE_UINT64, shape->in, "out",
      G_TYPE_UINT64, shape->out, "points", G_TYPE_UINT, shape->n, "area",
      G_TYPE_DOUBLE, shape->area, NULL);
}

gboolean
gst_infer_scene_meta_get_point (const GstInferSceneMeta *meta, guint index,
    guint point, double *x, double *y)
{
  const gboolean found =
      index < meta->n_shapes && point < meta->shapes[index].n;
  const GstInferScenePoint at =
      found ? meta->shapes[index].points[point] : (GstInferScenePoint){ 0 };

  *x = at.x;
  *y = at.y;
  return found;
}
