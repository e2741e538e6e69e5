/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where pixels go: along both axes a factor and an offset.  What the metas of
 * this plugin do when a frame is copied, scaled or cropped. */

#pragma once

#include <gst/video/gstvideosink.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* to = x + from · scale_x, and the same for y. */
typedef struct
{
  double x, y, scale_x, scale_y;
} GstInferMap;

#define GST_INFER_MAP_IDENTITY ((GstInferMap){ 0, 0, 1, 1 })

/* GStreamer 1.28's GstVideoMetaTransformMatrix: what @matrix makes of
 * @in_rectangle lies in @out_rectangle. */
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

/* First @first, then @second. */
GstInferMap gst_infer_map_chain (GstInferMap first, GstInferMap second);

/* What the transform (@type, @data) of a GstMeta does to the frame: a copy of
 * all of it, GstVideoMetaTransform's scale and, in GStreamers that have it, an
 * upright matrix (crop, scale).  FALSE: what the meta says holds no longer. */
gboolean gst_infer_map_of_transform (
    GQuark type, gpointer data, GstInferMap *map);

/* The API type @name, tagged as one that hangs on the frame's size.  Another
 * copy of this code in the process may have registered it before. */
GType gst_infer_meta_api (const char *name);

G_END_DECLS
