/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Results of models on a video frame, as metas of its buffer: the contract
 * between the elements that add results and those that read them.  Names are DL
 * Streamer's.
 *
 *  - An object: GstVideoRegionOfInterestMeta, whose roi_type is its label, with
 *    a param "detection": x_min, x_max, y_min, y_max (doubles, fractions of the
 *    frame), confidence (double, 0 … 1), label_id (int), label, model_name
 *    (strings), age (int: frames since it was detected; absent if 0).
 *  - The region that a further model should see of an object, if it reaches
 *    beyond the object's box or the frame: its param "region" with x_min,
 *    x_max, y_min, y_max (doubles, fractions of the frame, not clipped).
 *  - A further model's result for an object: its param "classification" or
 *    "text" with label, label_id, confidence, model_name, layer_name.
 *  - A result for the whole frame: the same structure, with its name ("text",
 *    …) in the field "name", as custom meta GST_INFER_LABEL_META
 *    (gst_buffer_get_custom_meta).
 *  - The identity of an object: its param "object_id" with id (int, from 1),
 *    which infertrack adds.
 *  - Keypoints and masks: GstInferKeypointsMeta, GstInferMaskMeta.
 *
 * Any thread may read; only the holder of a writable buffer may add. */

#pragma once

#include <gst/video/gstvideometa.h>

#include "gst/infer/api.h"
#include "gst/infer/mask-meta.h"
#include "infer/image.h"

G_BEGIN_DECLS

#define GST_INFER_LABEL_META "GstInferLabelMeta"

/* A box on a frame, in pixels from its left upper corner. */
typedef struct
{
  float x0, y0, x1, y1; /* left, upper, right, lower edge */
} GstInferBox;

/* Strings are borrowed. */
typedef struct
{
  const char *label;                   /* NULL: none */
  int label_id;                        /* index of the class; -1: none */
  double confidence;                   /* 0 … 1 */
  const char *model_name, *layer_name; /* nullable */
} GstInferLabel;

/* Registers GST_INFER_LABEL_META.  May be called any number of times. */
GST_INFER_API void gst_infer_results_init (void);

/* Adds an object to @buffer, whose frame has @width × @height pixels: a region
 * with an id unique on @buffer, @box clipped to the frame.  @parent_id: the
 * region that it was found in; -1: none.  Returns NULL if nothing of @box is on
 * the frame.  (transfer none) */
GST_INFER_API GstVideoRegionOfInterestMeta *gst_infer_add_object (
    GstBuffer *buffer, guint width, guint height, const GstInferBox *box,
    const GstInferLabel *label, int parent_id);

/* Adds @label as "classification" or "text" (@name) to @roi, or to the whole
 * frame if @roi is NULL. */
GST_INFER_API void gst_infer_add_label (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, const char *name,
    const GstInferLabel *label);

/* Adds a mask of region @roi_id (-1: of the whole frame) to @buffer.  (transfer
 * none) */
GST_INFER_API GstInferMaskMeta *gst_infer_add_mask (GstBuffer *buffer,
    int roi_id, GstInferMaskKind kind, guint width, guint height, GBytes *data,
    GstInferMap map, GPtrArray *labels);

/* Returns the region @roi_id, NULL if there is none.  (transfer none) */
GST_INFER_API GstVideoRegionOfInterestMeta *gst_infer_find_object (
    GstBuffer *buffer, int roi_id);

/* Reads a param or a GST_INFER_LABEL_META.  Absent: label_id -1, confidence 0,
 * strings NULL. */
GST_INFER_API GstInferLabel gst_infer_read_label (const GstStructure *s);

/* Reads the label of "detection"; absent: label_id -1, confidence 1. */
GST_INFER_API GstInferLabel gst_infer_object_label (
    GstVideoRegionOfInterestMeta *roi);

/* Returns the box of @roi on a frame of @width × @height pixels: exact from
 * "detection" (the meta itself has whole pixels) unless the frame was cropped
 * since. */
GST_INFER_API GstInferBox gst_infer_object_box (
    const GstVideoRegionOfInterestMeta *roi, guint width, guint height);

/* Sets "region" of @roi, on a frame of @width × @height pixels; @box may reach
 * beyond the frame. */
GST_INFER_API void gst_infer_set_object_region (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, guint width, guint height,
    const GstInferBox *box);

/* Gets the pixels that a further model should see of @roi: "region", else its
 * box clipped to the frame.  Returns FALSE if there are none. */
GST_INFER_API gboolean gst_infer_object_region (
    const GstVideoRegionOfInterestMeta *roi, gint64 width, gint64 height,
    InferBox *box);

/* Sets "object_id" of @roi: object @id (from 1) was seen from @first to @last.
 * @lost: it is not on this frame, and @roi is where it should be. */
GST_INFER_API void gst_infer_set_object_id (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, int id, GstClockTime first,
    GstClockTime last, gboolean lost);

/* Returns the id of "object_id", 0 if there is none. */
GST_INFER_API int gst_infer_object_id (GstVideoRegionOfInterestMeta *roi);

G_END_DECLS
