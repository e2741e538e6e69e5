/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GstInferKeypointsMeta: points found on a frame: of a face, a body, a hand, or
 * the corners of a text.  Stays when the buffer is copied, and moves with the
 * frame when it is scaled or cropped. */

#pragma once

#include "gst/infer/meta-map.h"

G_BEGIN_DECLS

#define GST_INFER_KEYPOINTS_META_API_TYPE                                      \
  (gst_infer_keypoints_meta_api_get_type ())

typedef struct
{
  double x, y;  /* pixels of the frame */
  double score; /* 0 … 1; 1 where the model says nothing */
} GstInferKeypoint;

typedef enum
{
  GST_INFER_KEYPOINTS_LOOSE,   /* no lines between them */
  GST_INFER_KEYPOINTS_BODY,    /* COCO's 17 points of a body, or
                                * BlazePose's 33 */
  GST_INFER_KEYPOINTS_POLYGON, /* closed: corners of a text */
} GstInferKeypointsKind;

typedef struct
{
  GstMeta meta;
  GstInferKeypointsKind kind;
  guint n;
  GstInferKeypoint *points;
  int roi_id; /* of the GstVideoRegionOfInterestMeta; -1: none */
} GstInferKeypointsMeta;

/* What @n points that a model found are. */
GstInferKeypointsKind gst_infer_keypoints_kind (guint n);

GType gst_infer_keypoints_meta_api_get_type (void);
const GstMetaInfo *gst_infer_keypoints_meta_get_info (void);

/* Copies @points [n]; no region. */
GstInferKeypointsMeta *gst_buffer_add_infer_keypoints_meta (GstBuffer *buffer,
    GstInferKeypointsKind kind, guint n, const GstInferKeypoint *points);

/* The points of region @roi_id (-1: of no region), NULL: none. */
GstInferKeypointsMeta *gst_buffer_get_infer_keypoints_meta (
    GstBuffer *buffer, int roi_id);

G_END_DECLS
