/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/striped.h"

#include <string.h>

#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

GstHarness *
striped_harness (const char *model, const char *more)
{
  g_autofree char *description = g_strdup_printf (
      "inferfilter output=media-with-meta model=%s %s", model, more);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, STRIPED_CAPS);
  return h;
}

GstBuffer *
striped_frame (guint number)
{
  guint8 rgb[3 * STRIPED_W * STRIPED_H];

  for (int i = 0; i < STRIPED_W * STRIPED_H; i++)
    memset (rgb + 3 * i, i % STRIPED_W / 3 * 10 + 10, 3);
  GstBuffer *frame =
      picture_frame (GST_VIDEO_FORMAT_RGB, STRIPED_W, STRIPED_H, rgb);
  GST_BUFFER_PTS (frame) = number * GST_SECOND / 25;
  GST_BUFFER_OFFSET (frame) = number;
  return frame;
}

int
striped_add_region (
    GstBuffer *frame, const char *type, guint x, guint y, guint w, guint h)
{
  static int next = 100;
  GstVideoRegionOfInterestMeta *meta =
      gst_buffer_add_video_region_of_interest_meta (frame, type, x, y, w, h);

  meta->id = next++;
  return meta->id;
}

GstInferTensorMeta *
striped_meta (GstBuffer *buffer, guint n)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_INFER_TENSOR_META_API_TYPE))
         != NULL)
    if (n-- == 0)
      return (GstInferTensorMeta *) meta;
  return NULL;
}

float
striped_value (const GstInferTensorMeta *meta, guint index)
{
  return ((const float *) meta->tensors[0]->data)[index];
}

void
striped_assert_map (
    const GstInferTensorMeta *meta, double x, double y, double sx, double sy)
{
  g_assert_cmpfloat_with_epsilon (meta->map.x, x, 1e-6);
  g_assert_cmpfloat_with_epsilon (meta->map.y, y, 1e-6);
  g_assert_cmpfloat_with_epsilon (meta->map.scale_x, sx, 1e-6);
  g_assert_cmpfloat_with_epsilon (meta->map.scale_y, sy, 1e-6);
}
