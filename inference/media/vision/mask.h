/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Segmentation: from scores or classes of pixels to a mask of bytes. */

#pragma once

#include "infer/error.h"
#include "infer/tensor.h"

typedef enum
{
  INFER_MASK_CLASSES, /* the class of each pixel, 0 … 255 */
  INFER_MASK_SOFT,    /* 255 times the probability of the only class */
} InferMaskKind;

typedef struct
{
  InferMaskKind kind;
  guint width, height;
} InferMaskInfo;

/* Describes the mask in a tensor of @shape and @type: classes [1,H,W] or
 * [1,1,H,W] of an integer type; scores [1,C,H,W] or [1,H,W,C] (fewer classes
 * than rows and columns), soft if C is 1.  FALSE: none of these. */
gboolean infer_mask_describe (
    const InferShape *shape, InferType type, InferMaskInfo *info);

/* Fills @mask [info.height, info.width] from @tensor, which is dense.  Classes
 * are clamped to 255.  Soft scores outside 0 … 1 are logits. */
gboolean infer_mask_fill (
    const InferTensor *tensor, guint8 *mask, GError **error);

/* Fills @mask [y1 - y0, x1 - x0] with the mask of one object, from @prototypes
 * [@n, @height, @width] and its @n @coefficients: σ (Σ coefficient · prototype)
 * of columns [x0, x1) and rows [y0, y1) ("YOLACT", Bolya et al., 2019). */
void infer_mask_of_prototypes (const float *prototypes, guint n, guint width,
    guint height, const float *coefficients, guint x0, guint y0, guint x1,
    guint y1, guint8 *mask);
