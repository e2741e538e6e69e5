/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GstInferTensorMeta: the results of one inference on a video frame or on a
 * part of it, and where on the frame they belong.  inferfilter adds one for
 * each inference, in the order of the inferences: a buffer may have several, of
 * several models or regions.
 *
 * It is kept when the buffer is copied, and its map follows when the frame is
 * scaled or cropped.
 *
 * Any thread may read it; only the holder of a writable buffer may change it.
 */

#pragma once

#include "gst/infer/api.h"
#include "gst/infer/map.h"
#include "infer/tensor.h"

G_BEGIN_DECLS

#define GST_INFER_TENSOR_META_API_TYPE (gst_infer_tensor_meta_api_get_type ())
#define GST_INFER_TENSOR_META_INFO (gst_infer_tensor_meta_get_info ())

typedef struct
{
  GstMeta meta;

  /* The model's results [n], in its order: dense, never written again.  The
   * meta owns a reference to each. */
  guint n;
  InferTensor **tensors;

  /* A custom event whose structure describes the model: `model` (its path),
   * `outputs` (GStrv, names of the tensors) and its model_info: `model_type`,
   * `labels`, … (strings).  NULL: nothing is known. */
  GstEvent *model_info;
  char *model_instance_id; /* inferfilter's property; nullable */

  /* From pixels of the model's input to pixels of the frame: undoes the resize,
   * padding and region of the input. */
  GstInferMap map;
  guint input_width, input_height; /* of the model's input, in pixels */

  /* `id` of the GstVideoRegionOfInterestMeta that was the input; -1: the whole
   * frame, or a region without a meta. */
  int roi_id;
  /* Frames since the inference; 0: it was on this frame. */
  guint age;
  /* inferdecoder has added what they mean (and kept them: keep-tensors).
   * Since: 0.2 */
  gboolean decoded;
} GstInferTensorMeta;

GST_INFER_API GType gst_infer_tensor_meta_api_get_type (void);
GST_INFER_API const GstMetaInfo *gst_infer_tensor_meta_get_info (void);

/* Adds a meta to @buffer, which is writable; it takes references of its own to
 * @tensors [n] and @model_info (nullable).  The map is the identity, roi_id -1,
 * the other fields 0: the caller sets them.  (transfer none) */
GST_INFER_API GstInferTensorMeta *gst_buffer_add_infer_tensor_meta (
    GstBuffer *buffer, guint n, InferTensor *const *tensors,
    GstEvent *model_info);

/* Returns the first, NULL if there is none; gst_buffer_iterate_meta_filtered
 * finds the others. */
GST_INFER_API GstInferTensorMeta *gst_buffer_get_infer_tensor_meta (
    GstBuffer *buffer);

/* Returns the structure of model_info, NULL if there is none. */
GST_INFER_API const GstStructure *gst_infer_tensor_meta_model_info (
    const GstInferTensorMeta *meta);

/* Returns the name of tensor @index, NULL if it is not known. */
GST_INFER_API const char *gst_infer_tensor_meta_name (
    const GstInferTensorMeta *meta, guint index);

G_END_DECLS
