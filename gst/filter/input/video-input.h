/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How video frames become a model's input: the caps it takes, and the
 * preprocessing.  The only input of the model must be an image, NCHW or NHWC,
 * of 1, 3 or 4 channels and f32, f16, u8 or i8; `model_info` says the rest
 * (docs/model-info.md). */

#pragma once

#include <gst/video/video.h>

#include "infer/preprocess.h"

#define GST_INFER_MAX_SIZE 16384

/* Caps of the output where it is an image. */
#define GST_INFER_VIDEO_OUT_CAPS                                               \
  "video/x-raw, format = (string) { RGB, BGR, RGBA, BGRA, GRAY8 }"

typedef struct
{
  GstVideoInfo info;
  InferPreprocess settings; /* for red, green, blue */
  InferBox box;             /* the part of the frame that is used */
  InferShape shape;         /* of the model's input for the box */
} GstInferVideo;

/* The axis of its channels in the shape of @model's input, the others follow in
 * the order height, width; -1: it takes no images. */
int gst_infer_video_channel_axis (const InferModel *model);

/* Empty where @model takes no images.  @native: first the size that the model
 * computes with, then any.  (transfer full) */
GstCaps *gst_infer_video_caps (const InferModel *model, gboolean native);

/* @crop: the box, "X,Y,WIDTH,HEIGHT"; NULL: the whole frame.  Errors name the
 * model's key, or the value that does not fit. */
gboolean gst_infer_video_negotiate (GstInferVideo *video,
    const InferModel *model, const GstCaps *caps, const char *crop,
    GError **error);

/* Width and height of the model's input in @shape. */
void gst_infer_video_input_size (const GstInferVideo *video,
    const InferShape *shape, guint *width, guint *height);
