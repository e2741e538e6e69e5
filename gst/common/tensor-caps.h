/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NNStreamer's `other/tensors, format=static` caps: types and dimensions as
 * text, the innermost dimension first, one memory per tensor. */

#pragma once

#include <gst/gst.h>

#include "infer/tensor.h"

#define GST_INFER_MAX_TENSORS 16
#define GST_INFER_TENSOR_CAPS                                                  \
  "other/tensors, format = (string) static, "                                  \
  "framerate = (fraction) [ 0, max ]"

typedef struct
{
  guint n;
  InferDesc descs[GST_INFER_MAX_TENSORS]; /* static shapes */
  int fps_n, fps_d;                       /* 0/1: not known */
} GstInferTensors;

/* The type that @type is sent as: itself where NNStreamer has a name for it,
 * else one that holds all its values (boolean → u8, bf16 → f32). */
InferType gst_infer_wire_type (InferType type);
/* "float32" for f32; NULL: cannot be sent. */
const char *gst_infer_type_name (InferType type);

/* INFER_ERROR_INVALID_ARGUMENT, naming the field. */
gboolean gst_infer_tensors_from_caps (
    const GstCaps *caps, GstInferTensors *tensors, GError **error);
/* (transfer full) */
GstCaps *gst_infer_tensors_to_caps (const GstInferTensors *tensors);

/* Caps for @n tensors of these partial shapes: without `dimensions` where one
 * is not known; trailing dimensions of 1 may be left out.  NULL: a type cannot
 * be sent.  (transfer full) */
GstCaps *gst_infer_tensors_template (guint n, const InferDesc *const *descs);

/* @shape with the rank of @pattern, by adding or removing leading dimensions of
 * 1; FALSE where it does not match. */
gboolean gst_infer_shape_fit (
    const InferShape *pattern, const InferShape *shape, InferShape *fitted);

/* A copy of @tensor as @type, dense.  (transfer full) */
GstMemory *gst_infer_tensor_to_memory (
    const InferTensor *tensor, InferType type, GError **error);
