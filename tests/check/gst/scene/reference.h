/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What must be said of a scene, worked out afterwards: from all places of a
 * track at once, shape by shape, with exact geometry of another kind than
 * gst/scene's.  For tests. */

#pragma once

#include "gst/scene/scene.h"

typedef struct
{
  gboolean seen;
  double confidence;
  double x, y; /* fractions of the frame: what stands for the object */
} ReferenceSight;

typedef struct
{
  guint frames;
  GstClockTime *times; /* [frames] */
  int *ends;           /* [frames]: GstInferSceneReason, said before the
                        * frame; -1: none */
  guint tracks;
  ReferenceSight *sights;    /* [tracks][frames] */
  const char *const *labels; /* [tracks] */
  GstClockTime lost_after;
  const GstInferSceneSettings *settings;
} ReferenceScene;

/* The events, of each frame in any order, and those of the end of the stream
 * (EOS) after the last frame.  Ids are borrowed from the settings.
 * (transfer full) (element-type GstInferSceneEvent) */
GArray *reference_events (const ReferenceScene *scene);
