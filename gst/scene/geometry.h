/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Points, lines and polygons with whole coordinates, so that every question of
 * "on which side" has an exact answer: no point of an edge or a corner falls
 * between two zones, and no path crosses a line twice at one place.  Pure
 * functions. */

#pragma once

#include <glib.h>

/* Units per height of the frame; |x| and |y| are below 2^27. */
#define GST_INFER_GRID (1 << 20)

typedef struct
{
  gint32 x, y;
} GstInferGridPoint;

typedef struct
{
  gint32 x0, y0, x1, y1; /* both ends belong to it */
} GstInferGridBox;

/* Twice the area of the triangle @a @b @p: positive where @p is to the right of
 * @a → @b as seen on a frame, whose y points down; 0 on the line. */
static inline gint64
gst_infer_grid_side (
    GstInferGridPoint a, GstInferGridPoint b, GstInferGridPoint p)
{
  return (gint64) (b.x - a.x) * (p.y - a.y)
         - (gint64) (b.y - a.y) * (p.x - a.x);
}

static inline gboolean
gst_infer_grid_box_contains (
    const GstInferGridBox *box, GstInferGridPoint p, gint32 margin)
{
  return p.x >= box->x0 - margin && p.x <= box->x1 + margin
         && p.y >= box->y0 - margin && p.y <= box->y1 + margin;
}

GstInferGridBox gst_infer_grid_box (const GstInferGridPoint *points, guint n);

/* Whether @p lies in the polygon or on its edges. */
gboolean gst_infer_grid_contains (
    const GstInferGridPoint *points, guint n, GstInferGridPoint p);

/* 1: the step @from → @to goes from the left of @a → @b to its right between
 * the two; -1: the other way; 0: neither.  The line itself belongs to its
 * right, so that a path that stops on it crosses once. */
int gst_infer_grid_crossing (GstInferGridPoint a, GstInferGridPoint b,
    GstInferGridPoint from, GstInferGridPoint to);

/* The square of the distance from @p to the line @a @b between the two. */
double gst_infer_grid_distance2 (
    GstInferGridPoint a, GstInferGridPoint b, GstInferGridPoint p);

/* Whether @p is as far as @distance from each of the edges; @closed: there is
 * one from the last point to the first. */
gboolean gst_infer_grid_is_far (const GstInferGridPoint *points, guint n,
    gboolean closed, GstInferGridPoint p, double distance);

/* Where on the line @a → @b, of length 1, @p is projected to: below 0 before
 * @a, above 1 behind @b. */
double gst_infer_grid_project (
    GstInferGridPoint a, GstInferGridPoint b, GstInferGridPoint p);

/* Finds two edges of a polygon that cross or touch other than in a common
 * corner, or an edge without length (*@first = *@second).  Returns FALSE if
 * there are none. */
gboolean gst_infer_grid_find_fault (
    const GstInferGridPoint *points, guint n, guint *first, guint *second);
