/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For languages that call the library through GObject introspection: metas by
 * number, their values in forms that can be called, and tensors of buffers that
 * share their memory.
 *
 * A meta that is returned lives as long as the buffer holds it.
 *
 * Since: 0.2 */

#pragma once

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/results.h"
#include "gst/infer/scene-meta.h"
#include "gst/infer/tensor-meta.h"

G_BEGIN_DECLS

/* --- metas of a buffer, by number from 0; NULL: there are not as many --- */

/* The @n-th object, in the order in which they were added.  (transfer none)
 * Since: 0.2 */
GST_INFER_API GstVideoRegionOfInterestMeta *gst_infer_nth_object (
    GstBuffer *buffer, guint n);
/* The @n-th label ("classification", "text", …) of @roi, or of the whole frame
 * if @roi is NULL.  Its field "name" says which; label, label_id, confidence,
 * model_name and layer_name are as results.h says.  (transfer full)
 * Since: 0.2 */
GST_INFER_API GstStructure *gst_infer_nth_label (
    GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi, guint n);
/* (transfer none) Since: 0.2 */
GST_INFER_API GstInferTensorMeta *gst_infer_nth_tensor_meta (
    GstBuffer *buffer, guint n);
/* (transfer none) Since: 0.2 */
GST_INFER_API GstInferKeypointsMeta *gst_infer_nth_keypoints_meta (
    GstBuffer *buffer, guint n);
/* (transfer none) Since: 0.2 */
GST_INFER_API GstInferMaskMeta *gst_infer_nth_mask_meta (
    GstBuffer *buffer, guint n);

/* Of inferscene.  (transfer none) Since: 0.2 */
GST_INFER_API GstInferSceneMeta *gst_infer_nth_scene_meta (
    GstBuffer *buffer, guint n);

/* --- values --- */

/* The box of @roi on a frame of @width × @height pixels, as
 * gst_infer_object_box returns it.  Since: 0.2 */
GST_INFER_API void gst_infer_get_object_box (
    const GstVideoRegionOfInterestMeta *roi, guint width, guint height,
    float *x0, float *y0, float *x1, float *y1);
/* Tensor @index, which shares its memory with the meta and may be kept longer;
 * NULL: there is none.  (transfer full) Since: 0.2 */
GST_INFER_API InferTensor *gst_infer_tensor_meta_get_tensor (
    const GstInferTensorMeta *meta, guint index);
/* Point @index; FALSE: there is none.  Since: 0.2 */
GST_INFER_API gboolean gst_infer_keypoints_meta_get_point (
    const GstInferKeypointsMeta *meta, guint index, double *x, double *y,
    double *score);
/* The [height, width] bytes of the mask.  (transfer full) Since: 0.2 */
GST_INFER_API GBytes *gst_infer_mask_meta_get_data (
    const GstInferMaskMeta *meta);
/* The name of class @index; NULL: not known.  Since: 0.2 */
GST_INFER_API const char *gst_infer_mask_meta_get_label (
    const GstInferMaskMeta *meta, guint index);

/* Event @index as gst_infer_scene_event_to_structure gives it; NULL: there is
 * none.  (transfer full) Since: 0.2 */
GST_INFER_API GstStructure *gst_infer_scene_meta_get_event (
    const GstInferSceneMeta *meta, guint index);
/* Zone, tripwire or speed line @index as a structure "shape": kind, id
 * (strings), count (uint), in, out (guint64), points (uint: how many); NULL:
 * there is none.  (transfer full) Since: 0.2 */
GST_INFER_API GstStructure *gst_infer_scene_meta_get_shape (
    const GstInferSceneMeta *meta, guint index);
/* Point @point of shape @index, in pixels; FALSE: there is none.  Since: 0.2 */
GST_INFER_API gboolean gst_infer_scene_meta_get_point (
    const GstInferSceneMeta *meta, guint index, guint point, double *x,
    double *y);

/* --- tensors of buffers --- */

/* Tensor @index of @buffer, whose caps are `other/tensors`.  It shares the
 * memory of the buffer and keeps it alive.  Its dims are the outermost first;
 * those of the caps are the innermost first.
 * INFER_ERROR_INVALID_ARGUMENT if the caps are others or the buffer has too few
 * bytes.  (transfer full) Since: 0.2 */
GST_INFER_API InferTensor *gst_infer_buffer_get_tensor (
    GstBuffer *buffer, const GstCaps *caps, guint index, GError **error);
/* A sample of @tensors [n], with `other/tensors` caps: for appsrc, and for
 * inferfilter's signal set-state.  It shares the memory of dense tensors, which
 * must not be written any more.  (transfer full) Since: 0.2 */
GST_INFER_API GstSample *gst_infer_sample_new_tensors (
    InferTensor *const *tensors, guint n, GError **error);

G_END_DECLS
