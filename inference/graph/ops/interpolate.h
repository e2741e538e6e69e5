/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Interpolate of every version, in the terms of opset 11. */

#pragma once

#include "inference/graph/op.h"

typedef enum
{
  INFER_INTERPOLATE_NEAREST,
  INFER_INTERPOLATE_LINEAR,
  INFER_INTERPOLATE_LINEAR_ONNX,
  INFER_INTERPOLATE_CUBIC,
  INFER_INTERPOLATE_BILINEAR_PILLOW,
  INFER_INTERPOLATE_BICUBIC_PILLOW,
  INFER_INTERPOLATE_AREA, /* of opset 1: mean of the covered pixels */
} InferInterpolateMode;

typedef enum
{
  INFER_COORDINATE_HALF_PIXEL,
  INFER_COORDINATE_PYTORCH_HALF_PIXEL,
  INFER_COORDINATE_ASYMMETRIC,
  INFER_COORDINATE_TF_HALF_PIXEL_FOR_NN,
  INFER_COORDINATE_ALIGN_CORNERS,
} InferCoordinate;

typedef enum
{
  INFER_NEAREST_ROUND_PREFER_FLOOR,
  INFER_NEAREST_ROUND_PREFER_CEIL,
  INFER_NEAREST_FLOOR,
  INFER_NEAREST_CEIL,
  INFER_NEAREST_SIMPLE,
} InferNearest;

typedef struct
{
  int mode, coordinate, nearest; /* the enumerations above */
  gboolean scales;               /* decide the shape, instead of sizes */
  gboolean antialias, align_corners;
  double cube_coeff;
  gint64 pads_begin[INFER_MAX_RANK], pads_end[INFER_MAX_RANK];
  gint64 axes[INFER_MAX_RANK]; /* of opset 1; others have an input */
  guint n_axes;
} InferInterpolate;

/* Inputs by role; G_MAXUINT if the version or the operation has none. */
guint infer_interpolate_sizes_input (const InferOperation *op);
guint infer_interpolate_axes_input (const InferOperation *op);
