/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Video frames as the runtime's pictures: every raw format of 8 bits a
 * component, with the strides and offsets that the frame says. */

#pragma once

#include <gst/video/video.h>

#include "inference/image.h"

G_BEGIN_DECLS

/* Formats that can be taken, those that cost least first. */
#define GST_INFER_VIDEO_FORMATS                                                \
  "{ RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, RGBP, BGRP, "   \
  "GBR, GRAY8, I420, YV12, NV12, NV21, Y42B, Y444, NV16, NV61, NV24, YUY2, "   \
  "UYVY, YVYU, VYUY, VUYA, AYUV, v308, Y41B, YUV9, YVU9 }"

/* @frame is mapped and stays so while @image is used; of a format above. */
void gst_infer_image_from_frame (InferImage *image, const GstVideoFrame *frame);

G_END_DECLS
