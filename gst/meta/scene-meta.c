/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/infer/scene-meta.h"

#include "gst/meta/meta.h"

/* Reference-counted strings, which GLib does not take as const; NULL is fine.
 */
static const char *
acquire (const char *string)
{
  return string != NULL ? g_ref_string_acquire ((char *) (guintptr) string)
                        : NULL;
}

static void
release (const char *string)
{
  if (string != NULL)
    g_ref_string_release ((char *) (guintptr) string);
}

static gboolean
meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  *(GstInferSceneMeta *) meta = (GstInferSceneMeta){ .meta = *meta };
  return TRUE;
}

static void
release_event (const GstInferSceneEvent *event)
{
  release (event->id);
  release (event->text);
}

static void
meta_free (GstMeta *meta, GstBuffer *buffer)
{
  GstInferSceneMeta *self = (GstInferSceneMeta *) meta;

  for (guint i = 0; i < self->n_shapes; i++)
    release (self->shapes[i].id);
  for (guint i = 0; i < self->n_events; i++)
    release_event (&self->events[i]);
  g_free (self->shapes);
  g_free (self->events);
}

static gboolean
meta_transform (GstBuffer *target, GstMeta *meta, GstBuffer *buffer,
    GQuark type, gpointer data)
{
  const GstInferSceneMeta *from = (const GstInferSceneMeta *) meta;
  GstInferMap map;

  if (!gst_infer_map_of_transform (type, data, &map))
    return FALSE;
  GstInferSceneMeta *to = gst_buffer_add_infer_scene_meta (
      target, from->n_shapes, from->shapes, from->n_events, from->events);
  for (guint i = 0; i < to->n_shapes; i++)
    for (guint k = 0; k < to->shapes[i].n; k++) {
      GstInferScenePoint *point = &to->shapes[i].points[k];

      point->x = map.x + point->x * map.scale_x;
      point->y = map.y + point->y * map.scale_y;
    }
  return TRUE;
}

const GstMetaInfo *
gst_infer_scene_meta_get_info (void)
{
  static gsize once = 0;

  return gst_infer_meta_register (&once, "GstInferSceneMeta",
      sizeof (GstInferSceneMeta), meta_init, meta_free, meta_transform);
}

GType
gst_infer_scene_meta_api_get_type (void)
{
  return gst_infer_scene_meta_get_info ()->api;
}

/* One block: the shapes, then the points of all. */
static GstInferSceneShape *
copy_shapes (guint n, const GstInferSceneShape *from)
{
  gsize points = 0;

  if (n == 0)
    return NULL;
  for (guint i = 0; i < n; i++)
    points += from[i].n;
  GstInferSceneShape *to =
      g_malloc (n * sizeof *to + points * sizeof (GstInferScenePoint));
  GstInferScenePoint *next = (GstInferScenePoint *) (gpointer) (to + n);
  for (guint i = 0; i < n; i++) {
    to[i] = from[i];
    to[i].id = acquire (from[i].id);
    to[i].points = next;
    for (guint k = 0; k < from[i].n; k++)
      *next++ = from[i].points[k];
  }
  return to;
}

GstInferSceneMeta *
gst_buffer_add_infer_scene_meta (GstBuffer *buffer, guint n_shapes,
    const GstInferSceneShape *shapes, guint n_events,
    const GstInferSceneEvent *events)
{
  GstInferSceneMeta *self = (GstInferSceneMeta *) gst_buffer_add_meta (
      buffer, GST_INFER_SCENE_META_INFO, NULL);

  self->n_shapes = n_shapes;
  self->shapes = copy_shapes (n_shapes, shapes);
  self->n_events = n_events;
  self->events = g_memdup2 (events, n_events * sizeof *events);
  for (guint i = 0; i < n_events; i++) {
    acquire (events[i].id);
    acquire (events[i].text);
  }
  return self;
}

GstInferSceneMeta *
gst_buffer_get_infer_scene_meta (GstBuffer *buffer)
{
  return (GstInferSceneMeta *) gst_buffer_get_meta (
      buffer, GST_INFER_SCENE_META_API_TYPE);
}

/* --- names --- */

const char *
gst_infer_scene_event_name (GstInferSceneEventType type)
{
  static const char *const names[] = { "enter", "exit", "loitering",
    "overcrowding", "overcrowding-end", "cross", "wrong-way", "speed",
    "speeding", "object-left", "object-removed", "raised-hand", "lying",
    "fallen", "covered", "covered-end", "reading" };

  g_return_val_if_fail ((guint) type < G_N_ELEMENTS (names), NULL);
  return names[type];
}

const char *
gst_infer_scene_kind_name (GstInferSceneKind kind)
{
  static const char *const names[] = { "zone", "tripwire", "speed_line" };

  g_return_val_if_fail ((guint) kind < G_N_ELEMENTS (names), NULL);
  return names[kind];
}

const char *
gst_infer_scene_reason_name (GstInferSceneReason reason)
{
  static const char *const names[] = { "left", "lost", "discontinuity", "gap",
    "flush", "settings", "eos" };

  g_return_val_if_fail ((guint) reason < G_N_ELEMENTS (names), NULL);
  return names[reason];
}

GstStructure *
gst_infer_scene_event_to_structure (const GstInferSceneEvent *event)
{
  GstStructure *s = gst_structure_new ("inferscene", "type", G_TYPE_STRING,
      gst_infer_scene_event_name (event->type), "kind", G_TYPE_STRING,
      gst_infer_scene_kind_name (event->kind), "id", G_TYPE_STRING, event->id,
      "time", G_TYPE_UINT64, event->time, "count", G_TYPE_UINT, event->count,
      NULL);

  if (event->object_id != 0)
    gst_structure_set (s, "object_id", G_TYPE_INT, event->object_id, NULL);
  if (event->label != NULL)
    gst_structure_set (s, "label", G_TYPE_STRING, event->label, NULL);
  if (GST_CLOCK_TIME_IS_VALID (event->duration))
    gst_structure_set (s, "duration", G_TYPE_UINT64, event->duration, NULL);
  if (event->direction != 0)
    gst_structure_set (s, "direction", G_TYPE_INT, event->direction, NULL);
  if (event->type == GST_INFER_SCENE_SPEED
      || event->type == GST_INFER_SCENE_SPEEDING)
    gst_structure_set (s, "speed", G_TYPE_DOUBLE, event->speed, NULL);
  if (event->type == GST_INFER_SCENE_EXIT)
    gst_structure_set (s, "reason", G_TYPE_STRING,
        gst_infer_scene_reason_name (event->reason), NULL);
  if (event->text != NULL)
    gst_structure_set (s, "text", G_TYPE_STRING, event->text, "confidence",
        G_TYPE_DOUBLE, event->confidence, NULL);
  if (event->type == GST_INFER_SCENE_COVERED)
    gst_structure_set (s, "area", G_TYPE_DOUBLE, event->area, NULL);
  return s;
}
