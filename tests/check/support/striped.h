/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferfilter with output=media-with-meta on striped frames, and its results.
 */

#pragma once

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "gst/infer/tensor-meta.h"

#define STRIPED_W 12
#define STRIPED_H 8
#define STRIPED_CAPS                                                           \
  "video/x-raw, format=RGB, width=12, height=8, framerate=25/1, "              \
  "pixel-aspect-ratio=1/1, interlace-mode=progressive"

GstHarness *striped_harness (const char *model, const char *more);
/* Columns of 3 pixels with the values 10, 20, 30 and 40.  (transfer full) */
GstBuffer *striped_frame (guint number);
/* Returns its unique id. */
int striped_add_region (
    GstBuffer *frame, const char *type, guint x, guint y, guint w, guint h);
/* NULL if there are fewer. */
GstInferTensorMeta *striped_meta (GstBuffer *buffer, guint n);
float striped_value (const GstInferTensorMeta *meta, guint index);
void striped_assert_map (
    const GstInferTensorMeta *meta, double x, double y, double sx, double sy);
