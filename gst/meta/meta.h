/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of metas on video frames: registration, and how a transform
 * of the frame moves their coordinates. */

#pragma once

#include <gst/video/gstvideosink.h>
#include <gst/video/video.h>

#include "gst/infer/map.h"

/* GStreamer 1.28's GstVideoMetaTransformMatrix: @matrix maps pixels of
 * @in_rectangle to pixels of @out_rectangle. */
#if GST_CHECK_VERSION(1, 28, 0)
typedef GstVideoMetaTransformMatrix GstInferMatrix;
#else
typedef struct
{
  const GstVideoInfo *in_info;
  GstVideoRectangle in_rectangle;
  const GstVideoInfo *out_info;
  GstVideoRectangle out_rectangle;
  float matrix[3][3];
} GstInferMatrix;
#endif
#define GST_INFER_MATRIX_TRANSFORM "gst-video-matrix"

/* How the transform (@type, @data) of GstMetaInfo.transform_func moves pixels
 * of the frame: a copy of the whole frame, GstVideoMetaTransform's scale and,
 * where GStreamer has it, an upright matrix (crop and scale).  FALSE: any other
 * transform, after which the meta is no longer valid. */
gboolean gst_infer_map_of_transform (
    GQuark type, gpointer data, GstInferMap *map);

/* Registers meta @name of @size bytes and its API type "@nameAPI", tagged as
 * depending on the frame's size, once per process (another copy of this code
 * may have done so).  @once is a static zero. */
const GstMetaInfo *gst_infer_meta_register (gsize *once, const char *name,
    gsize size, GstMetaInitFunction init, GstMetaFreeFunction free,
    GstMetaTransformFunction transform);
