/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "inference/onnx/import.h"

/* Outputs 0 to 2 of LayerNormalization; @bias.op == NULL: none. */
void onnx_add_layer_norm (OnnxNode *n, InferPort x, gint64 axis, double epsilon,
    InferPort scale, InferPort bias);
/* Output 0 of RMSNormalization, and the inverse deviation as output 1. */
void onnx_add_rms_norm (
    OnnxNode *n, InferPort x, gint64 axis, double epsilon, InferPort scale);
