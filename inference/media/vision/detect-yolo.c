/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* YOLO heads that are one matrix of predictions:
 *
 *   v8, v9, 11, 12   [1,4+C,N]   centre, size, a score for each class
 *   v5, v6, v7       [1,N,5+C]   centre, size, objectness, scores
 *   X                [1,N,5+C]   the same, not yet placed on its grid
 *   poses (v8, 11)   [1,4+1+3K,N] with K keypoints x, y, score
 *   masks (v8, 11)   [1,4+C+M,N] and prototypes [1,M,h,w], see mask.h
 *
 * Either may be transposed.  model_type "YOLO", which Ultralytics' exporter
 * writes for all of them, is resolved by the shape.  X: (cell + x) · stride,
 * exp (w) · stride. */

#include <math.h>

#include "inference/media/vision/detect.h"

#define POSE_POINTS 17

typedef struct
{
  const float *data;
  gsize n, columns;        /* predictions, numbers of each */
  gsize step, column_step; /* from one to the next */
  gboolean objectness, grid;
  guint classes, points, masks;
} Head;

static gboolean
is_v8 (const InferDetectSettings *s)
{
  static const char *const names[] = { "yolov8", "yolo_v8", "yolov9", "yolo11",
    "yolo_v11", "yolo12", "yolov8-pose", "yolo11-pose", "yolo_v8_pose",
    "yolov8-seg", "yolo11-seg", "yolo_v8_seg", NULL };

  return infer_detect_is_any (s, names);
}

static gboolean
is_any (const InferDetectSettings *s)
{
  return s->type == NULL || infer_detect_is (s, "yolo");
}

static gboolean
is_pose (const InferDetectSettings *s, gsize columns)
{
  if (infer_detect_is (s, "yolov8-pose") || infer_detect_is (s, "yolo11-pose")
      || infer_detect_is (s, "yolo_v8_pose"))
    return (columns - 5) % 3 == 0;
  return (is_any (s) || is_v8 (s)) && s->classes <= 1
         && columns == 5 + 3 * POSE_POINTS;
}

/* Cells of strides 8, 16, 32 and so on to @last. */
static gsize
count_cells (const InferDetectSettings *s, guint last)
{
  gsize n = 0;

  for (guint stride = 8; stride <= last; stride *= 2)
    n += (gsize) (s->width / stride) * (s->height / stride);
  return n;
}

/* Whether @n is one prediction, or three, per cell. */
static gboolean
is_grid (const InferDetectSettings *s, gsize n)
{
  for (guint last = 16; last <= 64; last *= 2)
    if (n > 0 && (n == count_cells (s, last) || n == 3 * count_cells (s, last)))
      return TRUE;
  return FALSE;
}

/* Returns the output with the prototypes of masks, NULL if there is none. */
static const InferView *
find_prototypes (const InferView *views, guint n)
{
  for (guint i = 0; n == 2 && i < 2; i++)
    if (views[i].shape.rank == 4 && views[i].shape.dims[0] == 1
        && views[i].shape.dims[1] >= 1 && views[i].shape.dims[1] <= 256
        && views[1 - i].shape.rank == 3)
      return &views[i];
  return NULL;
}

static void
count_numbers (
    const InferDetectSettings *s, gboolean channels_first, Head *head)
{
  head->objectness = is_any (s) ? !channels_first : !is_v8 (s);
  if (s->classes > 0 && head->columns == 4 + s->classes + head->masks)
    head->objectness = FALSE;
  else if (s->classes > 0 && head->columns == 5 + s->classes + head->masks)
    head->objectness = TRUE;
  head->points = 0;
  if (head->masks == 0 && is_pose (s, head->columns)) {
    head->objectness = FALSE;
    head->points = (guint) (head->columns - 5) / 3;
  }
}

static gboolean
read_head (
    const InferDetectSettings *s, const InferView *views, guint n, Head *head)
{
  const InferView *prototypes = find_prototypes (views, n);
  const InferView *view = prototypes == &views[0] ? &views[1] : &views[0];
  gint64 a, b;

  if (n != (prototypes != NULL ? 2 : 1))
    return FALSE;
  a = infer_view_dim (view, 2), b = infer_view_dim (view, 1);
  if (view->shape.rank < 2 || infer_view_dim (view, 3) != 1 || a < 5 || b < 5)
    return FALSE;
  /* There are more predictions than numbers per prediction. */
  head->data = view->data;
  head->n = (gsize) MAX (a, b);
  head->columns = (gsize) MIN (a, b);
  head->step = a < b ? 1 : head->columns;
  head->column_step = a < b ? head->n : 1;
  head->masks = prototypes != NULL ? (guint) prototypes->shape.dims[1] : 0;
  count_numbers (s, a < b, head);
  gsize others = 4 + (gsize) head->objectness + 3 * head->points + head->masks;
  if (head->columns <= others)
    return FALSE;
  head->classes = (guint) (head->columns - others);
  head->grid = infer_detect_is (s, "yolox") || infer_detect_is (s, "yolo_x");
  return !head->grid || head->n == count_cells (s, 32);
}

static gboolean
suits (const InferDetectSettings *s, const InferView *views, guint n)
{
  Head head;

  return n >= 1 && read_head (s, views, n, &head) && is_grid (s, head.n);
}

/* Finds the best class of each prediction; class by class, as the usual layout
 * stores them. */
static void
best_classes (const Head *head, float *scores, int *labels)
{
  guint first = 4 + head->objectness;

  for (guint c = 0; c < head->classes; c++) {
    const float *column = head->data + (first + c) * head->column_step;

    for (gsize i = 0; i < head->n; i++) {
      float score = column[i * head->step];

      if (c == 0 || score > scores[i]) {
        scores[i] = score;
        labels[i] = (int) c;
      }
    }
  }
  for (gsize i = 0; i < head->n && head->objectness; i++)
    scores[i] *= head->data[i * head->step + 4 * head->column_step];
}

/* Adds the cell of prediction @i of X to its box. */
static void
place_on_grid (const InferDetectSettings *s, gsize i, float *box)
{
  for (guint stride = 8; stride <= 32; stride *= 2) {
    gsize across = s->width / stride, cells = across * (s->height / stride);

    if (i >= cells) {
      i -= cells;
      continue;
    }
    box[0] = (box[0] + (float) (i % across)) * (float) stride;
    box[1] = (box[1] + (float) (i / across)) * (float) stride;
    box[2] = expf (box[2]) * (float) stride;
    box[3] = expf (box[3]) * (float) stride;
    return;
  }
}

static void
append (const InferDetectSettings *s, const Head *head, gsize i, float score,
    int label, InferDetections *found)
{
  const float *p = head->data + i * head->step;
  gsize next = head->column_step;
  float box[4] = { p[0], p[next], p[2 * next], p[3 * next] };
  InferDetection d = {
    .score = score, .label = label, .points = found->points->len
  };

  if (head->grid)
    place_on_grid (s, i, box);
  d.x0 = box[0] - box[2] / 2, d.x1 = box[0] + box[2] / 2;
  d.y0 = box[1] - box[3] / 2, d.y1 = box[1] + box[3] / 2;
  if (head->masks > 0)
    d.points = found->coefficients->len;
  for (guint k = 0; k < head->masks; k++) {
    float value = p[(4 + head->objectness + head->classes + k) * next];

    g_array_append_val (found->coefficients, value);
  }
  for (guint k = 0; k < head->points; k++) {
    const float *q = p + (5 + 3 * k) * next;
    InferPoint point = { q[0], q[next], q[2 * next] };

    g_array_append_val (found->points, point);
  }
  g_array_append_val (found->items, d);
}

static gboolean
run (const InferDetectSettings *s, const InferView *views, guint n,
    InferDetections *found, GError **error)
{
  Head head;

  if (n < 1 || !read_head (s, views, n, &head))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "yolo: no output has predictions for an input of %ux%u", s->width,
        s->height);
  g_autofree float *scores = g_try_new (float, head.n);
  g_autofree int *labels = g_try_new (int, head.n);
  if (head.n > 0 && (scores == NULL || labels == NULL))
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "yolo: no memory for %" G_GSIZE_FORMAT " predictions", (gsize) head.n);
  best_classes (&head, scores, labels);
  found->points_per_item = head.points;
  found->coefficients_per_item = head.masks;
  for (gsize i = 0; i < head.n; i++)
    if (scores[i] >= s->threshold)
      append (s, &head, i, scores[i], labels[i], found);
  infer_detections_suppress (
      found, infer_detect_iou (s, infer_detector_yolo.iou), FALSE, s->max);
  return TRUE;
}

const InferDetector infer_detector_yolo = {
  .name = "yolo",
  .model_types = (const char *const[]){ "yolo", "yolov5", "yolo_v5", "yolov6",
      "yolo_v6", "yolov7", "yolo_v7", "yolov8", "yolo_v8", "yolov9", "yolo11",
      "yolo_v11", "yolo12", "yolox", "yolo_x", "yolov8-pose", "yolo11-pose",
      "yolo_v8_pose", "yolov8-seg", "yolo11-seg", "yolo_v8_seg", NULL },
  .iou = 0.5f,
  .suits = suits,
  .run = run,
};
