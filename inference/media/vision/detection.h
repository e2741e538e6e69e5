/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What detectors find, and what is done with it whatever found it.  Positions
 * are pixels of the model's input, from its left upper corner.  No thread
 * shares any of this. */

#pragma once

#include "infer/tensor.h"

G_BEGIN_DECLS

typedef struct
{
  float x, y, score; /* score: 1 where the model gives none */
} InferPoint;

typedef struct
{
  float x0, y0, x1, y1;
  float score;
  int label;
  guint points; /* of its keypoints, the first in InferDetections.points; of
                 * its mask, the first in InferDetections.coefficients */
} InferDetection;

typedef struct
{
  GArray *items;         /* (element-type InferDetection) */
  GArray *points;        /* (element-type InferPoint) */
  guint points_per_item; /* the same for all */
  GArray *coefficients;  /* (element-type float) of masks, see mask.h */
  guint coefficients_per_item;
  gboolean regions; /* boxes are what a further model wants to see, also where
                     * that lies beyond the picture */
} InferDetections;

void infer_detections_init (InferDetections *self);
void infer_detections_clear (InferDetections *self);
/* Forgets what was found. */
void infer_detections_reset (InferDetections *self);

#define infer_detections_get(self, i)                                          \
  (&g_array_index ((self)->items, InferDetection, i))

/* Intersection over union; 0 where either is empty. */
float infer_iou (const InferDetection *a, const InferDetection *b);

/* Best first; equal scores stay in their order. */
void infer_detections_sort (InferDetections *self);

/* Greedy non-maximum suppression: sorts, then drops what overlaps a better one
 * by more than @iou (of the same label, unless @agnostic); at most @max stay.
 */
void infer_detections_suppress (
    InferDetections *self, float iou, gboolean agnostic, guint max);

/* The same, but each that stays becomes the mean of those it suppresses,
 * weighted with their scores, as BlazeFace wants it: steadier boxes.  The score
 * is the best one's. */
void infer_detections_blend (InferDetections *self, float iou, guint max);

G_END_DECLS
