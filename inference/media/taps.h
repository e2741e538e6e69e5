/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the samples of an output axis come from, as weighted sums of several of
 * the input: cubic interpolation and means over areas. */

#pragma once

#include "infer/image.h"

G_BEGIN_DECLS

/* All outputs along an axis; grows, never shrinks. */
typedef struct
{
  guint most;     /* weights of one output */
  gint32 *first;  /* of each output: the first sample … */
  guint32 *n;     /* … and how many */
  float *weights; /* `most` for each output; their sum is 1 */
  gsize max_outputs, max_weights;
  gint64 begin, end; /* samples that any output needs */
} InferTaps;

/* @from (perhaps before the first), @n: pixels along the axis, which @to
 * outputs share; samples are of 1 << @shift pixels each, @size of them in all.
 * @sampling: CUBIC (Keys' with a = −0.75, as OpenCV's and OpenVINO's, centres
 * aligned, the edge repeated) or AREA (the mean of what an output covers). */
void infer_taps_set (InferTaps *taps, InferSampling sampling, gint64 from,
    gint64 n, gint64 to, guint shift, gint64 size);
void infer_taps_clear (InferTaps *taps);

G_END_DECLS
