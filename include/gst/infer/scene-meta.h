/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GstInferSceneMeta: what inferscene knows of a video frame: its zones,
 * tripwires and speed lines with their counts, and the events of the frame.  It
 * is kept when the buffer is copied, and its points move with the frame when
 * that is scaled or cropped.
 *
 * Any thread may read it; only the holder of a writable buffer may change it.
 *
 * Since: 0.2 */

#pragma once

#include <gst/gst.h>

#include "gst/infer/api.h"

G_BEGIN_DECLS

#define GST_INFER_SCENE_META_API_TYPE (gst_infer_scene_meta_api_get_type ())
#define GST_INFER_SCENE_META_INFO (gst_infer_scene_meta_get_info ())

/* A custom event downstream, serialised, with events that no frame can carry,
 * as at the end of the stream: a structure of this name with a GST_TYPE_LIST
 * "events" of structures as gst_infer_scene_event_to_structure gives.
 * Since: 0.2 */
#define GST_INFER_SCENE_EVENTS "inferscene/events"

typedef enum
{
  GST_INFER_SCENE_ZONE,       /* a polygon */
  GST_INFER_SCENE_TRIPWIRE,   /* two points */
  GST_INFER_SCENE_SPEED_LINE, /* two points or more, of known distances */
} GstInferSceneKind;

typedef enum
{
  GST_INFER_SCENE_ENTER,            /* a zone */
  GST_INFER_SCENE_EXIT,             /* a zone: duration, reason */
  GST_INFER_SCENE_LOITERING,        /* duration so far */
  GST_INFER_SCENE_OVERCROWDING,     /* a zone begins to be: count */
  GST_INFER_SCENE_OVERCROWDING_END, /* duration */
  GST_INFER_SCENE_CROSS,            /* a tripwire: direction */
  GST_INFER_SCENE_WRONG_WAY,        /* in a zone, or across a tripwire */
  GST_INFER_SCENE_SPEED,            /* mean along a speed line: speed */
  GST_INFER_SCENE_SPEEDING,         /* above the limit: speed so far */
  GST_INFER_SCENE_OBJECT_LEFT,      /* stands still: duration */
  GST_INFER_SCENE_OBJECT_REMOVED,   /* stood still and is gone: duration */
  GST_INFER_SCENE_RAISED_HAND,      /* of a person in a zone: duration so far */
  GST_INFER_SCENE_LYING,            /* the same */
  GST_INFER_SCENE_FALLEN,           /* the same */
  GST_INFER_SCENE_COVERED,          /* a zone, by masks: area, duration */
  GST_INFER_SCENE_COVERED_END,      /* duration */
  GST_INFER_SCENE_READING,          /* of an object in a zone: text, confidence;
                                     * its frames agree on it */
} GstInferSceneEventType;

/* Why an object is no longer where it was. */
typedef enum
{
  GST_INFER_SCENE_LEFT,          /* it went across the border */
  GST_INFER_SCENE_LOST,          /* its track ended */
  GST_INFER_SCENE_DISCONTINUITY, /* the stream does not continue */
  GST_INFER_SCENE_GAP,           /* too long without a frame */
  GST_INFER_SCENE_FLUSH,         /* a flush, as of a seek */
  GST_INFER_SCENE_SETTINGS,      /* the zone was changed or removed */
  GST_INFER_SCENE_EOS,           /* the stream ended, or was stopped */
} GstInferSceneReason;

typedef struct
{
  GstInferSceneEventType type;
  GstInferSceneKind kind;
  const char *id;             /* of the zone, tripwire, speed line */
  int object_id;              /* of infertrack; 0: of no single object */
  const char *label;          /* of the object; NULL: none */
  GstClockTime time;          /* stream time at which it was noticed */
  GstClockTime duration;      /* GST_CLOCK_TIME_NONE: has none */
  int direction;              /* 1: in, from the left of the tripwire to its
                               * right as seen from its first point to its
                               * second; -1: out; 0: has none */
  double speed;               /* metres per second; negative: toward the
                               * first point; 0: has none */
  guint count;                /* objects in the zone after the event */
  GstInferSceneReason reason; /* of EXIT */
  const char *text;           /* of READING; NULL: has none */
  double confidence;          /* of READING: the share of the weight of all that
                               * was read, 0 … 1 */
  double area;                /* of COVERED: share of the zone, 0 … 1 */
} GstInferSceneEvent;

typedef struct
{
  double x, y; /* pixels of the frame; may lie outside of it */
} GstInferScenePoint;

/* A zone, a tripwire or a speed line. */
typedef struct
{
  GstInferSceneKind kind;
  const char *id;
  guint n;
  GstInferScenePoint *points; /* [n] */
  guint count;                /* objects in it now; 0 of a tripwire */
  guint64 in, out;            /* so far: entries and exits, crossings */
  double area;                /* share of a zone that masks of its classes
                               * cover; below 0: not known */
} GstInferSceneShape;

typedef struct
{
  GstMeta meta;
  guint n_shapes;
  GstInferSceneShape *shapes; /* [n_shapes], owned by the meta */
  guint n_events;
  GstInferSceneEvent *events; /* [n_events], owned by the meta; in order of
                               * time */
} GstInferSceneMeta;

GST_INFER_API GType gst_infer_scene_meta_api_get_type (void);
GST_INFER_API const GstMetaInfo *gst_infer_scene_meta_get_info (void);

/* Adds a meta with copies of @shapes and @events to @buffer, which is writable.
 * Ids and texts are reference-counted strings (g_ref_string_new), labels are
 * never freed (g_quark_to_string).  (transfer none)  Since: 0.2 */
GST_INFER_API GstInferSceneMeta *gst_buffer_add_infer_scene_meta (
    GstBuffer *buffer, guint n_shapes, const GstInferSceneShape *shapes,
    guint n_events, const GstInferSceneEvent *events);

/* The first meta, NULL if there is none.  Since: 0.2 */
GST_INFER_API GstInferSceneMeta *gst_buffer_get_infer_scene_meta (
    GstBuffer *buffer);

/* The name of a type of events: "enter", "wrong-way".  Since: 0.2 */
GST_INFER_API const char *gst_infer_scene_event_name (
    GstInferSceneEventType type);
/* "zone", "tripwire" or "speed_line".  Since: 0.2 */
GST_INFER_API const char *gst_infer_scene_kind_name (GstInferSceneKind kind);
/* "left", "discontinuity".  Since: 0.2 */
GST_INFER_API const char *gst_infer_scene_reason_name (
    GstInferSceneReason reason);

/* The event as a structure "inferscene", as in the element's messages: type,
 * kind, id, label, reason, text (strings), object_id, direction (ints), time,
 * duration (guint64, ns), speed, confidence, area (doubles), count (uint);
 * those that the event has. (transfer full)  Since: 0.2 */
GST_INFER_API GstStructure *gst_infer_scene_event_to_structure (
    const GstInferSceneEvent *event);

G_END_DECLS
