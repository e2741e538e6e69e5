/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of the convolutions. */

#pragma once

#include "inference/graph/ops/window.h"

/* Convolution, GroupConvolution */
typedef struct
{
  InferWindow window;
} InferConvolution;

/* ConvolutionBackpropData, GroupConvolutionBackpropData */
typedef struct
{
  InferWindow window;
  gint64 output_padding[INFER_MAX_SPATIAL];
} InferConvolutionBackprop;

typedef struct
{
  InferWindow window;
  gint64 group, deformable_group;
  gboolean bilinear_pad; /* sample a zero-padded map outside the borders */
} InferDeformableConvolution;

typedef struct
{
  InferWindow window;
  double pad_value;
} InferBinaryConvolution;

/* @n output sizes and paddings of a transposed convolution; @output_shape
 * (nullable: no such input): the requested sizes, which decide the padding. */
gboolean infer_backprop_resolve (const InferConvolutionBackprop *attrs, guint n,
    const gint64 *in, const gint64 *kernel, const gint64 *output_shape,
    InferWindowDim *dims, GError **error);
