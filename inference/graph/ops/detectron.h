/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of the ExperimentalDetectron operations.  ROIFeatureExtractor is
 * in roi.h, GenerateProposalsSingleImage in proposal.h. */

#pragma once

#include "inference/graph/op.h"

/* ExperimentalDetectronDetectionOutput */
typedef struct
{
  double score_threshold, nms_threshold;
  double max_delta_log; /* limit of the growth of a box */
  double weights[4];    /* of deltas */
  gint64 classes;
  gint64 per_class, per_image; /* maximum number of detections; < 0: all */
} InferDetectronOutput;

/* ExperimentalDetectronPriorGridGenerator */
typedef struct
{
  gboolean flatten;
  gint64 height, width;      /* of the grid; 0: the feature map's */
  double stride_x, stride_y; /* 0: from the image's size */
} InferPriorGrid;

/* ExperimentalDetectronTopKROIs */
typedef struct
{
  gint64 max_rois;
} InferTopKRois;
