/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Segmentation: scores or classes of pixels → a mask of a byte a pixel. */

#pragma once

#include "infer/error.h"
#include "infer/tensor.h"

G_BEGIN_DECLS

typedef enum
{
  INFER_MASK_CLASSES, /* the class of each pixel, 0 … 255 */
  INFER_MASK_SOFT,    /* how much each belongs to the one class, 0 … 255 */
} InferMaskKind;

typedef struct
{
  InferMaskKind kind;
  guint width, height;
} InferMaskInfo;

/* What @shape and @type are as a mask: classes [1,H,W] or [1,1,H,W] of an
 * integer type; scores [1,C,H,W] or [1,H,W,C] (the classes are fewer than rows
 * and columns); one class of scores is soft.  FALSE: none of these. */
gboolean infer_mask_describe (
    const InferShape *shape, InferType type, InferMaskInfo *info);

/* Fills @mask [info.height, info.width] from @tensor, which is dense.  Classes
 * beyond 255 are 255.  Soft ones that are not parts of 1 are logits. */
gboolean infer_mask_fill (
    const InferTensor *tensor, guint8 *mask, GError **error);

/* The mask of one object from @prototypes [@n, @height, @width] and its @n
 * coefficients ("YOLACT", Bolya et al., 2019): σ (Σ coefficient · prototype),
 * of the columns [x0, x1) and rows [y0, y1) of them.  @mask: bytes of that box.
 */
void infer_mask_of_prototypes (const float *prototypes, guint n, guint width,
    guint height, const float *coefficients, guint x0, guint y0, guint x1,
    guint y1, guint8 *mask);

G_END_DECLS
