/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/meta/upstream-tensors.h"

void
gst_infer_add_upstream_tensors (GstBuffer *buffer, guint n,
    InferTensor *const *tensors, const char *const *names)
{
}

void
gst_infer_drop_upstream_tensors (
    GstBuffer *buffer, guint n, InferTensor *const *tensors)
{
}

GstInferTensorMeta *
gst_infer_read_upstream_tensors (GstBuffer *buffer, const GstVideoInfo *video,
    GstEvent **info, GError **error)
{
  return NULL;
}
