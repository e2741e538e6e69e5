/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Zones: who enters and leaves, and what they do meanwhile.  An object enters
 * where its point is inside, and leaves where it is outside by the margin. */

#include <math.h>

#include "gst/scene/rules.h"

#define LEAST_OVERLAP 0.8 /* of `overlap`, until an object leaves */

/* The object is last known to have been there. */
static GstClockTime
stayed_until (const GstInferSceneCase *c, GstInferSceneReason reason)
{
  return reason == GST_INFER_SCENE_LEFT ? c->moment->now : c->track->last;
}

/* --- rules --- */

static gboolean
is_time (const GstInferSceneCase *c, GstInferSceneSaid said, GstClockTime since,
    GstClockTime rule)
{
  if (!GST_CLOCK_TIME_IS_VALID (rule) || (c->stay->said & said) != 0
      || c->moment->now - since < rule)
    return FALSE;
  c->stay->said |= said;
  return TRUE;
}

static void
check_loitering (const GstInferSceneCase *c)
{
  if (is_time (c, GST_INFER_SCENE_SAID_LOITERING, c->stay->since,
          c->watch->item->loitering))
    gst_infer_scene_say (c, GST_INFER_SCENE_LOITERING)->duration =
        c->moment->now - c->stay->since;
}

static void
check_way (const GstInferSceneCase *c)
{
  const GstInferSceneWatch *w = c->watch;
  const GstInferGridPoint place = gst_infer_scene_place (c);

  if (!w->item->directed)
    return;
  const double progress =
      (place.x - w->from_x) * w->step_x + (place.y - w->from_y) * w->step_y;
  c->stay->progress = MAX (c->stay->progress, progress);
  if (c->stay->progress - progress < w->distance
      || (c->stay->said & GST_INFER_SCENE_SAID_WRONG_WAY) != 0)
    return;
  c->stay->said |= GST_INFER_SCENE_SAID_WRONG_WAY;
  gst_infer_scene_say (c, GST_INFER_SCENE_WRONG_WAY);
}

/* It stood still until @until, and does so no longer. */
static void
check_removed (const GstInferSceneCase *c, GstClockTime until)
{
  const GstClockTime rule = c->watch->item->removed;

  if (GST_CLOCK_TIME_IS_VALID (rule) && until - c->stay->still_since >= rule)
    gst_infer_scene_say (c, GST_INFER_SCENE_OBJECT_REMOVED)->duration =
        until - c->stay->still_since;
}

static void
check_still (const GstInferSceneCase *c)
{
  const GstInferSceneWatch *w = c->watch;
  GstInferSceneStay *stay = c->stay;
  const GstInferGridPoint place = gst_infer_scene_place (c);
  const double dx = place.x - stay->still_at.x;
  const double dy = place.y - stay->still_at.y;

  if (dx * dx + dy * dy > w->still * w->still) {
    check_removed (c, c->moment->now);
    stay->still_at = place;
    stay->still_since = c->moment->now;
    stay->said &= ~(guint) GST_INFER_SCENE_SAID_OBJECT_LEFT;
  }
  if (is_time (c, GST_INFER_SCENE_SAID_OBJECT_LEFT, stay->still_since,
          w->item->left))
    gst_infer_scene_say (c, GST_INFER_SCENE_OBJECT_LEFT)->duration =
        c->moment->now - stay->still_since;
}

static void
check_poses (const GstInferSceneCase *c)
{
  G_STATIC_ASSERT (GST_INFER_SCENE_RAISED_HAND + GST_INFER_POSE_FALLEN
                   == GST_INFER_SCENE_FALLEN);
  const GstInferSceneItem *item = c->watch->item;

  for (guint i = 0; i < GST_INFER_POSE_N && item->poses != 0; i++) {
    const GstInferSceneSaid said = GST_INFER_SCENE_SAID_POSE << i;
    GstClockTime since = c->track->poses.since[i];

    if ((item->poses & GST_INFER_POSE_BIT (i)) == 0)
      continue;
    if (!GST_CLOCK_TIME_IS_VALID (since)) {
      c->stay->said &= ~(guint) said;
      continue;
    }
    since = MAX (since, c->stay->since);
    if (is_time (c, said, since, item->pose_time))
      gst_infer_scene_say (c, GST_INFER_SCENE_RAISED_HAND + i)->duration =
          c->moment->now - since;
  }
}

static void
check_reading (const GstInferSceneCase *c)
{
  const GstInferSceneItem *item = c->watch->item;
  double confidence = 0;

  if (item->reading == GST_INFER_READING_OFF
      || (c->stay->said & GST_INFER_SCENE_SAID_READING) != 0)
    return;
  g_autofree char *text = gst_infer_readings_settle (c->track->readings,
      item->reading, item->reading_votes, item->reading_share, &confidence);
  if (text == NULL)
    return;
  c->stay->said |= GST_INFER_SCENE_SAID_READING;
  GstInferSceneEvent *event = gst_infer_scene_say (c, GST_INFER_SCENE_READING);
  event->text = g_ref_string_new (text);
  event->confidence = confidence;
}

/* --- borders --- */

static void
enter (const GstInferSceneCase *c)
{
  GstInferSceneStay *stay = c->stay;

  stay->inside = TRUE;
  stay->since = stay->still_since = c->moment->now;
  stay->still_at = gst_infer_scene_place (c);
  stay->progress = -INFINITY;
  stay->said &= GST_INFER_SCENE_SAID_READING;
  c->watch->count++;
  c->watch->in++;
  gst_infer_scene_say (c, GST_INFER_SCENE_ENTER);
}

void
gst_infer_scene_zone_end (
    const GstInferSceneCase *c, GstInferSceneReason reason)
{
  const GstClockTime until = stayed_until (c, reason);

  if (reason == GST_INFER_SCENE_LEFT || reason == GST_INFER_SCENE_LOST)
    check_removed (c, until);
  c->stay->inside = FALSE;
  c->watch->count--;
  c->watch->out++;
  GstInferSceneEvent *event = gst_infer_scene_say (c, GST_INFER_SCENE_EXIT);
  event->duration = until - c->stay->since;
  event->reason = reason;
}

static gboolean
is_in (const GstInferSceneCase *c)
{
  const GstInferSceneWatch *w = c->watch;
  const GstInferGridPoint place = gst_infer_scene_place (c);

  if (w->item->anchor == GST_INFER_SCENE_MASK)
    return gst_infer_scene_share (c)
           >= w->item->overlap * (c->stay->inside ? LEAST_OVERLAP : 1);
  if (gst_infer_grid_box_contains (&w->box, place, 0)
      && gst_infer_grid_contains (w->points, w->item->n, place))
    return TRUE;
  return c->stay->inside
         && !gst_infer_grid_is_far (
             w->points, w->item->n, TRUE, place, w->margin);
}

void
gst_infer_scene_zone_update (const GstInferSceneCase *c)
{
  const gboolean in = is_in (c);

  if (!in && c->stay->inside)
    gst_infer_scene_zone_end (c, GST_INFER_SCENE_LEFT);
  else if (in && !c->stay->inside)
    enter (c);
  if (!in)
    return;
  check_loitering (c);
  check_way (c);
  check_still (c);
  check_poses (c);
  check_reading (c);
}

/* --- crowds --- */

void
gst_infer_scene_zone_end_crowd (const GstInferSceneCase *c)
{
  GstInferSceneWatch *w = c->watch;

  if (w->crowded)
    gst_infer_scene_say (c, GST_INFER_SCENE_OVERCROWDING_END)->duration =
        c->moment->now - w->crowded_since;
  w->crowded = FALSE;
  w->crowded_since = GST_CLOCK_TIME_NONE;
}

void
gst_infer_scene_zone_count (const GstInferSceneCase *c)
{
  GstInferSceneWatch *w = c->watch;

  if (w->item->object_threshold == 0)
    return;
  if (w->count < w->item->object_threshold) {
    gst_infer_scene_zone_end_crowd (c);
    return;
  }
  if (!GST_CLOCK_TIME_IS_VALID (w->crowded_since))
    w->crowded_since = c->moment->now;
  if (w->crowded || c->moment->now - w->crowded_since < w->item->time_threshold)
    return;
  w->crowded = TRUE;
  gst_infer_scene_say (c, GST_INFER_SCENE_OVERCROWDING)->duration =
      c->moment->now - w->crowded_since;
}
