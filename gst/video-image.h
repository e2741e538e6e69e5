/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Video frames as the runtime's pictures: every raw format of 8 bits a
 * component, with the strides and offsets that the frame says. */

#pragma once

#include <gst/video/video.h>

#include "inference/image.h"

G_BEGIN_DECLS

/* Formats that can be taken, and those of them that have alpha. */
#define GST_INFER_VIDEO_FORMATS                                                \
  "{ RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, RGBP, BGRP, "   \
  "GBR, I420, NV12, YV12, NV21, Y444, Y42B, NV16, NV61, NV24, YUY2, UYVY, "    \
  "YVYU, VYUY, AYUV, VUYA, v308, Y41B, YUV9, YVU9, GRAY8 }"
#define GST_INFER_VIDEO_ALPHA_FORMATS "{ RGBA, BGRA, ARGB, ABGR, AYUV, VUYA }"

/* @frame is mapped and stays so while @image is used; of a format above. */
void gst_infer_image_from_frame (InferImage *image, const GstVideoFrame *frame);

G_END_DECLS
