/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Final boxes and their labels: "boxes" [N,5] (corners in pixels, score) and
 * "labels" [N], as OpenVINO's training extensions export them; boxes [N,4]
 * (corners in pixels), labels and scores, as torchvision, RT-DETR and D-FINE
 * export them; or boxes [N,4] (top, left, bottom, right as fractions of the
 * input), classes and scores, as TensorFlow's object detection API does. */

#include "inference/media/vision/detect.h"

typedef struct
{
  int boxes, labels, scores;
  gboolean fractions; /* top, left, bottom, right */
} Roles;

static gboolean
find_roles (const InferView *views, guint n, Roles *roles)
{
  gsize rows, columns, n_labels, one;

  roles->boxes = infer_view_named (views, n, "boxes");
  roles->labels = infer_view_named (views, n, "labels");
  roles->fractions = roles->labels < 0;
  if (roles->fractions)
    roles->labels = infer_view_named (views, n, "classes");
  roles->scores = infer_view_named (views, n, "scores");
  if (roles->boxes < 0 || roles->labels < 0)
    return FALSE;
  infer_view_matrix (&views[roles->boxes], &rows, &columns);
  infer_view_matrix (&views[roles->labels], &n_labels, &one);
  n_labels *= one;
  return n_labels == rows
         && (columns == 5
             || (columns == 4 && roles->scores >= 0
                 && infer_shape_count (&views[roles->scores].shape) == rows));
}

static gboolean
suits (const InferDetectSettings *settings, const InferView *views, guint n)
{
  Roles roles;

  return find_roles (views, n, &roles);
}

static gboolean
run (const InferDetectSettings *s, const InferView *views, guint n,
    InferDetections *found, GError **error)
{
  gsize rows, columns;
  Roles roles;

  if (!find_roles (views, n, &roles))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "boxes-labels: the outputs are not 'boxes' [N,5] and 'labels' [N], or 'boxes' "
        "[N,4], 'labels' or 'classes' [N] and 'scores' [N]");
  infer_view_matrix (&views[roles.boxes], &rows, &columns);
  for (gsize i = 0; i < rows; i++) {
    const float *b = views[roles.boxes].data + i * columns;
    InferDetection d = { .label =
                             infer_detect_label (views[roles.labels].data[i]) };

    d.x0 = b[0], d.y0 = b[1], d.x1 = b[2], d.y1 = b[3];
    d.score = columns == 5 ? b[4] : views[roles.scores].data[i];
    if (columns == 4 && roles.fractions) {
      d.y0 = b[0] * (float) s->height, d.x0 = b[1] * (float) s->width;
      d.y1 = b[2] * (float) s->height, d.x1 = b[3] * (float) s->width;
    }
    if (d.score >= s->threshold)
      g_array_append_val (found->items, d);
  }
  infer_detections_sort (found);
  g_array_set_size (found->items, MIN (found->items->len, s->max));
  return TRUE;
}

const InferDetector infer_detector_boxes_labels = {
  .name = "boxes-labels",
  .model_types = (const char *const[]){ "boxes_labels", "tf_od", NULL },
  .suits = suits,
  .run = run,
};
