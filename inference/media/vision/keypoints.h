/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keypoints of one body, face or hand, from outputs of these forms:
 *
 *   heatmaps    [1,K,H,W]              the peak of each
 *   regressed   [1,K·3], [1,1,1,K·3]   x, y, z in pixels or fractions of the
 *                                      input
 *               [1,K·2]                x, y
 *               [1,1,K,3] all ≤ 1      y, x, score (MoveNet)
 *               [1,195]                x, y, z, visibility, presence: the 33
 *                                      points of BlazePose (the last 6 are not
 *                                      of the body)
 *   simcc       [1,K,X] and [1,K,Y]    the best column and row of each
 *
 * A further output of one number is the presence: a logit or a probability. */

#pragma once

#include "inference/media/vision/detect.h"

/* Whether the outputs have one of these forms and can hardly be anything else
 * (for models without a model_type). */
gboolean infer_keypoints_suit (const InferView *views, guint n);

/* Appends the points, in pixels of an input of @width × @height, to @points
 * (element-type InferPoint).  *@presence: 1 if the model gives none. */
gboolean infer_keypoints_find (const InferView *views, guint n, guint width,
    guint height, GArray *points, float *presence, GError **error);
