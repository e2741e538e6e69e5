/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/infer/keypoints-meta.h"

#define COCO_BODY 17
#define BLAZE_BODY 33

GstInferKeypointsKind
gst_infer_keypoints_kind (guint n)
{
  return n == COCO_BODY || n == BLAZE_BODY ? GST_INFER_KEYPOINTS_BODY
                                           : GST_INFER_KEYPOINTS_LOOSE;
}

GType
gst_infer_keypoints_meta_api_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, gst_infer_meta_api ("GstInferKeypointsMetaAPI"));
  return type;
}

static gboolean
meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  GstInferKeypointsMeta *self = (GstInferKeypointsMeta *) meta;

  self->kind = GST_INFER_KEYPOINTS_LOOSE;
  self->n = 0;
  self->points = NULL;
  self->roi_id = -1;
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
  GstInferKeypointsMeta *to;
  GstInferMap map;

  if (!gst_infer_map_of_transform (type, data, &map))
    return FALSE;
  to = gst_buffer_add_infer_keypoints_meta (
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
  static gsize info = 0;

  if (g_once_init_enter (&info)) {
    const GstMetaInfo *known = gst_meta_get_info ("GstInferKeypointsMeta");

    if (known == NULL)
      known = gst_meta_register (gst_infer_keypoints_meta_api_get_type (),
          "GstInferKeypointsMeta", sizeof (GstInferKeypointsMeta), meta_init,
          meta_free, meta_transform);
    g_once_init_leave (&info, (gsize) known);
  }
  return (const GstMetaInfo *) info;
}

GstInferKeypointsMeta *
gst_buffer_add_infer_keypoints_meta (GstBuffer *buffer,
    GstInferKeypointsKind kind, guint n, const GstInferKeypoint *points)
{
  GstInferKeypointsMeta *self = (GstInferKeypointsMeta *) gst_buffer_add_meta (
      buffer, gst_infer_keypoints_meta_get_info (), NULL);

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
