/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/meta/relations.h"

#include <gst/analytics/analytics.h>
#include <math.h>

#include "gst/common/library.h"

/* The library is loaded, not linked: its package depends on GL, hence on
 * drivers and LLVM.  Whoever reads its metas has it. */
#define CALLS(CALL)                                                            \
  CALL (gst_analytics_relation_meta_add_cls_mtd)                               \
  CALL (gst_analytics_relation_meta_add_od_mtd)                                \
  CALL (gst_analytics_relation_meta_add_one_cls_mtd)                           \
  CALL (gst_analytics_relation_meta_add_segmentation_mtd)                      \
  CALL (gst_analytics_relation_meta_add_tracking_mtd)                          \
  CALL (gst_analytics_relation_meta_set_relation)                              \
  CALL (gst_analytics_tracking_mtd_set_lost)                                   \
  CALL (gst_analytics_tracking_mtd_update_last_seen)                           \
  CALL (gst_buffer_add_analytics_relation_meta)                                \
  CALL (gst_buffer_get_analytics_relation_meta)

static struct
{
  CALLS (GST_INFER_CALL)
} lib;

static gboolean
find_library (void)
{
  static const char *const names[] = { CALLS (GST_INFER_CALL_NAME) };
  static GstInferLibrary library = { .file = "libgstanalytics-1.0.so.0",
    .package = "GStreamer's analytics library",
    .names = names,
    .n = G_N_ELEMENTS (names),
    .functions = &lib };

  return gst_infer_library_find (&library);
}

/* Field of the param "detection": the id in the relation meta. */
#define FIELD "analytics_id"

static GstAnalyticsRelationMeta *
relations_of (GstBuffer *buffer)
{
  GstAnalyticsRelationMeta *meta =
      lib.gst_buffer_get_analytics_relation_meta (buffer);

  return meta != NULL ? meta
                      : lib.gst_buffer_add_analytics_relation_meta (buffer);
}

static gboolean
find_object (GstVideoRegionOfInterestMeta *roi, guint *id)
{
  GstStructure *s = roi != NULL ? gst_video_region_of_interest_meta_get_param (
                        roi, "detection")
                                : NULL;

  return s != NULL && gst_structure_get_uint (s, FIELD, id);
}

void
gst_infer_relate_object (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi,
    const GstInferLabel *label)
{
  GstStructure *s =
      gst_video_region_of_interest_meta_get_param (roi, "detection");
  GstAnalyticsODMtd object;

  if (s != NULL && find_library ()
      && lib.gst_analytics_relation_meta_add_od_mtd (relations_of (buffer),
          roi->roi_type, (int) roi->x, (int) roi->y, (int) roi->w, (int) roi->h,
          (float) label->confidence, &object))
    gst_structure_set (s, FIELD, G_TYPE_UINT, object.id, NULL);
}

void
gst_infer_relate_label (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi,
    const GstInferLabel *label)
{
  GstAnalyticsClsMtd said;
  guint object;

  if (label->label == NULL || !find_library ())
    return;
  GstAnalyticsRelationMeta *meta = relations_of (buffer);
  if (lib.gst_analytics_relation_meta_add_one_cls_mtd (meta,
          (float) label->confidence, g_quark_from_string (label->label), &said)
      && find_object (roi, &object))
    lib.gst_analytics_relation_meta_set_relation (
        meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, object, said.id);
}

/* --- masks --- */

/* Makes a GRAY8 picture of the mask; soft masks become 0 and 1. */
static GstBuffer *
draw_mask (const GstInferMaskMeta *mask)
{
  gsize n = (gsize) mask->width * mask->height;
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 0 };
  int strides[GST_VIDEO_MAX_PLANES] = { (int) mask->width };
  const guint8 *from = g_bytes_get_data (mask->data, NULL);
  GstBuffer *buffer;

  if (mask->kind == GST_INFER_MASK_CLASSES) {
    buffer = gst_buffer_new_wrapped_bytes (mask->data);
  } else {
    guint8 *to = g_malloc (n);

    for (gsize i = 0; i < n; i++)
      to[i] = from[i] >= 128;
    buffer = gst_buffer_new_wrapped (to, n);
  }
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GRAY8, mask->width, mask->height, 1, offsets, strides);
  return buffer;
}

/* Lists the values that occur in the mask.  Returns how many. */
static guint
list_regions (const GstInferMaskMeta *mask, guint ids[256])
{
  gsize n = (gsize) mask->width * mask->height;
  const guint8 *data = g_bytes_get_data (mask->data, NULL);
  gboolean seen[256] = { FALSE };
  guint count = 0;

  for (gsize i = 0; i < n; i++)
    seen[mask->kind == GST_INFER_MASK_CLASSES ? data[i] : data[i] >= 128] =
        TRUE;
  for (guint i = 0; i < 256; i++)
    if (seen[i])
      ids[count++] = i;
  return count;
}

static void
name_regions (GstAnalyticsRelationMeta *meta, guint segmentation,
    const GPtrArray *labels, const guint *ids, guint n)
{
  GQuark names[256];
  float confidences[256];
  GstAnalyticsClsMtd classes;

  for (guint i = 0; i < n; i++) {
    names[i] =
        ids[i] < labels->len ? g_quark_from_string (labels->pdata[ids[i]]) : 0;
    confidences[i] = -1; /* not known */
  }
  if (lib.gst_analytics_relation_meta_add_cls_mtd (
          meta, n, confidences, names, &classes))
    lib.gst_analytics_relation_meta_set_relation (
        meta, GST_ANALYTICS_REL_TYPE_N_TO_N, segmentation, classes.id);
}

void
gst_infer_relate_mask (GstBuffer *buffer, const GstInferMaskMeta *mask)
{
  const GstInferMap *map = &mask->map;
  double x = floor (map->x), y = floor (map->y);
  GstAnalyticsSegmentationMtd segmentation;
  guint ids[256], object;

  if (!find_library ())
    return;
  GstAnalyticsRelationMeta *meta = relations_of (buffer);
  guint n = list_regions (mask, ids);
  if (n == 0
      || !lib.gst_analytics_relation_meta_add_segmentation_mtd (meta,
          draw_mask (mask),
          mask->kind == GST_INFER_MASK_SOFT && mask->roi_id >= 0
              ? GST_SEGMENTATION_TYPE_INSTANCE
              : GST_SEGMENTATION_TYPE_SEMANTIC,
          n, ids, (int) x, (int) y,
          (guint) (ceil (map->x + mask->width * map->scale_x) - x),
          (guint) (ceil (map->y + mask->height * map->scale_y) - y),
          &segmentation))
    return;
  if (mask->labels != NULL && mask->kind == GST_INFER_MASK_CLASSES)
    name_regions (meta, segmentation.id, mask->labels, ids, n);
  if (find_object (gst_infer_find_object (buffer, mask->roi_id), &object))
    lib.gst_analytics_relation_meta_set_relation (
        meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, object, segmentation.id);
}

/* --- identities --- */

void
gst_infer_relate_track (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi,
    int id, GstClockTime first, GstClockTime last, gboolean lost)
{
  GstAnalyticsTrackingMtd track;
  guint object;

  if (!find_object (roi, &object))
    return; /* without the library no object has an id */
  GstAnalyticsRelationMeta *meta = relations_of (buffer);
  if (!lib.gst_analytics_relation_meta_add_tracking_mtd (
          meta, (guint64) id, first, &track))
    return;
  lib.gst_analytics_tracking_mtd_update_last_seen (&track, last);
  if (lost)
    lib.gst_analytics_tracking_mtd_set_lost (&track);
  lib.gst_analytics_relation_meta_set_relation (
      meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, object, track.id);
}
