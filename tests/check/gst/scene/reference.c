/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/gst/scene/reference.h"

#include <math.h>
#include <string.h>

#define GRID 1048576.0

__extension__ typedef __int128 Wide;
typedef long double Real;

typedef struct
{
  gint64 x, y;
} Place;

/* A track between two interruptions, at one shape. */
typedef struct
{
  const ReferenceScene *scene;
  const GstInferSceneItem *item;
  guint track;
  guint n;
  guint *frames;   /* [n] on which it was seen */
  Place *places;   /* [n] */
  guint begin;     /* first of them that the rules want; n: none */
  guint end_frame; /* frame before or on which it ended; frames: EOS */
  GstClockTime end_time;
  GstInferSceneReason reason;
  gint64 *outline; /* x, y of each point */
  GArray *events;
  int *change; /* [frames + 1]: of the number of objects inside */
} Life;

static Place
place_of (double x, double y)
{
  return (Place){ (gint64) lround (x * GRID), (gint64) lround (y * GRID) };
}

static GstClockTime
time_at (const Life *life, guint k)
{
  return life->scene->times[life->frames[k]];
}

/* Of the track, or of no object when all tracks are done. */
static GstInferSceneEvent *
say (Life *life, GstInferSceneEventType type, guint frame, GstClockTime time)
{
  const gboolean is_track = life->track < life->scene->tracks;
  const GstInferSceneEvent event = { .type = type,
    .kind = life->item->kind,
    .id = life->item->id,
    .object_id = is_track ? (int) life->track + 1 : 0,
    .label = is_track ? life->scene->labels[life->track] : NULL,
    .time = time,
    .duration = GST_CLOCK_TIME_NONE };

  g_array_append_val (life->events, event);
  return &g_array_index (
      life->events, GstInferSceneEvent, life->events->len - 1);
}

/* --- geometry --- */

static Place
outline_at (const Life *life, guint i)
{
  i %= life->item->n;
  return (Place){ life->outline[2 * i], life->outline[2 * i + 1] };
}

static int
turn (Place a, Place b, Place p)
{
  const Wide area =
      (Wide) (b.x - a.x) * (p.y - a.y) - (Wide) (p.x - a.x) * (b.y - a.y);

  return (area > 0) - (area < 0);
}

static gboolean
is_inside (const Life *life, Place p)
{
  int winding = 0;

  for (guint i = 0; i < life->item->n; i++) {
    const Place a = outline_at (life, i), b = outline_at (life, i + 1);
    const int side = turn (a, b, p);

    if (side == 0 && (a.x - p.x) * (b.x - p.x) <= 0
        && (a.y - p.y) * (b.y - p.y) <= 0)
      return TRUE;
    winding += a.y <= p.y && b.y > p.y && side > 0;
    winding -= a.y > p.y && b.y <= p.y && side < 0;
  }
  return winding != 0;
}

/* The nearest point of the line by its parameter. */
static Real
distance (Place a, Place b, Place p, Real *at)
{
  const Real dx = (Real) (b.x - a.x), dy = (Real) (b.y - a.y);
  const Real t =
      ((Real) (p.x - a.x) * dx + (Real) (p.y - a.y) * dy) / (dx * dx + dy * dy);
  const Real u = t < 0 ? 0 : t > 1 ? 1 : t;

  if (at != NULL)
    *at = t;
  return hypotl (
      (Real) a.x + u * dx - (Real) p.x, (Real) a.y + u * dy - (Real) p.y);
}

static Real
border_distance (const Life *life, Place p)
{
  Real least = INFINITY;

  for (guint i = 0; i < life->item->n; i++)
    least = fminl (least,
        distance (outline_at (life, i), outline_at (life, i + 1), p, NULL));
  return least;
}

static Real
to_units (double heights)
{
  return floorl ((Real) heights * GRID) + 0.5L;
}

/* --- zones --- */

typedef struct
{
  guint enter, exit; /* indices of sights; exit = n: until the life's end */
} Stay;

static void
say_loitering (Life *life, const Stay *stay)
{
  for (guint k = stay->enter; k < stay->exit; k++) {
    const GstClockTime so_far = time_at (life, k) - time_at (life, stay->enter);

    if (!GST_CLOCK_TIME_IS_VALID (life->item->loitering)
        || so_far < life->item->loitering)
      continue;
    say (life, GST_INFER_SCENE_LOITERING, life->frames[k], time_at (life, k))
        ->duration = so_far;
    return;
  }
}

static Real
progress (const Life *life, Place p)
{
  const GstInferScenePoint *d = life->item->direction;
  const Place from = place_of (d[0].x, d[0].y), to = place_of (d[1].x, d[1].y);
  const Real dx = (Real) (to.x - from.x), dy = (Real) (to.y - from.y);

  return ((Real) (p.x - from.x) * dx + (Real) (p.y - from.y) * dy)
         / hypotl (dx, dy);
}

/* The first place that is behind any place before it. */
static void
say_wrong_way (Life *life, const Stay *stay)
{
  const Real least = to_units (life->item->distance);

  for (guint k = stay->enter; life->item->directed && k < stay->exit; k++)
    for (guint before = stay->enter; before < k; before++)
      if (progress (life, life->places[before])
              - progress (life, life->places[k])
          >= least) {
        say (life, GST_INFER_SCENE_WRONG_WAY, life->frames[k],
            time_at (life, k));
        return;
      }
}

/* Cuts the stay where the object moves away from where it stood. */
static void
say_still (Life *life, const Stay *stay)
{
  const GstInferSceneItem *item = life->item;
  const Real most = to_units (item->still);
  guint from = stay->enter;

  while (from < stay->exit) {
    guint to = from + 1;

    while (to < stay->exit
           && hypotl ((Real) (life->places[to].x - life->places[from].x),
                  (Real) (life->places[to].y - life->places[from].y))
                  <= most)
      to++;
    for (guint k = from; k < to; k++) {
      const GstClockTime so_far = time_at (life, k) - time_at (life, from);

      if (!GST_CLOCK_TIME_IS_VALID (item->left) || so_far < item->left)
        continue;
      say (
          life, GST_INFER_SCENE_OBJECT_LEFT, life->frames[k], time_at (life, k))
          ->duration = so_far;
      break;
    }
    /* Until it moved, left the zone, or was lost. */
    const gboolean at_end = to == life->n;
    const GstClockTime until = time_at (life, at_end ? to - 1 : to);
    if (GST_CLOCK_TIME_IS_VALID (item->removed)
        && until - time_at (life, from) >= item->removed
        && (!at_end || life->reason == GST_INFER_SCENE_LOST))
      say (life, GST_INFER_SCENE_OBJECT_REMOVED, 0,
          at_end ? life->end_time : until)
          ->duration = until - time_at (life, from);
    from = to;
  }
}

static void
say_stay (Life *life, const Stay *stay)
{
  const gboolean ended = stay->exit == life->n;
  const GstClockTime enter = time_at (life, stay->enter);
  const GstClockTime until = time_at (life, ended ? life->n - 1 : stay->exit);

  say (life, GST_INFER_SCENE_ENTER, life->frames[stay->enter], enter);
  say_loitering (life, stay);
  say_wrong_way (life, stay);
  say_still (life, stay);
  GstInferSceneEvent *exit =
      say (life, GST_INFER_SCENE_EXIT, 0, ended ? life->end_time : until);
  exit->duration = until - enter;
  exit->reason = ended ? life->reason : GST_INFER_SCENE_LEFT;
  life->change[life->frames[stay->enter]]++;
  life->change[ended ? life->end_frame : life->frames[stay->exit]]--;
}

static void
say_zone (Life *life)
{
  const Real margin = to_units (life->item->margin);
  guint k = life->begin;

  while (k < life->n) {
    Stay stay;

    while (k < life->n && !is_inside (life, life->places[k]))
      k++;
    stay.enter = k;
    while (k < life->n
           && (is_inside (life, life->places[k])
               || border_distance (life, life->places[k]) < margin))
      k++;
    stay.exit = k;
    if (stay.enter < life->n)
      say_stay (life, &stay);
  }
}

/* --- lines --- */

/* Whether the steps so far, since the object was last away from the line, have
 * brought it to the other side: by where they meet the line, in fractions. */
static int
meets (Place a, Place b, Place from, Place to)
{
  const gboolean right = turn (a, b, to) >= 0;

  if ((turn (a, b, from) >= 0) == right
      || (turn (from, to, a) >= 0) == (turn (from, to, b) >= 0))
    return 0;
  return right ? 1 : -1;
}

static void
say_tripwire (Life *life)
{
  const Place a = outline_at (life, 0), b = outline_at (life, 1);
  const Real margin = to_units (life->item->margin);
  guint since = life->begin;

  for (guint k = life->begin; k < life->n; k++) {
    int sum = 0;

    if (distance (a, b, life->places[k], NULL) < margin)
      continue;
    for (guint i = MAX (since, 1); i <= k; i++)
      sum += meets (a, b, life->places[i - 1], life->places[i]);
    since = k + 1;
    const int side = turn (a, b, life->places[k]) >= 0 ? 1 : -1;
    if (sum * side <= 0)
      continue;
    say (life, GST_INFER_SCENE_CROSS, life->frames[k], time_at (life, k))
        ->direction = side;
    if (life->item->allowed == -side)
      say (life, GST_INFER_SCENE_WRONG_WAY, life->frames[k], time_at (life, k))
          ->direction = side;
  }
}

/* FALSE: it is not beside the line, as far as @most. */
static gboolean
metres_at (const Life *life, Place p, Real most, Real *metres)
{
  const GstInferSceneItem *item = life->item;
  Real least = INFINITY, at = 0;
  guint best = 0;

  for (guint i = 0; i + 1 < item->n; i++) {
    Real t;
    const Real d =
        distance (outline_at (life, i), outline_at (life, i + 1), p, &t);

    if (d < least)
      least = d, at = t, best = i;
  }
  *metres = item->metres[best]
            + fminl (fmaxl (at, 0), 1)
                  * (item->metres[best + 1] - item->metres[best]);
  return least <= most && !(best == 0 && at < 0)
         && !(best + 2 == item->n && at > 1);
}

static void
say_speed_line (Life *life)
{
  const GstInferSceneItem *item = life->item;
  const Real near = to_units (item->width);
  const Real far = near + to_units (item->margin);
  const Real whole = item->metres[item->n - 1];
  guint k = life->begin;
  Real first = 0, last = 0, now;

  while (k < life->n) {
    while (k < life->n && !metres_at (life, life->places[k], near, &first))
      k++;
    if (k == life->n)
      return;
    const guint from = k;
    gboolean said = FALSE;
    last = first;
    for (k++; k < life->n && metres_at (life, life->places[k], far, &now);
         k++) {
      const Real seconds =
          (Real) (time_at (life, k) - time_at (life, from)) / GST_SECOND;

      last = now;
      if (said || item->limit <= 0 || seconds <= 0
          || fabsl (last - first) < 0.25L * whole
          || fabsl (last - first) / seconds <= item->limit)
        continue;
      said = TRUE;
      say (life, GST_INFER_SCENE_SPEEDING, life->frames[k], time_at (life, k))
          ->speed = (double) ((last - first) / seconds);
    }
    const GstClockTime took = time_at (life, k - 1) - time_at (life, from);
    if (took == 0 || fabsl (last - first) < 0.5L * whole)
      continue;
    GstInferSceneEvent *event = say (life, GST_INFER_SCENE_SPEED, 0,
        k < life->n ? time_at (life, k) : life->end_time);
    event->speed =
        (double) ((last - first) / ((Real) took / (Real) GST_SECOND));
    event->duration = took;
  }
}

/* --- lives --- */

static void
say_life (Life *life)
{
  const GstInferSceneItem *item = life->item;
  const ReferenceSight *sights =
      life->scene->sights + (gsize) life->track * life->scene->frames;

  life->begin = 0;
  while (life->begin < life->n
         && sights[life->frames[life->begin]].confidence < item->min_confidence)
    life->begin++;
  if (item->kind == GST_INFER_SCENE_ZONE)
    say_zone (life);
  else if (item->kind == GST_INFER_SCENE_TRIPWIRE)
    say_tripwire (life);
  else
    say_speed_line (life);
}

/* What ends a track that was last seen on frame @last. */
static void
find_end (Life *life, guint last)
{
  const ReferenceScene *scene = life->scene;

  for (guint f = last + 1; f < scene->frames; f++) {
    life->end_frame = f;
    if (scene->ends[f] >= 0) {
      life->end_time = scene->times[f - 1];
      life->reason = (GstInferSceneReason) scene->ends[f];
      return;
    }
    if (scene->times[f] - scene->times[last] > scene->lost_after) {
      life->end_time = scene->times[f];
      life->reason = GST_INFER_SCENE_LOST;
      return;
    }
  }
  life->end_frame = scene->frames;
  life->end_time = scene->times[scene->frames - 1];
  life->reason = GST_INFER_SCENE_EOS;
}

static void
say_track (Life *life)
{
  const ReferenceScene *scene = life->scene;
  const ReferenceSight *sights =
      scene->sights + (gsize) life->track * scene->frames;

  life->n = 0;
  for (guint f = 0; f <= scene->frames; f++) {
    if (life->n > 0) {
      find_end (life, life->frames[life->n - 1]);
      if (f >= life->end_frame) {
        say_life (life);
        life->n = 0;
      }
    }
    if (f == scene->frames || !sights[f].seen)
      continue;
    life->frames[life->n] = f;
    life->places[life->n++] = place_of (sights[f].x, sights[f].y);
  }
}

/* --- crowds --- */

static void
say_crowds (Life *life)
{
  const ReferenceScene *scene = life->scene;
  const GstInferSceneItem *item = life->item;
  GstClockTime since = GST_CLOCK_TIME_NONE;
  gboolean said = FALSE;
  guint count = 0;

  if (item->object_threshold == 0)
    return;
  for (guint f = 0; f <= scene->frames; f++) {
    const gboolean ends = f == scene->frames || scene->ends[f] >= 0;
    const GstClockTime now = scene->times[f == scene->frames ? f - 1 : f];
    const guint after = (guint) ((int) count + life->change[f]);

    if (GST_CLOCK_TIME_IS_VALID (since)
        && (ends || after < item->object_threshold)) {
      const GstClockTime time = ends ? scene->times[f - 1] : now;

      if (said)
        say (life, GST_INFER_SCENE_OVERCROWDING_END, f, time)->duration =
            time - since;
      said = FALSE;
      since = GST_CLOCK_TIME_NONE;
    }
    count = after;
    if (f == scene->frames || count < item->object_threshold)
      continue;
    if (!GST_CLOCK_TIME_IS_VALID (since))
      since = now;
    if (said || now - since < item->time_threshold)
      continue;
    said = TRUE;
    say (life, GST_INFER_SCENE_OVERCROWDING, f, now)->duration = now - since;
  }
}

static gboolean
is_wanted (const GstInferSceneItem *item, const char *label)
{
  return item->labels == NULL
         || g_strv_contains ((const char *const *) item->labels, label);
}

static void
say_item (Life *life)
{
  const ReferenceScene *scene = life->scene;

  for (guint i = 0; i < life->item->n; i++) {
    const Place p = place_of (life->item->points[i].x, life->item->points[i].y);

    life->outline[2 * i] = p.x;
    life->outline[2 * i + 1] = p.y;
  }
  memset (life->change, 0, (scene->frames + 1) * sizeof *life->change);
  for (life->track = 0; life->track < scene->tracks; life->track++)
    if (is_wanted (life->item, scene->labels[life->track]))
      say_track (life);
  say_crowds (life);
}

GArray *
reference_events (const ReferenceScene *scene)
{
  Life life = { .scene = scene,
    .events = g_array_new (FALSE, FALSE, sizeof (GstInferSceneEvent)) };
  g_autofree guint *frames = g_new (guint, scene->frames);
  g_autofree Place *places = g_new (Place, scene->frames);
  g_autofree gint64 *outline = g_new (gint64, 2 * GST_INFER_SCENE_MOST_POINTS);
  g_autofree int *change = g_new (int, scene->frames + 1);

  life.frames = frames;
  life.places = places;
  life.outline = outline;
  life.change = change;
  for (guint i = 0; i < scene->settings->n; i++) {
    life.item = &scene->settings->items[i];
    say_item (&life);
  }
  return life.events;
}
