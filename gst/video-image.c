/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/video-image.h"

/* What is not said is BT.601, limited for Y, U, V. */
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
  for (guint c = 0; c < image->n; c++)
    image->planes[c] = (InferPlane){
      .data = GST_VIDEO_FRAME_COMP_DATA (frame, c),
      .row = GST_VIDEO_FRAME_COMP_STRIDE (frame, c),
      .step = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c),
      .h_shift = GST_VIDEO_FORMAT_INFO_W_SUB (format, c),
      .v_shift = GST_VIDEO_FORMAT_INFO_H_SUB (format, c),
    };
}
