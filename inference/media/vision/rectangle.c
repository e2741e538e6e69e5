/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/vision/rectangle.h"

#include <math.h>

static int
by_x_then_y (gconstpointer a, gconstpointer b)
{
  const InferPoint *p = a, *q = b;

  if (p->x != q->x)
    return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

static double
cross (const InferPoint *o, const InferPoint *a, const InferPoint *b)
{
  return ((double) a->x - o->x) * ((double) b->y - o->y)
         - ((double) a->y - o->y) * ((double) b->x - o->x);
}

/* Andrew's monotone chain; (transfer full) (element-type InferPoint). */
static GArray *
convex_hull (const InferPoint *points, guint n)
{
  GArray *sorted = g_array_new (FALSE, FALSE, sizeof (InferPoint));
  GArray *hull = g_array_new (FALSE, FALSE, sizeof (InferPoint));
  guint base = 0;

  g_array_append_vals (sorted, points, n);
  g_array_sort (sorted, by_x_then_y);
  for (guint pass = 0; pass < 2; pass++) {
    for (guint i = 0; i < n; i++) {
      const InferPoint *p =
          &g_array_index (sorted, InferPoint, pass == 0 ? i : n - 1 - i);

      while (hull->len >= base + 2
             && cross (&g_array_index (hull, InferPoint, hull->len - 2),
                    &g_array_index (hull, InferPoint, hull->len - 1), p)
                    <= 0)
        g_array_set_size (hull, hull->len - 1);
      g_array_append_vals (hull, p, 1);
    }
    /* The last point of a pass is the first of the next. */
    if (hull->len > 1)
      g_array_set_size (hull, hull->len - 1);
    base = hull->len;
  }
  g_array_unref (sorted);
  return hull;
}

/* Returns the bounding rectangle with a side along (ux, uy). */
static InferRectangle
along (const GArray *hull, double ux, double uy)
{
  double a0 = INFINITY, a1 = -INFINITY, b0 = INFINITY, b1 = -INFINITY;
  double a, b;

  for (guint i = 0; i < hull->len; i++) {
    const InferPoint *p = &g_array_index (hull, InferPoint, i);

    a = p->x * ux + p->y * uy;
    b = p->y * ux - p->x * uy;
    a0 = MIN (a0, a), a1 = MAX (a1, a);
    b0 = MIN (b0, b), b1 = MAX (b1, b);
  }
  a = (a0 + a1) / 2;
  b = (b0 + b1) / 2;
  return (InferRectangle){ (float) (a * ux - b * uy), (float) (a * uy + b * ux),
    (float) (a1 - a0), (float) (b1 - b0), (float) ux, (float) uy };
}

gboolean
infer_rectangle_around (
    const InferPoint *points, guint n, InferRectangle *rectangle)
{
  double least = INFINITY;

  if (n == 0)
    return FALSE;
  g_autoptr (GArray) hull = convex_hull (points, n);
  *rectangle = along (hull, 1, 0);
  for (guint i = 0; i < hull->len; i++) {
    const InferPoint *p = &g_array_index (hull, InferPoint, i);
    const InferPoint *q =
        &g_array_index (hull, InferPoint, (i + 1) % hull->len);
    double dx = q->x - p->x, dy = q->y - p->y, length = hypot (dx, dy);

    if (length == 0)
      continue;
    InferRectangle r = along (hull, dx / length, dy / length);
    if ((double) r.width * r.height < least) {
      least = (double) r.width * r.height;
      *rectangle = r;
    }
  }
  return TRUE;
}

void
infer_rectangle_corners (const InferRectangle *r, InferPoint corners[4])
{
  static const float sides[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 },
    { -1, 1 } };
  InferPoint all[4];
  guint first = 0;

  for (guint i = 0; i < 4; i++) {
    float a = sides[i][0] * r->width / 2, b = sides[i][1] * r->height / 2;

    all[i] = (InferPoint){ r->x + a * r->ux - b * r->uy,
      r->y + a * r->uy + b * r->ux, 1 };
  }
  for (guint i = 1; i < 4; i++)
    if (all[i].x + all[i].y < all[first].x + all[first].y)
      first = i;
  for (guint i = 0; i < 4; i++)
    corners[i] = all[(first + i) % 4];
}

gboolean
infer_rectangle_contains (
    const InferRectangle *r, float x, float y, float margin)
{
  float dx = x - r->x, dy = y - r->y;

  return fabsf (dx * r->ux + dy * r->uy) <= r->width / 2 + margin
         && fabsf (dy * r->ux - dx * r->uy) <= r->height / 2 + margin;
}
