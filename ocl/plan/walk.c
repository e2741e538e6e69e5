/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/plan/walk.h"

#include <math.h>

void
ocl_walk_add (OclWalk *walk, gint64 dim, const gint64 *strides)
{
  g_assert (walk->rank < OCL_WALK_MAX_RANK);
  walk->dims[walk->rank] = dim;
  for (guint t = 0; t < walk->n; t++)
    walk->strides[t][walk->rank] = strides[t];
  walk->rank++;
}

/* Dimension @d, outside of @inner, continues it in every tensor. */
static gboolean
continues (const OclWalk *walk, guint d, const OclWalk *to)
{
  guint last = to->rank - 1;

  for (guint t = 0; t < walk->n; t++)
    if (walk->strides[t][d] != to->strides[t][last] * to->dims[last])
      return FALSE;
  return TRUE;
}

/* Kernels index with int. */
static gboolean
fits_int (const OclWalk *walk)
{
  double elements = 1;

  for (guint d = 0; d < walk->rank; d++)
    elements *= (double) walk->dims[d];
  for (guint t = 0; t < walk->n; t++) {
    double reach = 0;

    for (guint d = 0; d < walk->rank; d++)
      reach += fabs ((double) walk->strides[t][d] * (double) walk->dims[d]);
    elements = MAX (elements, reach);
  }
  return elements <= G_MAXINT32;
}

gboolean
ocl_walk_finish (OclWalk *walk, GError **error)
{
  OclWalk merged = { .n = walk->n };

  for (guint i = walk->rank; i-- > 0;) {
    gint64 strides[OCL_WALK_MAX_TENSORS];

    if (walk->dims[i] == 1)
      continue;
    if (merged.rank > 0 && continues (walk, i, &merged)) {
      merged.dims[merged.rank - 1] *= walk->dims[i];
      continue;
    }
    for (guint t = 0; t < walk->n; t++)
      strides[t] = walk->strides[t][i];
    ocl_walk_add (&merged, walk->dims[i], strides);
  }
  while (merged.rank < 2) {
    const gint64 none[OCL_WALK_MAX_TENSORS] = { 0 };

    ocl_walk_add (&merged, 1, none);
  }
  *walk = merged;
  if (!fits_int (walk))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "a tensor has more elements than OpenCL kernels count");
  if (walk->rank > 2 + OCL_WALK_OUTER)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%u dimensions in no common order are too many for OpenCL kernels",
        walk->rank);
  return TRUE;
}

InferShape
ocl_shape_of_ones (int rank)
{
  InferShape ones = { .rank = rank };

  for (int d = 0; d < rank; d++)
    ones.dims[d] = 1;
  return ones;
}

InferShape
ocl_shape_widen (const InferShape *shape, int rank)
{
  InferShape wide = { .rank = rank };

  for (int d = 0; d < rank; d++) {
    int from = d - (rank - shape->rank);

    wide.dims[d] = from >= 0 ? shape->dims[from] : 1;
  }
  return wide;
}

gboolean
ocl_walk_broadcast (OclWalk *walk, const InferShape *out, guint n,
    const InferShape *in, GError **error)
{
  gint64 strides[OCL_WALK_MAX_TENSORS][INFER_MAX_RANK];

  *walk = (OclWalk){ .n = n + 1 };
  infer_shape_strides (out, strides[0]);
  for (guint t = 0; t < n; t++) {
    infer_shape_strides (&in[t], strides[t + 1]);
    for (int d = 0; d < out->rank; d++)
      if (in[t].dims[d] == 1)
        strides[t + 1][d] = 0;
  }
  for (int d = 0; d < out->rank; d++) {
    gint64 at[OCL_WALK_MAX_TENSORS];

    for (guint t = 0; t <= n; t++)
      at[t] = strides[t][d];
    ocl_walk_add (walk, out->dims[d], at);
  }
  return ocl_walk_finish (walk, error);
}

static gint64
outer_count (const OclWalk *walk)
{
  gint64 n = 1;

  for (guint d = 2; d < walk->rank; d++)
    n *= walk->dims[d];
  return n;
}

static void
add_int8 (OclLaunch *launch, const gint64 *numbers, guint n, cl_int rest)
{
  cl_int eight[8];

  for (guint d = 0; d < 8; d++)
    eight[d] = d < n ? (cl_int) numbers[d] : rest;
  ocl_launch_bytes (launch, eight, sizeof eight);
}

void
ocl_walk_arguments (const OclWalk *walk, OclLaunch *launch)
{
  add_int8 (launch, walk->dims, walk->rank, 1);
  for (guint t = 0; t < walk->n; t++)
    add_int8 (launch, walk->strides[t], walk->rank, 0);
}

void
ocl_walk_launch (const OclWalk *walk, OclLaunch *launch)
{
  ocl_launch_rows (launch, (gsize) walk->dims[0], (gsize) walk->dims[1],
      (gsize) outer_count (walk));
}
