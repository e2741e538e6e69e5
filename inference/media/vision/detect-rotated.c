/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rotated boxes as Ultralytics exports them ("obb"):
 *
 *   [1,4+C+1,N]  centre, size, a score for each class, angle; may be transposed
 *   [1,N,7]      centre, size, score, label, angle: final
 *
 * Angles are radians, clockwise in the picture.  The box of a result is the
 * upright one around it, the points are its corners. */

#include <math.h>

#include "inference/media/vision/detect.h"
#include "inference/media/vision/rectangle.h"

#define CORNERS 4
#define FINAL_COLUMNS 7
#define MOST_CANDIDATES 4096

typedef struct
{
  const float *data;
  gsize n, columns;
  gsize step, column_step; /* from one prediction, or number, to the next */
  gboolean final;
} Head;

/* A candidate and the covariance of the normal distribution that stands for
 * it: [[xx, xy], [xy, yy]]. */
typedef struct
{
  InferRectangle rectangle;
  double xx, yy, xy;
  float score;
  int label;
} Candidate;

static gboolean
read_head (
    const InferDetectSettings *s, const InferView *views, guint n, Head *head)
{
  if (n != 1 || views[0].shape.rank < 2 || infer_view_dim (&views[0], 3) != 1
      || !infer_detect_is_any (s, infer_detector_rotated.model_types))
    return FALSE;
  const gint64 a = infer_view_dim (&views[0], 2);
  const gint64 b = infer_view_dim (&views[0], 1);
  /* There are more predictions than numbers of each, where it is not final. */
  const gboolean across = a < b && b != FINAL_COLUMNS;
  head->data = views[0].data;
  head->n = (gsize) (across ? b : a);
  head->columns = (gsize) (across ? a : b);
  head->step = across ? 1 : head->columns;
  head->column_step = across ? head->n : 1;
  /* Seven numbers are also two classes. */
  head->final = head->columns == FINAL_COLUMNS && !across && s->classes != 2;
  return head->columns >= 6
         && (s->classes == 0 || head->final
             || head->columns == 5 + (gsize) s->classes);
}

static gboolean
suits (const InferDetectSettings *s, const InferView *views, guint n)
{
  Head head;

  return read_head (s, views, n, &head);
}

/* --- candidates --- */

static void
place (Candidate *c, const Head *head, const float *p)
{
  const gsize next = head->column_step;
  const double angle = p[(head->columns - 1) * next];
  const double w = p[2 * next], h = p[3 * next];
  const double ux = cos (angle), uy = sin (angle);
  /* The variance of a uniform distribution along each side. */
  const double a = w * w / 12, b = h * h / 12;

  c->rectangle = (InferRectangle){ p[0], p[next], (float) w, (float) h,
    (float) ux, (float) uy };
  c->xx = a * ux * ux + b * uy * uy;
  c->yy = a * uy * uy + b * ux * ux;
  c->xy = (a - b) * ux * uy;
}

static int
better_first (gconstpointer a, gconstpointer b)
{
  const float x = ((const Candidate *) a)->score;
  const float y = ((const Candidate *) b)->score;

  return x > y ? -1 : x < y;
}

/* (element-type Candidate), best first */
static GArray *
collect (const InferDetectSettings *s, const Head *head)
{
  GArray *candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  const gsize next = head->column_step;

  for (gsize i = 0; i < head->n; i++) {
    const float *p = head->data + i * head->step;
    Candidate c = { .score = p[4 * next] };

    if (head->final)
      c.label = infer_detect_label (p[5 * next]);
    for (gsize k = 5; k + 1 < head->columns && !head->final; k++)
      if (p[k * next] > c.score) {
        c.score = p[k * next];
        c.label = (int) k - 4;
      }
    if (!(c.score >= s->threshold))
      continue;
    place (&c, head, p);
    g_array_append_val (candidates, c);
  }
  g_array_sort (candidates, better_first);
  g_array_set_size (candidates, MIN (candidates->len, MOST_CANDIDATES));
  return candidates;
}

/* --- suppression --- */

/* One minus the Hellinger distance of two normal distributions: "probabilistic
 * IoU", arXiv 2106.06072, with which these models are trained. */
static double
overlap (const Candidate *a, const Candidate *b)
{
  const double tiny = 1e-7;
  const double dx = b->rectangle.x - a->rectangle.x;
  const double dy = a->rectangle.y - b->rectangle.y;
  const double xx = a->xx + b->xx, yy = a->yy + b->yy, xy = a->xy + b->xy;
  const double both = xx * yy - xy * xy;
  const double own = MAX (a->xx * a->yy - a->xy * a->xy, 0)
                     * MAX (b->xx * b->yy - b->xy * b->xy, 0);
  const double apart = (xx * dy * dy + yy * dx * dx) / (both + tiny) / 4
                       + xy * dx * dy / (both + tiny) / 2
                       + log (both / (4 * sqrt (own) + tiny) + tiny) / 2;

  return 1 - sqrt (1 - exp (-CLAMP (apart, tiny, 100.0)) + tiny);
}

/* As Ultralytics: what overlaps any better one is removed, even if that one is
 * removed itself. */
static gboolean
is_kept (const GArray *candidates, guint i, float iou)
{
  const Candidate *c = &g_array_index (candidates, Candidate, i);

  for (guint k = 0; k < i; k++) {
    const Candidate *better = &g_array_index (candidates, Candidate, k);

    if (better->label == c->label && overlap (better, c) > iou)
      return FALSE;
  }
  return TRUE;
}

static void
append (const Candidate *c, InferDetections *found)
{
  InferPoint corners[CORNERS];
  InferDetection d = {
    .score = c->score, .label = c->label, .points = found->points->len
  };

  infer_rectangle_corners (&c->rectangle, corners);
  d.x0 = d.x1 = corners[0].x, d.y0 = d.y1 = corners[0].y;
  for (guint i = 1; i < CORNERS; i++) {
    d.x0 = MIN (d.x0, corners[i].x), d.x1 = MAX (d.x1, corners[i].x);
    d.y0 = MIN (d.y0, corners[i].y), d.y1 = MAX (d.y1, corners[i].y);
  }
  g_array_append_vals (found->points, corners, CORNERS);
  g_array_append_val (found->items, d);
}

static gboolean
run (const InferDetectSettings *s, const InferView *views, guint n,
    InferDetections *found, GError **error)
{
  const float iou = infer_detect_iou (s, infer_detector_rotated.iou);
  Head head;

  if (!read_head (s, views, n, &head))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "rotated: the outputs are not one [1,5 + classes,N] or [1,N,7]");
  g_autoptr (GArray) candidates = collect (s, &head);
  found->points_per_item = CORNERS;
  found->outlines = TRUE;
  for (guint i = 0; i < candidates->len && found->items->len < s->max; i++)
    if (head.final || is_kept (candidates, i, iou))
      append (&g_array_index (candidates, Candidate, i), found);
  return TRUE;
}

const InferDetector infer_detector_rotated = {
  .name = "rotated",
  .model_types = (const char *const[]){ "obb", "yolov8-obb", "yolo_v8_obb",
      "yolo11-obb", "yolo_v11_obb", "yolo26-obb", NULL },
  .iou = 0.7f,
  .suits = suits,
  .run = run,
};
