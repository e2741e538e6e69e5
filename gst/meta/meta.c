/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/meta/meta.h"

GstInferMap
gst_infer_map_chain (GstInferMap first, GstInferMap second)
{
  return (GstInferMap){
    .x = second.x + first.x * second.scale_x,
    .y = second.y + first.y * second.scale_y,
    .scale_x = first.scale_x * second.scale_x,
    .scale_y = first.scale_y * second.scale_y,
  };
}

static gboolean
map_of_scale (const GstVideoMetaTransform *scale, GstInferMap *map)
{
  int from_w = GST_VIDEO_INFO_WIDTH (scale->in_info);
  int from_h = GST_VIDEO_INFO_HEIGHT (scale->in_info);

  if (from_w <= 0 || from_h <= 0)
    return FALSE;
  *map = GST_INFER_MAP_IDENTITY;
  map->scale_x = (double) GST_VIDEO_INFO_WIDTH (scale->out_info) / from_w;
  map->scale_y = (double) GST_VIDEO_INFO_HEIGHT (scale->out_info) / from_h;
  return TRUE;
}

static gboolean
map_of_matrix (const GstInferMatrix *m, GstInferMap *map)
{
  const float (*a)[3] = m->matrix;
  double x = m->in_rectangle.x, y = m->in_rectangle.y;

  if (a[0][1] != 0 || a[1][0] != 0 || a[2][0] != 0 || a[2][1] != 0
      || a[2][2] == 0 || a[0][0] <= 0 || a[1][1] <= 0)
    return FALSE;
  map->scale_x = a[0][0] / a[2][2];
  map->scale_y = a[1][1] / a[2][2];
  map->x = m->out_rectangle.x + a[0][2] / a[2][2] - x * map->scale_x;
  map->y = m->out_rectangle.y + a[1][2] / a[2][2] - y * map->scale_y;
  return TRUE;
}

gboolean
gst_infer_map_of_transform (GQuark type, gpointer data, GstInferMap *map)
{
  if (GST_META_TRANSFORM_IS_COPY (type)) {
    const GstMetaTransformCopy *copy = data;

    *map = GST_INFER_MAP_IDENTITY;
    return !copy->region;
  }
  if (GST_VIDEO_META_TRANSFORM_IS_SCALE (type))
    return map_of_scale (data, map);
  if (type == g_quark_from_static_string (GST_INFER_MATRIX_TRANSFORM))
    return map_of_matrix (data, map);
  return FALSE;
}

const GstMetaInfo *
gst_infer_meta_register (gsize *once, const char *name, gsize size,
    GstMetaInitFunction init, GstMetaFreeFunction free,
    GstMetaTransformFunction transform)
{
  static const char *tags[] = { GST_META_TAG_VIDEO_STR,
    GST_META_TAG_VIDEO_ORIENTATION_STR, GST_META_TAG_VIDEO_SIZE_STR, NULL };

  if (g_once_init_enter (once)) {
    g_autofree char *api_name = g_strconcat (name, "API", NULL);
    const GstMetaInfo *info = gst_meta_get_info (name);
    GType api = g_type_from_name (api_name);

    if (api == 0)
      api = gst_meta_api_type_register (api_name, tags);
    if (info == NULL)
      info = gst_meta_register (api, name, size, init, free, transform);
    g_once_init_leave (once, (gsize) info);
  }
  return (const GstMetaInfo *) *once;
}
