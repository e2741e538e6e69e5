/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Windows of convolutions and pooling. */

#pragma once

#include "inference/onnx/import.h"

/* The attributes strides, dilations, pads_begin, pads_end and auto_pad for an
 * input of @rank.  @kernel (nullable): of pooling, added as `kernel`.  As long
 * as @n. */
const char *onnx_window (OnnxNode *n, int rank, const GArray *kernel);

/* Adds @bias [channels] (op == NULL: none) to @y of @rank. */
InferPort onnx_add_bias (OnnxNode *n, InferPort y, InferPort bias, int rank);

/* The convolution that the node's attributes describe, without a bias. */
InferPort onnx_add_convolution (
    OnnxNode *n, InferPort x, InferPort w, int rank);
