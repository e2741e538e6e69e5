/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The settings of inferscene: zones, tripwires and speed lines with their
 * rules, read from JSON.  Never changes once it is read: any thread. */

#pragma once

#include "gst/infer/scene-meta.h"

#define GST_INFER_SCENE_MOST_SHAPES 256 /* in all */
#define GST_INFER_SCENE_MOST_POINTS 128 /* of one shape */

/* Which point of its box stands for an object. */
typedef enum
{
  GST_INFER_SCENE_BOTTOM, /* the middle of the lower edge */
  GST_INFER_SCENE_CENTER,
  GST_INFER_SCENE_TOP,
  GST_INFER_SCENE_N_ANCHORS
} GstInferSceneAnchor;

/* Lengths are in heights of the frame, points in fractions of width and height.
 * GST_CLOCK_TIME_NONE, 0: without this rule. */
typedef struct
{
  GstInferSceneKind kind;
  char *id; /* g_ref_string_new */
  guint n;
  GstInferScenePoint *points; /* [n] */
  GStrv labels;               /* NULL: all */
  double min_confidence;
  GstInferSceneAnchor anchor;
  double margin;

  /* Of zones. */
  GstClockTime loitering, left, removed;
  double still; /* what stands still moves less than that */
  guint object_threshold;
  GstClockTime time_threshold;
  gboolean directed;
  GstInferScenePoint direction[2]; /* from, to */
  double distance;                 /* of a move against the direction */

  int allowed; /* direction across a tripwire; 0: both */

  /* Of speed lines. */
  double *metres;      /* [n], at each point, from 0 on, increasing */
  double width, limit; /* limit: metres per second */
} GstInferSceneItem;

typedef struct
{
  guint n;
  GstInferSceneItem *items; /* [n]: zones, tripwires, speed lines */
} GstInferSceneSettings;

/* Any argument may be NULL.  @config: a file, an object with `zones`,
 * `tripwires`, `speed_lines`; @zones, @tripwires, @speed_lines: the lists
 * themselves, each in place of the file's.  An error names the file or
 * property, the zone and the key.  (transfer full) */
GstInferSceneSettings *gst_infer_scene_settings_new (const char *config,
    const char *zones, const char *tripwires, const char *speed_lines,
    GError **error);
/* The same of the text of a file called @name. */
GstInferSceneSettings *gst_infer_scene_settings_parse (
    const char *name, const char *text, gsize size, GError **error);
GstInferSceneSettings *gst_infer_scene_settings_ref (
    GstInferSceneSettings *settings);
void gst_infer_scene_settings_unref (GstInferSceneSettings *settings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (
    GstInferSceneSettings, gst_infer_scene_settings_unref)

/* Frees what it has; a GDestroyNotify. */
void gst_infer_scene_item_clear (gpointer item);
/* The same shape with the same rules. */
gboolean gst_infer_scene_item_equal (
    const GstInferSceneItem *a, const GstInferSceneItem *b);
