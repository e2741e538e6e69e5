/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Transformers' queries and rotated boxes, on hand-made tensors. */

#include "tests/check/support/detect-case.h"

#include <math.h>
#include <string.h>

static float
logit (float p)
{
  return logf (p / (1 - p));
}

/* Two queries, the second of which is "no object". */
static void
test_softmax (void)
{
  static const float boxes[] = { 0.5f, 0.25f, 0.5f, 0.25f, 0, 0, 1, 1 };
  DetectCase c;

  detect_begin (&c, 200, 100);
  c.settings.classes = 2;
  float *logits = detect_add (&c, "logits", SHAPE (1, 2, 3));
  memcpy (detect_add (&c, "pred_boxes", SHAPE (1, 2, 4)), boxes, sizeof boxes);
  /* exp: 1, 6, 1 and 1, 1, 8 */
  logits[1] = logf (6), logits[5] = logf (8);
  detect_run (&c, "detr");
  detect_assert_found (&c, 0, 1, 0.75f, BOX (50, 12.5f, 150, 37.5f));
  detect_end (&c, 1);
}

/* A query may have two classes; there are at most as many results as queries.
 */
static void
test_sigmoid (void)
{
  static const char *const names[][2] = { { "logits", "pred_boxes" },
    { "labels", "dets" } };
  static const float boxes[] = { 0.5f, 0.5f, 0.5f, 0.5f, 0.25f, 0.5f, 0.5f, 1,
    0.5f, 0.5f, 1, 1 };
  static const float scores[3][2] = { { 0.6f, 0.9f }, { 0.7f, 0.2f },
    { 0.49f, 0.5f } };

  for (guint k = 0; k < G_N_ELEMENTS (names); k++) {
    DetectCase c;

    detect_begin (&c, 100, 200);
    float *logits = detect_add (&c, names[k][0], SHAPE (1, 3, 2));
    memcpy (detect_add (&c, names[k][1], SHAPE (1, 3, 4)), boxes, sizeof boxes);
    for (guint i = 0; i < 6; i++)
      logits[i] = logit (scores[i / 2][i % 2]);
    c.settings.threshold = 0.495f;
    detect_run (&c, "detr");
    detect_assert_found (&c, 0, 1, 0.9f, BOX (25, 50, 75, 150));
    detect_assert_found (&c, 1, 0, 0.7f, BOX (0, 0, 50, 200));
    detect_assert_found (&c, 2, 0, 0.6f, BOX (25, 50, 75, 150));
    detect_end (&c, 3);
  }
}

/* Of another exporter: no names, but a model_type. */
static void
test_typed (void)
{
  DetectCase c;

  detect_begin (&c, 10, 10);
  c.settings.type = "D-FINE";
  float *box = detect_add (&c, NULL, SHAPE (1, 1, 4));
  detect_add (&c, NULL, SHAPE (1, 1, 80))[7] = 20;
  box[0] = box[1] = 0.5f, box[2] = box[3] = 0.2f;
  c.settings.threshold = 0.9f;
  detect_run (&c, "detr");
  detect_assert_found (&c, 0, 7, 1, BOX (4, 4, 6, 6));
  detect_end (&c, 1);
}

/* Words in place of classes: OWL-ViT gives its embeddings, too. */
static void
test_open_vocabulary (void)
{
  DetectCase c;

  detect_begin (&c, 100, 100);
  detect_add (&c, "image_embeds", SHAPE (1, 2, 2, 8));
  float *box = detect_add (&c, "pred_boxes", SHAPE (1, 2, 4));
  float *logits = detect_add (&c, "logits", SHAPE (1, 2, 3));
  detect_add (&c, "text_embeds", SHAPE (1, 3, 8));
  box[4] = 0.25f, box[5] = 0.5f, box[6] = 0.5f, box[7] = 1;
  for (guint i = 0; i < 6; i++)
    logits[i] = -10;
  logits[4] = logit (0.75f);
  detect_run (&c, "detr");
  detect_assert_found (&c, 0, 1, 0.75f, BOX (0, 0, 50, 100));
  detect_end (&c, 1);
}

static void
test_ultralytics_queries (void)
{
  static const float probabilities[] = { 0.5f, 0.5f, 0.5f, 1, 0.1f, 0.8f, 0.3f,
    0, 0, 1, 1, 0.1f, 0.2f, 0.1f };
  static const float labelled[] = { 0.5f, 0.5f, 0.5f, 1, 0.8f, 17 };
  DetectCase c;

  detect_begin (&c, 40, 20);
  c.settings.type = "rtdetr";
  c.settings.classes = 3;
  memcpy (detect_add (&c, "output0", SHAPE (1, 2, 7)), probabilities,
      sizeof probabilities);
  detect_run (&c, "detr");
  detect_assert_found (&c, 0, 1, 0.8f, BOX (10, 0, 30, 20));
  detect_end (&c, 1);

  detect_begin (&c, 40, 20);
  c.settings.type = "rtdetr";
  c.settings.classes = 80;
  memcpy (
      detect_add (&c, "output0", SHAPE (1, 1, 6)), labelled, sizeof labelled);
  detect_run (&c, "detr");
  detect_assert_found (&c, 0, 17, 0.8f, BOX (10, 0, 30, 20));
  detect_end (&c, 1);
}

/* torchvision, and RT-DETR and D-FINE with their own last step. */
static void
test_corners (void)
{
  static const float boxes[] = { 10, 20, 30, 40, 1, 2, 3, 4 };
  DetectCase c;

  detect_begin (&c, 64, 64);
  detect_add (&c, "labels", SHAPE (1, 2))[0] = 5;
  memcpy (detect_add (&c, "boxes", SHAPE (1, 2, 4)), boxes, sizeof boxes);
  detect_add (&c, "scores", SHAPE (1, 2))[0] = 0.9f;
  detect_run (&c, "boxes-labels");
  detect_assert_found (&c, 0, 5, 0.9f, BOX (10, 20, 30, 40));
  detect_end (&c, 1);
}

/* --- rotated --- */

#define N_ROWS 24

/* Centre, size, two scores, angle. */
static const float rows[N_ROWS][7] = {
  { 205.803f, 108.168f, 68.798f, 14.981f, 0.146f, 0.24f, 0.415f },
  { 107.138f, 101.775f, 30.656f, 14.335f, 0.349f, 0.916f, 1.597f },
  { 116.286f, 91.33f, 60.873f, 12.534f, 0.102f, 0.876f, -0.072f },
  { 121.043f, 108.938f, 44.465f, 29.23f, 0.58f, 0.703f, -0.086f },
  { 121.198f, 195.171f, 48.059f, 13.319f, 0.23f, 0.158f, 0.204f },
  { 102.303f, 189.585f, 47.768f, 16.121f, 0.72f, 0.264f, 0.718f },
  { 99.368f, 110.781f, 47.882f, 18.086f, 0.589f, 0.473f, 0.429f },
  { 98.868f, 102.969f, 77.72f, 12.38f, 0.319f, 0.829f, 0.687f },
  { 209.425f, 206.614f, 35.403f, 24.968f, 0.81f, 0.865f, -0.59f },
  { 93.004f, 210.034f, 46.998f, 28.484f, 0.585f, 0.378f, 0.25f },
  { 117.171f, 105.307f, 45.465f, 19.676f, 0.741f, 0.172f, 1.102f },
  { 288.764f, 207.831f, 52.783f, 18.435f, 0.15f, 0.915f, -0.602f },
  { 296.02f, 91.134f, 66.583f, 28.996f, 0.661f, 0.801f, -0.38f },
  { 296.952f, 108.274f, 44.741f, 19.063f, 0.989f, 0.859f, 2.228f },
  { 311.043f, 199.497f, 44.551f, 18.076f, 0.23f, 0.436f, 2.265f },
  { 113.047f, 208.827f, 39.006f, 19.837f, 0.559f, 0.588f, 0.808f },
  { 106.865f, 204.67f, 63.201f, 25.193f, 0.423f, 0.727f, 0.143f },
  { 294.357f, 210.965f, 47.004f, 13.573f, 0.858f, 0.522f, 1.621f },
  { 204.119f, 194.932f, 55.017f, 23.473f, 0.417f, 0.344f, 0.337f },
  { 296.401f, 108.878f, 64.417f, 29.522f, 0.951f, 0.561f, 0.888f },
  { 102.768f, 210.497f, 53.862f, 23.829f, 0.741f, 0.75f, -0.185f },
  { 295.264f, 205.29f, 31.381f, 13.2f, 0.493f, 0.679f, -0.043f },
  { 113.141f, 111.675f, 78.988f, 13.315f, 0.894f, 0.199f, 2.204f },
  { 292.641f, 97.972f, 47.555f, 23.25f, 0.164f, 0.282f, 1.454f },
};

/* The results of Ultralytics 8.4.190 for them: non_max_suppression (confidence
 * 0.5, IoU 0.3, rotated), the upright boxes around the corners. */
static const struct
{
  int label;
  float score, box[4];
} expected[] = {
  { 0, 0.98900f, { 275.740f, 84.740f, 318.164f, 131.808f } },
  { 1, 0.91600f, { 99.571f, 86.264f, 114.705f, 117.286f } },
  { 1, 0.91500f, { 261.792f, 185.289f, 315.736f, 230.373f } },
  { 0, 0.89400f, { 84.404f, 75.898f, 141.878f, 147.452f } },
  { 1, 0.87600f, { 85.478f, 82.890f, 147.094f, 99.770f } },
  { 1, 0.86500f, { 187.770f, 186.392f, 231.080f, 226.836f } },
  { 0, 0.85800f, { 286.400f, 187.152f, 302.314f, 234.778f } },
  { 1, 0.82900f, { 64.897f, 73.537f, 132.839f, 132.401f } },
  { 1, 0.80100f, { 259.726f, 65.322f, 332.314f, 116.946f } },
  { 1, 0.75000f, { 74.105f, 193.832f, 131.431f, 227.162f } },
  { 0, 0.72000f, { 79.013f, 167.802f, 125.593f, 211.368f } },
  { 0, 0.58900f, { 73.835f, 92.599f, 124.901f, 128.963f } },
  { 0, 0.58500f, { 66.712f, 190.421f, 119.296f, 229.647f } },
};

static void
assert_rotated (DetectCase *c)
{
  g_assert_true (c->found.outlines);
  g_assert_cmpuint (c->found.points_per_item, ==, 4);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    detect_assert_found (
        c, i, expected[i].label, expected[i].score, expected[i].box);
}

static void
test_rotated (void)
{
  for (guint transposed = 0; transposed < 2; transposed++) {
    DetectCase c;

    detect_begin (&c, 512, 512);
    c.settings.type = "yolov8-obb";
    c.settings.classes = 2;
    c.settings.iou = 0.3f;
    float *data = detect_add (&c, "output0",
        transposed ? SHAPE (1, N_ROWS, 7) : SHAPE (1, 7, N_ROWS));
    for (guint i = 0; i < N_ROWS; i++)
      for (guint k = 0; k < 7; k++)
        data[transposed ? i * 7 + k : k * N_ROWS + i] = rows[i][k];
    detect_run (&c, "rotated");
    assert_rotated (&c);
    detect_end (&c, G_N_ELEMENTS (expected));
  }
}

/* Final rows are neither compared nor dropped; a right angle stays sharp. */
static void
test_rotated_final (void)
{
  static const float final[] = { 50, 40, 20, 10, 0.9f, 3, (float) G_PI_2, 50,
    40, 20, 10, 0.8f, 3, 0 };
  DetectCase c;

  detect_begin (&c, 100, 100);
  c.settings.type = "yolo26-obb";
  memcpy (detect_add (&c, "output0", SHAPE (1, 2, 7)), final, sizeof final);
  detect_run (&c, "rotated");
  detect_assert_found (&c, 0, 3, 0.9f, BOX (45, 30, 55, 50));
  detect_assert_found (&c, 1, 3, 0.8f, BOX (40, 35, 60, 45));
  const InferPoint *corner = &g_array_index (c.found.points, InferPoint, 4);
  g_assert_cmpfloat_with_epsilon (corner->x, 40, 1e-3);
  g_assert_cmpfloat_with_epsilon (corner->y, 35, 1e-3);
  detect_end (&c, 2);
}

/* As many candidates as a large input has, all of them above the threshold. */
static void
test_rotated_many (void)
{
  DetectCase c;

  detect_begin (&c, 1024, 1024);
  c.settings.type = "obb";
  c.settings.threshold = 0;
  detect_add (&c, "output0", SHAPE (1, 20, 21504));
  detect_run (&c, "rotated");
  detect_end (&c, 1); /* all are the same point */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/queries/softmax", test_softmax);
  g_test_add_func ("/queries/sigmoid", test_sigmoid);
  g_test_add_func ("/queries/typed", test_typed);
  g_test_add_func ("/queries/open-vocabulary", test_open_vocabulary);
  g_test_add_func ("/queries/ultralytics", test_ultralytics_queries);
  g_test_add_func ("/queries/corners", test_corners);
  g_test_add_func ("/rotated/expected", test_rotated);
  g_test_add_func ("/rotated/final", test_rotated_final);
  g_test_add_func ("/rotated/many", test_rotated_many);
  return g_test_run ();
}
