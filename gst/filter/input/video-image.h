/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Video frames as the runtime's images: raw formats of 8 to 16 bits a
 * component, with the frame's own strides and offsets. */

#pragma once

#include <gst/video/video.h>

#include "infer/image.h"

#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define GST_INFER_VIDEO_DEEP_FORMATS                                           \
  "I420_10LE, I422_10LE, Y444_10LE, GBR_10LE, I420_12LE, P010_10LE, GRAY16_LE"
#else
#define GST_INFER_VIDEO_DEEP_FORMATS                                           \
  "I420_10BE, I422_10BE, Y444_10BE, GBR_10BE, I420_12BE, P010_10BE, GRAY16_BE"
#endif

/* Memories that GStreamer maps for reading on the CPU, though that may cost a
 * copy; system memory comes before them. */
#define GST_INFER_VIDEO_MEMORIES                                               \
  {                                                                            \
    "memory:DMABuf", "memory:GLMemory"                                         \
  }

/* The formats that can be taken, and those of them with alpha. */
#define GST_INFER_VIDEO_FORMATS                                                          \
  "{ RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, RGBP, BGRP, "             \
  "GBR, I420, NV12, YV12, NV21, Y444, Y42B, NV16, NV61, NV24, YUY2, UYVY, "              \
  "YVYU, VYUY, AYUV, VUYA, v308, Y41B, YUV9, YVU9, GRAY8, " GST_INFER_VIDEO_DEEP_FORMATS \
  " }"
#define GST_INFER_VIDEO_ALPHA_FORMATS "{ RGBA, BGRA, ARGB, ABGR, AYUV, VUYA }"

/* @frame must stay mapped while @image is used; its format is one of the above.
 */
void gst_infer_image_from_frame (InferImage *image, const GstVideoFrame *frame);
