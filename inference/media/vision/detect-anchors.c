/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* BlazeFace and relatives (faces, palms, poses): regressors [1,N,4+2K] (centre
 * and size of the box, then K keypoints, in pixels from an anchor's centre) and
 * logits [1,N,1].  N and the size of the input determine the anchors; the grids
 * are those of "BlazeFace: Sub-millisecond Neural Face Detection on Mobile
 * GPUs" (Bazarevsky et al., 2019) and of MediaPipe's model cards.
 *
 * Models of poses give the box of a face.  The first two keypoints are the
 * middle of the hips and a point on the circle around the whole body
 * ("BlazePose: On-device Real-time Body Pose tracking", Bazarevsky et al.,
 * 2020); models of landmarks take that circle's square, 1.25 times as large. */

#include <math.h>

#include "inference/media/vision/detect.h"

#define BODY_MARGIN 1.25f
#define MAX_LOGIT 100.0f

/* Layers of equal stride are one: anchors per cell. */
typedef struct
{
  guint stride, per_cell;
} Layer;

static const Layer grids[][3] = {
  { { 8, 2 }, { 16, 6 } },            /* near faces, palms */
  { { 4, 1 } },                       /* far faces */
  { { 16, 6 } },                      /* faces of the rear camera */
  { { 8, 2 }, { 16, 2 }, { 32, 6 } }, /* poses */
};
static const Layer *const poses = grids[3];

static gsize
count_layer (const Layer *layer, guint width, guint height)
{
  gsize across = (width + layer->stride - 1) / layer->stride;
  gsize down = (height + layer->stride - 1) / layer->stride;

  return across * down * layer->per_cell;
}

static const Layer *
find_grid (guint width, guint height, gsize n)
{
  for (guint g = 0; g < G_N_ELEMENTS (grids); g++) {
    gsize total = 0;

    for (guint l = 0; l < 3 && grids[g][l].stride > 0; l++)
      total += count_layer (&grids[g][l], width, height);
    if (total == n)
      return grids[g];
  }
  return NULL;
}

static gboolean
find_roles (const InferView *views, guint n, const InferView **regressors,
    const InferView **logits)
{
  gsize rows[2], columns[2];

  if (n != 2)
    return FALSE;
  infer_view_matrix (&views[0], &rows[0], &columns[0]);
  infer_view_matrix (&views[1], &rows[1], &columns[1]);
  guint r = columns[0] > columns[1] ? 0 : 1;
  *regressors = &views[r];
  *logits = &views[1 - r];
  return rows[0] == rows[1] && columns[1 - r] == 1 && columns[r] > 4
         && columns[r] % 2 == 0;
}

static gboolean
suits (const InferDetectSettings *s, const InferView *views, guint n)
{
  const InferView *regressors, *logits;
  gsize rows, columns;

  if (!find_roles (views, n, &regressors, &logits))
    return FALSE;
  infer_view_matrix (regressors, &rows, &columns);
  return find_grid (s->width, s->height, rows) != NULL;
}

/* @r: 4 + 2K numbers from the anchor's centre (@x, @y). */
static void
append (InferDetections *found, const float *r, guint n_points, float x,
    float y, float score)
{
  float cx = x + r[0], cy = y + r[1];
  InferDetection d = { cx - r[2] / 2, cy - r[3] / 2, cx + r[2] / 2,
    cy + r[3] / 2, score, 0, found->points->len };

  for (guint k = 0; k < n_points; k++) {
    InferPoint point = { x + r[4 + 2 * k], y + r[5 + 2 * k], 1 };

    g_array_append_val (found->points, point);
  }
  g_array_append_val (found->items, d);
}

/* Sets the box to the square around the circle of a body. */
static void
set_body (InferDetections *found, InferDetection *d)
{
  const InferPoint *p = &g_array_index (found->points, InferPoint, d->points);
  float half = BODY_MARGIN * hypotf (p[1].x - p[0].x, p[1].y - p[0].y);

  d->x0 = p[0].x - half, d->x1 = p[0].x + half;
  d->y0 = p[0].y - half, d->y1 = p[0].y + half;
}

static gboolean
run (const InferDetectSettings *s, const InferView *views, guint n,
    InferDetections *found, GError **error)
{
  const InferView *regressors, *logits;
  const float *r, *logit;
  gsize rows, columns;

  if (!find_roles (views, n, &regressors, &logits))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "anchors: the outputs are not [1,N,4+2K] and [1,N,1]");
  infer_view_matrix (regressors, &rows, &columns);
  const Layer *layer = find_grid (s->width, s->height, rows);
  if (layer == NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "anchors: no known grid has %" G_GSIZE_FORMAT
        " anchors on an input of %ux%u",
        rows, s->width, s->height);
  r = regressors->data;
  logit = logits->data;
  found->points_per_item = (guint) (columns - 4) / 2;
  for (guint l = 0; l < 3 && layer[l].stride > 0; l++) {
    guint stride = layer[l].stride;

    for (guint y = 0; y < s->height; y += stride)
      for (guint x = 0; x < s->width; x += stride)
        for (guint k = 0; k < layer[l].per_cell; k++, r += columns, logit++) {
          float score = infer_sigmoid (CLAMP (*logit, -MAX_LOGIT, MAX_LOGIT));
          float half = (float) stride / 2;

          if (score >= s->threshold)
            append (found, r, found->points_per_item, (float) x + half,
                (float) y + half, score);
        }
  }
  infer_detections_blend (
      found, infer_detect_iou (s, infer_detector_anchors.iou), s->max);
  found->regions = layer == poses && found->points_per_item >= 2;
  for (guint i = 0; found->regions && i < found->items->len; i++)
    set_body (found, infer_detections_get (found, i));
  if (found->regions)
    found->points_per_item = 0; /* not results */
  return TRUE;
}

const InferDetector infer_detector_anchors = {
  .name = "anchors",
  .model_types = (const char *const[]){ "blazeface", "blaze", "mediapipe_face",
      "blazepalm", "blazepose", NULL },
  .iou = 0.3f,
  .suits = suits,
  .run = run,
};
