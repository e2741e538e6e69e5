/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Detections, and their suppression.  Positions are pixels of the model's
 * input, from its left upper corner.  One thread at a time. */

#pragma once

#include "infer/tensor.h"

typedef struct
{
  float x, y, score; /* score: 1 if the model gives none */
} InferPoint;

typedef struct
{
  float x0, y0, x1, y1;
  float score;
  int label;
  guint points; /* index of its first keypoint in InferDetections.points, or of
                 * its first mask coefficient in .coefficients */
} InferDetection;

typedef struct
{
  GArray *items;         /* (element-type InferDetection) */
  GArray *points;        /* (element-type InferPoint) */
  guint points_per_item; /* the same for all */
  GArray *coefficients;  /* (element-type float) of masks, see mask.h */
  guint coefficients_per_item;
  gboolean outlines; /* the points of each are the corners of its outline */
  gboolean regions;  /* boxes are regions for a further model, which may reach
                      * beyond the picture */
} InferDetections;

void infer_detections_init (InferDetections *self);
void infer_detections_clear (InferDetections *self);
/* Removes all detections. */
void infer_detections_reset (InferDetections *self);

#define infer_detections_get(self, i)                                          \
  (&g_array_index ((self)->items, InferDetection, i))

/* Returns intersection over union, 0 if either is empty. */
float infer_iou (const InferDetection *a, const InferDetection *b);

/* Sorts, best first; equal scores stay in their order. */
void infer_detections_sort (InferDetections *self);

/* Greedy non-maximum suppression: sorts, then removes what overlaps a better
 * one (of the same label, unless @agnostic) by more than @iou; keeps at most
 * @max. */
void infer_detections_suppress (
    InferDetections *self, float iou, gboolean agnostic, guint max);

/* The same over all labels, but each kept box becomes the mean of those it
 * suppresses, weighted with their scores, as BlazeFace does for steadier boxes.
 * The score stays that of the best. */
void infer_detections_blend (InferDetections *self, float iou, guint max);
