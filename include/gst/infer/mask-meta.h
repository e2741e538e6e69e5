/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GstInferMaskMeta: a segmentation mask of a video frame or of a part of it.
 * The mask has a size of its own; its map gives the pixels of the frame that it
 * covers.  It is kept when the buffer is copied, and its map follows when the
 * frame is scaled or cropped.
 *
 * Any thread may read it; only the holder of a writable buffer may change it.
 */

#pragma once

#include "gst/infer/api.h"
#include "gst/infer/map.h"

G_BEGIN_DECLS

#define GST_INFER_MASK_META_API_TYPE (gst_infer_mask_meta_api_get_type ())
#define GST_INFER_MASK_META_INFO (gst_infer_mask_meta_get_info ())

typedef enum
{
  GST_INFER_MASK_CLASSES, /* a byte is the class of its pixel */
  GST_INFER_MASK_SOFT,    /* a byte is 255 times the probability that its pixel
                           * belongs to the only class */
} GstInferMaskKind;

typedef struct
{
  GstMeta meta;
  GstInferMaskKind kind;
  guint width, height; /* of the mask, in its pixels */
  GBytes *data;        /* [height, width] bytes, without padding */
  GstInferMap map;     /* pixels of the mask → pixels of the frame */
  GPtrArray *labels;   /* names of the classes (element-type utf8); nullable */
  int roi_id;          /* of its GstVideoRegionOfInterestMeta; -1: the mask
                        * belongs to no region */
} GstInferMaskMeta;

GST_INFER_API GType gst_infer_mask_meta_api_get_type (void);
GST_INFER_API const GstMetaInfo *gst_infer_mask_meta_get_info (void);

/* Adds a meta with roi_id -1 to @buffer, which is writable; it takes references
 * of its own to @data (@width · @height bytes) and @labels (nullable).
 * (transfer none) */
GST_INFER_API GstInferMaskMeta *gst_buffer_add_infer_mask_meta (
    GstBuffer *buffer, GstInferMaskKind kind, guint width, guint height,
    GBytes *data, GstInferMap map, GPtrArray *labels);

/* Returns the byte of the mask at pixel (@x, @y) of the frame, 0 outside the
 * mask. */
GST_INFER_API guint8 gst_infer_mask_meta_at (
    const GstInferMaskMeta *meta, int x, int y);

G_END_DECLS
