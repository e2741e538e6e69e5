/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Iteration over several tensors: work-items are the elements of a box, and
 * each tensor has a stride (0: broadcast) per dimension of the box. */

#pragma once

#include "ocl/plan/step.h"

#define OCL_WALK_MAX_TENSORS 12
#define OCL_WALK_MAX_RANK 24 /* before dimensions are merged */
#define OCL_WALK_OUTER 6 /* dimensions folded into dimension 2 of the range */

/* Dimension 0 is the innermost; strides in elements. */
typedef struct
{
  guint n; /* tensors */
  guint rank;
  gint64 dims[OCL_WALK_MAX_RANK];
  gint64 strides[OCL_WALK_MAX_TENSORS][OCL_WALK_MAX_RANK];
} OclWalk;

/* From the outermost dimension to the innermost; @strides: one per tensor. */
void ocl_walk_add (OclWalk *walk, gint64 dim, const gint64 *strides);
/* After the last: merges dimensions that are contiguous in all tensors, and
 * reverses the order.  INFER_ERROR_UNSUPPORTED if too many remain. */
gboolean ocl_walk_finish (OclWalk *walk, GError **error);

/* The walk of row-major @out and of @n operands broadcast to it; @in: shapes of
 * the rank of @out, with ones. */
gboolean ocl_walk_broadcast (OclWalk *walk, const InferShape *out, guint n,
    const InferShape *in, GError **error);

/* Arguments WALK and then, for each tensor, STRIDES of a kernel. */
void ocl_walk_arguments (const OclWalk *walk, OclLaunch *launch);
void ocl_walk_launch (const OclWalk *walk, OclLaunch *launch);

InferShape ocl_shape_of_ones (int rank);
/* @shape with ones in front, up to @rank. */
InferShape ocl_shape_widen (const InferShape *shape, int rank);
