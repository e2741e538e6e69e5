/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parts of attention.  Heads are [batch, head, position, feature]. */

#pragma once

#include "inference/onnx/import.h"

/* [batch, position, head × feature] → heads; fails without a number of them. */
InferPort onnx_split_heads (OnnxNode *n, InferPort x, gint64 heads);
InferPort onnx_merge_heads (OnnxNode *n, InferPort x); /* and back */
/* Each head @times times in a row. */
InferPort onnx_repeat_heads (OnnxNode *n, InferPort x, gint64 times);
/* 0 where @allowed, else @otherwise, in @type. */
InferPort onnx_mask_bias (
    OnnxNode *n, InferPort allowed, InferType type, double otherwise);

/* softmax (cap (scale q kᵀ) + bias) v; bias.op == NULL: none; cap ≤ 0: none. */
InferPort onnx_attend (OnnxNode *n, InferPort q, InferPort k, InferPort v,
    InferPort bias, double scale, double cap);

/* Pairs of features of @x [batch, position, head, feature] turned by the angles
 * of @cosines and @sines, [batch, position, 1, turned / 2]. */
typedef struct
{
  InferPort cosines, sines;
  gint64 turned; /* features; 0: all of them */
  gboolean interleaved;
} OnnxRotation;

InferPort onnx_rotate (OnnxNode *n, InferPort x, const OnnxRotation *r);
