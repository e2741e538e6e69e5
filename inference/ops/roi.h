/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of the operations that pool regions of interest. */

#pragma once

#include "inference/op.h"

G_BEGIN_DECLS

typedef enum
{
  INFER_ROI_ASYMMETRIC,        /* x * scale */
  INFER_ROI_HALF_PIXEL_FOR_NN, /* x * scale - 0.5 */
  INFER_ROI_HALF_PIXEL,        /* (x + 0.5) * scale - 0.5 */
} InferRoiAligned;

/* ROIAlign, ROIAlignRotated */
typedef struct
{
  gint64 height, width;  /* of the output */
  gint64 sampling_ratio; /* samples of a bin in each direction; 0: by size */
  double scale;
  gboolean max; /* else the average */
  int aligned;  /* InferRoiAligned */
  gboolean clockwise;
} InferRoiAlign;

G_END_DECLS
