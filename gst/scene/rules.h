/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For scene.c and the kinds of shapes (zone.c, tripwire.c, speed-line.c): what
 * is known of a shape, of an object, and of an object at a shape. */

#pragma once

#include <math.h>

#include "gst/scene/geometry.h"
#include "gst/scene/pose.h"
#include "gst/scene/scene.h"
#include "gst/scene/settings.h"

/* A shape on frames of one aspect, and its counts.  Lengths are in units of the
 * grid. */
typedef struct
{
  const GstInferSceneItem *item;
  GstInferGridPoint *points; /* [item->n] */
  GstInferGridBox box;       /* outside of it, nothing begins */
  double margin, still, distance, width;
  double from_x, from_y, step_x, step_y; /* direction: of length 1 */

  guint count;
  guint64 in, out;
  GstClockTime crowded_since; /* GST_CLOCK_TIME_NONE: it is not */
  gboolean crowded;           /* and it was said */
  double area;                /* of masks, a share; below 0: not known */
  gboolean area_is_fresh;     /* of this frame */
  GstClockTime area_time;     /* of its frame */
  GstClockTime covered_since; /* GST_CLOCK_TIME_NONE: it is not */
  gboolean covered;           /* and it was said */
} GstInferSceneWatch;

typedef enum
{
  GST_INFER_SCENE_SAID_LOITERING = 1 << 0,
  GST_INFER_SCENE_SAID_WRONG_WAY = 1 << 1,
  GST_INFER_SCENE_SAID_OBJECT_LEFT = 1 << 2,
  GST_INFER_SCENE_SAID_SPEEDING = 1 << 3,
  GST_INFER_SCENE_SAID_READING = 1 << 4, /* once, however often it enters */
  GST_INFER_SCENE_SAID_POSE = 1 << 5,    /* the first; one bit for each */
} GstInferSceneSaid;

/* An object at a shape. */
typedef struct
{
  enum
  {
    GST_INFER_SCENE_UNKNOWN,    /* whether the rules want it */
    GST_INFER_SCENE_WANTED,     /* from then on */
    GST_INFER_SCENE_UNSURE,     /* its confidence was too low so far */
    GST_INFER_SCENE_OTHER_LABEL /* until its label changes */
  } wanted;
  gboolean inside;
  guint said;  /* GstInferSceneSaid */
  int crossed; /* times from left to right less those back, not yet said */
  GstClockTime since;
  GstClockTime still_since;
  GstInferGridPoint still_at;
  double progress;    /* farthest along the direction of the zone */
  double first, last; /* metres along a speed line */
  GstClockTime last_time;
} GstInferSceneStay;

#define GST_INFER_SCENE_WORDS (GST_INFER_SCENE_MOST_SHAPES / 64)

typedef struct
{
  int id;
  GQuark label;
  guint64 frame;     /* of its last object */
  GstClockTime last; /* the same */
  gboolean is_new;   /* it has no place before this one */
  double confidence; /* the highest so far */
  GstInferPoses poses;
  GstInferReadings *readings; /* NULL: none */
  GstInferGridBox box;
  guint32 mask[GST_INFER_SCENE_MASK_SIZE]; /* of the box */
  GstInferGridPoint places[GST_INFER_SCENE_N_ANCHORS];
  GstInferGridPoint before[GST_INFER_SCENE_N_ANCHORS];
  guint64 busy[GST_INFER_SCENE_WORDS]; /* a bit for each stay that has begun */
  GstInferSceneStay stays[];           /* one for each shape */
} GstInferSceneTrack;

typedef struct
{
  GArray *events; /* (element-type GstInferSceneEvent) */
  GstClockTime now;
} GstInferSceneMoment;

/* An object at a shape, at a time. */
typedef struct
{
  GstInferSceneMoment *moment;
  GstInferSceneWatch *watch;
  GstInferSceneTrack *track; /* NULL: of no single object */
  GstInferSceneStay *stay;
} GstInferSceneCase;

static inline GstInferGridPoint
gst_infer_scene_to_grid (double aspect, double x, double y)
{
  return (GstInferGridPoint){ (gint32) lround (x * aspect * GST_INFER_GRID),
    (gint32) lround (y * GST_INFER_GRID) };
}

/* Places the item on frames of @aspect. */
void gst_infer_scene_watch_place (GstInferSceneWatch *w, double aspect);

/* Appends an event; the caller sets what it has besides. */
GstInferSceneEvent *gst_infer_scene_say (
    const GstInferSceneCase *c, GstInferSceneEventType type);

static inline GstInferGridPoint
gst_infer_scene_place (const GstInferSceneCase *c)
{
  return c->track->places[c->watch->item->anchor];
}

/* The object has a new place; each may set or clear stay->inside. */
void gst_infer_scene_zone_update (const GstInferSceneCase *c);
void gst_infer_scene_tripwire_update (const GstInferSceneCase *c);
void gst_infer_scene_speed_line_update (const GstInferSceneCase *c);
/* The object is gone. */
void gst_infer_scene_zone_end (
    const GstInferSceneCase *c, GstInferSceneReason reason);
void gst_infer_scene_speed_line_end (const GstInferSceneCase *c);

/* After all objects of a frame; no track. */
void gst_infer_scene_zone_count (const GstInferSceneCase *c);
void gst_infer_scene_zone_end_crowd (const GstInferSceneCase *c);

/* Sets the mask and its place: the centre of its mass. */
void gst_infer_scene_set_mask (GstInferSceneTrack *track,
    const GstInferSceneObject *object, double aspect);
/* The share of the object, by its mask, that lies in the zone. */
double gst_infer_scene_share (const GstInferSceneCase *c);
/* The share of the zone that masks cover; has no track. */
void gst_infer_scene_area_update (const GstInferSceneCase *c);
void gst_infer_scene_area_end (const GstInferSceneCase *c);

/* Of (element-type GstInferSceneShape), from (element-type GstInferSceneWatch).
 */
GArray *gst_infer_scene_shapes_new (void);
void gst_infer_scene_shapes_make (
    GArray *shapes, const GArray *watches, guint width, guint height);
void gst_infer_scene_shapes_count (GArray *shapes, const GArray *watches);
