/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text boxes from a map of the probability that a pixel is text, as DBNet gives
 * it ("Real-time Scene Text Detection with Differentiable Binarization", Liao
 * et al., 2020): regions above a threshold, the smallest rotated rectangle
 * around each, grown by what its training data were shrunk. */

#pragma once

#include "inference/media/vision/detection.h"

typedef struct
{
  float pixel;    /* a pixel is text above it; 0.3 */
  float score;    /* a box's least mean; INFER_TEXT_SCORE */
  float grow;     /* times area / perimeter; 1.6 */
  float min_side; /* of a region, in pixels; 3 */
  guint max;
} InferTextSettings;

#define INFER_TEXT_SCORE 0.6
/* The settings that the published models are used with. */
#define INFER_TEXT_DEFAULTS                                                    \
  ((InferTextSettings){ 0.3f, (float) INFER_TEXT_SCORE, 1.6f, 3, 1000 })

/* Finds the boxes of @map [height, width], in reading order: lines from top to
 * bottom, each from left to right.  A detection is the upright box around four
 * points, the corners: left upper first, clockwise.  FALSE: no memory. */
gboolean infer_text_find (const InferTextSettings *settings, const float *map,
    guint width, guint height, InferDetections *found, GError **error);
