/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/relations.h"

#include <gst/analytics/analytics.h>

/* In the param "detection": which of the relation meta's objects it is. */
#define FIELD "analytics_id"

static GstAnalyticsRelationMeta *
relations_of (GstBuffer *buffer)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (buffer);

  return meta != NULL ? meta : gst_buffer_add_analytics_relation_meta (buffer);
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

  if (s != NULL
      && gst_analytics_relation_meta_add_od_mtd (relations_of (buffer),
          roi->roi_type, (int) roi->x, (int) roi->y, (int) roi->w, (int) roi->h,
          (float) label->confidence, &object))
    gst_structure_set (s, FIELD, G_TYPE_UINT, object.id, NULL);
}

void
gst_infer_relate_label (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi,
    const GstInferLabel *label)
{
  GstAnalyticsRelationMeta *meta = relations_of (buffer);
  GstAnalyticsClsMtd said;
  guint object;

  if (label->label != NULL
      && gst_analytics_relation_meta_add_one_cls_mtd (meta,
          (float) label->confidence, g_quark_from_string (label->label), &said)
      && find_object (roi, &object))
    gst_analytics_relation_meta_set_relation (
        meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, object, said.id);
}

void
gst_infer_relate_track (
    GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi, int id)
{
  GstAnalyticsRelationMeta *meta = relations_of (buffer);
  GstAnalyticsTrackingMtd track;
  guint object;

  if (find_object (roi, &object)
      && gst_analytics_relation_meta_add_tracking_mtd (
          meta, (guint64) id, GST_BUFFER_PTS (buffer), &track))
    gst_analytics_relation_meta_set_relation (
        meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, object, track.id);
}
