/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tracked objects on a frame, as gst_infer_scene_update takes them. */

#pragma once

#include <gst/video/video.h>

#include "gst/scene/scene.h"

/* Appends the objects of @buffer that have an identity, with what
 * @scene wants of them, and tells it the areas that masks cover.  *@untracked:
 * how many have no identity.  (element-type GstInferSceneObject) */
void gst_infer_scene_read_objects (GstBuffer *buffer, const GstVideoInfo *video,
    GstInferSceneState *scene, GArray *objects, guint *untracked);
