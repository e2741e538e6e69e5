/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The masks of a frame: those of objects, and which part of a zone they cover.
 */

#pragma once

#include <gst/video/video.h>

#include "gst/scene/scene.h"

/* Sets the masks of @objects. */
void gst_infer_scene_read_masks (
    GstBuffer *buffer, const GstVideoInfo *video, GArray *objects);

/* Tells @scene the areas of the zones that ask for them, if there are masks. */
void gst_infer_scene_read_areas (
    GstBuffer *buffer, const GstVideoInfo *video, GstInferSceneState *scene);
