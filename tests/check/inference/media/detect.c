/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each family of detectors except YOLO on hand-made tensors. */

#include "tests/check/support/detect-case.h"

#include <math.h>
#include <string.h>

static void
test_suppress (void)
{
  static const InferDetection items[] = {
    { 0, 0, 10, 10, 0.6f, 0, 0 },
    { 1, 0, 11, 10, 0.9f, 0, 0 },  /* overlaps the first by 90/110 */
    { 1, 0, 11, 10, 0.8f, 1, 0 },  /* another label */
    { 20, 0, 30, 10, 0.7f, 0, 0 }, /* elsewhere */
  };
  DetectCase c;

  detect_begin (&c, 32, 32);
  g_array_append_vals (c.found.items, items, 4);
  infer_detections_suppress (&c.found, 0.5f, FALSE, 100);
  detect_assert_found (&c, 0, 0, 0.9f, BOX (1, 0, 11, 10));
  detect_assert_found (&c, 1, 1, 0.8f, BOX (1, 0, 11, 10));
  detect_assert_found (&c, 2, 0, 0.7f, BOX (20, 0, 30, 10));
  detect_end (&c, 3);

  detect_begin (&c, 32, 32);
  g_array_append_vals (c.found.items, items, 4);
  infer_detections_suppress (&c.found, 0.5f, TRUE, 1);
  detect_assert_found (&c, 0, 0, 0.9f, BOX (1, 0, 11, 10));
  detect_end (&c, 1);

  detect_begin (&c, 32, 32);
  g_array_append_vals (c.found.items, items, 4);
  infer_detections_suppress (&c.found, 0.85f, FALSE, 100);
  detect_end (&c, 4);
  g_assert_cmpfloat_with_epsilon (
      infer_iou (&items[0], &items[1]), 90.0f / 110, 1e-6);
  g_assert_cmpfloat (infer_iou (&items[0], &items[3]), ==, 0);
}

static void
test_blend (void)
{
  static const InferDetection items[] = {
    { 0, 0, 10, 10, 0.25f, 0, 0 },
    { 20, 0, 30, 10, 0.7f, 0, 1 },
    { 4, 0, 14, 10, 0.75f, 0, 2 },
  };
  static const InferPoint points[] = { { 0, 0, 1 }, { 5, 5, 1 }, { 8, 4, 1 } };
  DetectCase c;

  detect_begin (&c, 32, 32);
  c.found.points_per_item = 1;
  g_array_append_vals (c.found.items, items, 3);
  g_array_append_vals (c.found.points, points, 3);
  infer_detections_blend (&c.found, 0.3f, 100);
  detect_assert_found (&c, 0, 0, 0.75f, BOX (3, 0, 13, 10));
  detect_assert_found (&c, 1, 0, 0.7f, BOX (20, 0, 30, 10));
  const InferPoint *p = &g_array_index (
      c.found.points, InferPoint, infer_detections_get (&c.found, 0)->points);
  g_assert_cmpfloat_with_epsilon (p->x, 6, 1e-5);
  g_assert_cmpfloat_with_epsilon (p->y, 3, 1e-5);
  detect_end (&c, 2);
}

static void
test_ssd (void)
{
  static const float rows[] = {
    0,
    3,
    0.6f,
    0.1f,
    0.2f,
    0.5f,
    0.6f, //
    0,
    1,
    0.9f,
    0,
    0,
    1,
    1, //
    0,
    2,
    0.4f,
    0,
    0,
    1,
    1, /* below the threshold */
    -1,
    0,
    0,
    0,
    0,
    0,
    0, /* the end */
    0,
    1,
    0.99f,
    0,
    0,
    1,
    1,
  };
  DetectCase c;

  detect_begin (&c, 300, 200);
  memcpy (
      detect_add (&c, "detection_out", SHAPE (1, 1, 5, 7)), rows, sizeof rows);
  detect_run (&c, "ssd");
  detect_assert_found (&c, 0, 1, 0.9f, BOX (0, 0, 300, 200));
  detect_assert_found (&c, 1, 3, 0.6f, BOX (30, 40, 150, 120));
  detect_end (&c, 2);
}

static void
test_boxes_labels (void)
{
  static const float rows[] = { 10, 20, 30, 40, 0.9f, 1, 2, 3, 4, 0.3f };
  static const float tf[] = { 0.2f, 0.1f, 0.6f, 0.5f };
  DetectCase c;

  detect_begin (&c, 64, 64);
  memcpy (detect_add (&c, "boxes", SHAPE (1, 2, 5)), rows, sizeof rows);
  detect_add (&c, "labels", SHAPE (1, 2))[0] = 7;
  detect_run (&c, "boxes-labels");
  detect_assert_found (&c, 0, 7, 0.9f, BOX (10, 20, 30, 40));
  detect_end (&c, 1);

  detect_begin (&c, 100, 200);
  memcpy (detect_add (&c, "detection_boxes", SHAPE (1, 1, 4)), tf, sizeof tf);
  detect_add (&c, "detection_classes", SHAPE (1, 1))[0] = 2;
  detect_add (&c, "detection_scores", SHAPE (1, 1))[0] = 0.75f;
  detect_run (&c, "boxes-labels");
  detect_assert_found (&c, 0, 2, 0.75f, BOX (10, 40, 50, 120));
  detect_end (&c, 1);
}

static void
test_boxes_scores (void)
{
  static const float boxes[] = { 0.25f, 0.5f, 0.75f, 1, 0, 0, 0.1f, 0.1f };
  static const float scores[] = { 0.1f, 0.9f, 0.8f, 0.2f };
  DetectCase c;

  detect_begin (&c, 320, 240);
  memcpy (detect_add (&c, "scores", SHAPE (1, 2, 2)), scores, sizeof scores);
  memcpy (detect_add (&c, "boxes", SHAPE (1, 2, 4)), boxes, sizeof boxes);
  detect_run (&c, "boxes-scores");
  detect_assert_found (&c, 0, 1, 0.9f, BOX (80, 120, 240, 240));
  detect_end (&c, 1);

  /* One label fewer than classes: class 0 is the background. */
  detect_begin (&c, 320, 240);
  c.settings.classes = 1;
  memcpy (detect_add (&c, "scores", SHAPE (1, 2, 2)), scores, sizeof scores);
  memcpy (detect_add (&c, "boxes", SHAPE (1, 2, 4)), boxes, sizeof boxes);
  detect_run (&c, "boxes-scores");
  detect_assert_found (&c, 0, 0, 0.9f, BOX (80, 120, 240, 240));
  detect_end (&c, 1);
}

/* Anchor 2 · 16 · 16 + 6 · (8 + 1) is the first of cell (1, 1) of stride 16. */
static void
test_anchors (void)
{
  guint at = 2 * 16 * 16 + 6 * 9;
  DetectCase c;

  detect_begin (&c, 128, 128);
  float *r =
      detect_add (&c, "regressors", SHAPE (1, 896, 16)) + (gsize) at * 16;
  float *logits = detect_add (&c, "classificators", SHAPE (1, 896, 1));
  for (guint i = 0; i < 896; i++)
    logits[i] = -1000;
  logits[at] = 2;
  r[0] = 1, r[1] = -2, r[2] = 20, r[3] = 30, r[4] = 5, r[5] = 6, r[15] = -4;
  detect_run (&c, "anchors");
  detect_assert_found (&c, 0, 0, 1 / (1 + expf (-2)), BOX (15, 7, 35, 37));
  g_assert_cmpuint (c.found.points_per_item, ==, 6);
  const InferPoint *points = &g_array_index (
      c.found.points, InferPoint, infer_detections_get (&c.found, 0)->points);
  g_assert_cmpfloat (points[0].x, ==, 29);
  g_assert_cmpfloat (points[0].y, ==, 30);
  g_assert_cmpfloat (points[5].y, ==, 20);
  detect_end (&c, 1);
}

/* A body is the square of 1.25 times the circle through the second keypoint. */
static void
test_bodies (void)
{
  guint at = 28 * 28 * 2 + 14 * 14 * 2 + 6 * (7 * 3 + 2); /* stride 32 */
  DetectCase c;

  detect_begin (&c, 224, 224);
  float *r = detect_add (&c, "r", SHAPE (1, 2254, 12)) + (gsize) at * 12;
  float *logits = detect_add (&c, "l", SHAPE (1, 2254, 1));
  for (guint i = 0; i < 2254; i++)
    logits[i] = -1000;
  logits[at] = 3;
  r[2] = 20, r[3] = 20;  /* the face */
  r[4] = 10, r[5] = 20;  /* the hips: 90, 132 */
  r[6] = 40, r[7] = -20; /* 50 away */
  detect_run (&c, "anchors");
  detect_assert_found (
      &c, 0, 0, 1 / (1 + expf (-3)), BOX (27.5f, 69.5f, 152.5f, 194.5f));
  g_assert_true (c.found.regions);
  g_assert_cmpuint (c.found.points_per_item, ==, 0);
  detect_end (&c, 1);
}

/* Four strides: outputs in any order, one box on the coarsest. */
static void
test_distances (void)
{
  static const gint64 cells[] = { 8 * 12, 4 * 6, 2 * 3, 1 * 2 };
  static const guint order[][8] = { { 0, 1, 2, 3, 4, 5, 6, 7 },
    { 7, 2, 5, 0, 3, 6, 1, 4 } };

  for (guint round = 0; round < 2; round++) {
    float *data[8];
    DetectCase c;
    InferView views[8];

    detect_begin (&c, 96, 64);
    for (guint i = 0; i < 8; i++) {
      InferShape shape = SHAPE (1, cells[i % 4], i < 4 ? 3 : 32);

      data[i] = g_new0 (float, infer_shape_count (&shape));
      views[order[round][i]] = (InferView){ NULL, shape, data[i] };
    }
    data[3][3 + 2] = 0.75f; /* the second cell, whose middle is 96, 32 */
    data[3][3 + 0] = 0.25f;
    data[7][32 + 1] = 1000;     /* left: 1 */
    data[7][32 + 8 + 0] = 1000; /* up: 0 */
    data[7][48 + 2] = 1000;     /* right: 2 or 3 */
    data[7][48 + 3] = 1000;     /* down: 3.5, any alike */
    detect_run_views (&c, "distances", views, 8);
    detect_assert_found (&c, 0, 2, 0.75f, BOX (32, 32, 256, 256));
    g_assert_cmpuint (c.found.items->len, ==, 1);
    for (guint i = 0; i < 8; i++)
      g_free (data[i]);
    detect_end (&c, 1);
  }
}

static void
test_center (void)
{
  DetectCase c;

  detect_begin (&c, 64, 64);
  float *heat = detect_add (&c, "hm", SHAPE (1, 2, 16, 16));
  float *size = detect_add (&c, "wh", SHAPE (1, 2, 16, 16));
  float *offset = detect_add (&c, "reg", SHAPE (1, 2, 16, 16));
  heat[256 + 5 * 16 + 3] = 0.8f;
  heat[256 + 5 * 16 + 4] = 0.7f; /* not a peak */
  size[5 * 16 + 3] = 4;
  size[256 + 5 * 16 + 3] = 2;
  offset[5 * 16 + 3] = 0.5f;
  detect_run (&c, "center");
  /* Middle (3.5, 5) and size (4, 2), times 4. */
  detect_assert_found (&c, 0, 1, 0.8f, BOX (6, 16, 22, 24));
  detect_end (&c, 1);

  detect_begin (&c, 64, 64);
  heat = detect_add (&c, "537", SHAPE (1, 1, 16, 16));
  size = detect_add (&c, "538", SHAPE (1, 2, 16, 16));
  offset = detect_add (&c, "539", SHAPE (1, 2, 16, 16));
  detect_add (&c, "540", SHAPE (1, 10, 16, 16))[256 + 5 * 16 + 3] = 0.25f;
  heat[5 * 16 + 3] = 0.8f;
  size[5 * 16 + 3] = logf (2);
  size[256 + 5 * 16 + 3] = logf (4);
  offset[5 * 16 + 3] = 0.5f;
  detect_run (&c, "center");
  /* y first: middle (3.5, 6), size (4, 2). */
  detect_assert_found (&c, 0, 0, 0.8f, BOX (6, 20, 22, 28));
  g_assert_cmpfloat_with_epsilon (
      g_array_index (c.found.points, InferPoint, 0).x, 10, 1e-4);
  g_assert_cmpfloat_with_epsilon (
      g_array_index (c.found.points, InferPoint, 0).y, 20, 1e-4);
  detect_end (&c, 1);
}

static void
test_end_to_end (void)
{
  static const float row[] = { 10, 20, 30, 40, 0.9f, 5 };
  DetectCase c;

  detect_begin (&c, 640, 640);
  memcpy (detect_add (&c, "output0", SHAPE (1, 300, 6)), row, sizeof row);
  detect_run (&c, "end-to-end");
  detect_assert_found (&c, 0, 5, 0.9f, BOX (10, 20, 30, 40));
  detect_end (&c, 1);
}

/* A type whose tensors do not fit is refused. */
static void
test_refused (void)
{
  static const char *const types[] = { "ssd", "YOLOv8", "blazeface",
    "centernet", "yolov3", "faceboxes", "yolov10", "tf_od", "picodet", "detr",
    "obb" };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    g_autoptr (GError) error = NULL;
    DetectCase c;

    detect_begin (&c, 64, 64);
    c.settings.type = types[i];
    detect_add (&c, "x", SHAPE (1, 3));
    const InferDetector *detector =
        infer_detector_find (&c.settings, c.views, c.n);
    g_assert_nonnull (detector);
    g_assert_true (infer_detector_knows (types[i]));
    g_assert_false (infer_detector_run (
        detector, &c.settings, c.views, c.n, &c.found, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
    detect_end (&c, 0);
  }
  g_assert_false (infer_detector_knows ("classification"));
}

static float
random_number (GRand *rand)
{
  static const float odd[] = { NAN, INFINITY, -INFINITY, 1e38f, -1e38f, 0 };

  if (g_rand_int_range (rand, 0, 8) == 0)
    return odd[g_rand_int_range (rand, 0, G_N_ELEMENTS (odd))];
  return (float) g_rand_double_range (rand, -4, 4);
}

/* Any family on any tensors: an error, or at most as many boxes as allowed. */
static void
test_random (void)
{
  static const char *const types[] = { NULL, "ssd", "tf_od", "centernet",
    "blazeface", "faceboxes", "yolov3", "yolov5", "yolov8", "yolox", "yolov10",
    "yolov8-pose", "yolo", "picodet", "detr", "rtdetr", "obb" };
  static const char *const names[] = { "boxes", "labels", "scores", NULL };
  static const gint64 dims[] = { 1, 1, 2, 3, 4, 5, 6, 7, 10, 16, 18, 56, 84,
    0 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  guint ran = 0;

  for (guint round = 0; round < 12000; round++) {
    g_autoptr (GError) error = NULL;
    DetectCase c;

    detect_begin (&c, (guint) g_rand_int_range (rand, 1, 4) * 64, 64);
    c.settings.threshold = 0;
    c.settings.max = 20;
    c.settings.type = types[g_rand_int_range (rand, 0, G_N_ELEMENTS (types))];
    c.settings.classes = (guint) g_rand_int_range (rand, 0, 4);
    guint n = (guint) g_rand_int_range (rand, 1, 5);
    for (guint i = 0; i < n; i++) {
      InferShape shape = infer_shape_of_rank (g_rand_int_range (rand, 0, 5));

      for (int k = 0; k < shape.rank; k++)
        shape.dims[k] = dims[g_rand_int_range (rand, 0, G_N_ELEMENTS (dims))];
      if (i > 0 && g_rand_boolean (rand))
        shape = c.views[0].shape;
      if (infer_shape_count (&shape) > 20000)
        shape.rank = 2;
      float *data =
          detect_add (&c, names[g_rand_int_range (rand, 0, 4)], shape);
      for (gsize k = 0; k < infer_shape_count (&shape); k++)
        data[k] = random_number (rand);
    }
    const InferDetector *detector =
        infer_detector_find (&c.settings, c.views, c.n);
    if (detector != NULL
        && infer_detector_run (
            detector, &c.settings, c.views, c.n, &c.found, &error)) {
      g_assert_cmpuint (c.found.items->len, <=, 20);
      ran++;
    }
    detect_end (&c, c.found.items->len);
  }
  g_assert_cmpuint (ran, >, 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/detect/suppress", test_suppress);
  g_test_add_func ("/detect/blend", test_blend);
  g_test_add_func ("/detect/ssd", test_ssd);
  g_test_add_func ("/detect/boxes-labels", test_boxes_labels);
  g_test_add_func ("/detect/boxes-scores", test_boxes_scores);
  g_test_add_func ("/detect/anchors", test_anchors);
  g_test_add_func ("/detect/bodies", test_bodies);
  g_test_add_func ("/detect/distances", test_distances);
  g_test_add_func ("/detect/center", test_center);
  g_test_add_func ("/detect/end-to-end", test_end_to_end);
  g_test_add_func ("/detect/refused", test_refused);
  g_test_add_func ("/detect/random", test_random);
  return g_test_run ();
}
