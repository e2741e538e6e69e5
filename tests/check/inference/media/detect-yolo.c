/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The generations of YOLO on hand-made tensors. */

#include "tests/check/support/detect-case.h"

#include <math.h>
#include <string.h>

static void
test_yolo_v8 (void)
{
  static const float p[] = { 100, 50, 20, 10, 0.1f, 0.8f };
  DetectCase c;

  detect_begin (&c, 64, 64);
  float *data = detect_add (&c, "output0", SHAPE (1, 6, 84));
  for (guint i = 0; i < 6; i++)
    data[i * 84 + 17] = data[i * 84 + 18] = p[i];
  data[5 * 84 + 18] = 0.7f;
  detect_run (&c, "yolo");
  detect_assert_found (&c, 0, 1, 0.8f, BOX (90, 45, 110, 55));
  detect_end (&c, 1); /* the second is suppressed */
}

static void
test_yolo_v5 (void)
{
  static const float p[] = { 100, 50, 20, 10, 0.5f, 0.1f, 0.8f, 0.3f };
  DetectCase c;

  detect_begin (&c, 64, 64);
  c.settings.threshold = 0.3f;
  memcpy (detect_add (&c, "output", SHAPE (1, 252, 8)) + 8 * 100, p, sizeof p);
  detect_run (&c, "yolo");
  detect_assert_found (&c, 0, 1, 0.4f, BOX (90, 45, 110, 55));
  detect_end (&c, 1);
}

static void
test_yolo_x (void)
{
  static const float p[] = { 0.5f, 0.25f, 0, 0.69314718f, 0.9f, 1, 0 };
  DetectCase c;

  /* 64 × 64: 64 cells of stride 8, 16 of 16, 4 of 32; cell (1, 2) of 16. */
  detect_begin (&c, 64, 64);
  c.settings.type = "YOLOX";
  memcpy (detect_add (&c, "output", SHAPE (1, 84, 7)) + 7 * (64 + 2 * 4 + 1), p,
      sizeof p);
  detect_run (&c, "yolo");
  detect_assert_found (&c, 0, 0, 0.9f, BOX (24 - 8, 36 - 16, 24 + 8, 36 + 16));
  detect_end (&c, 1);
}

static void
test_yolo_pose (void)
{
  DetectCase c;

  detect_begin (&c, 64, 64);
  float *data = detect_add (&c, "output0", SHAPE (1, 56, 84));
  data[3] = 30, data[84 + 3] = 20, data[2 * 84 + 3] = 10, data[3 * 84 + 3] = 8;
  data[4 * 84 + 3] = 0.9f;
  data[5 * 84 + 3] = 31, data[6 * 84 + 3] = 21, data[7 * 84 + 3] = 0.75f;
  detect_run (&c, "yolo");
  detect_assert_found (&c, 0, 0, 0.9f, BOX (25, 16, 35, 24));
  const InferPoint *points =
      (const InferPoint *) (gpointer) c.found.points->data;
  g_assert_cmpuint (c.found.points_per_item, ==, 17);
  g_assert_cmpfloat (points[0].x, ==, 31);
  g_assert_cmpfloat (points[0].y, ==, 21);
  g_assert_cmpfloat (points[0].score, ==, 0.75f);
  detect_end (&c, 1);
}

/* model_type "YOLO" of Ultralytics' exporter is resolved by the shape. */
static void
test_yolo_any (void)
{
  static const struct
  {
    gint64 dims[2];
    guint classes;
    const char *detector;
  } cases[] = { { { 6, 84 }, 2, "yolo" }, { { 252, 8 }, 3, "yolo" },
    { { 56, 84 }, 1, "yolo" }, { { 300, 6 }, 2, "end-to-end" },
    { { 6, 84 }, 0, "yolo" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    DetectCase c;

    detect_begin (&c, 64, 64);
    c.settings.type = "YOLO";
    c.settings.classes = cases[i].classes;
    detect_add (&c, "output0", SHAPE (1, cases[i].dims[0], cases[i].dims[1]));
    detect_run (&c, cases[i].detector);
    detect_end (&c, 0);
  }
}

static void
test_yolo_masks (void)
{
  DetectCase c;

  detect_begin (&c, 64, 64);
  detect_add (&c, "output1", SHAPE (1, 2, 16, 16));
  float *data = detect_add (&c, "output0", SHAPE (1, 4 + 3 + 2, 84));
  data[9] = 30, data[84 + 9] = 20, data[2 * 84 + 9] = 10, data[3 * 84 + 9] = 8;
  data[6 * 84 + 9] = 0.9f;
  data[7 * 84 + 9] = 1.5f, data[8 * 84 + 9] = -2;
  detect_run (&c, "yolo");
  detect_assert_found (&c, 0, 2, 0.9f, BOX (25, 16, 35, 24));
  g_assert_cmpuint (c.found.coefficients_per_item, ==, 2);
  const float *coefficients =
      (const float *) (gpointer) c.found.coefficients->data
      + infer_detections_get (&c.found, 0)->points;
  g_assert_cmpfloat (coefficients[0], ==, 1.5f);
  g_assert_cmpfloat (coefficients[1], ==, -2);
  detect_end (&c, 1);
}

/* Logits of v3: one object, in a cell of the coarser scale. */
static void
test_yolo_grid (void)
{
  DetectCase c;
  float *fine, *coarse;

  detect_begin (&c, 64, 64);
  coarse = detect_add (&c, "a", SHAPE (1, 21, 2, 2)); /* 2 classes */
  fine = detect_add (&c, "b", SHAPE (1, 21, 4, 4));
  for (guint a = 0; a < 3; a++) {
    for (guint i = 0; i < 4; i++)
      coarse[(a * 7 + 4) * 4 + i] = -50;
    for (guint i = 0; i < 16; i++)
      fine[(a * 7 + 4) * 16 + i] = -50;
  }
  /* Anchor 1 of the coarse three (135 × 169), cell (1, 0). */
  coarse[(7 + 4) * 4 + 1] = 50;
  coarse[(7 + 6) * 4 + 1] = 2;
  detect_run (&c, "yolo-grid");
  detect_assert_found (&c, 0, 1, 1 / (1 + expf (-2)),
      BOX (48 - 67.5f, 16 - 84.5f, 48 + 67.5f, 16 + 84.5f));
  detect_end (&c, 1);

  /* v5: (2σ)² · anchor, with given anchors. */
  detect_begin (&c, 64, 64);
  c.settings.type = "YOLOv5";
  c.settings.anchors = (const float[]){ 1, 1, 1, 1, 1, 1, 10, 20, 1, 1, 1, 1 };
  c.settings.n_anchors = 6;
  coarse = detect_add (&c, "a", SHAPE (1, 18, 2, 2)); /* 1 class */
  fine = detect_add (&c, "b", SHAPE (1, 18, 4, 4));
  for (guint a = 0; a < 3; a++) {
    for (guint i = 0; i < 4; i++)
      coarse[(a * 6 + 4) * 4 + i] = -50;
    for (guint i = 0; i < 16; i++)
      fine[(a * 6 + 4) * 16 + i] = -50;
  }
  coarse[4 * 4 + 3] = 50;
  coarse[5 * 4 + 3] = 1;
  detect_run (&c, "yolo-grid");
  detect_assert_found (
      &c, 0, 0, 1 / (1 + expf (-1)), BOX (48 - 5, 48 - 10, 48 + 5, 48 + 10));
  detect_end (&c, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/detect-yolo/v8", test_yolo_v8);
  g_test_add_func ("/detect-yolo/v5", test_yolo_v5);
  g_test_add_func ("/detect-yolo/x", test_yolo_x);
  g_test_add_func ("/detect-yolo/pose", test_yolo_pose);
  g_test_add_func ("/detect-yolo/any", test_yolo_any);
  g_test_add_func ("/detect-yolo/masks", test_yolo_masks);
  g_test_add_func ("/detect-yolo/grid", test_yolo_grid);
  return g_test_run ();
}
