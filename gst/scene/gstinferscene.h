/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of the element: gstinferscene.c (frames, times, events)
 * and properties.c (settings, statistics). */

#pragma once

#include <gst/base/gstbasetransform.h>

#include "gst/common/timing/durations.h"
#include "gst/scene/config-file.h"
#include "gst/scene/objects.h"

GST_DEBUG_CATEGORY_EXTERN (gst_infer_scene_debug);

#define GST_TYPE_INFER_SCENE (gst_infer_scene_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferScene, gst_infer_scene, GST, INFER_SCENE, GstBaseTransform)

typedef struct
{
  char *config, *zones, *tripwires, *speed_lines;
  guint lost_after, max_gap; /* ms */
  gboolean post_messages;
} GstInferSceneProperties;

/* For the property `stats`: since the start or the last flush. */
typedef struct
{
  guint64 buffers, events;
  GstInferDurations delay; /* from arrival (timing/arrival.h) to events */
} GstInferSceneCounters;

struct _GstInferScene
{
  GstBaseTransform parent;
  /* Guarded by the object lock. */
  GstInferSceneProperties settings;
  gboolean started;
  GstInferSceneSettings *pending; /* nullable: for the next frame */
  GstInferSceneCounters counters;

  /* Streaming thread. */
  GstInferSceneState *scene;
  GstInferConfigFile file;
  GstVideoInfo video;
  GArray *objects;    /* (element-type GstInferSceneObject), of this frame */
  guint posted;       /* events of the scene that are messages already */
  GstSegment segment; /* of the last SEGMENT event */
  GstClockTime now;   /* stream time of the last frame; NONE: there is none */
  GstClockTime next;  /* timestamp that the next should have */
  guint undecoded;    /* gst_infer_warn_of_undecoded */
  guint untracked;    /* frames in a row; G_MAXUINT: it was said */
};

/* --- properties.c --- */

void gst_infer_scene_install_properties (GObjectClass *klass);
/* READY → PAUSED: reads the settings, for the first frame. */
gboolean gst_infer_scene_begin_settings (GstInferScene *self, GError **error);
/* Streaming thread, before a frame: what was set since the last one, and once a
 * second the file if it has changed. */
void gst_infer_scene_take_settings (GstInferScene *self);
/* PAUSED → READY. */
void gst_infer_scene_end_settings (GstInferScene *self);
