/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GstInferTensorMeta: what a model gave for a video frame or for a part of it,
 * with all that is needed to say where in the frame it belongs.  inferfilter
 * adds one for each inference, in the order they were made, so that a buffer
 * may have several: of several models, of several regions.
 *
 * It stays when the buffer is copied, and its map follows when the frame is
 * scaled or cropped.
 *
 * Like any meta it may be read by any thread and written by who holds the only
 * reference to the buffer. */

#pragma once

#include "gst/infer/meta-map.h"
#include "infer/tensor.h"

G_BEGIN_DECLS

#define GST_INFER_TENSOR_META_API_TYPE (gst_infer_tensor_meta_api_get_type ())
#define GST_INFER_TENSOR_META_INFO (gst_infer_tensor_meta_get_info ())

typedef struct
{
  GstMeta meta;

  /* The model's results, in its order: dense, never written again. */
  guint n;
  InferTensor **tensors;

  /* What the model says of itself: the event of gst/common/model-info.h, whose
   * structure has `model`, `outputs` (the tensors' names), `model_type`,
   * `labels`, ….  NULL: nothing is known. */
  GstEvent *model_info;
  char *model_instance_id; /* the property of who ran it; NULL: not set */

  /* From pixels of the model's input (its left upper corner is 0, 0) to pixels
   * of the frame: undoes the resize, padding and region of the input. */
  GstInferMap map;
  guint input_width, input_height; /* of the model's input, in pixels */

  /* `id` of the GstVideoRegionOfInterestMeta it was made of; -1: of the whole
   * frame, or of a region that has no meta. */
  int roi_id;
  /* Frames since it was computed; 0: on this frame. */
  guint age;
} GstInferTensorMeta;

GType gst_infer_tensor_meta_api_get_type (void);
const GstMetaInfo *gst_infer_tensor_meta_get_info (void);

/* With references of its own to @tensors [n] and @model_info (nullable); the
 * map is the identity, there is no region, age is 0: set what is otherwise.
 * @buffer is writable. */
GstInferTensorMeta *gst_buffer_add_infer_tensor_meta (GstBuffer *buffer,
    guint n, InferTensor *const *tensors, GstEvent *model_info);

/* The first; NULL: none.  The rest: gst_buffer_iterate_meta_filtered. */
GstInferTensorMeta *gst_buffer_get_infer_tensor_meta (GstBuffer *buffer);

/* What the model says of itself; NULL: nothing is known. */
const GstStructure *gst_infer_tensor_meta_model_info (
    const GstInferTensorMeta *meta);

/* The name of tensor @index, NULL: not known. */
const char *gst_infer_tensor_meta_name (
    const GstInferTensorMeta *meta, guint index);

G_END_DECLS
