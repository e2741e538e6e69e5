/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The slice of each axis for Slice and StridedSlice. */

#pragma once

#include "inference/graph/op.h"

typedef struct
{
  guint n_masks[5];
  gint64 masks[5][INFER_MAX_RANK]; /* by InferSliceMask */
} InferStridedSlice;

typedef enum
{
  INFER_SLICE_BEGIN_MASK,
  INFER_SLICE_END_MASK,
  INFER_SLICE_NEW_AXIS_MASK,
  INFER_SLICE_SHRINK_AXIS_MASK,
  INFER_SLICE_ELLIPSIS_MASK,
} InferSliceMask;

/* `count` elements begin, begin + step, … of each input axis.  The output has
 * the axes with `kept`, and `inserted` axes of size 1 between. */
typedef struct
{
  int rank; /* of the input */
  gint64 begin[INFER_MAX_RANK], step[INFER_MAX_RANK], count[INFER_MAX_RANK];
  InferShape out;
} InferSlicing;

/* Unknown values are NULL; counts that depend on them are INFER_DYNAMIC.
 * (element-type gint64) */
gboolean infer_slice_resolve (const InferShape *in, const GArray *start,
    const GArray *stop, const GArray *step, const GArray *axes,
    InferSlicing *slicing, GError **error);
gboolean infer_strided_slice_resolve (const InferShape *in,
    const InferStridedSlice *attrs, const GArray *begin, const GArray *end,
    const GArray *strides, InferSlicing *slicing, GError **error);
