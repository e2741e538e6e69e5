/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/rotated-box.h"

#include <math.h>

#define MAX_CORNERS 8 /* of a rectangle cut by four lines */

typedef struct
{
  guint n;
  double at[MAX_CORNERS][2];
} Polygon;

/* Corners of @a in the coordinates of @b: its centre and axes. */
static Polygon
corners (const float *a, const float *b)
{
  static const double signs[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 },
    { -1, 1 } };
  double turn = (double) a[4] - b[4];
  double dx = (double) a[0] - b[0], dy = (double) a[1] - b[1];
  double x = dx * cos (b[4]) + dy * sin (b[4]);
  double y = dy * cos (b[4]) - dx * sin (b[4]);
  Polygon polygon = { .n = 4 };

  for (int i = 0; i < 4; i++) {
    double w = signs[i][0] * a[2] / 2, h = signs[i][1] * a[3] / 2;

    polygon.at[i][0] = x + w * cos (turn) - h * sin (turn);
    polygon.at[i][1] = y + w * sin (turn) + h * cos (turn);
  }
  return polygon;
}

/* Clips a convex polygon to at[axis] * sign <= limit. */
static Polygon
cut (const Polygon *in, int axis, double sign, double limit)
{
  Polygon out = { .n = 0 };

  for (guint i = 0; i < in->n; i++) {
    const double *p = in->at[i], *q = in->at[(i + 1) % in->n];
    double over_p = p[axis] * sign - limit, over_q = q[axis] * sign - limit;

    if (over_p <= 0 && out.n < MAX_CORNERS) {
      out.at[out.n][0] = p[0];
      out.at[out.n++][1] = p[1];
    }
    if ((over_p < 0 && over_q > 0) || (over_p > 0 && over_q < 0)) {
      double t = over_p / (over_p - over_q);

      if (out.n == MAX_CORNERS)
        break;
      out.at[out.n][0] = p[0] + t * (q[0] - p[0]);
      out.at[out.n++][1] = p[1] + t * (q[1] - p[1]);
    }
  }
  return out;
}

static double
area (const Polygon *polygon)
{
  double twice = 0;

  for (guint i = 0; i < polygon->n; i++) {
    const double *p = polygon->at[i], *q = polygon->at[(i + 1) % polygon->n];

    twice += p[0] * q[1] - q[0] * p[1];
  }
  return fabs (twice) / 2;
}

float
cpu_rotated_overlap (const float *a, const float *b)
{
  double area_a = (double) a[2] * a[3], area_b = (double) b[2] * b[3];

  if (!(area_a > 0) || !(area_b > 0))
    return 0;
  Polygon polygon = corners (a, b);
  for (int axis = 0; axis < 2; axis++) {
    double half = fabs ((double) b[2 + axis]) / 2;

    polygon = cut (&polygon, axis, 1, half);
    polygon = cut (&polygon, axis, -1, half);
  }
  double common = area (&polygon);
  return (float) (common / (area_a + area_b - common));
}
