/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/infer/keypoints-meta.h"

#include "gst/meta/meta.h"

static gboolean
meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  GstInferKeypointsMeta *self = (GstInferKeypointsMeta *) meta;

  *self = (GstInferKeypointsMeta){ .meta = *meta, .roi_id = -1 };
  return TRUE;
}

static void
meta_free (GstMeta *meta, GstBuffer *buffer)
{
  g_free (((GstInferKeypointsMeta *) meta)->points);
}

static gboolean
meta_transform (GstBuffer *target, GstMeta *meta, GstBuffer *buffer,
    GQuark type, gpointer data)
{
  const GstInferKeypointsMeta *from = (const GstInferKeypointsMeta *) meta;
  GstInferMap map;

  if (!gst_infer_map_of_transform (type, data, &map))
    return FALSE;
  GstInferKeypointsMeta *to = gst_buffer_add_infer_keypoints_meta (
      target, from->kind, from->n, from->points);
  to->roi_id = from->roi_id;
  for (guint i = 0; i < to->n; i++) {
    to->points[i].x = map.x + to->points[i].x * map.scale_x;
    to->points[i].y = map.y + to->points[i].y * map.scale_y;
  }
  return TRUE;
}

const GstMetaInfo *
gst_infer_keypoints_meta_get_info (void)
{
  static gsize once = 0;

  return gst_infer_meta_register (&once, "GstInferKeypointsMeta",
      sizeof (GstInferKeypointsMeta), meta_init, meta_free, meta_transform);
}

GType
gst_infer_keypoints_meta_api_get_type (void)
{
  return gst_infer_keypoints_meta_get_info ()->api;
}

GstInferKeypointsMeta *
gst_buffer_add_infer_keypoints_meta (GstBuffer *buffer,
    GstInferKeypointsKind kind, guint n, const GstInferKeypoint *points)
{
  GstInferKeypointsMeta *self = (GstInferKeypointsMeta *) gst_buffer_add_meta (
      buffer, GST_INFER_KEYPOINTS_META_INFO, NULL);

  self->kind = kind;
  self->n = n;
  self->points = g_memdup2 (points, n * sizeof *points);
  return self;
}

GstInferKeypointsMeta *
gst_buffer_get_infer_keypoints_meta (GstBuffer *buffer, int roi_id)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_INFER_KEYPOINTS_META_API_TYPE)))
    if (((GstInferKeypointsMeta *) meta)->roi_id == roi_id)
      return (GstInferKeypointsMeta *) meta;
  return NULL;
}
