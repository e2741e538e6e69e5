/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/vision/detection.h"

void
infer_detections_init (InferDetections *self)
{
  self->items = g_array_new (FALSE, FALSE, sizeof (InferDetection));
  self->points = g_array_new (FALSE, FALSE, sizeof (InferPoint));
  self->points_per_item = 0;
  self->outlines = FALSE;
  self->coefficients = g_array_new (FALSE, FALSE, sizeof (float));
  self->coefficients_per_item = 0;
}

void
infer_detections_clear (InferDetections *self)
{
  g_clear_pointer (&self->items, g_array_unref);
  g_clear_pointer (&self->points, g_array_unref);
  g_clear_pointer (&self->coefficients, g_array_unref);
}

void
infer_detections_reset (InferDetections *self)
{
  g_array_set_size (self->items, 0);
  g_array_set_size (self->points, 0);
  g_array_set_size (self->coefficients, 0);
  self->points_per_item = self->coefficients_per_item = 0;
  self->regions = self->outlines = FALSE;
}

float
infer_iou (const InferDetection *a, const InferDetection *b)
{
  float w = MIN (a->x1, b->x1) - MAX (a->x0, b->x0);
  float h = MIN (a->y1, b->y1) - MAX (a->y0, b->y0);
  float both, areas;

  if (!(w > 0) || !(h > 0))
    return 0;
  both = w * h;
  areas = (a->x1 - a->x0) * (a->y1 - a->y0) + (b->x1 - b->x0) * (b->y1 - b->y0);
  return both / (areas - both);
}

/* g_array_sort is stable since GLib 2.32. */
static int
better_first (gconstpointer a, gconstpointer b)
{
  float x = ((const InferDetection *) a)->score;
  float y = ((const InferDetection *) b)->score;

  return x > y ? -1 : x < y;
}

void
infer_detections_sort (InferDetections *self)
{
  g_array_sort (self->items, better_first);
}

void
infer_detections_suppress (
    InferDetections *self, float iou, gboolean agnostic, guint max)
{
  guint kept = 0;

  infer_detections_sort (self);
  for (guint i = 0; i < self->items->len && kept < max; i++) {
    InferDetection *d = infer_detections_get (self, i);
    gboolean keep = TRUE;

    for (guint k = 0; k < kept && keep; k++) {
      const InferDetection *better = infer_detections_get (self, k);

      keep = (!agnostic && better->label != d->label)
             || infer_iou (better, d) <= iou;
    }
    if (keep)
      *infer_detections_get (self, kept++) = *d;
  }
  g_array_set_size (self->items, kept);
}

/* Adds @weight times @from to @to, keypoints too. */
static void
add_weighted (InferDetections *self, InferDetection *to,
    const InferDetection *from, float weight)
{
  InferPoint *points = (InferPoint *) (gpointer) self->points->data;

  to->x0 += weight * from->x0;
  to->y0 += weight * from->y0;
  to->x1 += weight * from->x1;
  to->y1 += weight * from->y1;
  for (guint i = 0; i < self->points_per_item; i++) {
    points[to->points + i].x += weight * points[from->points + i].x;
    points[to->points + i].y += weight * points[from->points + i].y;
  }
}

/* Sets @best to the mean of @cluster (indices), which includes it. */
static void
blend (InferDetections *self, InferDetection *best, const GArray *cluster)
{
  const InferDetection old = *best;
  float total = 0;

  for (guint i = 0; i < cluster->len; i++)
    total +=
        infer_detections_get (self, g_array_index (cluster, guint, i))->score;
  best->x0 = best->y0 = best->x1 = best->y1 = 0;
  best->points = self->points->len;
  g_array_set_size (self->points, self->points->len + self->points_per_item);
  for (guint i = 0; i < self->points_per_item; i++) {
    InferPoint *point =
        &g_array_index (self->points, InferPoint, best->points + i);

    *point = (InferPoint){ 0, 0,
      g_array_index (self->points, InferPoint, old.points + i).score };
  }
  for (guint i = 0; i < cluster->len; i++) {
    const InferDetection *d =
        infer_detections_get (self, g_array_index (cluster, guint, i));

    add_weighted (self, best, i == 0 ? &old : d,
        total > 0 ? d->score / total : 1.0f / (float) cluster->len);
  }
}

void
infer_detections_blend (InferDetections *self, float iou, guint max)
{
  g_autoptr (GArray) cluster = g_array_new (FALSE, FALSE, sizeof (guint));
  guint left, kept = 0;

  infer_detections_sort (self);
  left = self->items->len;
  /* [0, kept) are done, [kept, left) remain. */
  while (kept < left && kept < max) {
    InferDetection best = *infer_detections_get (self, kept);
    guint rest = kept + 1;

    g_array_set_size (cluster, 0);
    g_array_append_val (cluster, kept);
    g_autoptr (GArray) others =
        g_array_new (FALSE, FALSE, sizeof (InferDetection));
    for (guint i = kept + 1; i < left; i++) {
      const InferDetection *d = infer_detections_get (self, i);

      if (infer_iou (&best, d) > iou)
        g_array_append_val (cluster, i);
      else
        g_array_append_val (others, *d);
    }
    blend (self, &best, cluster);
    *infer_detections_get (self, kept) = best;
    for (guint i = 0; i < others->len; i++)
      *infer_detections_get (self, rest + i) =
          g_array_index (others, InferDetection, i);
    left = rest + others->len;
    kept++;
  }
  g_array_set_size (self->items, kept);
}
