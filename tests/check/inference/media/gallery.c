/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Looks: how different they are, and who is known again. */

#include "inference/media/track/gallery.h"

#include <math.h>

static gboolean
is_id (int id, gpointer data)
{
  return data != NULL && id == *(int *) data;
}

static int
find (InferGallery *gallery, float x, float y, guint64 time, int *taken)
{
  float look[] = { x, y };

  g_assert_true (infer_look_normalize (look, 2));
  return infer_gallery_find (gallery, look, 2, 0.3f, time, 100, is_id, taken);
}

static void
test_looks (void)
{
  float a[] = { 3, 4, 0 }, b[] = { 0, 0, 2 }, none[] = { 0, 0 };
  float bad[] = { 1, NAN };

  g_assert_true (infer_look_normalize (a, 3));
  g_assert_true (infer_look_normalize (b, 3));
  g_assert_cmpfloat_with_epsilon (a[1], 0.8, 1e-6);
  g_assert_cmpfloat_with_epsilon (infer_look_distance (a, b, 3), 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (infer_look_distance (a, a, 3), 0, 1e-6);
  g_assert_false (infer_look_normalize (none, 2));
  g_assert_false (infer_look_normalize (bad, 2));
  for (guint i = 0; i < 100; i++)
    infer_look_blend (a, b, 3);
  g_assert_cmpfloat (infer_look_distance (a, b, 3), <, 0.001);
}

static void
test_find (void)
{
  g_autoptr (InferGallery) gallery = infer_gallery_new (NULL);
  const float east[] = { 1, 0 }, north[] = { 0, 1 }, wide[] = { 1, 0, 0 };
  int one = infer_gallery_next_id (gallery);
  int two = infer_gallery_next_id (gallery);

  g_assert_cmpint (one, !=, two);
  g_assert_cmpint (find (gallery, 1, 0, 0, NULL), ==, 0);
  infer_gallery_add (gallery, one, east, 2, 1000);
  infer_gallery_add (gallery, two, north, 2, 1050);
  g_assert_cmpint (find (gallery, 1, 0.2f, 1060, NULL), ==, one);
  g_assert_cmpint (find (gallery, 0.2f, 1, 1060, NULL), ==, two);
  g_assert_cmpint (find (gallery, -1, 0, 1060, NULL), ==, 0);
  /* The other is the nearest that is free, but too far. */
  g_assert_cmpint (find (gallery, 1, 0.2f, 1060, &one), ==, 0);
  g_assert_cmpint (find (gallery, 1, 0.2f, 1101, NULL), ==, 0); /* too old */
  g_assert_cmpint (find (gallery, 0.2f, 1, 1101, NULL), ==, two);
  infer_gallery_add (gallery, one, wide, 3, 1100); /* another model */
  g_assert_cmpint (find (gallery, 1, 0.2f, 1101, NULL), ==, 0);
}

/* The longest unseen makes room. */
static void
test_many (void)
{
  g_autoptr (InferGallery) gallery = infer_gallery_new (NULL);
  const float east[] = { 1, 0 }, north[] = { 0, 1 };

  infer_gallery_add (gallery, 1, north, 2, 5);
  infer_gallery_add (gallery, 2, north, 2, 6);
  for (int i = 0; i < INFER_GALLERY_MOST - 1; i++)
    infer_gallery_add (gallery, 10 + i, east, 2, 10);
  g_assert_cmpint (find (gallery, 0, 1, 10, NULL), ==, 2);
}

static gpointer
use (gpointer data)
{
  g_autoptr (InferGallery) gallery = infer_gallery_new ("shared");
  const float look[] = { 1, 0 };

  for (int i = 0; i < 1000; i++) {
    const int id = infer_gallery_next_id (gallery);

    infer_gallery_add (gallery, id % 50, look, 2, 0);
    g_assert_cmpint (find (gallery, 1, 0, 0, NULL), >=, 0);
  }
  return NULL;
}

/* One gallery for all who name it, as long as one of them does. */
static void
test_shared (void)
{
  GThread *threads[4];
  InferGallery *a = infer_gallery_new ("shared");
  InferGallery *b = infer_gallery_new ("shared");
  g_autoptr (InferGallery) other = infer_gallery_new ("other");

  g_assert_true (a == b && a != other);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("gallery", use, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (infer_gallery_next_id (a), ==, 4001);
  infer_gallery_unref (a);
  infer_gallery_unref (b);
  a = infer_gallery_new ("shared");
  g_assert_cmpint (infer_gallery_next_id (a), ==, 1);
  infer_gallery_unref (a);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gallery/looks", test_looks);
  g_test_add_func ("/gallery/find", test_find);
  g_test_add_func ("/gallery/many", test_many);
  g_test_add_func ("/gallery/shared", test_shared);
  return g_test_run ();
}
