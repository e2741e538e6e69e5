/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the kinds of convolutions.  Dimensions are depth, rows and columns;
 * missing ones are 1. */

#pragma once

#include "ocl/ops/gemm.h"

/* Floats that kernels may read beyond the end of a row. */
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

/* The size of the padded input that windows cover. */
void ocl_convolution_reach (const OclConvolution *g, gint64 *reach);
gboolean ocl_convolution_needs_border (const OclConvolution *g);
/* Launches a copy of the input with its border, as floats; g->in becomes its
 * size. */
OclValue *ocl_convolution_pad (OclStep *step, OclConvolution *g);
/* The same with a border of @pad before the input and the size @needed. */
OclValue *ocl_convolution_pad_to (
    OclStep *step, OclConvolution *g, const gint64 *pad, const gint64 *needed);

/* Rows per work-item, out of @rows, if there are @items other work-items: many,
 * since a channel's weights are loaded once, but leaving enough work-items for
 * all cores. */
gint64 ocl_convolution_rows (const OclStep *step, gint64 rows, gint64 items);
/* Vector width for rows of @n pixels; the last vector may overlap the one
 * before. 0: no vectors. */
guint ocl_convolution_width (const OclStep *step, gint64 n);
/* Filters per work-item, where pixels are not vectors. */
guint ocl_convolution_lanes (const OclConvolution *g);
/* The weights [groups][filters][channels][window]; filters and channels are
 * swapped if transposed. */
OclPanels ocl_convolution_panels (
    const OclStep *step, const OclConvolution *g, guint lanes);

/* Compiler options: @kernel and the window, "-DKH=… …". */
GString *ocl_convolution_options (const OclConvolution *g, const char *kernel);
void ocl_launch_three (OclLaunch *launch, const gint64 *dims);
/* Channels, filters and groups, then the sizes of the input and the output. */
void ocl_convolution_sizes (OclLaunch *launch, const OclConvolution *g);
/* Sets the number of multiplications; a transposed convolution multiplies the
 * zeros between strides, too. */
void ocl_convolution_work (
    const OclStep *step, const OclConvolution *g, OclLaunch *launch);
/* Arguments and range of @launch: @tiles per block of the panels' lanes. */
void ocl_convolution_launch (OclStep *step, const OclConvolution *g,
    OclLaunch *launch, OclValue *in, const OclPanels *panels,
    OclValue *prepared, gint64 tiles);

/* convolution-depthwise.c */
gboolean ocl_convolution_is_depthwise (const OclConvolution *g);
void ocl_convolution_depthwise (OclStep *step, OclConvolution *g);
/* convolution-tile.c.  FALSE: no tile fits the device. */
gboolean ocl_convolution_tile (OclStep *step, const OclConvolution *g);
/* convolution-transposed.c */
void ocl_convolution_transposed (OclStep *step, OclConvolution *g);
