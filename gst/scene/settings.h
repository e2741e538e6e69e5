/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The settings of inferscene: zones, tripwires and speed lines with their
 * rules, read from JSON.  Never changes once it is read: any thread. */

#pragma once

#include "gst/infer/scene-meta.h"
#include "gst/scene/readings.h"

#define GST_INFER_SCENE_MOST_SHAPES 256 /* in all */
#define GST_INFER_SCENE_MOST_POINTS 128 /* of one shape */
#define GST_INFER_SCENE_SAMPLES 64      /* of a zone's box, in each direction */

/* Which point of its box stands for an object. */
typedef enum
{
  GST_INFER_SCENE_BOTTOM, /* the middle of the lower edge */
  GST_INFER_SCENE_CENTER,
  GST_INFER_SCENE_TOP,
  GST_INFER_SCENE_MASK, /* the centre of mass of its mask; in zones the share of
                         * the mask that lies in the zone */
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
  guint poses;                     /* GST_INFER_POSE_BIT of each */
  GstClockTime pose_time;          /* that one must last */

  double overlap; /* share of a mask in the zone, of an object that is in it */
  GStrv masks;    /* labels whose masks may cover the zone; NULL: none */
  double covered; /* the share of the zone from which on it is */
  GstClockTime covered_time; /* that this must last */
  guint n_samples;
  GstInferScenePoint *samples; /* [n_samples]: if there are masks */
  GstInferReading reading;
  guint reading_votes;  /* at least so many texts */
  double reading_share; /* of the weight of all, that the settled one has */

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

typedef enum
{
  GST_INFER_SCENE_WANTS_POSES = 1 << 0,
  GST_INFER_SCENE_WANTS_MASKS = 1 << 1,
  GST_INFER_SCENE_WANTS_TEXTS = 1 << 2,
} GstInferSceneWants;

/* The parts of objects that the item needs: GstInferSceneWants. */
guint gst_infer_scene_item_wants (const GstInferSceneItem *item);
/* Frees what it has; a GDestroyNotify. */
void gst_infer_scene_item_clear (gpointer item);
/* The same shape with the same rules. */
gboolean gst_infer_scene_item_equal (
    const GstInferSceneItem *a, const GstInferSceneItem *b);
