/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/vision/keypoints.h"

#include <math.h>

/* BlazePose: numbers per point, numbers in all, points of the body. */
#define BLAZE_NUMBERS 5
#define BLAZE_COUNT 195
#define BLAZE_BODY 33

typedef enum
{
  NONE,
  HEATMAPS,
  REGRESSED,
  SIMCC,
} Form;

typedef struct
{
  Form form;
  const InferView *view, *second; /* second: of simcc, the rows */
  const InferView *presence;      /* nullable */
} Layout;

/* Returns the numbers per point in a vector of @n. */
static gsize
numbers_of_point (const InferView *view, gsize n)
{
  gint64 last = infer_view_dim (view, 1);

  if (last == 2 || last == 3)
    return (gsize) last;
  if (n == BLAZE_COUNT)
    return BLAZE_NUMBERS;
  return n % 3 == 0 ? 3 : n % 2 == 0 ? 2 : 0;
}

static gboolean
is_simcc (const InferView *a, const InferView *b)
{
  return a->shape.rank == 3 && b->shape.rank == 3 && a->shape.dims[0] == 1
         && b->shape.dims[0] == 1 && a->shape.dims[1] == b->shape.dims[1]
         && a->shape.dims[2] >= 64 && b->shape.dims[2] >= 64
         && a->shape.dims[1] <= 256;
}

static Layout
find_layout (const InferView *views, guint n)
{
  Layout layout = { NONE, NULL, NULL, NULL };

  if (n == 2 && is_simcc (&views[0], &views[1]))
    return (Layout){ SIMCC, &views[0], &views[1], NULL };
  for (guint i = 0; i < n; i++) {
    const InferView *view = &views[i];
    gsize count = infer_shape_count (&view->shape);

    if (count == 0)
      continue;
    if (count == 1 && layout.presence == NULL)
      layout.presence = view;
    else if (layout.view != NULL || count <= 1)
      continue;
    else if (view->shape.rank == 4 && view->shape.dims[0] == 1
             && view->shape.dims[2] > 4 && view->shape.dims[3] > 4)
      layout.form = HEATMAPS, layout.view = view;
    else if (numbers_of_point (view, count) > 0)
      layout.form = REGRESSED, layout.view = view;
  }
  return layout;
}

gboolean
infer_keypoints_suit (const InferView *views, guint n)
{
  Layout layout = find_layout (views, n);

  if (layout.form == SIMCC)
    return TRUE;
  if (layout.form != REGRESSED)
    return FALSE;
  gsize count = infer_shape_count (&layout.view->shape);
  /* Scores of classes are vectors too: accept only 468, 478, 21 or 39 points
   * with their presence, or the points of a body in rows. */
  return (layout.presence != NULL
             && (count == 1404 || count == 1434 || count == 63
                 || count == BLAZE_COUNT))
         || (count == 51 && infer_view_dim (layout.view, 1) == 3);
}

static void
find_peaks (const InferView *view, guint width, guint height, GArray *points)
{
  gsize k = (gsize) view->shape.dims[1], h = (gsize) view->shape.dims[2];
  gsize w = (gsize) view->shape.dims[3];
  float sx = (float) width / (float) w, sy = (float) height / (float) h;

  for (gsize i = 0; i < k; i++) {
    const float *map = view->data + i * h * w;
    gsize best = 0, x, y;

    for (gsize j = 1; j < h * w; j++)
      best = map[j] > map[best] ? j : best;
    x = best % w, y = best / w;
    InferPoint point = (InferPoint){ (float) x, (float) y, map[best] };
    /* A quarter of a cell towards the higher neighbour. */
    if (x > 0 && x + 1 < w && map[best + 1] != map[best - 1])
      point.x += map[best + 1] > map[best - 1] ? 0.25f : -0.25f;
    if (y > 0 && y + 1 < h && map[best + w] != map[best - w])
      point.y += map[best + w] > map[best - w] ? 0.25f : -0.25f;
    point.x *= sx, point.y *= sy;
    g_array_append_val (points, point);
  }
}

static void
find_simcc (const Layout *layout, guint width, guint height, GArray *points)
{
  gsize k = (gsize) layout->view->shape.dims[1];
  gsize n[2] = { (gsize) layout->view->shape.dims[2],
    (gsize) layout->second->shape.dims[2] };

  for (gsize i = 0; i < k; i++) {
    const float *row[2] = { layout->view->data + i * n[0],
      layout->second->data + i * n[1] };
    gsize best[2] = { 0, 0 };
    InferPoint point;

    for (guint axis = 0; axis < 2; axis++)
      for (gsize j = 1; j < n[axis]; j++)
        best[axis] = row[axis][j] > row[axis][best[axis]] ? j : best[axis];
    point.x = (float) best[0] * (float) width / (float) n[0];
    point.y = (float) best[1] * (float) height / (float) n[1];
    point.score = MIN (row[0][best[0]], row[1][best[1]]);
    g_array_append_val (points, point);
  }
}

static void
read_points (const InferView *view, guint width, guint height, GArray *points)
{
  gsize n = infer_shape_count (&view->shape);
  gsize step = numbers_of_point (view, n);
  gboolean parts = TRUE, rows = infer_view_dim (view, 1) == 3;
  float sx, sy;

  if (step == BLAZE_NUMBERS)
    n = BLAZE_BODY * BLAZE_NUMBERS;
  for (gsize i = 0; i < n; i += step)
    parts &= fabsf (view->data[i]) <= 2 && fabsf (view->data[i + 1]) <= 2;
  sx = parts ? (float) width : 1, sy = parts ? (float) height : 1;
  for (gsize i = 0; i + step <= n; i += step) {
    const float *p = view->data + i;
    InferPoint point = { p[0] * sx, p[1] * sy, 1 };

    if (rows && parts) /* y, x, score */
      point = (InferPoint){ p[1] * sx, p[0] * sy, p[2] };
    else if (step == BLAZE_NUMBERS)
      point.score = infer_sigmoid (p[3]);
    g_array_append_val (points, point);
  }
}

gboolean
infer_keypoints_find (const InferView *views, guint n, guint width,
    guint height, GArray *points, float *presence, GError **error)
{
  Layout layout = find_layout (views, n);

  *presence = 1;
  if (layout.presence != NULL) {
    *presence = layout.presence->data[0];
    if (*presence < 0 || *presence > 1)
      *presence = infer_sigmoid (*presence);
  }
  switch (layout.form) {
    case HEATMAPS:
      find_peaks (layout.view, width, height, points);
      return TRUE;
    case SIMCC:
      find_simcc (&layout, width, height, points);
      return TRUE;
    case REGRESSED:
      read_points (layout.view, width, height, points);
      return TRUE;
    case NONE:
      break;
  }
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "keypoints: none of the %u outputs is heatmaps [1,K,H,W] or points", n);
}
