/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/scene/pose.h"

#include <math.h>

#define SURE 0.3
#define TAN_60 1.7320508
#define MISSING_FOR (500 * GST_MSECOND)
#define FALL_WITHIN (2 * GST_SECOND)

const char *const gst_infer_pose_names[] = { "raised-hand", "lying", "fallen",
  NULL };

/* Left, right. */
typedef struct
{
  guint n, nose, shoulders[2], wrists[2], hips[2];
} Body;

static const Body bodies[] = {
  { 17, 0, { 5, 6 }, { 9, 10 }, { 11, 12 } },    /* COCO */
  { 33, 0, { 11, 12 }, { 15, 16 }, { 23, 24 } }, /* BlazePose */
};

static gboolean
is_sure (const GstInferKeypoint *point)
{
  return point->score >= SURE && isfinite (point->x) && isfinite (point->y);
}

/* The middle of those of the pair that are sure. */
static gboolean
middle (
    const GstInferKeypoint *points, const guint pair[2], double *x, double *y)
{
  guint n = 0;

  *x = *y = 0;
  for (guint i = 0; i < 2; i++)
    if (is_sure (&points[pair[i]])) {
      *x += points[pair[i]].x;
      *y += points[pair[i]].y;
      n++;
    }
  if (n == 2)
    *x /= 2, *y /= 2;
  return n > 0;
}

static gboolean
has_raised_hand (const Body *body, const GstInferKeypoint *points)
{
  const GstInferKeypoint *nose = &points[body->nose];

  for (guint i = 0; i < 2 && is_sure (nose); i++)
    if (is_sure (&points[body->wrists[i]])
        && points[body->wrists[i]].y < nose->y)
      return TRUE;
  return FALSE;
}

guint
gst_infer_pose_of (const GstInferKeypoint *points, guint n, double width)
{
  const Body *body = NULL;
  double x[2], y[2];

  for (guint i = 0; i < G_N_ELEMENTS (bodies) && body == NULL; i++)
    body = bodies[i].n == n ? &bodies[i] : NULL;
  if (body == NULL || !middle (points, body->shoulders, &x[0], &y[0])
      || !middle (points, body->hips, &x[1], &y[1]))
    return 0;
  const double across = fabs (x[1] - x[0]) * width, down = y[1] - y[0];
  guint bits = GST_INFER_POSE_KNOWN;
  if (across >= TAN_60 * fabs (down))
    bits |= GST_INFER_POSE_BIT (GST_INFER_POSE_LYING);
  else if (down >= TAN_60 * across)
    bits |= GST_INFER_POSE_UPRIGHT;
  /* Of somebody who lies, above means nothing. */
  if ((bits & GST_INFER_POSE_BIT (GST_INFER_POSE_LYING)) == 0
      && has_raised_hand (body, points))
    bits |= GST_INFER_POSE_BIT (GST_INFER_POSE_RAISED_HAND);
  return bits;
}

void
gst_infer_poses_init (GstInferPoses *self)
{
  self->upright = GST_CLOCK_TIME_NONE;
  for (guint i = 0; i < GST_INFER_POSE_N; i++)
    self->since[i] = self->last[i] = GST_CLOCK_TIME_NONE;
}

static void
update_pose (
    GstInferPoses *self, GstInferPose pose, gboolean has, GstClockTime now)
{
  if (has) {
    if (!GST_CLOCK_TIME_IS_VALID (self->since[pose]))
      self->since[pose] = now;
    self->last[pose] = now;
  } else if (GST_CLOCK_TIME_IS_VALID (self->since[pose])
             && now - self->last[pose] >= MISSING_FOR) {
    self->since[pose] = GST_CLOCK_TIME_NONE;
  }
}

void
gst_infer_poses_update (GstInferPoses *self, guint bits, GstClockTime now)
{
  if ((bits & GST_INFER_POSE_KNOWN) == 0)
    return;
  const gboolean lying =
      (bits & GST_INFER_POSE_BIT (GST_INFER_POSE_LYING)) != 0;
  const gboolean fell = GST_CLOCK_TIME_IS_VALID (self->upright)
                        && now - self->upright <= FALL_WITHIN;
  if ((bits & GST_INFER_POSE_UPRIGHT) != 0)
    self->upright = now;
  update_pose (self, GST_INFER_POSE_RAISED_HAND,
      (bits & GST_INFER_POSE_BIT (GST_INFER_POSE_RAISED_HAND)) != 0, now);
  update_pose (self, GST_INFER_POSE_LYING, lying, now);
  /* FALLEN lasts as long as LYING does. */
  update_pose (self, GST_INFER_POSE_FALLEN,
      lying
          && (fell
              || GST_CLOCK_TIME_IS_VALID (self->since[GST_INFER_POSE_FALLEN])),
      now);
}
