/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DetectionOutput: [1,1,N,7] rows of image, label, score and a box in fractions
 * of the input, after suppression; image -1 ends the list. */

#include "inference/media/vision/detect.h"

#define COLUMNS 7

static gboolean
suits (const InferDetectSettings *settings, const InferView *views, guint n)
{
  return n == 1 && views[0].shape.rank >= 3
         && infer_view_dim (&views[0], 1) == COLUMNS
         && infer_view_dim (&views[0], 3) == 1;
}

static gboolean
run (const InferDetectSettings *s, const InferView *views, guint n,
    InferDetections *found, GError **error)
{
  float w = (float) s->width, h = (float) s->height;
  gsize rows, columns;

  infer_view_matrix (&views[0], &rows, &columns);
  if (columns != COLUMNS)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "ssd: rows of %" G_GSIZE_FORMAT " numbers instead of 7", columns);
  for (gsize i = 0; i < rows; i++) {
    const float *r = views[0].data + i * COLUMNS;
    InferDetection d = { r[3] * w, r[4] * h, r[5] * w, r[6] * h, r[2],
      infer_detect_label (r[1]), 0 };

    if (r[0] < 0)
      break;
    if (r[2] >= s->threshold)
      g_array_append_val (found->items, d);
  }
  infer_detections_sort (found);
  g_array_set_size (found->items, MIN (found->items->len, s->max));
  return TRUE;
}

const InferDetector infer_detector_ssd = {
  .name = "ssd",
  .model_types =
      (const char *const[]){ "ssd", "detection_output", "mobilenet_ssd", NULL },
  .suits = suits,
  .run = run,
};
