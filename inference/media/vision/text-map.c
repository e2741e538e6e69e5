/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/vision/text-map.h"

#include <math.h>

#include "infer/error.h"
#include "inference/media/vision/rectangle.h"

typedef struct
{
  const InferTextSettings *settings;
  const float *map;
  guint width, height;
  guint8 *seen;
  GArray *stack; /* (element-type guint) pixels to visit */
  GArray *edge;  /* (element-type InferPoint) of the region */
} Search;

static gboolean
is_text (const Search *s, int x, int y)
{
  return x >= 0 && y >= 0 && x < (int) s->width && y < (int) s->height
         && s->map[(gsize) y * s->width + (gsize) x] > s->settings->pixel;
}

static void
visit (Search *s, int x, int y)
{
  guint at = (guint) y * s->width + (guint) x;

  if (!is_text (s, x, y) || s->seen[at])
    return;
  s->seen[at] = 1;
  g_array_append_val (s->stack, at);
}

/* Collects the edge of the 8-connected region of @start. */
static void
walk_region (Search *s, guint start)
{
  g_array_set_size (s->edge, 0);
  s->seen[start] = 1;
  g_array_append_val (s->stack, start);
  while (s->stack->len > 0) {
    guint at = g_array_index (s->stack, guint, s->stack->len - 1);
    int x = (int) (at % s->width), y = (int) (at / s->width);

    g_array_set_size (s->stack, s->stack->len - 1);
    if (!is_text (s, x - 1, y) || !is_text (s, x + 1, y)
        || !is_text (s, x, y - 1) || !is_text (s, x, y + 1)) {
      InferPoint point = { (float) x, (float) y, 1 };

      g_array_append_val (s->edge, point);
    }
    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++)
        visit (s, x + i, y + j);
  }
}

/* Returns the mean of the map over the pixels inside @r. */
static float
mean_within (const Search *s, const InferRectangle *r)
{
  InferPoint corners[4];
  float x0 = G_MAXFLOAT, x1 = 0, y0 = G_MAXFLOAT, y1 = 0;
  double sum = 0;
  gsize n = 0;

  infer_rectangle_corners (r, corners);
  for (guint i = 0; i < 4; i++) {
    x0 = MIN (x0, corners[i].x), x1 = MAX (x1, corners[i].x);
    y0 = MIN (y0, corners[i].y), y1 = MAX (y1, corners[i].y);
  }
  x0 = MAX (x0, 0), y0 = MAX (y0, 0);
  for (guint y = (guint) y0; y <= (guint) y1 && y < s->height; y++)
    for (guint x = (guint) x0; x <= (guint) x1 && x < s->width; x++)
      if (infer_rectangle_contains (r, (float) x, (float) y, 0.5f)) {
        sum += s->map[(gsize) y * s->width + x];
        n++;
      }
  return n > 0 ? (float) (sum / (double) n) : 0;
}

static void
append (InferDetections *found, const InferRectangle *r, float score)
{
  InferDetection d = { .x0 = G_MAXFLOAT,
    .y0 = G_MAXFLOAT,
    .x1 = -G_MAXFLOAT,
    .y1 = -G_MAXFLOAT,
    .score = score,
    .points = found->points->len };
  InferPoint corners[4];

  infer_rectangle_corners (r, corners);
  for (guint i = 0; i < 4; i++) {
    d.x0 = MIN (d.x0, corners[i].x), d.x1 = MAX (d.x1, corners[i].x);
    d.y0 = MIN (d.y0, corners[i].y), d.y1 = MAX (d.y1, corners[i].y);
  }
  g_array_append_vals (found->points, corners, 4);
  g_array_append_val (found->items, d);
}

static void
take_region (Search *s, InferDetections *found)
{
  InferRectangle r;
  float score, distance;

  if (!infer_rectangle_around (
          (const InferPoint *) (gpointer) s->edge->data, s->edge->len, &r)
      || MIN (r.width, r.height) < s->settings->min_side)
    return;
  score = mean_within (s, &r);
  if (score < s->settings->score)
    return;
  distance =
      r.width * r.height * s->settings->grow / (2 * (r.width + r.height));
  r.width += 2 * distance;
  r.height += 2 * distance;
  if (MIN (r.width, r.height) >= s->settings->min_side + 2)
    append (found, &r, score);
}

/* Boxes are on one line if their centres are within half a height. */
static int
reading_order (gconstpointer a, gconstpointer b)
{
  const InferDetection *p = a, *q = b;
  float dy = (p->y0 + p->y1 - q->y0 - q->y1) / 2;
  float dx = p->x0 - q->x0;

  if (fabsf (dy) > MIN (p->y1 - p->y0, q->y1 - q->y0) / 2)
    return dy < 0 ? -1 : 1;
  return dx < 0 ? -1 : dx > 0;
}

gboolean
infer_text_find (const InferTextSettings *settings, const float *map,
    guint width, guint height, InferDetections *found, GError **error)
{
  Search s = { settings, map, width, height, NULL, NULL, NULL };
  guint n = width * height;

  s.seen = g_try_new0 (guint8, n);
  if (s.seen == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for a map of %ux%u pixels", width, height);
  s.stack = g_array_new (FALSE, FALSE, sizeof (guint));
  s.edge = g_array_new (FALSE, FALSE, sizeof (InferPoint));
  found->points_per_item = 4;
  for (guint i = 0; i < n && found->items->len < settings->max; i++)
    if (!s.seen[i] && map[i] > settings->pixel) {
      walk_region (&s, i);
      take_region (&s, found);
    }
  g_array_sort (found->items, reading_order);
  g_free (s.seen);
  g_array_unref (s.stack);
  g_array_unref (s.edge);
  return TRUE;
}
