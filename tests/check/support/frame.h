/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Video frames with hand-made inference results. */

#pragma once

#include <gst/check/gstharness.h>

#include "gst/infer/tensor-meta.h"
#include "gst/infer/results.h"

#define TEST_SHAPE(...)                                                        \
  infer_shape_new (sizeof ((gint64[]){ __VA_ARGS__ }) / sizeof (gint64),       \
      (const gint64[]){ __VA_ARGS__ })

/* The event of gst/common/model-info.h from "key=value" strings,
 * NULL-terminated.  (transfer full) */
GstEvent *test_model_info (const char *first, ...) G_GNUC_NULL_TERMINATED;

/* Copies @data.  (transfer full) */
InferTensor *test_tensor (InferType type, InferShape shape, const void *data);

/* A black frame.  (transfer full) */
GstBuffer *test_frame (const GstVideoInfo *info);

/* Adds the meta for an input of @width × @height stretched over the whole
 * frame.  Takes @model_info (nullable) and @tensors [n]. */
GstInferTensorMeta *test_add_tensors (GstBuffer *frame,
    const GstVideoInfo *info, guint width, guint height, GstEvent *model_info,
    guint n, InferTensor *const *tensors);

/* The @n-th region, or NULL. */
GstVideoRegionOfInterestMeta *test_region (GstBuffer *frame, guint n);
guint test_count_regions (GstBuffer *frame);
