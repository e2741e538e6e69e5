/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Final boxes: [1,N,6] rows of left, top, right, bottom in pixels, score,
 * label, best first (YOLOv10, YOLO26 and other exports that include the
 * suppression). */

#include "inference/media/vision/detect.h"

#define COLUMNS 6
#define MOST_ROWS 1000

static gboolean
suits (const InferDetectSettings *settings, const InferView *views, guint n)
{
  return n == 1 && views[0].shape.rank >= 2 && views[0].shape.rank <= 3
         && infer_view_dim (&views[0], 1) == COLUMNS
         && infer_view_dim (&views[0], 2) <= MOST_ROWS;
}

static gboolean
run (const InferDetectSettings *s, const InferView *views, guint n,
    InferDetections *found, GError **error)
{
  gsize rows, columns;

  infer_view_matrix (&views[0], &rows, &columns);
  if (columns != COLUMNS)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "end-to-end: rows of %" G_GSIZE_FORMAT " numbers instead of 6",
        columns);
  for (gsize i = 0; i < rows; i++) {
    const float *r = views[0].data + i * COLUMNS;
    InferDetection d = { r[0], r[1], r[2], r[3], r[4],
      infer_detect_label (r[5]), 0 };

    if (d.score >= s->threshold)
      g_array_append_val (found->items, d);
  }
  infer_detections_sort (found);
  g_array_set_size (found->items, MIN (found->items->len, s->max));
  return TRUE;
}

const InferDetector infer_detector_end_to_end = {
  .name = "end-to-end",
  .model_types = (const char *const[]){ "yolo", "yolov10", "yolo_v10", "yolo26",
      "yolo_v26", "yolov8", "yolo_v8", "yolo11", "yolo_v11", "yolo12",
      "end-to-end", NULL },
  .suits = suits,
  .run = run,
};
