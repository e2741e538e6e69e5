/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples along an output axis as weighted sums of several input samples: cubic
 * interpolation and means over areas. */

#pragma once

#include "infer/image.h"

/* All outputs along an axis; grows, never shrinks. */
typedef struct
{
  guint most;     /* weights of one output */
  gint32 *first;  /* of each output: its first sample */
  guint32 *n;     /* of each output: how many samples */
  float *weights; /* `most` for each output; their sum is 1 */
  gsize max_outputs, max_weights;
  gint64 begin, end; /* samples that any output needs */
} InferTaps;

/* Maps pixels [@from, @from + @n) along the axis (may begin before the first)
 * to
 * @to outputs.  A sample covers 1 << @shift pixels; there are @size samples.
 * @sampling: CUBIC (Keys' with a = −0.75, as OpenCV's and OpenVINO's, centres
 * aligned, the edge repeated) or AREA (the mean of what an output covers). */
void infer_taps_set (InferTaps *taps, InferSampling sampling, gint64 from,
    gint64 n, gint64 to, guint shift, gint64 size);
void infer_taps_clear (InferTaps *taps);
