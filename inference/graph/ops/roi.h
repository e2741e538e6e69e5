/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of the operations that pool over regions of interest. */

#pragma once

#include "inference/graph/op.h"

#define INFER_ROI_MAX_LEVELS 31

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

typedef enum
{
  INFER_ROI_MAX,           /* of the elements of a bin */
  INFER_ROI_BILINEAR,      /* one sample for each bin */
  INFER_ROI_PS_AVERAGE,    /* one channel per bin */
  INFER_ROI_PS_BILINEAR,   /* … average of samples of several channels */
  INFER_ROI_PS_DEFORMABLE, /* … and bins are moved */
} InferRoiPoolKind;

/* ROIPooling, PSROIPooling, DeformablePSROIPooling */
typedef struct
{
  InferRoiPoolKind kind;
  gint64 height, width;        /* of the output */
  gint64 channels;             /* of the output; 0: the input's */
  gint64 samples_x, samples_y; /* of a bin */
  gint64 part_size;            /* of the offsets */
  double scale, trans_std;
} InferRoiPool;

/* ExperimentalDetectronROIFeatureExtractor */
typedef struct
{
  gint64 size; /* height and width of the output */
  gint64 sampling_ratio;
  gint64 scales[INFER_ROI_MAX_LEVELS]; /* image to map, of each level */
  gboolean aligned;
} InferRoiPyramid;
