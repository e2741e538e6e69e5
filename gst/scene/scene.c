/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/scene/scene.h"

#include <math.h>
#include <string.h>

#include "gst/scene/rules.h"

#define MOST_ASPECT 64.0
#define MOST_SPARE 256

struct _GstInferSceneState
{
  GstInferSceneSettings *settings;
  double aspect;
  GstClockTime lost_after;
  GstInferSceneMoment moment;
  guint64 frame;
  GArray *watches;     /* (element-type GstInferSceneWatch) */
  GPtrArray *tracks;   /* (element-type GstInferSceneTrack), oldest first */
  GPtrArray *spare;    /* the same, for reuse */
  GHashTable *by_id;   /* id → track */
  guint wants;         /* GstInferSceneWants */
  GArray *shapes;      /* (element-type GstInferSceneShape) */
  guint width, height; /* that @shapes are for; 0: not made */
};

static GstInferSceneWatch *
watch_at (const GstInferSceneState *self, guint i)
{
  return &g_array_index (self->watches, GstInferSceneWatch, i);
}

GstInferSceneEvent *
gst_infer_scene_say (const GstInferSceneCase *c, GstInferSceneEventType type)
{
  const GstInferSceneEvent event = {
    .type = type,
    .kind = c->watch->item->kind,
    .id = g_ref_string_acquire (c->watch->item->id),
    .object_id = c->track != NULL ? c->track->id : 0,
    .label = c->track != NULL ? g_quark_to_string (c->track->label) : NULL,
    .time = c->moment->now,
    .duration = GST_CLOCK_TIME_NONE,
    .count = c->watch->count,
  };
  GArray *events = c->moment->events;

  g_array_append_val (events, event);
  return &g_array_index (events, GstInferSceneEvent, events->len - 1);
}

/* --- tracks --- */

static gboolean
is_busy (const GstInferSceneTrack *track, guint i)
{
  return (track->busy[i / 64] >> i % 64 & 1) != 0;
}

static void
set_busy (GstInferSceneTrack *track, guint i, gboolean busy)
{
  const guint64 bit = (guint64) 1 << i % 64;

  if (busy)
    track->busy[i / 64] |= bit;
  else
    track->busy[i / 64] &= ~bit;
}

static gsize
track_size (const GstInferSceneState *self)
{
  return sizeof (GstInferSceneTrack)
         + self->watches->len * sizeof (GstInferSceneStay);
}

static GstInferSceneTrack *
new_track (GstInferSceneState *self, int id)
{
  GstInferSceneTrack *track =
      self->spare->len > 0
          ? g_ptr_array_steal_index_fast (self->spare, self->spare->len - 1)
          : g_malloc (track_size (self));

  memset (track, 0, track_size (self));
  track->id = id;
  track->is_new = TRUE;
  track->last = GST_CLOCK_TIME_NONE;
  gst_infer_poses_init (&track->poses);
  g_ptr_array_add (self->tracks, track);
  g_hash_table_insert (self->by_id, GINT_TO_POINTER (id), track);
  return track;
}

static void
end_stay (GstInferSceneState *self, GstInferSceneTrack *track, guint i,
    GstInferSceneReason reason)
{
  const GstInferSceneCase c = { &self->moment, watch_at (self, i), track,
    &track->stays[i] };

  set_busy (track, i, FALSE);
  track->stays[i].crossed = 0;
  if (!track->stays[i].inside)
    return;
  if (c.watch->item->kind == GST_INFER_SCENE_ZONE)
    gst_infer_scene_zone_end (&c, reason);
  else
    gst_infer_scene_speed_line_end (&c);
}

static void
end_track (GstInferSceneState *self, GstInferSceneTrack *track,
    GstInferSceneReason reason)
{
  for (guint i = 0; i < self->watches->len; i++)
    if (is_busy (track, i))
      end_stay (self, track, i, reason);
  g_hash_table_remove (self->by_id, GINT_TO_POINTER (track->id));
  g_clear_pointer (&track->readings, gst_infer_readings_free);
  if (self->spare->len < MOST_SPARE)
    g_ptr_array_add (self->spare, track);
  else
    g_free (track);
}

static void
end_lost (GstInferSceneState *self)
{
  guint kept = 0;

  for (guint i = 0; i < self->tracks->len; i++) {
    GstInferSceneTrack *track = g_ptr_array_index (self->tracks, i);

    if (self->moment.now - track->last > self->lost_after)
      end_track (self, track, GST_INFER_SCENE_LOST);
    else
      self->tracks->pdata[kept++] = track;
  }
  self->tracks->len = kept;
}

/* --- a frame --- */

/* Whether anything can happen: the last step is near the shape. */
static gboolean
is_near (const GstInferSceneWatch *w, const GstInferSceneTrack *track)
{
  if (w->item->anchor == GST_INFER_SCENE_MASK
      && w->item->kind == GST_INFER_SCENE_ZONE)
    return track->box.x1 >= w->box.x0 && track->box.x0 <= w->box.x1
           && track->box.y1 >= w->box.y0 && track->box.y0 <= w->box.y1;
  const GstInferGridPoint p = track->places[w->item->anchor];
  const GstInferGridPoint q = track->before[w->item->anchor];

  return MAX (p.x, q.x) >= w->box.x0 && MIN (p.x, q.x) <= w->box.x1
         && MAX (p.y, q.y) >= w->box.y0 && MIN (p.y, q.y) <= w->box.y1;
}

static gboolean
is_wanted (const GstInferSceneItem *item, GstInferSceneStay *stay,
    const GstInferSceneTrack *track)
{
  if (stay->wanted == GST_INFER_SCENE_UNKNOWN) {
    const char *label = g_quark_to_string (track->label);

    stay->wanted =
        item->labels == NULL
                || g_strv_contains ((const char *const *) item->labels,
                    label != NULL ? label : "")
            ? GST_INFER_SCENE_UNSURE
            : GST_INFER_SCENE_OTHER_LABEL;
  }
  if (stay->wanted == GST_INFER_SCENE_UNSURE
      && track->confidence >= item->min_confidence)
    stay->wanted = GST_INFER_SCENE_WANTED;
  return stay->wanted == GST_INFER_SCENE_WANTED;
}

static void
update_shapes (GstInferSceneState *self, GstInferSceneTrack *track)
{
  for (guint i = 0; i < self->watches->len; i++) {
    GstInferSceneWatch *w = watch_at (self, i);
    GstInferSceneStay *stay = &track->stays[i];
    const GstInferSceneCase c = { &self->moment, w, track, stay };

    if ((!is_near (w, track) && !is_busy (track, i))
        || !is_wanted (w->item, stay, track))
      continue;
    if (w->item->kind == GST_INFER_SCENE_ZONE)
      gst_infer_scene_zone_update (&c);
    else if (w->item->kind == GST_INFER_SCENE_TRIPWIRE)
      gst_infer_scene_tripwire_update (&c);
    else
      gst_infer_scene_speed_line_update (&c);
    set_busy (track, i, stay->inside || stay->crossed != 0);
  }
}

static void
set_label (GstInferSceneState *self, GstInferSceneTrack *track, GQuark label)
{
  if (track->label == label)
    return;
  track->label = label;
  for (guint i = 0; i < self->watches->len; i++)
    if (track->stays[i].wanted != GST_INFER_SCENE_WANTED)
      track->stays[i].wanted = GST_INFER_SCENE_UNKNOWN;
}

static void
update_object (GstInferSceneState *self, const GstInferSceneObject *object)
{
  const double x = CLAMP ((object->x0 + object->x1) / 2, 0, 1);
  const double top = CLAMP (object->y0, 0, 1);
  const double bottom = CLAMP (object->y1, 0, 1);
  GstInferSceneTrack *track =
      g_hash_table_lookup (self->by_id, GINT_TO_POINTER (object->id));

  if (track == NULL)
    track = new_track (self, object->id);
  else if (track->frame == self->frame)
    return;
  memcpy (track->before, track->places, sizeof track->before);
  track->places[GST_INFER_SCENE_BOTTOM] =
      gst_infer_scene_to_grid (self->aspect, x, bottom);
  track->places[GST_INFER_SCENE_TOP] =
      gst_infer_scene_to_grid (self->aspect, x, top);
  track->places[GST_INFER_SCENE_CENTER] =
      gst_infer_scene_to_grid (self->aspect, x, (top + bottom) / 2);
  if ((self->wants & GST_INFER_SCENE_WANTS_MASKS) != 0)
    gst_infer_scene_set_mask (track, object, self->aspect);
  if (object->text != NULL && (self->wants & GST_INFER_SCENE_WANTS_TEXTS) != 0)
    gst_infer_readings_add (
        &track->readings, object->text, object->text_confidence);
  if (track->is_new)
    memcpy (track->before, track->places, sizeof track->before);
  set_label (self, track, object->label);
  track->confidence = MAX (track->confidence, object->confidence);
  gst_infer_poses_update (&track->poses, object->pose, self->moment.now);
  update_shapes (self, track);
  track->frame = self->frame;
  track->last = self->moment.now;
  track->is_new = FALSE;
}

guint
gst_infer_scene_state_wants (const GstInferSceneState *self)
{
  return self->wants;
}

const GstInferSceneSettings *
gst_infer_scene_state_settings (const GstInferSceneState *self)
{
  return self->settings;
}

void
gst_infer_scene_state_set_area (GstInferSceneState *self, guint i, double area)
{
  watch_at (self, i)->area = area;
  watch_at (self, i)->area_is_fresh = TRUE;
}

static void
for_zones (GstInferSceneState *self, void (*call) (const GstInferSceneCase *c))
{
  for (guint i = 0; i < self->watches->len; i++) {
    const GstInferSceneCase c = { &self->moment, watch_at (self, i), NULL,
      NULL };

    if (c.watch->item->kind == GST_INFER_SCENE_ZONE)
      call (&c);
  }
}

void
gst_infer_scene_state_update (GstInferSceneState *self, GstClockTime now,
    const GstInferSceneObject *objects, guint n)
{
  self->moment.now = now;
  self->frame++;
  end_lost (self);
  for (guint i = 0; i < n; i++)
    update_object (self, &objects[i]);
  for_zones (self, gst_infer_scene_zone_count);
  for_zones (self, gst_infer_scene_area_update);
}

void
gst_infer_scene_state_end (GstInferSceneState *self, GstInferSceneReason reason)
{
  for (guint i = 0; i < self->tracks->len; i++)
    end_track (self, g_ptr_array_index (self->tracks, i), reason);
  self->tracks->len = 0;
  for_zones (self, gst_infer_scene_zone_end_crowd);
  for_zones (self, gst_infer_scene_area_end);
  for (guint i = 0; i < self->watches->len; i++)
    watch_at (self, i)->area = -1;
}

/* --- settings --- */

static void
clear_watch (gpointer data)
{
  g_free (((GstInferSceneWatch *) data)->points);
}

static GArray *
new_watches (void)
{
  GArray *watches = g_array_new (FALSE, TRUE, sizeof (GstInferSceneWatch));

  g_array_set_clear_func (watches, clear_watch);
  return watches;
}

/* Returns the index of the shape with the kind and id of @item, -1: none. */
static int
find_watch (const GArray *watches, const GstInferSceneItem *item)
{
  for (guint i = 0; i < watches->len; i++) {
    const GstInferSceneItem *other =
        g_array_index (watches, GstInferSceneWatch, i).item;

    if (other->kind == item->kind && g_str_equal (other->id, item->id))
      return (int) i;
  }
  return -1;
}

/* Ends the stays at shapes that are not in @settings as they were. */
static void
end_changed (GstInferSceneState *self, const GArray *fresh)
{
  for (guint i = 0; i < self->watches->len; i++) {
    const GstInferSceneItem *item = watch_at (self, i)->item;
    const int at = find_watch (fresh, item);
    const GstInferSceneCase c = { &self->moment, watch_at (self, i), NULL,
      NULL };

    if (at >= 0
        && gst_infer_scene_item_equal (
            item, g_array_index (fresh, GstInferSceneWatch, at).item))
      continue;
    for (guint t = 0; t < self->tracks->len; t++)
      end_stay (self, g_ptr_array_index (self->tracks, t), i,
          GST_INFER_SCENE_SETTINGS);
    gst_infer_scene_zone_end_crowd (&c);
    gst_infer_scene_area_end (&c);
  }
}

/* A track with a stay for each shape of @fresh, with what @from has of it. */
static GstInferSceneTrack *
move_track (const GstInferSceneState *self, const GstInferSceneTrack *from,
    const GArray *fresh)
{
  GstInferSceneTrack *to =
      g_malloc0 (sizeof *to + fresh->len * sizeof (GstInferSceneStay));

  *to = *from;
  memset (to->busy, 0, sizeof to->busy);
  for (guint i = 0; i < self->watches->len; i++) {
    const GstInferSceneItem *item = watch_at (self, i)->item;
    const int at = find_watch (fresh, item);

    if (at < 0
        || !gst_infer_scene_item_equal (
            item, g_array_index (fresh, GstInferSceneWatch, at).item))
      continue;
    to->stays[at] = from->stays[i];
    set_busy (to, (guint) at, is_busy (from, i));
  }
  return to;
}

static void
move_tracks (GstInferSceneState *self, const GArray *fresh)
{
  for (guint i = 0; i < self->tracks->len; i++) {
    GstInferSceneTrack *old = g_ptr_array_index (self->tracks, i);

    self->tracks->pdata[i] = move_track (self, old, fresh);
    g_hash_table_insert (self->by_id, GINT_TO_POINTER (old->id),
        g_ptr_array_index (self->tracks, i));
    g_free (old);
  }
  g_ptr_array_set_size (self->spare, 0);
}

/* Copies counts and state from the shape of the same kind and id. */
static void
take_over (GstInferSceneWatch *to, const GstInferSceneWatch *from)
{
  to->in = from->in, to->out = from->out, to->count = from->count;
  to->crowded = from->crowded, to->crowded_since = from->crowded_since;
  if (!gst_infer_scene_item_equal (to->item, from->item))
    return;
  to->area = from->area, to->area_time = from->area_time;
  to->covered = from->covered, to->covered_since = from->covered_since;
}

void
gst_infer_scene_state_set_settings (
    GstInferSceneState *self, GstInferSceneSettings *settings)
{
  GArray *fresh = new_watches ();

  self->wants = 0;
  for (guint i = 0; i < settings->n; i++) {
    const GstInferSceneItem *item = &settings->items[i];
    GstInferSceneWatch w = { .item = item,
      .points = g_new (GstInferGridPoint, item->n),
      .crowded_since = GST_CLOCK_TIME_NONE,
      .area = -1,
      .covered_since = GST_CLOCK_TIME_NONE };

    gst_infer_scene_watch_place (&w, self->aspect);
    g_array_append_val (fresh, w);
    self->wants |= gst_infer_scene_item_wants (item);
  }
  end_changed (self, fresh);
  for (guint i = 0; i < fresh->len; i++) {
    GstInferSceneWatch *to = &g_array_index (fresh, GstInferSceneWatch, i);
    const int at = find_watch (self->watches, to->item);

    if (at < 0)
      continue;
    take_over (to, watch_at (self, (guint) at));
  }
  move_tracks (self, fresh);
  g_array_unref (self->watches);
  self->watches = fresh;
  gst_infer_scene_settings_ref (settings);
  g_clear_pointer (&self->settings, gst_infer_scene_settings_unref);
  self->settings = settings;
  self->width = 0;
}

static void
stretch (GstInferGridPoint *point, double by)
{
  point->x = (gint32) lround (point->x * by);
}

void
gst_infer_scene_state_set_aspect (GstInferSceneState *self, double aspect)
{
  const double by = CLAMP (aspect, 1 / MOST_ASPECT, MOST_ASPECT) / self->aspect;

  if (by == 1)
    return;
  self->aspect = CLAMP (aspect, 1 / MOST_ASPECT, MOST_ASPECT);
  for (guint i = 0; i < self->watches->len; i++)
    gst_infer_scene_watch_place (watch_at (self, i), self->aspect);
  for (guint t = 0; t < self->tracks->len; t++) {
    GstInferSceneTrack *track = g_ptr_array_index (self->tracks, t);

    for (guint i = 0; i < GST_INFER_SCENE_N_ANCHORS; i++)
      stretch (&track->places[i], by);
    for (guint i = 0; i < self->watches->len; i++) {
      stretch (&track->stays[i].still_at, by);
      track->stays[i].progress = -INFINITY;
    }
  }
}

void
gst_infer_scene_state_set_lost_after (
    GstInferSceneState *self, GstClockTime time)
{
  self->lost_after = time;
}

/* --- results --- */

GArray *
gst_infer_scene_state_events (GstInferSceneState *self)
{
  return self->moment.events;
}

const GstInferSceneShape *
gst_infer_scene_state_shapes (
    GstInferSceneState *self, guint width, guint height, guint *n)
{
  if (self->width != width || self->height != height)
    gst_infer_scene_shapes_make (self->shapes, self->watches, width, height);
  self->width = width;
  self->height = height;
  gst_infer_scene_shapes_count (self->shapes, self->watches);
  *n = self->shapes->len;
  return (const GstInferSceneShape *) (gpointer) self->shapes->data;
}

guint
gst_infer_scene_state_n_tracks (GstInferSceneState *self)
{
  return self->tracks->len;
}

/* --- life --- */

static void
clear_event (gpointer data)
{
  const GstInferSceneEvent *event = data;

  g_ref_string_release ((char *) (guintptr) event->id);
  if (event->text != NULL)
    g_ref_string_release ((char *) (guintptr) event->text);
}

GstInferSceneState *
gst_infer_scene_state_new (void)
{
  GstInferSceneState *self = g_new0 (GstInferSceneState, 1);

  self->aspect = 1;
  self->lost_after = GST_SECOND;
  self->moment.events = g_array_new (FALSE, FALSE, sizeof (GstInferSceneEvent));
  g_array_set_clear_func (self->moment.events, clear_event);
  self->watches = new_watches ();
  self->tracks = g_ptr_array_new ();
  self->spare = g_ptr_array_new_with_free_func (g_free);
  self->by_id = g_hash_table_new (NULL, NULL);
  self->shapes = gst_infer_scene_shapes_new ();
  return self;
}

void
gst_infer_scene_state_free (GstInferSceneState *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->tracks->len; i++) {
    GstInferSceneTrack *track = g_ptr_array_index (self->tracks, i);

    gst_infer_readings_free (track->readings);
    g_free (track);
  }
  g_ptr_array_unref (self->tracks);
  g_ptr_array_unref (self->spare);
  g_hash_table_unref (self->by_id);
  g_array_unref (self->moment.events);
  g_array_unref (self->watches);
  g_array_unref (self->shapes);
  g_clear_pointer (&self->settings, gst_infer_scene_settings_unref);
  g_free (self);
}
