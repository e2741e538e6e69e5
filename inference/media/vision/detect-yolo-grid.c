/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* YOLO heads with a map for each scale: [1,A·(5+C),H,W], A anchors per cell; v3
 * and v4 (and their tiny forms) as logits or, after RegionYolo, with sigmoid
 * applied; v5 and v7 exported without their last step.
 *
 *   v3, v4   (cell + σ x) / W,  exp (w) · anchor
 *   v5, v7   (cell + 2 σ x − ½) / W,  (2 σ w)² · anchor
 *
 * Anchors: of the settings, else those of the published COCO models ("YOLOv3:
 * An Incremental Improvement", Redmon and Farhadi, 2018, section 2.3; the tiny
 * ones and v4's and v5's from the models' configurations). */

#include <math.h>

#include "inference/media/vision/detect.h"

#define PER_CELL 3

typedef struct
{
  const InferDetectSettings *settings;
  const float *anchors; /* of this scale: A pairs */
  gboolean logits, squared;
  gsize h, w;
  guint per_cell, classes;
} Grid;

static const float v3_anchors[] = { 10, 13, 16, 30, 33, 23, 30, 61, 62, 45, 59,
  119, 116, 90, 156, 198, 373, 326 };
static const float v4_anchors[] = { 12, 16, 19, 36, 40, 28, 36, 75, 76, 55, 72,
  146, 142, 110, 192, 243, 459, 401 };
static const float tiny_anchors[] = { 10, 14, 23, 27, 37, 58, 81, 82, 135, 169,
  344, 319 };

static gboolean
is_one_of_two (const InferDetectSettings *s, const char *a, const char *b)
{
  return infer_detect_is (s, a) || infer_detect_is (s, b);
}

static gboolean
suits (const InferDetectSettings *s, const InferView *views, guint n)
{
  if (n != 2 && n != 3)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (views[i].shape.rank != 4 || views[i].shape.dims[1] % PER_CELL != 0
        || views[i].shape.dims[1] != views[0].shape.dims[1]
        || views[i].shape.dims[1] < 6 * PER_CELL
        || (i > 0 && views[i].shape.dims[2] == views[0].shape.dims[2]))
      return FALSE;
  return TRUE;
}

/* The scale with the most cells has the smallest anchors. */
static gboolean
find_anchors (const InferDetectSettings *s, const InferView *views, guint n,
    guint index, Grid *grid)
{
  const float *all = s->anchors;
  guint pairs = s->n_anchors, rank = 0;

  if (all == NULL && n == 3) {
    all = is_one_of_two (s, "yolov4", "yolo_v4") ? v4_anchors : v3_anchors;
    pairs = G_N_ELEMENTS (v3_anchors) / 2;
  } else if (all == NULL && n == 2) {
    all = tiny_anchors;
    pairs = G_N_ELEMENTS (tiny_anchors) / 2;
  }
  if (all == NULL || n == 0 || pairs % n != 0)
    return FALSE;
  for (guint i = 0; i < n; i++)
    rank += views[i].shape.dims[2] > views[index].shape.dims[2];
  grid->per_cell = pairs / n;
  grid->anchors = all + 2 * (gsize) rank * grid->per_cell;
  return TRUE;
}

static float
activate (const Grid *grid, float x)
{
  return grid->logits ? infer_sigmoid (x) : x;
}

static void
append (const Grid *g, const float *p, gsize area, gsize at, guint anchor,
    float score, int label, InferDetections *found)
{
  float width = (float) g->settings->width,
        height = (float) g->settings->height;
  float x = activate (g, p[0]), y = activate (g, p[area]);
  float w, h;
  InferDetection d = { .score = score, .label = label };

  if (g->squared) {
    float a = 2 * activate (g, p[2 * area]), b = 2 * activate (g, p[3 * area]);

    x = 2 * x - 0.5f, y = 2 * y - 0.5f;
    w = a * a, h = b * b;
  } else {
    w = expf (p[2 * area]), h = expf (p[3 * area]);
  }
  w *= g->anchors[2 * anchor], h *= g->anchors[2 * anchor + 1];
  x = ((float) (at % g->w) + x) / (float) g->w * width;
  y = ((float) (at / g->w) + y) / (float) g->h * height;
  d.x0 = x - w / 2, d.x1 = x + w / 2;
  d.y0 = y - h / 2, d.y1 = y + h / 2;
  g_array_append_val (found->items, d);
}

static void
run_scale (const Grid *g, const float *data, InferDetections *found)
{
  gsize area = g->h * g->w;

  for (guint a = 0; a < g->per_cell; a++) {
    const float *head = data + (gsize) a * (5 + g->classes) * area;

    for (gsize i = 0; i < area; i++) {
      const float *p = head + i;
      float object = activate (g, p[4 * area]), score;
      guint best = 0;

      if (object < g->settings->threshold)
        continue;
      for (guint c = 1; c < g->classes; c++)
        if (p[(5 + c) * area] > p[(5 + best) * area])
          best = c;
      score = object * activate (g, p[(5 + best) * area]);
      if (score >= g->settings->threshold)
        append (g, p, area, i, a, score, (int) best, found);
    }
  }
}

/* After RegionYolo, x, y, objectness and scores are all within 0 … 1. */
static gboolean
has_logits (const Grid *g, const float *data)
{
  gsize area = g->h * g->w;

  for (guint a = 0; a < g->per_cell; a++) {
    const float *head = data + (gsize) a * (5 + g->classes) * area;

    for (gsize c = 0; c < 5 + g->classes; c++)
      for (gsize i = 0; c != 2 && c != 3 && i < area; i++)
        if (head[c * area + i] < 0 || head[c * area + i] > 1)
          return TRUE;
  }
  return FALSE;
}

static gboolean
run (const InferDetectSettings *s, const InferView *views, guint n,
    InferDetections *found, GError **error)
{
  for (guint i = 0; i < n; i++) {
    Grid grid = { .settings = s,
      .squared = is_one_of_two (s, "yolov5", "yolo_v5")
                 || is_one_of_two (s, "yolov7", "yolo_v7") };
    gint64 channels = infer_view_dim (&views[i], 3);

    if (views[i].shape.rank != 4 || !find_anchors (s, views, n, i, &grid)
        || channels % grid.per_cell != 0 || channels / grid.per_cell < 6)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "yolo-grid: output %u has %" G_GINT64_FORMAT
          " channels, which do not fit %u anchors on %u scales",
          i, channels, s->n_anchors, n);
    grid.classes = (guint) (channels / grid.per_cell - 5);
    grid.h = (gsize) views[i].shape.dims[2];
    grid.w = (gsize) views[i].shape.dims[3];
    grid.logits = has_logits (&grid, views[i].data);
    run_scale (&grid, views[i].data, found);
  }
  infer_detections_suppress (
      found, infer_detect_iou (s, infer_detector_yolo_grid.iou), FALSE, s->max);
  return TRUE;
}

const InferDetector infer_detector_yolo_grid = {
  .name = "yolo-grid",
  .model_types = (const char *const[]){ "yolo", "yolov3", "yolo_v3", "yolov4",
      "yolo_v4", "yolov3-tiny", "yolov4-tiny", "yolov5", "yolo_v5", "yolov7",
      "yolo_v7", NULL },
  .iou = 0.5f,
  .suits = suits,
  .run = run,
};
