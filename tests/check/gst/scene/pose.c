/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Poses: what keypoints say on one frame, and over time. */

#include "gst/scene/pose.h"

#include <math.h>
#include <string.h>

#define RAISED GST_INFER_POSE_BIT (GST_INFER_POSE_RAISED_HAND)
#define LYING GST_INFER_POSE_BIT (GST_INFER_POSE_LYING)
#define UPRIGHT GST_INFER_POSE_UPRIGHT
#define KNOWN GST_INFER_POSE_KNOWN
#define TENTH (GST_SECOND / 10)

/* Somebody who stands: nose, shoulders, wrists, hips as COCO's 17 points have
 * them, turned clockwise about the hips. */
static void
stand (GstInferKeypoint *points, double degrees)
{
  static const struct
  {
    guint i;
    double x, y;
  } at[] = { { 0, 0, -80 }, { 5, 15, -60 }, { 6, -15, -60 }, { 9, 20, 5 },
    { 10, -20, 5 }, { 11, 10, 0 }, { 12, -10, 0 } };
  const double c = cos (degrees * G_PI / 180), s = sin (degrees * G_PI / 180);

  memset (points, 0, 17 * sizeof *points);
  for (guint k = 0; k < G_N_ELEMENTS (at); k++)
    points[at[k].i] = (GstInferKeypoint){ 200 + c * at[k].x - s * at[k].y,
      200 + s * at[k].x + c * at[k].y, 0.9 };
}

static guint
pose_of (const GstInferKeypoint *points)
{
  return gst_infer_pose_of (points, 17, 1);
}

static void
test_angles (void)
{
  static const struct
  {
    double degrees;
    guint pose;
  } cases[] = { { 0, UPRIGHT }, { 25, UPRIGHT }, { -29, UPRIGHT }, { 45, 0 },
    { -50, 0 }, { 62, LYING }, { 90, LYING }, { -90, LYING }, { 115, LYING } };
  GstInferKeypoint points[17];

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    stand (points, cases[i].degrees);
    g_assert_cmpuint (pose_of (points) & ~RAISED, ==, KNOWN | cases[i].pose);
  }
  /* Pixels twice as wide as high. */
  stand (points, 45);
  g_assert_cmpuint (gst_infer_pose_of (points, 17, 2) & LYING, !=, 0);
}

static void
test_hand (void)
{
  GstInferKeypoint points[17];

  stand (points, 0);
  g_assert_cmpuint (pose_of (points) & RAISED, ==, 0);
  points[10].y = points[0].y - 5;
  g_assert_cmpuint (pose_of (points), ==, KNOWN | UPRIGHT | RAISED);
  points[10].score = 0.2;
  g_assert_cmpuint (pose_of (points) & RAISED, ==, 0);
  points[10].score = 0.9, points[0].score = 0;
  g_assert_cmpuint (pose_of (points) & RAISED, ==, 0);
  /* Of somebody who lies, a wrist may well be above the nose. */
  stand (points, 90);
  points[10].y = 0;
  g_assert_cmpuint (pose_of (points), ==, KNOWN | LYING);
}

static void
test_unsure (void)
{
  GstInferKeypoint points[33] = { { 0 } };

  stand (points, 0);
  points[5].score = 0;
  g_assert_cmpuint (pose_of (points), ==, KNOWN | UPRIGHT);
  points[6].score = 0;
  g_assert_cmpuint (pose_of (points), ==, 0);
  stand (points, 0);
  points[11].x = NAN, points[12].y = INFINITY;
  g_assert_cmpuint (pose_of (points), ==, 0);
  stand (points, 0);
  g_assert_cmpuint (gst_infer_pose_of (points, 16, 1), ==, 0);
  g_assert_cmpuint (gst_infer_pose_of (points, 0, 1), ==, 0);
  /* BlazePose's: the points are elsewhere. */
  memset (points, 0, sizeof points);
  points[11] = points[12] = (GstInferKeypoint){ 0, 10, 1 };
  points[23] = points[24] = (GstInferKeypoint){ 0, 50, 1 };
  points[0] = (GstInferKeypoint){ 0, 5, 1 };
  points[15] = (GstInferKeypoint){ 0, 0, 1 };
  g_assert_cmpuint (
      gst_infer_pose_of (points, 33, 1), ==, KNOWN | UPRIGHT | RAISED);
}

/* A person who was upright at most 2 s before lying has fallen; one who was
 * not, or bent down slowly, only lies. */
static void
test_fall (void)
{
  static const struct
  {
    guint between; /* tenths of a second, bent */
    gboolean fallen;
  } cases[] = { { 0, TRUE }, { 19, TRUE }, { 20, FALSE }, { 100, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstInferPoses poses;
    GstClockTime now = 0;

    gst_infer_poses_init (&poses);
    gst_infer_poses_update (&poses, KNOWN | UPRIGHT, now);
    for (guint k = 0; k < cases[i].between; k++)
      gst_infer_poses_update (&poses, KNOWN, now += TENTH);
    const GstClockTime begin = now += TENTH;
    for (guint k = 0; k < 50; k++, now += TENTH)
      gst_infer_poses_update (&poses, KNOWN | LYING, now);
    g_assert_cmpuint (poses.since[GST_INFER_POSE_LYING], ==, begin);
    g_assert_cmpuint (poses.since[GST_INFER_POSE_FALLEN], ==,
        cases[i].fallen ? begin : GST_CLOCK_TIME_NONE);
  }
}

/* A pose that is missing for less than half a second goes on; frames without
 * keypoints say nothing. */
static void
test_gaps (void)
{
  GstInferPoses poses;
  GstClockTime now = 0;

  gst_infer_poses_init (&poses);
  gst_infer_poses_update (&poses, KNOWN | RAISED, now);
  gst_infer_poses_update (&poses, KNOWN, now += 4 * TENTH);
  g_assert_cmpuint (poses.since[GST_INFER_POSE_RAISED_HAND], ==, 0);
  gst_infer_poses_update (&poses, KNOWN | RAISED, now += TENTH);
  gst_infer_poses_update (&poses, 0, now += GST_SECOND);
  g_assert_cmpuint (poses.since[GST_INFER_POSE_RAISED_HAND], ==, 0);
  gst_infer_poses_update (&poses, KNOWN, now += TENTH);
  g_assert_false (
      GST_CLOCK_TIME_IS_VALID (poses.since[GST_INFER_POSE_RAISED_HAND]));
  gst_infer_poses_update (&poses, KNOWN | RAISED, now += TENTH);
  g_assert_cmpuint (poses.since[GST_INFER_POSE_RAISED_HAND], ==, now);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/scene/pose/angles", test_angles);
  g_test_add_func ("/gst/scene/pose/hand", test_hand);
  g_test_add_func ("/gst/scene/pose/unsure", test_unsure);
  g_test_add_func ("/gst/scene/pose/fall", test_fall);
  g_test_add_func ("/gst/scene/pose/gaps", test_gaps);
  return g_test_run ();
}
