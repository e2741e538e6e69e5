/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GstInferMaskMeta: what each pixel of a frame, or of a part of it, belongs to.
 * The mask has a size of its own; its map says which pixels of the frame it
 * covers, and follows when the frame is scaled or cropped. */

#pragma once

#include "gst/infer/meta-map.h"
#include "inference/media/vision/mask.h"

G_BEGIN_DECLS

#define GST_INFER_MASK_META_API_TYPE (gst_infer_mask_meta_api_get_type ())

typedef struct
{
  GstMeta meta;
  InferMaskKind kind;
  guint width, height;
  GBytes *data;      /* width · height bytes, without padding */
  GstInferMap map;   /* pixels of the mask → pixels of the frame */
  GPtrArray *labels; /* names of the classes (element-type utf8); nullable */
  int roi_id;        /* of the GstVideoRegionOfInterestMeta; -1: none */
} GstInferMaskMeta;

GType gst_infer_mask_meta_api_get_type (void);
const GstMetaInfo *gst_infer_mask_meta_get_info (void);

/* With references of its own to @data and @labels (nullable). */
GstInferMaskMeta *gst_buffer_add_infer_mask_meta (GstBuffer *buffer,
    InferMaskInfo info, GBytes *data, GstInferMap map, GPtrArray *labels);

/* The mask at a pixel of the frame; 0 beside it. */
guint8 gst_infer_mask_meta_at (const GstInferMaskMeta *meta, int x, int y);

G_END_DECLS
