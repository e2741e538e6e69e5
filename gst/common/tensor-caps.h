/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NNStreamer's `other/tensors, format=static` caps: types and dimensions as
 * text, the innermost dimension first, one memory per tensor. */

#pragma once

#include <gst/gst.h>

#include "infer/tensor.h"

G_BEGIN_DECLS

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

/* The type that stands for @type on the wire: itself where NNStreamer has a
 * name for it, else one that holds all its values (boolean → u8,
 * bf16 → f32). */
InferType gst_infer_wire_type (InferType type);
/* "float32" of f32; NULL: cannot be sent. */
const char *gst_infer_type_name (InferType type);

/* INFER_ERROR_INVALID_ARGUMENT naming the field at fault. */
gboolean gst_infer_tensors_from_caps (
    const GstCaps *caps, GstInferTensors *tensors, GError **error);
/* (transfer full) */
GstCaps *gst_infer_tensors_to_caps (const GstInferTensors *tensors);

/* Caps for @n tensors of these partial shapes: without `dimensions` where one
 * is not known; trailing ones of the dimensions may be left out.  NULL: a type
 * that cannot be sent.  (transfer full) */
GstCaps *gst_infer_tensors_template (guint n, const InferDesc *const *descs);

/* @shape in the rank of @pattern, by adding or taking off leading ones; FALSE
 * where it does not match. */
gboolean gst_infer_shape_fit (
    const InferShape *pattern, const InferShape *shape, InferShape *fitted);

/* @memory [n] hold the tensors' bytes, dense; copies.  Checked by the caller:
 * sizes. */
GstMemory *gst_infer_tensor_to_memory (
    const InferTensor *tensor, InferType type, GError **error);

G_END_DECLS
