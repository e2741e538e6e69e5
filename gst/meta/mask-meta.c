/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/infer/mask-meta.h"

#include <math.h>

#include "gst/meta/meta.h"

static gboolean
meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  GstInferMaskMeta *self = (GstInferMaskMeta *) meta;

  *self = (GstInferMaskMeta){
    .meta = *meta, .map = GST_INFER_MAP_IDENTITY, .roi_id = -1
  };
  return TRUE;
}

static void
meta_free (GstMeta *meta, GstBuffer *buffer)
{
  GstInferMaskMeta *self = (GstInferMaskMeta *) meta;

  g_clear_pointer (&self->data, g_bytes_unref);
  g_clear_pointer (&self->labels, g_ptr_array_unref);
}

static gboolean
meta_transform (GstBuffer *target, GstMeta *meta, GstBuffer *buffer,
    GQuark type, gpointer data)
{
  const GstInferMaskMeta *from = (const GstInferMaskMeta *) meta;
  GstInferMap map;

  if (!gst_infer_map_of_transform (type, data, &map))
    return FALSE;
  gst_buffer_add_infer_mask_meta (target, from->kind, from->width, from->height,
      from->data, gst_infer_map_chain (from->map, map), from->labels)
      ->roi_id = from->roi_id;
  return TRUE;
}

const GstMetaInfo *
gst_infer_mask_meta_get_info (void)
{
  static gsize once = 0;

  return gst_infer_meta_register (&once, "GstInferMaskMeta",
      sizeof (GstInferMaskMeta), meta_init, meta_free, meta_transform);
}

GType
gst_infer_mask_meta_api_get_type (void)
{
  return gst_infer_mask_meta_get_info ()->api;
}

GstInferMaskMeta *
gst_buffer_add_infer_mask_meta (GstBuffer *buffer, GstInferMaskKind kind,
    guint width, guint height, GBytes *data, GstInferMap map, GPtrArray *labels)
{
  GstInferMaskMeta *self = (GstInferMaskMeta *) gst_buffer_add_meta (
      buffer, GST_INFER_MASK_META_INFO, NULL);

  self->kind = kind;
  self->width = width;
  self->height = height;
  self->data = g_bytes_ref (data);
  self->map = map;
  self->labels = labels != NULL ? g_ptr_array_ref (labels) : NULL;
  return self;
}

guint8
gst_infer_mask_meta_at (const GstInferMaskMeta *meta, int x, int y)
{
  double mx = floor ((x + 0.5 - meta->map.x) / meta->map.scale_x);
  double my = floor ((y + 0.5 - meta->map.y) / meta->map.scale_y);
  const guint8 *data = g_bytes_get_data (meta->data, NULL);

  if (!(mx >= 0) || !(my >= 0) || mx >= meta->width || my >= meta->height)
    return 0;
  return data[(gsize) my * meta->width + (gsize) mx];
}
