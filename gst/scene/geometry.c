/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/scene/geometry.h"

static gboolean
is_same (GstInferGridPoint a, GstInferGridPoint b)
{
  return a.x == b.x && a.y == b.y;
}

/* Whether @p, which is on the line through @a and @b, is between them. */
static gboolean
is_between (GstInferGridPoint a, GstInferGridPoint b, GstInferGridPoint p)
{
  return p.x >= MIN (a.x, b.x) && p.x <= MAX (a.x, b.x) && p.y >= MIN (a.y, b.y)
         && p.y <= MAX (a.y, b.y);
}

GstInferGridBox
gst_infer_grid_box (const GstInferGridPoint *points, guint n)
{
  GstInferGridBox box = { points[0].x, points[0].y, points[0].x, points[0].y };

  for (guint i = 1; i < n; i++) {
    box.x0 = MIN (box.x0, points[i].x);
    box.y0 = MIN (box.y0, points[i].y);
    box.x1 = MAX (box.x1, points[i].x);
    box.y1 = MAX (box.y1, points[i].y);
  }
  return box;
}

gboolean
gst_infer_grid_contains (
    const GstInferGridPoint *points, guint n, GstInferGridPoint p)
{
  gboolean inside = FALSE;

  for (guint i = 0, last = n - 1; i < n; last = i++) {
    const GstInferGridPoint a = points[last], b = points[i];

    if (a.y == b.y) {
      if (a.y == p.y && is_between (a, b, p))
        return TRUE;
      continue;
    }
    if (is_same (b, p))
      return TRUE;
    if ((a.y > p.y) == (b.y > p.y))
      continue;
    const gint64 side = gst_infer_grid_side (a, b, p);
    if (side == 0)
      return TRUE;
    inside ^= (side > 0) == (b.y > a.y);
  }
  return inside;
}

int
gst_infer_grid_crossing (GstInferGridPoint a, GstInferGridPoint b,
    GstInferGridPoint from, GstInferGridPoint to)
{
  const gboolean before = gst_infer_grid_side (a, b, from) >= 0;
  const gboolean after = gst_infer_grid_side (a, b, to) >= 0;

  if (before == after
      || (gst_infer_grid_side (from, to, a) >= 0)
             == (gst_infer_grid_side (from, to, b) >= 0))
    return 0;
  return after ? 1 : -1;
}

double
gst_infer_grid_project (
    GstInferGridPoint a, GstInferGridPoint b, GstInferGridPoint p)
{
  const double dx = b.x - a.x, dy = b.y - a.y;

  return (dx * (p.x - a.x) + dy * (p.y - a.y)) / (dx * dx + dy * dy);
}

double
gst_infer_grid_distance2 (
    GstInferGridPoint a, GstInferGridPoint b, GstInferGridPoint p)
{
  const double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
  const double px = p.x - a.x, py = p.y - a.y, along = dx * px + dy * py;

  if (along <= 0)
    return px * px + py * py;
  if (along >= length2) {
    const double qx = p.x - b.x, qy = p.y - b.y;

    return qx * qx + qy * qy;
  }
  const double side = (double) gst_infer_grid_side (a, b, p);
  return side * side / length2;
}

gboolean
gst_infer_grid_is_far (const GstInferGridPoint *points, guint n,
    gboolean closed, GstInferGridPoint p, double distance)
{
  if (closed
      && gst_infer_grid_distance2 (points[n - 1], points[0], p)
             < distance * distance)
    return FALSE;
  for (guint i = 1; i < n; i++)
    if (gst_infer_grid_distance2 (points[i - 1], points[i], p)
        < distance * distance)
      return FALSE;
  return TRUE;
}

/* --- polygons that are none --- */

static int
sign (gint64 value)
{
  return (value > 0) - (value < 0);
}

/* Whether the edges @a @b and @c @d have a common point. */
static gboolean
do_meet (GstInferGridPoint a, GstInferGridPoint b, GstInferGridPoint c,
    GstInferGridPoint d)
{
  const int ac = sign (gst_infer_grid_side (a, b, c));
  const int ad = sign (gst_infer_grid_side (a, b, d));
  const int ca = sign (gst_infer_grid_side (c, d, a));
  const int cb = sign (gst_infer_grid_side (c, d, b));

  if (ac != ad && ca != cb)
    return TRUE;
  return (ac == 0 && is_between (a, b, c)) || (ad == 0 && is_between (a, b, d))
         || (ca == 0 && is_between (c, d, a))
         || (cb == 0 && is_between (c, d, b));
}

/* Whether the edge @b → @c goes back along @a → @b. */
static gboolean
goes_back (GstInferGridPoint a, GstInferGridPoint b, GstInferGridPoint c)
{
  return gst_infer_grid_side (a, b, c) == 0
         && (gint64) (b.x - a.x) * (c.x - b.x)
                    + (gint64) (b.y - a.y) * (c.y - b.y)
                < 0;
}

gboolean
gst_infer_grid_find_fault (
    const GstInferGridPoint *points, guint n, guint *first, guint *second)
{
  for (guint i = 0; i < n; i++) {
    const GstInferGridPoint a = points[i], b = points[(i + 1) % n];

    *first = *second = i;
    if (is_same (a, b))
      return TRUE;
    *second = (i + 1) % n;
    if (goes_back (a, b, points[(i + 2) % n]))
      return TRUE;
    for (*second = i + 2; *second < n; (*second)++)
      if ((*second + 1) % n != i
          && do_meet (a, b, points[*second], points[(*second + 1) % n]))
        return TRUE;
  }
  return FALSE;
}
