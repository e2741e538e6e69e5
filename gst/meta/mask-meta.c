/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/infer/mask-meta.h"

#include <math.h>

GType
gst_infer_mask_meta_api_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, gst_infer_meta_api ("GstInferMaskMetaAPI"));
  return type;
}

static gboolean
meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  GstInferMaskMeta *self = (GstInferMaskMeta *) meta;

  self->kind = INFER_MASK_CLASSES;
  self->width = self->height = 0;
  self->data = NULL;
  self->map = GST_INFER_MAP_IDENTITY;
  self->labels = NULL;
  self->roi_id = -1;
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
  gst_buffer_add_infer_mask_meta (target,
      (InferMaskInfo){ from->kind, from->width, from->height }, from->data,
      gst_infer_map_chain (from->map, map), from->labels)
      ->roi_id = from->roi_id;
  return TRUE;
}

const GstMetaInfo *
gst_infer_mask_meta_get_info (void)
{
  static gsize info = 0;

  if (g_once_init_enter (&info)) {
    const GstMetaInfo *known = gst_meta_get_info ("GstInferMaskMeta");

    if (known == NULL)
      known = gst_meta_register (gst_infer_mask_meta_api_get_type (),
          "GstInferMaskMeta", sizeof (GstInferMaskMeta), meta_init, meta_free,
          meta_transform);
    g_once_init_leave (&info, (gsize) known);
  }
  return (const GstMetaInfo *) info;
}

GstInferMaskMeta *
gst_buffer_add_infer_mask_meta (GstBuffer *buffer, InferMaskInfo info,
    GBytes *data, GstInferMap map, GPtrArray *labels)
{
  GstInferMaskMeta *self = (GstInferMaskMeta *) gst_buffer_add_meta (
      buffer, gst_infer_mask_meta_get_info (), NULL);

  self->kind = info.kind;
  self->width = info.width;
  self->height = info.height;
  self->data = g_bytes_ref (data);
  self->map = map;
  self->labels = labels ? g_ptr_array_ref (labels) : NULL;
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
