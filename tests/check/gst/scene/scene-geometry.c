/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The geometry of scenes beside plain definitions in wider integers. */

#include "gst/scene/geometry.h"

__extension__ typedef __int128 Wide;

static GstInferGridPoint
random_point (GRand *random, int cells)
{
  return (GstInferGridPoint){ g_rand_int_range (random, 0, cells + 1),
    g_rand_int_range (random, 0, cells + 1) };
}

/* Winding number by the angles' quadrants, with the edges apart. */
static gboolean
contains (const GstInferGridPoint *p, guint n, GstInferGridPoint at)
{
  int winding = 0;

  for (guint i = 0; i < n; i++) {
    const GstInferGridPoint a = p[i], b = p[(i + 1) % n];
    const Wide side =
        (Wide) (b.x - a.x) * (at.y - a.y) - (Wide) (at.x - a.x) * (b.y - a.y);

    if (side == 0 && MIN (a.x, b.x) <= at.x && at.x <= MAX (a.x, b.x)
        && MIN (a.y, b.y) <= at.y && at.y <= MAX (a.y, b.y))
      return TRUE;
    if (a.y <= at.y && b.y > at.y && side > 0)
      winding++;
    if (a.y > at.y && b.y <= at.y && side < 0)
      winding--;
  }
  return winding != 0;
}

/* On a coarse grid, most points are on edges and corners. */
static void
test_contains (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  guint polygons = 0, inside = 0;

  while (polygons < 3000) {
    GstInferGridPoint p[7];
    const guint n = (guint) g_rand_int_range (random, 3, 8);
    guint a, b;

    for (guint i = 0; i < n; i++)
      p[i] = random_point (random, 7);
    if (gst_infer_grid_find_fault (p, n, &a, &b))
      continue;
    polygons++;
    for (int y = -1; y <= 8; y++)
      for (int x = -1; x <= 8; x++) {
        const GstInferGridPoint at = { x, y };
        const gboolean is = gst_infer_grid_contains (p, n, at);

        g_assert_cmpint (is, ==, contains (p, n, at));
        inside += is;
      }
  }
  g_assert_cmpuint (inside, >, 10000);
}

/* The largest coordinates overflow nothing. */
static void
test_large (void)
{
  const gint32 most = (1 << 27) - 1;
  const GstInferGridPoint square[] = { { -most, -most }, { most, -most },
    { most, most }, { -most, most } };
  guint a, b;

  g_assert_false (gst_infer_grid_find_fault (square, 4, &a, &b));
  g_assert_true (
      gst_infer_grid_contains (square, 4, (GstInferGridPoint){ most, 0 }));
  g_assert_cmpint (
      gst_infer_grid_crossing (square[0], square[2], square[1], square[3]), ==,
      1);
  g_assert_cmpint (
      gst_infer_grid_crossing (square[0], square[2], square[3], square[1]), ==,
      -1);
}

/* A path that stops on a line, or goes along it, crosses it once; around a
 * closed path the crossings of a line add up to none where it does not go
 * around one of its ends. */
static void
test_crossings (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (2);
  guint crossed = 0;

  for (guint k = 0; k < 20000; k++) {
    const GstInferGridPoint a = { -1000, 3 }, b = { 1000, 3 };
    GstInferGridPoint path[12];
    int sum = 0;

    for (guint i = 0; i < G_N_ELEMENTS (path); i++)
      path[i] = random_point (random, 6);
    for (guint i = 0; i < G_N_ELEMENTS (path); i++) {
      const GstInferGridPoint to = path[(i + 1) % G_N_ELEMENTS (path)];
      const int one = gst_infer_grid_crossing (a, b, path[i], to);

      g_assert_cmpint (one, ==, (to.y >= 3) - (path[i].y >= 3));
      crossed += one != 0;
      sum += one;
    }
    g_assert_cmpint (sum, ==, 0);
  }
  g_assert_cmpuint (crossed, >, 20000);
}

static void
test_faults (void)
{
  static const struct
  {
    guint n;
    GstInferGridPoint points[5];
    gboolean fault;
  } cases[] = {
    { 3, { { 0, 0 }, { 4, 0 }, { 0, 4 } }, FALSE },
    { 4, { { 0, 0 }, { 4, 0 }, { 4, 4 }, { 0, 4 } }, FALSE },
    { 4, { { 0, 0 }, { 4, 4 }, { 4, 0 }, { 0, 4 } }, TRUE }, /* a bow tie */
    { 3, { { 0, 0 }, { 4, 0 }, { 4, 0 } }, TRUE },           /* a point twice */
    { 3, { { 0, 0 }, { 4, 0 }, { 2, 0 } }, TRUE },           /* flat */
    { 4, { { 0, 0 }, { 2, 0 }, { 4, 0 }, { 0, 4 } }, FALSE }, /* straight on */
    { 5, { { 0, 0 }, { 4, 0 }, { 4, 4 }, { 2, 0 }, { 0, 4 } }, TRUE },
  };
  guint a, b;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (
        gst_infer_grid_find_fault (cases[i].points, cases[i].n, &a, &b), ==,
        cases[i].fault);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/scene/geometry/contains", test_contains);
  g_test_add_func ("/gst/scene/geometry/large", test_large);
  g_test_add_func ("/gst/scene/geometry/crossings", test_crossings);
  g_test_add_func ("/gst/scene/geometry/faults", test_faults);
  return g_test_run ();
}
