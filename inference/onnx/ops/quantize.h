/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Integers (or floats of 4 and 8 bits) that stand for (value - zero) scale. */

#pragma once

#include "inference/onnx/import.h"

/* Ports that broadcast to the values; zero.op == NULL: 0. */
typedef struct
{
  InferPort scale, zero;
} OnnxScale;

/* Of inputs @scale and @zero of the node. */
OnnxScale onnx_scale_of (OnnxNode *n, guint scale, guint zero);

/* saturate (round (x / scale) + zero), ties to even, as @type. */
InferPort onnx_quantize (
    OnnxNode *n, InferPort x, OnnxScale scale, InferType type);

/* (x - zero) scale, as @type.  Where x was quantised with the same scale from a
 * value, FakeQuantize of that value, which is what int8 kernels are found by.
 */
InferPort onnx_dequantize (
    OnnxNode *n, InferPort x, OnnxScale scale, InferType type);

/* For operations that move elements, or choose the greatest: if input 0 was
 * quantised from a value, @import computes with that value's FakeQuantize, and
 * the result is quantised by the same scale; int8 kernels take the pair as one
 * step.  FALSE: it was not, and nothing is done. */
gboolean onnx_import_as_real (OnnxNode *n, void (*import) (OnnxNode *));

/* A scale of each output channel of weights [O, I, …]. */
OnnxScale onnx_per_output (OnnxNode *n, OnnxScale scale, int rank);

/* As DynamicQuantizeLinear does: u8 of the range of @x. */
InferPort onnx_quantize_dynamic (OnnxNode *n, InferPort x, OnnxScale *scale);

/* @x without its zero point, as f32: sums of products of bytes are exact up to
 * 2^24. */
InferPort onnx_centre (OnnxNode *n, InferPort x, InferPort zero);
