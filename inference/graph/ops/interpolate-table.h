/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The taps of Interpolate along one axis; every mode is separable. */

#pragma once

#include "inference/graph/ops/interpolate.h"

/* Element i of the output is the sum of `taps` elements of the padded input at
 * index[i taps + k], times weight[i taps + k]. */
typedef struct
{
  gint64 in, out; /* elements, with padding */
  gsize taps;
  gint64 *index;
  double *weight;
} InferInterpolateTable;

/* @scale: out / in, or the model's value.  @antialias: the axis shrinks and the
 * filter must widen.  Returns FALSE if out of memory. */
gboolean infer_interpolate_table_init (InferInterpolateTable *table,
    const InferInterpolate *attrs, gint64 in, gint64 out, float scale,
    gboolean antialias);
void infer_interpolate_table_clear (InferInterpolateTable *table);
