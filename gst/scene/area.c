/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Areas of masks: how much of an object is in a zone, and how much of a zone is
 * covered. */

#include "gst/scene/rules.h"

#define HYSTERESIS 0.9
/* Frames without inference, and those on which a model finds nothing, have no
 * masks alike: the last ones stay for that long. */
#define HOLD GST_SECOND

/* --- of objects --- */

void
gst_infer_scene_set_mask (
    GstInferSceneTrack *track, const GstInferSceneObject *object, double aspect)
{
  const guint n = GST_INFER_SCENE_MASK_SIZE;
  guint64 count = 0, x_sum = 0, y_sum = 0;

  for (guint y = 0; y < n; y++) {
    track->mask[y] = object->has_mask ? object->mask[y] : G_MAXUINT32;
    for (guint x = 0; x < n; x++) {
      const guint bit = track->mask[y] >> x & 1;

      count += bit, x_sum += bit * x, y_sum += bit * y;
    }
  }
  const double x =
      count > 0 ? ((double) x_sum / (double) count + 0.5) / n : 0.5;
  const double y =
      count > 0 ? ((double) y_sum / (double) count + 0.5) / n : 0.5;
  track->places[GST_INFER_SCENE_MASK] = gst_infer_scene_to_grid (aspect,
      CLAMP (object->x0 + (object->x1 - object->x0) * x, 0, 1),
      CLAMP (object->y0 + (object->y1 - object->y0) * y, 0, 1));
  const GstInferGridPoint corners[] = { gst_infer_scene_to_grid (
                                            aspect, object->x0, object->y0),
    gst_infer_scene_to_grid (aspect, object->x1, object->y1) };
  track->box = gst_infer_grid_box (corners, 2);
}

double
gst_infer_scene_share (const GstInferSceneCase *c)
{
  const GstInferGridBox *box = &c->track->box;
  const GstInferSceneWatch *w = c->watch;
  const gint64 n = 2 * GST_INFER_SCENE_MASK_SIZE;
  guint all = 0, inside = 0;

  for (guint y = 0; y < GST_INFER_SCENE_MASK_SIZE; y++)
    for (guint x = 0; x < GST_INFER_SCENE_MASK_SIZE; x++) {
      const GstInferGridPoint at = {
        box->x0 + (gint32) ((box->x1 - box->x0) * (gint64) (2 * x + 1) / n),
        box->y0 + (gint32) ((box->y1 - box->y0) * (gint64) (2 * y + 1) / n),
      };

      if ((c->track->mask[y] >> x & 1) == 0)
        continue;
      all++;
      inside += gst_infer_grid_box_contains (&w->box, at, 0)
                && gst_infer_grid_contains (w->points, w->item->n, at);
    }
  return all > 0 ? (double) inside / all : 0;
}

/* --- of zones --- */

void
gst_infer_scene_area_end (const GstInferSceneCase *c)
{
  GstInferSceneWatch *w = c->watch;

  if (w->covered)
    gst_infer_scene_say (c, GST_INFER_SCENE_COVERED_END)->duration =
        c->moment->now - w->covered_since;
  w->covered = FALSE;
  w->covered_since = GST_CLOCK_TIME_NONE;
}

void
gst_infer_scene_area_update (const GstInferSceneCase *c)
{
  GstInferSceneWatch *w = c->watch;
  const double limit = w->item->covered;

  if (w->item->masks == NULL || w->area < 0)
    return;
  if (w->area_is_fresh)
    w->area_time = c->moment->now;
  else if (c->moment->now - w->area_time > HOLD)
    w->area = 0;
  w->area_is_fresh = FALSE;
  if (w->area < limit * HYSTERESIS) {
    gst_infer_scene_area_end (c);
    return;
  }
  if (w->area >= limit && !GST_CLOCK_TIME_IS_VALID (w->covered_since))
    w->covered_since = c->moment->now;
  if (w->covered || !GST_CLOCK_TIME_IS_VALID (w->covered_since)
      || c->moment->now - w->covered_since < w->item->covered_time)
    return;
  w->covered = TRUE;
  GstInferSceneEvent *event = gst_infer_scene_say (c, GST_INFER_SCENE_COVERED);
  event->duration = c->moment->now - w->covered_since;
  event->area = w->area;
}
