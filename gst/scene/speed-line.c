/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Speed lines: along a line whose points have known distances, the mean speed
 * of an object between its first and its last frame beside the line. */

#include <math.h>

#include "gst/scene/rules.h"

/* Parts of the line that must have been travelled for a mean to be told. */
#define LEAST 0.5
#define LEAST_SPEEDING 0.25

/* Gets the metres along the line of the place nearest to @p, and how far that
 * is; FALSE: @p is before the line or behind it. */
static gboolean
locate (const GstInferSceneWatch *w, GstInferGridPoint p, double *metres,
    double *distance2)
{
  const GstInferSceneItem *item = w->item;
  double part = 0;
  guint nearest = 0;

  *distance2 = INFINITY;
  for (guint i = 0; i + 1 < item->n; i++) {
    const double d =
        gst_infer_grid_distance2 (w->points[i], w->points[i + 1], p);

    if (d < *distance2) {
      *distance2 = d;
      nearest = i;
    }
  }
  part = gst_infer_grid_project (w->points[nearest], w->points[nearest + 1], p);
  *metres = item->metres[nearest]
            + CLAMP (part, 0, 1)
                  * (item->metres[nearest + 1] - item->metres[nearest]);
  return !(nearest == 0 && part < 0) && !(nearest + 2 == item->n && part > 1);
}

static double
mean_speed (const GstInferSceneStay *stay)
{
  return (stay->last - stay->first)
         / ((double) (stay->last_time - stay->since) / GST_SECOND);
}

static gboolean
has_travelled (const GstInferSceneCase *c, double part)
{
  const GstInferSceneItem *item = c->watch->item;

  return c->stay->last_time > c->stay->since
         && fabs (c->stay->last - c->stay->first)
                >= part * item->metres[item->n - 1];
}

void
gst_infer_scene_speed_line_end (const GstInferSceneCase *c)
{
  GstInferSceneStay *stay = c->stay;

  stay->inside = FALSE;
  c->watch->count--;
  c->watch->out++;
  if (!has_travelled (c, LEAST))
    return;
  GstInferSceneEvent *event = gst_infer_scene_say (c, GST_INFER_SCENE_SPEED);
  event->speed = mean_speed (stay);
  event->duration = stay->last_time - stay->since;
}

void
gst_infer_scene_speed_line_update (const GstInferSceneCase *c)
{
  GstInferSceneStay *stay = c->stay;
  GstInferSceneWatch *w = c->watch;
  double metres, distance2;
  const double most = w->width + (stay->inside ? w->margin : 0);

  if (!locate (w, gst_infer_scene_place (c), &metres, &distance2)
      || distance2 > most * most) {
    if (stay->inside)
      gst_infer_scene_speed_line_end (c);
    return;
  }
  if (!stay->inside) {
    stay->inside = TRUE;
    stay->said = 0;
    stay->first = metres;
    stay->since = c->moment->now;
    w->count++;
    w->in++;
  }
  stay->last = metres;
  stay->last_time = c->moment->now;
  if (w->item->limit <= 0 || (stay->said & GST_INFER_SCENE_SAID_SPEEDING) != 0
      || !has_travelled (c, LEAST_SPEEDING)
      || fabs (mean_speed (stay)) <= w->item->limit)
    return;
  stay->said |= GST_INFER_SCENE_SAID_SPEEDING;
  gst_infer_scene_say (c, GST_INFER_SCENE_SPEEDING)->speed = mean_speed (stay);
}
