/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The results of models on a video frame, as metas of its buffer.  Whoever
 * makes results and whoever uses them meets here.
 *
 *  - An object: GstVideoRegionOfInterestMeta, roi_type its label, with a param
 *    "detection": confidence, x_min, x_max, y_min, y_max (doubles, parts of the
 *    frame), label_id (int), label, model_name (strings); age (int): frames
 *    since it was seen, absent where that is 0.
 *  - What a further model should see of it, where that reaches beyond the
 * frame: another param, "region": x_min, x_max, y_min, y_max (doubles, parts of
 * the frame, not cut off).
 *  - What a further model says of an object: another param of it, with label,
 *    label_id, confidence, model_name, layer_name; called "classification" or
 *    "text".
 *  - What a model says of the whole frame: the same structure as a custom meta
 *    "GstInferLabelMeta" (gst_buffer_get_custom_meta).
 *  - An object's identity: param "object_id" with id (int), by infertrack.
 *  - Keypoints and masks: metas of their own.
 *
 * The names are DL Streamer's. */

#pragma once

#include <gst/video/gstvideometa.h>

#include "gst/infer/meta-map.h"
#include "infer/image.h"
#include "inference/media/vision/detection.h"

G_BEGIN_DECLS

#define GST_INFER_LABEL_META "GstInferLabelMeta"

/* What to say of a thing. */
typedef struct
{
  const char *label; /* NULL: none */
  int label_id;      /* -1: none */
  double confidence;
  const char *model_name, *layer_name; /* nullable */
} GstInferLabel;

/* Registers the custom meta; any number of times. */
void gst_infer_results_init (void);

/* A region with an id that no other on @buffer has; @box in pixels of a frame
 * of @width × @height, cut off at its edges.  @parent_id: the region it was
 * found in; -1: none.  NULL: nothing of it is on the frame. */
GstVideoRegionOfInterestMeta *gst_infer_add_object (GstBuffer *buffer,
    guint width, guint height, const InferDetection *box,
    const GstInferLabel *label, int parent_id);

/* To @roi, or (NULL) to the whole frame; @name: "classification", "text". */
void gst_infer_add_label (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi,
    const char *name, const GstInferLabel *label);

/* NULL: no such region. */
GstVideoRegionOfInterestMeta *gst_infer_find_object (
    GstBuffer *buffer, int roi_id);

/* Reads a structure that `gst_infer_add_…` wrote, or another element under the
 * same names; strings are borrowed. */
GstInferLabel gst_infer_read_label (const GstStructure *s);

/* The exact box of @roi in pixels: of its "detection" where it has one (the
 * meta itself is whole pixels). */
void gst_infer_object_box (const GstVideoRegionOfInterestMeta *roi, guint width,
    guint height, InferDetection *box);

/* Says what of a frame of @width × @height a further model should see of @roi
 * (its box before it was cut off). */
void gst_infer_set_object_region (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, guint width, guint height,
    const InferDetection *box);
/* What a further model should see of @roi: its box within the frame, or what
 * "region" says, with something of the frame in it.  FALSE: nothing. */
gboolean gst_infer_object_region (const GstVideoRegionOfInterestMeta *roi,
    gint64 width, gint64 height, InferBox *box);

/* What "object_id" says; 0: none. */
int gst_infer_object_id (GstVideoRegionOfInterestMeta *roi);

G_END_DECLS
