/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decoded boxes [1,N,4] (left, top, right, bottom; fractions of the input or
 * pixels) and scores [1,N,C]: Ultra-Light, RFB and YOLO exports with a split
 * head.  If C is 2 or one more than the number of labels, class 0 is the
 * background. */

#include "inference/media/vision/detect.h"

static gboolean
find_roles (const InferView *views, guint n, const InferView **boxes,
    const InferView **scores)
{
  gsize rows[2], columns[2];

  if (n != 2)
    return FALSE;
  infer_view_matrix (&views[0], &rows[0], &columns[0]);
  infer_view_matrix (&views[1], &rows[1], &columns[1]);
  if (rows[0] != rows[1] || (columns[0] != 4 && columns[1] != 4))
    return FALSE;
  guint b = columns[0] == 4 ? 0 : 1;
  /* Both have four columns: the names decide. */
  if (columns[0] == 4 && columns[1] == 4)
    b = infer_view_named (views, n, "box") == 1 ? 1 : 0;
  *boxes = &views[b];
  *scores = &views[1 - b];
  return columns[1 - b] > 0;
}

static gboolean
suits (const InferDetectSettings *settings, const InferView *views, guint n)
{
  const InferView *boxes, *scores;

  return find_roles (views, n, &boxes, &scores)
         && infer_view_dim (boxes, 3) == 1;
}

/* Fractions of the input exceed 1 only slightly. */
static gboolean
in_pixels (const float *boxes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (boxes[i] > 4 || boxes[i] < -4)
      return TRUE;
  return FALSE;
}

static gboolean
run (const InferDetectSettings *s, const InferView *views, guint n,
    InferDetections *found, GError **error)
{
  const InferView *boxes, *scores;
  gsize rows, classes;
  float w = (float) s->width, h = (float) s->height;

  if (!find_roles (views, n, &boxes, &scores))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "boxes-scores: the outputs are not [1,N,4] and [1,N,classes]");
  infer_view_matrix (scores, &rows, &classes);
  guint first = classes == 2 || classes == s->classes + 1 ? 1 : 0;
  if (in_pixels (boxes->data, rows * 4))
    w = h = 1;
  for (gsize i = 0; i < rows; i++) {
    const float *b = boxes->data + i * 4;
    const float *c = scores->data + i * classes;
    guint best = MIN (first, (guint) classes - 1);
    InferDetection d = { b[0] * w, b[1] * h, b[2] * w, b[3] * h, 0, 0, 0 };

    for (guint k = best + 1; k < classes; k++)
      best = c[k] > c[best] ? k : best;
    d.score = c[best];
    d.label =
        (int) (s->classes > 0 && classes == s->classes + 1 ? best - 1 : best);
    if (d.score >= s->threshold)
      g_array_append_val (found->items, d);
  }
  infer_detections_suppress (found,
      infer_detect_iou (s, infer_detector_boxes_scores.iou), FALSE, s->max);
  return TRUE;
}

const InferDetector infer_detector_boxes_scores = {
  .name = "boxes-scores",
  .model_types = (const char *const[]){ "ultra_lightweight_face_detection",
      "ultra-light", "faceboxes", "boxes_scores", NULL },
  .iou = 0.3f,
  .suits = suits,
  .run = run,
};
