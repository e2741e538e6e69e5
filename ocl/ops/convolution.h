/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions: what their kinds share.  Dimensions are depth, lines and
 * columns; what has fewer has the first as 1. */

#pragma once

#include "ocl/ops/gemm.h"

G_BEGIN_DECLS

/* Floats that a row of pixels may be read beyond the end. */
#define OCL_CONVOLUTION_SLACK 64

typedef struct
{
  gboolean transposed;
  gint64 batch, groups;
  gint64 channels, filters; /* of one group */
  gint64 in[3], k[3], out[3], stride[3], dilation[3], pad[3];
} OclConvolution;

gboolean ocl_convolution_init (
    const OclStep *step, OclConvolution *g, GError **error);

static inline gint64
ocl_volume (const gint64 *dims)
{
  return dims[0] * dims[1] * dims[2];
}

/* What windows reach of the padded input. */
void ocl_convolution_reach (const OclConvolution *g, gint64 *reach);
gboolean ocl_convolution_needs_border (const OclConvolution *g);
/* Launches what makes the input with its border, as floats; it is @g's input
 * from then on. */
OclValue *ocl_convolution_pad (OclStep *step, OclConvolution *g);
/* The same with a border of @pad before it, @needed in all. */
OclValue *ocl_convolution_pad_to (
    OclStep *step, OclConvolution *g, const gint64 *pad, const gint64 *needed);

/* Of @rows rows those that one work-item makes, with @items others beside it:
 * what goes with a channel is loaded once for all, but no processor is to run
 * out of work. */
gint64 ocl_convolution_rows (const OclStep *step, gint64 rows, gint64 items);
/* Neighbours that are a vector in a row of @n: all of it are whole vectors, the
 * last of which may overlap the one before; 0: none. */
guint ocl_convolution_width (const OclStep *step, gint64 n);
/* Filters that are made together, where pixels are not. */
guint ocl_convolution_lanes (const OclConvolution *g);
/* [groups][filters][channels][window], with the first two turned where
 * transposed. */
OclPanels ocl_convolution_panels (
    const OclStep *step, const OclConvolution *g, guint lanes);

/* "@kernel -DKH=… …": the window. */
GString *ocl_convolution_options (const OclConvolution *g, const char *kernel);
void ocl_launch_three (OclLaunch *launch, const gint64 *dims);
/* Products of all windows, those between strides of a transposed one too. */
void ocl_convolution_work (
    const OclStep *step, const OclConvolution *g, OclLaunch *launch);
/* @launch computes @tiles for the filters of a panel's lanes. */
void ocl_convolution_launch (OclStep *step, const OclConvolution *g,
    OclLaunch *launch, OclValue *in, const OclPanels *panels,
    OclValue *prepared, gint64 tiles);

/* A channel each: convolution-depthwise.c. */
gboolean ocl_convolution_is_depthwise (const OclConvolution *g);
void ocl_convolution_depthwise (OclStep *step, OclConvolution *g);
/* convolution-transposed.c */
void ocl_convolution_transposed (OclStep *step, OclConvolution *g);

G_END_DECLS
