/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The smallest turned rectangle round points. */

#pragma once

#include "inference/media/vision/detection.h"

G_BEGIN_DECLS

typedef struct
{
  float x, y;          /* the middle */
  float width, height; /* along (ux, uy) and across */
  float ux, uy;        /* of length 1 */
} InferRectangle;

/* FALSE without points.  A single point and a line have no height. */
gboolean infer_rectangle_around (
    const InferPoint *points, guint n, InferRectangle *rectangle);

/* Left top first, then clockwise as seen (y points down). */
void infer_rectangle_corners (
    const InferRectangle *rectangle, InferPoint corners[4]);

/* TRUE also up to @margin beside it. */
gboolean infer_rectangle_contains (
    const InferRectangle *rectangle, float x, float y, float margin);

G_END_DECLS
