/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/scene/masks.h"

#include <math.h>

#include "gst/infer/results.h"

#define SURE 128 /* of 255: of a soft mask */

static const GstInferMaskMeta *
next_mask (GstBuffer *buffer, gpointer *state)
{
  return (const GstInferMaskMeta *) (gpointer)
      gst_buffer_iterate_meta_filtered (
          buffer, state, GST_INFER_MASK_META_API_TYPE);
}

static int
pixel (double fraction, int size)
{
  return (int) floor (fraction * size);
}

static gboolean
is_set (const GstInferMaskMeta *mask, int x, int y)
{
  return gst_infer_mask_meta_at (mask, x, y)
         >= (mask->kind == GST_INFER_MASK_SOFT ? SURE : 1);
}

/* --- objects --- */

static void
set_mask (GstInferSceneObject *object, const GstInferMaskMeta *mask,
    const GstVideoInfo *video)
{
  const guint n = GST_INFER_SCENE_MASK_SIZE;

  object->has_mask = TRUE;
  for (guint y = 0; y < n; y++) {
    const int row =
        pixel (object->y0 + (object->y1 - object->y0) * (y + 0.5) / n,
            GST_VIDEO_INFO_HEIGHT (video));

    object->mask[y] = 0;
    for (guint x = 0; x < n; x++)
      if (is_set (mask,
              pixel (object->x0 + (object->x1 - object->x0) * (x + 0.5) / n,
                  GST_VIDEO_INFO_WIDTH (video)),
              row))
        object->mask[y] |= (guint32) 1 << x;
  }
}

void
gst_infer_scene_read_masks (
    GstBuffer *buffer, const GstVideoInfo *video, GArray *objects)
{
  const GstInferMaskMeta *mask;
  gpointer state = NULL;

  while ((mask = next_mask (buffer, &state)) != NULL)
    for (guint i = 0; i < objects->len && mask->roi_id >= 0; i++) {
      GstInferSceneObject *object =
          &g_array_index (objects, GstInferSceneObject, i);

      if (object->roi_id == mask->roi_id && !object->has_mask)
        set_mask (object, mask, video);
    }
}

/* --- zones --- */

/* A mask, and which of its values are of the classes that a zone asks for. */
typedef struct
{
  const GstInferMaskMeta *mask;
  gboolean wanted[256];
} Layer;

static gboolean
is_listed (GStrv labels, const char *label)
{
  return label != NULL && g_strv_contains ((const char *const *) labels, label);
}

/* The class is known by its name, else as the object that it is the mask of,
 * else by its number. */
static gboolean
is_class (
    GstBuffer *buffer, const GstInferMaskMeta *mask, guint class, GStrv labels)
{
  if (mask->labels != NULL)
    return class < mask->labels->len
           && is_listed (labels, g_ptr_array_index (mask->labels, class));
  const GstVideoRegionOfInterestMeta *roi =
      gst_infer_find_object (buffer, mask->roi_id);
  if (roi != NULL)
    return class > 0 && is_listed (labels, g_quark_to_string (roi->roi_type));
  g_autofree char *number = g_strdup_printf ("%u", class);
  return is_listed (labels, number);
}

static gboolean
open_layer (
    GstBuffer *buffer, const GstInferMaskMeta *mask, GStrv labels, Layer *layer)
{
  gboolean any = FALSE;

  *layer = (Layer){ mask, { FALSE } };
  if (mask->kind == GST_INFER_MASK_SOFT) {
    /* Its only class has the first name, and the number 1. */
    any = is_class (buffer, mask, mask->labels != NULL ? 0 : 1, labels);
    for (guint i = SURE; i < 256; i++)
      layer->wanted[i] = any;
    return any;
  }
  for (guint i = 0; i < 256; i++)
    any |= layer->wanted[i] = is_class (buffer, mask, i, labels);
  return any;
}

/* Class 0 of what is not in the mask is not the background. */
static gboolean
covers (const Layer *layer, int x, int y)
{
  const GstInferMaskMeta *mask = layer->mask;
  const double left = (x + 0.5 - mask->map.x) / mask->map.scale_x;
  const double top = (y + 0.5 - mask->map.y) / mask->map.scale_y;

  return left >= 0 && left < mask->width && top >= 0 && top < mask->height
         && layer->wanted[gst_infer_mask_meta_at (mask, x, y)];
}

static double
area_of (const GstInferSceneItem *item, const GArray *layers,
    const GstVideoInfo *video)
{
  guint n = 0;

  for (guint i = 0; i < item->n_samples; i++) {
    const int x = pixel (item->samples[i].x, GST_VIDEO_INFO_WIDTH (video));
    const int y = pixel (item->samples[i].y, GST_VIDEO_INFO_HEIGHT (video));
    gboolean covered = FALSE;

    for (guint k = 0; k < layers->len && !covered; k++)
      covered = covers (&g_array_index (layers, Layer, k), x, y);
    n += covered;
  }
  return item->n_samples > 0 ? (double) n / item->n_samples : 0;
}

void
gst_infer_scene_read_areas (
    GstBuffer *buffer, const GstVideoInfo *video, GstInferSceneState *scene)
{
  const GstInferSceneSettings *settings =
      gst_infer_scene_state_settings (scene);

  for (guint i = 0; settings != NULL && i < settings->n; i++) {
    const GstInferSceneItem *item = &settings->items[i];
    g_autoptr (GArray) layers = NULL;
    const GstInferMaskMeta *mask;
    gpointer state = NULL;
    Layer layer;

    if (item->masks == NULL)
      continue;
    while ((mask = next_mask (buffer, &state)) != NULL) {
      if (layers == NULL)
        layers = g_array_new (FALSE, FALSE, sizeof (Layer));
      if (open_layer (buffer, mask, item->masks, &layer))
        g_array_append_val (layers, layer);
    }
    if (layers != NULL)
      gst_infer_scene_state_set_area (scene, i, area_of (item, layers, video));
  }
}
