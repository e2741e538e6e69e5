/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From the tracked objects of each frame to events: who is where, since when,
 * and what the rules of the settings make of it.  Knows no buffers.  Times are
 * the media's and never decrease between two calls of gst_infer_scene_end.  One
 * thread at a time. */

#pragma once

#include "gst/scene/settings.h"

/* A mask is a bit for each of so many places along its box. */
#define GST_INFER_SCENE_MASK_SIZE 32

typedef struct
{
  int id;       /* the same on every frame; not 0 */
  GQuark label; /* 0: none */
  double confidence;
  double x0, y0, x1, y1; /* its box, in fractions of the frame */
  int roi_id;            /* of its region; not read by the scene */
  guint pose;            /* gst_infer_pose_of; 0: not known */
  const char *text;      /* read on this frame; NULL: nothing */
  double text_confidence;
  gboolean has_mask; /* else all of the box belongs to it */
  guint32 mask[GST_INFER_SCENE_MASK_SIZE];
} GstInferSceneObject;

typedef struct _GstInferSceneState GstInferSceneState;

GstInferSceneState *gst_infer_scene_state_new (void);
void gst_infer_scene_state_free (GstInferSceneState *scene); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstInferSceneState, gst_infer_scene_state_free)

/* Stays in zones whose settings are the same as before continue; the others end
 * with reason SETTINGS.  Counts are kept for ids that exist in both.  Keeps a
 * reference. */
void gst_infer_scene_state_set_settings (
    GstInferSceneState *scene, GstInferSceneSettings *settings);
/* Width of the frame as displayed, in heights. */
void gst_infer_scene_state_set_aspect (
    GstInferSceneState *scene, double aspect);
/* A track without an object for longer has ended, and is forgotten. */
void gst_infer_scene_state_set_lost_after (
    GstInferSceneState *scene, GstClockTime time);

/* The parts of objects that the shapes need: GstInferSceneWants. */
guint gst_infer_scene_state_wants (const GstInferSceneState *scene);
/* (transfer none) (nullable) */
const GstInferSceneSettings *gst_infer_scene_state_settings (
    const GstInferSceneState *scene);
/* Of the next frame: the share of zone @i of the settings that is covered. */
void gst_infer_scene_state_set_area (
    GstInferSceneState *scene, guint i, double area);
/* The first of several @objects [n] of the same id counts. */
void gst_infer_scene_state_update (GstInferSceneState *scene, GstClockTime now,
    const GstInferSceneObject *objects, guint n);
/* Ends all stays; what comes next is new. */
void gst_infer_scene_state_end (
    GstInferSceneState *scene, GstInferSceneReason reason);

/* Since they were last removed by the caller, in order.  (transfer none)
 * (element-type GstInferSceneEvent) */
GArray *gst_infer_scene_state_events (GstInferSceneState *scene);
/* The shapes on a frame of this size with their counts; valid until the next
 * call of any function.  (transfer none) */
const GstInferSceneShape *gst_infer_scene_state_shapes (
    GstInferSceneState *scene, guint width, guint height, guint *n);
/* Tracks that are remembered. */
guint gst_infer_scene_state_n_tracks (GstInferSceneState *scene);
