/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* post_transform: what is applied to the scores, as ai.onnx.ml names it. */

#pragma once

#include "inference/onnx/import.h"

/* @how: a value of the attribute post_transform. */
InferPort onnx_ml_transform (OnnxNode *n, InferPort scores, const char *how);
/* As the node's attribute says. */
InferPort onnx_ml_post_transform (OnnxNode *n, InferPort scores);

/* The one of @labels [class] with the greatest of @scores [batch, class]. */
InferPort onnx_ml_best_label (
    OnnxNode *n, InferPort scores, const GArray *labels);
