/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Classes, masks, keypoints and text boxes from hand-made tensors. */

#include <math.h>
#include <string.h>

#include "inference/media/vision/classify.h"
#include "inference/media/vision/keypoints.h"
#include "inference/media/vision/mask.h"
#include "inference/media/vision/rectangle.h"
#include "inference/media/vision/text-map.h"

static void
test_classify (void)
{
  float parts[] = { 0.1f, 0.6f, NAN, 0.3f }, logits[] = { 1, 3, 2 };
  InferClass top[4];

  infer_classify_normalize (parts, 2); /* probabilities stay unchanged */
  g_assert_cmpuint (infer_classify_top (parts, 4, 2, top), ==, 2);
  g_assert_cmpint (top[0].label, ==, 1);
  g_assert_cmpfloat (top[0].score, ==, 0.6f);
  g_assert_cmpint (top[1].label, ==, 3);
  g_assert_cmpuint (infer_classify_top (parts, 4, 4, top), ==, 3);

  infer_classify_normalize (logits, 3);
  g_assert_cmpuint (infer_classify_top (logits, 3, 1, top), ==, 1);
  g_assert_cmpint (top[0].label, ==, 1);
  g_assert_cmpfloat_with_epsilon (
      top[0].score, expf (3) / (expf (1) + expf (2) + expf (3)), 1e-6);
  g_assert_cmpuint (infer_classify_top (logits, 0, 1, top), ==, 0);
}

static InferTensor *
tensor (InferType type, InferShape shape, const void *data)
{
  InferTensor *t = infer_tensor_new (type, &shape, NULL);

  memcpy (t->data, data, t->size);
  return t;
}

static void
assert_mask (InferTensor *owned, InferMaskKind kind, guint width, guint height,
    const guint8 *want)
{
  g_autoptr (InferTensor) t = owned;
  g_autofree guint8 *mask = g_malloc0 ((gsize) width * height);
  g_autoptr (GError) error = NULL;
  InferMaskInfo info;

  g_assert_true (infer_mask_describe (&t->shape, t->type, &info));
  g_assert_cmpint (info.kind, ==, kind);
  g_assert_cmpuint (info.width, ==, width);
  g_assert_cmpuint (info.height, ==, height);
  infer_mask_fill (t, mask, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (mask, (gsize) width * height, want, (gsize) width * height);
}

#define S(...)                                                                 \
  infer_shape_new (sizeof ((gint64[]){ __VA_ARGS__ }) / sizeof (gint64),       \
      (const gint64[]){ __VA_ARGS__ })

static void
test_mask (void)
{
  static const gint64 classes[] = { 0, 1, 2, 300, 4, -5 };
  static const float planes[] = { 1, 5, 1, 5, 1, 5, 2, 2, 2, 2, 2, 2 };
  static const float pixels[] = { 1, 2, 5, 2, 1, 2, 5, 2, 1, 2, 5, 2 };
  static const float soft[] = { 0, 0.5f, 1, 0.25f, 0, 1 };
  static const float logits[] = { 0, -100, 100, 0, NAN, 0 };
  static const guint8 classes_want[] = { 0, 1, 2, 255, 4, 0 };
  static const guint8 planes_want[] = { 1, 0, 1, 0, 1, 0 };
  static const guint8 soft_want[] = { 0, 128, 255, 64, 0, 255 };
  static const guint8 logits_want[] = { 128, 0, 255, 128, 0, 128 };
  InferShape vector = S (1, 10);
  InferMaskInfo info;

  assert_mask (tensor (INFER_TYPE_I64, S (1, 2, 3), classes),
      INFER_MASK_CLASSES, 3, 2, classes_want);
  assert_mask (tensor (INFER_TYPE_F32, S (1, 2, 2, 3), planes),
      INFER_MASK_CLASSES, 3, 2, planes_want);
  assert_mask (tensor (INFER_TYPE_F32, S (1, 3, 2, 2), pixels),
      INFER_MASK_CLASSES, 2, 3, planes_want);
  assert_mask (tensor (INFER_TYPE_F32, S (1, 1, 2, 3), soft), INFER_MASK_SOFT,
      3, 2, soft_want);
  assert_mask (tensor (INFER_TYPE_F32, S (1, 2, 3, 1), logits), INFER_MASK_SOFT,
      3, 2, logits_want);
  g_assert_false (infer_mask_describe (&vector, INFER_TYPE_F32, &info));
}

static void
assert_points (const InferView *views, guint n, float presence,
    const InferPoint *want, guint n_want)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (InferPoint));
  g_autoptr (GError) error = NULL;
  float got;

  infer_keypoints_find (views, n, 64, 32, points, &got, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (got, presence, 1e-6);
  g_assert_cmpuint (points->len, ==, n_want);
  for (guint i = 0; i < n_want; i++) {
    const InferPoint *p = &g_array_index (points, InferPoint, i);

    g_assert_cmpfloat_with_epsilon (p->x, want[i].x, 1e-4);
    g_assert_cmpfloat_with_epsilon (p->y, want[i].y, 1e-4);
    g_assert_cmpfloat_with_epsilon (p->score, want[i].score, 1e-4);
  }
}

static void
test_keypoints (void)
{
  static const float pixels[] = { 10, 20, -3, 30, 31, 5 };
  static const float move[] = { 0.5f, 0.25f, 0.9f, 1, 0, 0.1f };
  static const float logit[] = { 3 };
  g_autofree float *heat = g_new0 (float, 2 * 8 * 16);
  g_autofree float *columns = g_new0 (float, 128);
  g_autofree float *rows = g_new0 (float, 64);
  InferView one[] = { { NULL, S (1, 1, 1, 6), pixels },
    { NULL, S (1, 1, 1, 1), logit } };
  InferView body[] = { { NULL, S (1, 1, 2, 3), move } };
  InferView maps[] = { { NULL, S (1, 2, 8, 16), heat } };
  InferView simcc[] = { { NULL, S (1, 1, 128), columns },
    { NULL, S (1, 1, 64), rows } };
  InferView face[] = { { NULL, S (1, 1, 1, 1404), pixels },
    { NULL, S (1, 1, 1, 1), logit } };
  InferView scores[] = { { NULL, S (1, 1000), pixels } };
  static const float sure[] = { 0.75f };
  g_autofree float *blaze = g_new0 (float, 195);
  InferView person[] = { { NULL, S (1, 195), blaze }, { NULL, S (1, 1), sure },
    { NULL, S (1, 8, 16, 2), heat } };
  InferPoint few[33] = { { 10, 20, 1 / (1 + expf (-2)) }, { 30, 31, 0.5f } };

  for (guint i = 2; i < 33; i++)
    few[i] = (InferPoint){ 0, 0, 0.5f };
  assert_points (one, 2, 1 / (1 + expf (-3)),
      (const InferPoint[]){ { 10, 20, 1 }, { 30, 31, 1 } }, 2);
  assert_points (
      body, 1, 1, (const InferPoint[]){ { 16, 16, 0.9f }, { 0, 32, 0.1f } }, 2);
  heat[3 * 16 + 5] = 0.8f;
  heat[3 * 16 + 6] = 0.4f;
  heat[128 + 7 * 16 + 15] = 0.5f;
  assert_points (maps, 1, 1,
      (const InferPoint[]){ { 21, 12, 0.8f }, { 60, 28, 0.5f } }, 2);
  columns[50] = 0.9f;
  rows[20] = 0.7f;
  assert_points (simcc, 2, 1, (const InferPoint[]){ { 25, 10, 0.7f } }, 1);

  /* The first 33 of BlazePose's 39 points of 5 numbers are of the body. */
  blaze[0] = 10, blaze[1] = 20, blaze[3] = 2, blaze[5] = 30, blaze[6] = 31;
  assert_points (person, 3, 0.75f, few, 33);

  g_assert_true (infer_keypoints_suit (person, 3));
  g_assert_true (infer_keypoints_suit (face, 2));
  g_assert_true (infer_keypoints_suit (simcc, 2));
  g_assert_false (infer_keypoints_suit (scores, 1));
}

static void
test_rectangle (void)
{
  /* A square on its corner, with points inside and twice. */
  static const InferPoint points[] = { { 5, 0, 1 }, { 10, 5, 1 }, { 5, 10, 1 },
    { 0, 5, 1 }, { 5, 5, 1 }, { 5, 0, 1 } };
  InferPoint corners[4];
  InferRectangle r;

  g_assert_false (infer_rectangle_around (points, 0, &r));
  g_assert_true (infer_rectangle_around (points, 1, &r));
  g_assert_cmpfloat (r.width, ==, 0);
  g_assert_true (infer_rectangle_around (points, 6, &r));
  g_assert_cmpfloat_with_epsilon (r.width, sqrtf (50), 1e-4);
  g_assert_cmpfloat_with_epsilon (r.height, sqrtf (50), 1e-4);
  g_assert_cmpfloat_with_epsilon (r.x, 5, 1e-4);
  g_assert_cmpfloat_with_epsilon (r.y, 5, 1e-4);
  infer_rectangle_corners (&r, corners);
  g_assert_cmpfloat_with_epsilon (corners[0].x + corners[0].y, 5, 1e-4);
  /* Clockwise: the second is to the right of the first. */
  g_assert_cmpfloat (corners[1].x, >, corners[3].x - 1e-3f);
  g_assert_true (infer_rectangle_contains (&r, 2.6f, 2.6f, 0));
  g_assert_false (infer_rectangle_contains (&r, 2.4f, 2.4f, 0));
  g_assert_true (infer_rectangle_contains (&r, 2.4f, 2.4f, 0.5f));
}

static void
fill (float *map, guint x0, guint y0, guint x1, guint y1, float value)
{
  for (guint y = y0; y < y1; y++)
    for (guint x = x0; x < x1; x++)
      map[y * 128 + x] = value;
}

/* A region of 41 × 11 pixels: 40 × 10 between their centres, grown by
 * 400 · 1.6 / 100 = 6.4 on each side. */
static void
test_text (void)
{
  g_autofree float *map = g_new0 (float, 128 * 64);
  const InferTextSettings settings = INFER_TEXT_DEFAULTS;
  InferDetections found;

  infer_detections_init (&found);
  fill (map, 70, 12, 111, 23, 0.9f);
  fill (map, 20, 10, 61, 21, 0.8f); /* the same line, to the left */
  fill (map, 20, 40, 61, 51, 0.4f); /* below the threshold */
  fill (map, 100, 40, 102, 42, 1);  /* too small */
  g_assert_true (infer_text_find (&settings, map, 128, 64, &found, NULL));
  g_assert_cmpuint (found.items->len, ==, 2);
  const InferDetection *d = infer_detections_get (&found, 0);
  g_assert_cmpfloat_with_epsilon (d->x0, 20 - 6.4, 1e-3);
  g_assert_cmpfloat_with_epsilon (d->y0, 10 - 6.4, 1e-3);
  g_assert_cmpfloat_with_epsilon (d->x1, 60 + 6.4, 1e-3);
  g_assert_cmpfloat_with_epsilon (d->y1, 20 + 6.4, 1e-3);
  g_assert_cmpfloat_with_epsilon (d->score, 0.8, 1e-4);
  g_assert_cmpuint (found.points_per_item, ==, 4);
  d = infer_detections_get (&found, 1);
  g_assert_cmpfloat_with_epsilon (d->score, 0.9, 1e-4);
  infer_detections_clear (&found);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vision/classify", test_classify);
  g_test_add_func ("/vision/mask", test_mask);
  g_test_add_func ("/vision/keypoints", test_keypoints);
  g_test_add_func ("/vision/rectangle", test_rectangle);
  g_test_add_func ("/vision/text", test_text);
  return g_test_run ();
}
