/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/frame.h"

#include <string.h>

GstEvent *
test_model_info (const char *first, ...)
{
  GstStructure *s = gst_structure_new_empty ("inferfilter/model-info");
  va_list args;

  va_start (args, first);
  for (const char *pair = first; pair != NULL; pair = va_arg (args, char *)) {
    g_auto (GStrv) parts = g_strsplit (pair, "=", 2);

    if (g_str_equal (parts[0], "outputs")) {
      g_auto (GStrv) names = g_strsplit (parts[1], ",", -1);

      gst_structure_set (s, "outputs", G_TYPE_STRV, names, NULL);
    } else {
      gst_structure_set (s, parts[0], G_TYPE_STRING, parts[1], NULL);
    }
  }
  va_end (args);
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, s);
}

InferTensor *
test_tensor (InferType type, InferShape shape, const void *data)
{
  InferTensor *tensor = infer_tensor_new (type, &shape, NULL);

  memcpy (tensor->data, data, tensor->size);
  return tensor;
}

GstBuffer *
test_frame (const GstVideoInfo *info)
{
  GstBuffer *frame =
      gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info), NULL);

  gst_buffer_memset (frame, 0, 0, GST_VIDEO_INFO_SIZE (info));
  return frame;
}

GstInferTensorMeta *
test_add_tensors (GstBuffer *frame, const GstVideoInfo *info, guint width,
    guint height, GstEvent *model_info, guint n, InferTensor *const *tensors)
{
  GstInferTensorMeta *meta =
      gst_buffer_add_infer_tensor_meta (frame, n, tensors, model_info);

  for (guint i = 0; i < n; i++)
    infer_tensor_unref (tensors[i]);
  if (model_info != NULL)
    gst_event_unref (model_info);
  meta->input_width = width;
  meta->input_height = height;
  meta->map.scale_x = (double) GST_VIDEO_INFO_WIDTH (info) / width;
  meta->map.scale_y = (double) GST_VIDEO_INFO_HEIGHT (info) / height;
  return meta;
}

GstVideoRegionOfInterestMeta *
test_region (GstBuffer *frame, guint n)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              frame, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    if (n-- == 0)
      break;
  return (GstVideoRegionOfInterestMeta *) meta;
}

guint
test_count_regions (GstBuffer *frame)
{
  return gst_buffer_get_n_meta (
      frame, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
}
