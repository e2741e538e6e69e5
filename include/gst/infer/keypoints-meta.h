/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GstInferKeypointsMeta: points found on a video frame: of a face, a body, a
 * hand, or the corners of a line of text.  It is kept when the buffer is
 * copied, and its points move with the frame when that is scaled or cropped.
 *
 * Any thread may read it; only the holder of a writable buffer may change it.
 */

#pragma once

#include <gst/gst.h>

#include "gst/infer/api.h"

G_BEGIN_DECLS

#define GST_INFER_KEYPOINTS_META_API_TYPE                                      \
  (gst_infer_keypoints_meta_api_get_type ())
#define GST_INFER_KEYPOINTS_META_INFO (gst_infer_keypoints_meta_get_info ())

typedef struct
{
  double x, y;  /* pixels of the frame; may lie outside it */
  double score; /* 0 … 1; 1 if the model gives none */
} GstInferKeypoint;

typedef enum
{
  GST_INFER_KEYPOINTS_LOOSE,   /* not connected */
  GST_INFER_KEYPOINTS_BODY,    /* COCO's 17 points of a body, or
                                * BlazePose's 33; in their order */
  GST_INFER_KEYPOINTS_POLYGON, /* closed: the corners of a line of text */
} GstInferKeypointsKind;

typedef struct
{
  GstMeta meta;
  GstInferKeypointsKind kind;
  guint n;
  GstInferKeypoint *points; /* [n], owned by the meta */
  int roi_id;               /* of its GstVideoRegionOfInterestMeta; -1: the
                             * points belong to no region */
} GstInferKeypointsMeta;

GST_INFER_API GType gst_infer_keypoints_meta_api_get_type (void);
GST_INFER_API const GstMetaInfo *gst_infer_keypoints_meta_get_info (void);

/* Adds a meta with a copy of @points [n] and roi_id -1 to @buffer, which is
 * writable.  (transfer none) */
GST_INFER_API GstInferKeypointsMeta *gst_buffer_add_infer_keypoints_meta (
    GstBuffer *buffer, GstInferKeypointsKind kind, guint n,
    const GstInferKeypoint *points);

/* Returns the first meta of region @roi_id (-1: of no region), NULL if there is
 * none. */
GST_INFER_API GstInferKeypointsMeta *gst_buffer_get_infer_keypoints_meta (
    GstBuffer *buffer, int roi_id);

G_END_DECLS
