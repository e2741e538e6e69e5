/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of detection operations, and functions that they share. */

#pragma once

#include "inference/graph/op.h"

/* NonMaxSuppression, NMSRotated */
typedef struct
{
  gboolean center;           /* boxes are x, y, width, height, not corners */
  gboolean sort;             /* by score over all batches and classes */
  gboolean counterclockwise; /* NMSRotated */
  InferType index_type;
} InferNonMaxSuppression;

typedef struct
{
  gint64 num_classes; /* -1: from the shapes */
  gint64 background;  /* -1: none */
  gint64 top_k;       /* per class before suppression; < 0: all */
  gint64 keep_top_k;  /* per image; < 0: all */
  gint64 height, width;
  gboolean center_size; /* code_type; else CORNER */
  gboolean variance_in_target, share_location, normalized;
  gboolean clip_before, clip_after;
  gboolean decrease_label; /* suppression of each prior's best class */
  double nms_threshold, confidence_threshold, objectness_score;
} InferDetectionOutput;

typedef enum
{
  INFER_NMS_SORT_NONE,
  INFER_NMS_SORT_SCORE,
  INFER_NMS_SORT_CLASS,
} InferNmsSort;

/* MulticlassNms, MatrixNms */
typedef struct
{
  int sort; /* InferNmsSort */
  gboolean across_batch;
  InferType index_type;
  gint64 nms_top_k, keep_top_k; /* per class, per image; < 0: all */
  gint64 background;            /* -1: none */
  gboolean normalized;          /* else a box of n pixels ends at n - 1 */
  double score_threshold;
  double iou_threshold, eta;             /* MulticlassNms */
  gboolean gaussian;                     /* MatrixNms: decay, else linear */
  double gaussian_sigma, post_threshold; /* MatrixNms */
} InferMultiNms;

/* --- shared by operation classes --- */

/* An integer of at least @smallest, and of 32 bits. */
gboolean infer_attr_count (const InferAttributes *attributes, const char *name,
    gint64 smallest, gint64 *value, GError **error);
