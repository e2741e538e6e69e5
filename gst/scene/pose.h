/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A person's pose on one frame, from the keypoints of the body, and how long it
 * has lasted. */

#pragma once

#include "gst/infer/keypoints-meta.h"

/* Poses that zones can ask for, in the order of their names. */
typedef enum
{
  GST_INFER_POSE_RAISED_HAND, /* a wrist is above the nose */
  GST_INFER_POSE_LYING,  /* the trunk is at most 30° from the horizontal */
  GST_INFER_POSE_FALLEN, /* lying, and upright at most 2 s before that */
  GST_INFER_POSE_N,
} GstInferPose;

/* Bits of a frame; FALLEN needs more than one. */
#define GST_INFER_POSE_BIT(pose) (1u << (pose))
#define GST_INFER_POSE_UPRIGHT (1u << GST_INFER_POSE_N)
/* The keypoints that decide are there. */
#define GST_INFER_POSE_KNOWN (1u << (GST_INFER_POSE_N + 1))

/* NULL-terminated. */
extern const char *const gst_infer_pose_names[];

/* Returns bits, 0 where too few points are sure.  @points: those of a body, see
 * GST_INFER_KEYPOINTS_BODY; @width: of a pixel, in heights of one. */
guint gst_infer_pose_of (const GstInferKeypoint *points, guint n, double width);

/* How an object has held itself so far. */
typedef struct
{
  GstClockTime since[GST_INFER_POSE_N], last[GST_INFER_POSE_N]; /* NONE: not */
  GstClockTime upright;                                         /* last seen */
} GstInferPoses;

void gst_infer_poses_init (GstInferPoses *poses);
/* A pose ends once it is missing for half a second: keypoints tremble.  Without
 * GST_INFER_POSE_KNOWN nothing changes. */
void gst_infer_poses_update (
    GstInferPoses *poses, guint bits, GstClockTime now);
