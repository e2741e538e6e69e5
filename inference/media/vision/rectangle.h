/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The smallest rotated rectangle around points. */

#pragma once

#include "inference/media/vision/detection.h"

typedef struct
{
  float x, y;          /* the centre */
  float width, height; /* along (ux, uy) and across */
  float ux, uy;        /* of length 1 */
} InferRectangle;

/* Returns FALSE if @n is 0.  The height of a point or a line is 0. */
gboolean infer_rectangle_around (
    const InferPoint *points, guint n, InferRectangle *rectangle);

/* Gets the left upper corner, then the others clockwise (y points down). */
void infer_rectangle_corners (
    const InferRectangle *rectangle, InferPoint corners[4]);

/* Whether (@x, @y) is inside, or outside by at most @margin. */
gboolean infer_rectangle_contains (
    const InferRectangle *rectangle, float x, float y, float margin);
