/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/input/video-image.h"

/* The default is BT.601, limited range for Y, U, V. */
static void
set_colours (InferImage *image, const GstVideoInfo *info)
{
  const GstVideoColorimetry *colours = &info->colorimetry;

  image->yuv = GST_VIDEO_INFO_IS_YUV (info);
  image->full_range = colours->range == GST_VIDEO_COLOR_RANGE_0_255;
  if (!gst_video_color_matrix_get_Kr_Kb (
          colours->matrix, &image->kr, &image->kb)) {
    image->kr = 0.299;
    image->kb = 0.114;
  }
}

/* One step of 8 bits.  Y, U, V of limited range have the same black and white
 * at any depth; for all other components the largest value is white. */
static float
unit_of (const InferImage *image, const GstVideoFormatInfo *format)
{
  guint depth = GST_VIDEO_FORMAT_INFO_DEPTH (format, 0);
  double steps = image->yuv && !image->full_range ? 1 << (depth - 8)
                                                  : ((1 << depth) - 1) / 255.0;

  return (float) (1 / (steps * (1 << format->shift[0])));
}

/* Some of GStreamer's format tables (P010's) have offsets in samples instead of
 * bytes. */
static gconstpointer
component_data (const GstVideoFrame *frame, guint c)
{
  const guint8 *data = GST_VIDEO_FRAME_COMP_DATA (frame, c);
  guint offset = GST_VIDEO_FORMAT_INFO_POFFSET (frame->info.finfo, c);
  gboolean deep = GST_VIDEO_FORMAT_INFO_DEPTH (frame->info.finfo, c) > 8;

  return deep && offset % 2 == 1 ? data + offset : data;
}

void
gst_infer_image_from_frame (InferImage *image, const GstVideoFrame *frame)
{
  const GstVideoFormatInfo *format = frame->info.finfo;

  *image = (InferImage){ .type = INFER_TYPE_U8,
    .width = GST_VIDEO_FRAME_WIDTH (frame),
    .height = GST_VIDEO_FRAME_HEIGHT (frame),
    .n = MIN (GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format),
        INFER_IMAGE_MAX_CHANNELS) };
  set_colours (image, &frame->info);
  if (GST_VIDEO_FORMAT_INFO_DEPTH (format, 0) > 8) {
    image->type = INFER_TYPE_U16;
    image->unit = unit_of (image, format);
  }
  for (guint c = 0; c < image->n; c++)
    image->planes[c] = (InferPlane){
      .data = component_data (frame, c),
      .row = GST_VIDEO_FRAME_COMP_STRIDE (frame, c),
      .step = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c),
      .h_shift = GST_VIDEO_FORMAT_INFO_W_SUB (format, c),
      .v_shift = GST_VIDEO_FORMAT_INFO_H_SUB (format, c),
    };
}
