/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For the readers of settings (settings*.c): values of JSON, with errors that
 * name the item and the key.  Where a key is absent, the value stays. */

#pragma once

#include "gst/scene/geometry.h"
#include "gst/scene/settings.h"
#include "inference/base/json.h"

typedef struct
{
  GArray *items;         /* (element-type GstInferSceneItem) */
  GstInferSceneItem *to; /* NULL, or what is read */
  GError **error;
} GstInferSceneReader;

/* Says which item is meant: its place in the list alone tells people little.
 * Returns FALSE. */
gboolean gst_infer_scene_fail (GstInferSceneReader *r, InferJsonValue value,
    const char *format, ...) G_GNUC_PRINTF (3, 4);

gboolean gst_infer_scene_check_keys (
    GstInferSceneReader *r, InferJsonValue object, const char *const *known);

/* @least ≤ the number ≤ @most. */
gboolean gst_infer_scene_read_number (GstInferSceneReader *r,
    InferJsonValue object, const char *key, double least, double most,
    double *to);
/* The same, whole. */
gboolean gst_infer_scene_read_count (GstInferSceneReader *r,
    InferJsonValue object, const char *key, guint most, guint *to);
gboolean gst_infer_scene_read_seconds (GstInferSceneReader *r,
    InferJsonValue object, const char *key, GstClockTime *to);

gboolean gst_infer_scene_read_points (GstInferSceneReader *r,
    InferJsonValue list, guint n, GstInferScenePoint *points);
/* On frames as wide as high. */
GstInferGridPoint gst_infer_scene_point_to_grid (GstInferScenePoint point);

/* One of @names, NULL-terminated. */
gboolean gst_infer_scene_take_choice (GstInferSceneReader *r,
    InferJsonValue value, const char *const *names, int *to);
gboolean gst_infer_scene_read_choice (GstInferSceneReader *r,
    InferJsonValue object, const char *key, const char *const *names, int *to);

/* A list of labels: (transfer full) */
gboolean gst_infer_scene_read_labels (
    GstInferSceneReader *r, InferJsonValue object, const char *key, GStrv *to);

/* The rules of a zone whose points have been read. */
extern const char *const gst_infer_scene_zone_keys[];
gboolean gst_infer_scene_read_zone (
    GstInferSceneReader *r, InferJsonValue object);
