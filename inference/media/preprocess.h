/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preprocessing of images that are tensors. */

#pragma once

#include "infer/preprocess.h"

/* Gets the shape of the input for @source: u8 or f32, of rank 4 with 1, 3 or 4
 * channels. */
gboolean infer_preprocessor_shape (const InferPreprocessor *self,
    const InferTensor *source, InferShape *target, GError **error);

/* Fills @target: dense f32 of that shape.  Allocates only for a wider image
 * than before. */
void infer_preprocessor_run (
    InferPreprocessor *self, const InferTensor *source, float *target);
