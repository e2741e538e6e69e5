/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/vision/track.h"

#include <math.h>

#include "inference/media/vision/assign.h"

/* Standard deviations as fractions of the object's height: of a detection, of
 * unpredicted motion and of the change of speed, per frame. */
#define PLACE_NOISE (1.0f / 20)
#define MOVE_NOISE (1.0f / 20)
#define SPEED_NOISE (1.0f / 80)

/* A value, its speed, and their covariance. */
typedef struct
{
  float value, speed;
  float vv, vs, ss; /* covariance */
} Filter;

typedef struct
{
  InferTrack track;
  Filter filters[4]; /* centre x, y, width, height */
  gboolean taken;    /* has a detection on this frame */
} Track;

/* A detection not yet assigned. */
typedef struct
{
  float centre; /* x */
  guint index;
} Open;

struct _InferTracker
{
  InferTrackSettings settings;
  GArray *tracks; /* (element-type Track) */
  int last_id;

  /* Scratch memory. */
  GArray *listed;   /* (element-type InferTrack) */
  GArray *open;     /* (element-type Open), by centre */
  GArray *round;    /* (element-type Open): those of a round, by centre */
  GArray *track_of; /* (element-type int): of each detection; -1: none */
  GArray *missed;   /* (element-type float) */
  InferAssignment *assignment;
};

/* --- filter --- */

static void
filter_begin (Filter *f, float value, float height)
{
  float place = 2 * PLACE_NOISE * height, speed = 10 * SPEED_NOISE * height;

  *f = (Filter){ value, 0, place * place, 0, speed * speed };
}

static void
filter_predict (Filter *f, float frames, float height)
{
  float move = MOVE_NOISE * height, speed = SPEED_NOISE * height;

  f->value += f->speed * frames;
  f->vv += frames * (2 * f->vs + frames * f->ss) + frames * move * move;
  f->vs += frames * f->ss;
  f->ss += frames * speed * speed;
}

static void
filter_update (Filter *f, float value, float height)
{
  float place = PLACE_NOISE * height;
  float total = f->vv + place * place, off = value - f->value;
  float k_value = total > 0 ? f->vv / total : 1;
  float k_speed = total > 0 ? f->vs / total : 0;

  f->value += k_value * off;
  f->speed += k_speed * off;
  f->ss -= k_speed * f->vs;
  f->vv *= 1 - k_value;
  f->vs *= 1 - k_value;
}

/* --- track --- */

static void
track_place (Track *t)
{
  float w = MAX (t->filters[2].value, 1) / 2;
  float h = MAX (t->filters[3].value, 1) / 2;

  t->track.box.x0 = t->filters[0].value - w;
  t->track.box.x1 = t->filters[0].value + w;
  t->track.box.y0 = t->filters[1].value - h;
  t->track.box.y1 = t->filters[1].value + h;
}

static void
track_predict (Track *t, float frames)
{
  float height = MAX (t->filters[3].value, 1);

  /* The size of a lost object is not extrapolated. */
  for (guint i = 2; i < 4 && t->track.missed > 0; i++)
    t->filters[i].speed = 0;
  for (guint i = 0; i < 4; i++)
    filter_predict (&t->filters[i], frames, height);
  t->track.missed += frames;
  track_place (t);
}

static void
measure (const InferDetection *d, float values[4])
{
  values[0] = (d->x0 + d->x1) / 2;
  values[1] = (d->y0 + d->y1) / 2;
  values[2] = d->x1 - d->x0;
  values[3] = d->y1 - d->y0;
}

static void
track_update (Track *t, const InferDetection *d, guint64 time)
{
  float values[4];

  measure (d, values);
  for (guint i = 0; i < 4; i++)
    filter_update (&t->filters[i], values[i], MAX (values[3], 1));
  t->track.missed = 0;
  t->track.hits++;
  t->track.last = time;
  t->track.box.score = d->score;
  t->track.box.label = d->label;
  t->taken = TRUE;
  track_place (t);
}

static void
track_begin (Track *t, int id, const InferDetection *d, guint64 time)
{
  float values[4];

  *t = (Track){
    .track = { .id = id, .first = time, .last = time, .box = *d, .hits = 1 }
  };
  measure (d, values);
  for (guint i = 0; i < 4; i++)
    filter_begin (&t->filters[i], values[i], MAX (values[3], 1));
}

/* --- assignment --- */

/* A round of assignment: which detections and tracks, and how. */
typedef struct
{
  float least_score, most_score; /* of detections: [least, most) */
  float grow;                    /* boxes by this fraction of their size */
  float overlap;                 /* least IoU */
  gboolean lost; /* also tracks without a detection on the last frame */
} Round;

static InferDetection
grown (const InferDetection *d, float by)
{
  float w = (d->x1 - d->x0) * by / 2, h = (d->y1 - d->y0) * by / 2;
  InferDetection g = *d;

  g.x0 -= w, g.x1 += w, g.y0 -= h, g.y1 += h;
  return g;
}

static float
gain (const InferTracker *self, const Track *t, const InferDetection *d,
    const Round *round)
{
  InferDetection a, b;

  if (!self->settings.any_label && t->track.box.label != d->label)
    return 0;
  a = grown (&t->track.box, round->grow);
  b = grown (d, round->grow);
  float overlap = infer_iou (&a, &b);
  return overlap >= round->overlap ? overlap : 0;
}

static float
half_width (const InferDetection *d, float grow)
{
  return (d->x1 - d->x0) * (1 + grow) / 2;
}

/* Lists the detections of a round.  Returns the greatest half of a width. */
static float
open_round (InferTracker *self, const Round *round, const InferDetection *found)
{
  float widest = 0;

  g_array_set_size (self->round, 0);
  for (guint k = 0; k < self->open->len; k++) {
    const Open *o = &g_array_index (self->open, Open, k);
    const InferDetection *d = &found[o->index];

    if (g_array_index (self->track_of, int, o->index) >= 0
        || d->score < round->least_score || !(d->score < round->most_score))
      continue;
    g_array_append_vals (self->round, o, 1);
    widest = MAX (widest, half_width (d, round->grow));
  }
  return widest;
}

/* Returns the first detection of the round with a centre ≥ @least. */
static guint
first_from (const GArray *open, float least)
{
  guint low = 0, high = open->len;

  while (low < high) {
    guint middle = (low + high) / 2;

    if (g_array_index (open, Open, middle).centre < least)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Adds the pairs of track @i: only detections whose centre is near enough to
 * overlap are looked at. */
static void
add_pairs (InferTracker *self, const Round *round, guint i,
    const InferDetection *found, float widest)
{
  const Track *t = &g_array_index (self->tracks, Track, i);
  float centre = (t->track.box.x0 + t->track.box.x1) / 2;
  float reach = half_width (&t->track.box, round->grow) + widest;

  for (guint k = first_from (self->round, centre - reach); k < self->round->len;
       k++) {
    const Open *o = &g_array_index (self->round, Open, k);
    float overlap;

    if (o->centre > centre + reach)
      return;
    overlap = gain (self, t, &found[o->index], round);
    if (overlap > 0)
      infer_assignment_add (self->assignment, i, o->index, overlap);
  }
}

static void
run_round (InferTracker *self, const Round *round, const InferDetection *found,
    guint n, guint64 time, float frames)
{
  float widest = open_round (self, round, found);

  infer_assignment_begin (self->assignment, self->tracks->len, n);
  for (guint i = 0; i < self->tracks->len; i++) {
    const Track *t = &g_array_index (self->tracks, Track, i);

    if (!t->taken && (round->lost || t->track.missed <= frames + 0.5f))
      add_pairs (self, round, i, found, widest);
  }
  const int *column_of = infer_assignment_solve (self->assignment);
  for (guint i = 0; i < self->tracks->len; i++) {
    if (column_of[i] < 0)
      continue;
    track_update (
        &g_array_index (self->tracks, Track, i), &found[column_of[i]], time);
    g_array_index (self->track_of, int, column_of[i]) = (int) i;
  }
}

/* --- tracker --- */

InferTracker *
infer_tracker_new (const InferTrackSettings *settings)
{
  InferTracker *self = g_new0 (InferTracker, 1);

  self->settings = *settings;
  self->tracks = g_array_new (FALSE, FALSE, sizeof (Track));
  self->listed = g_array_new (FALSE, FALSE, sizeof (InferTrack));
  self->open = g_array_new (FALSE, FALSE, sizeof (Open));
  self->round = g_array_new (FALSE, FALSE, sizeof (Open));
  self->track_of = g_array_new (FALSE, FALSE, sizeof (int));
  self->missed = g_array_new (FALSE, FALSE, sizeof (float));
  self->assignment = infer_assignment_new ();
  return self;
}

void
infer_tracker_free (InferTracker *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->tracks);
  g_array_unref (self->listed);
  g_array_unref (self->open);
  g_array_unref (self->round);
  g_array_unref (self->track_of);
  g_array_unref (self->missed);
  infer_assignment_free (self->assignment);
  g_free (self);
}

void
infer_tracker_reset (InferTracker *self)
{
  g_array_set_size (self->tracks, 0);
}

void
infer_tracker_skip (InferTracker *self, float frames)
{
  guint kept = 0;

  for (guint i = 0; i < self->tracks->len; i++) {
    Track *t = &g_array_index (self->tracks, Track, i);

    track_predict (t, frames);
    t->taken = FALSE;
    /* Too few hits may have been false detections. */
    if (t->track.missed > self->settings.keep
        || (t->track.hits < self->settings.min_hits
            && t->track.missed > frames + 0.5f))
      continue;
    g_array_index (self->tracks, Track, kept++) = *t;
  }
  g_array_set_size (self->tracks, kept);
}

static gboolean
is_finite (const InferDetection *d)
{
  return isfinite (d->x0) && isfinite (d->y0) && isfinite (d->x1)
         && isfinite (d->y1) && isfinite (d->score);
}

static int
by_centre (gconstpointer a, gconstpointer b)
{
  const Open *x = a, *y = b;

  return x->centre < y->centre ? -1 : x->centre > y->centre;
}

/* Lists all detections as not assigned. */
static void
open_all (InferTracker *self, const InferDetection *found, guint n)
{
  g_array_set_size (self->open, 0);
  g_array_set_size (self->track_of, n);
  for (guint j = 0; j < n; j++) {
    const Open o = { (found[j].x0 + found[j].x1) / 2, j };

    g_array_index (self->track_of, int, j) = -1;
    if (is_finite (&found[j]))
      g_array_append_val (self->open, o);
  }
  g_array_sort (self->open, by_centre);
}

static void
begin_tracks (
    InferTracker *self, const InferDetection *found, guint n, guint64 time)
{
  for (guint j = 0; j < n; j++) {
    Track t;

    if (g_array_index (self->track_of, int, j) >= 0 || !is_finite (&found[j])
        || found[j].score < self->settings.fresh)
      continue;
    if (self->last_id == G_MAXINT)
      self->last_id = 0;
    track_begin (&t, ++self->last_id, &found[j], time);
    g_array_index (self->track_of, int, j) = (int) self->tracks->len;
    g_array_append_val (self->tracks, t);
  }
}

static int
longest_first (gconstpointer a, gconstpointer b)
{
  float x = *(const float *) a, y = *(const float *) b;

  return x > y ? -1 : x < y;
}

/* Gives up the longest lost tracks if there are too many. */
static void
give_up (InferTracker *self)
{
  guint excess, kept = 0;

  if (self->tracks->len <= self->settings.max_tracks)
    return;
  excess = self->tracks->len - self->settings.max_tracks;
  g_array_set_size (self->missed, 0);
  for (guint i = 0; i < self->tracks->len; i++)
    g_array_append_val (
        self->missed, g_array_index (self->tracks, Track, i).track.missed);
  g_array_sort (self->missed, longest_first);
  float limit = g_array_index (self->missed, float, excess - 1);
  for (guint i = 0; i < self->tracks->len; i++) {
    const Track *t = &g_array_index (self->tracks, Track, i);

    if (excess > 0 && t->track.missed >= limit)
      excess--;
    else
      g_array_index (self->tracks, Track, kept++) = *t;
  }
  g_array_set_size (self->tracks, kept);
}

void
infer_tracker_update (InferTracker *self, float frames, guint64 time,
    const InferDetection *found, guint n, const InferTrack **tracks)
{
  const InferTrackSettings *s = &self->settings;
  const Round rounds[] = {
    { s->sure, INFINITY, 0, s->overlap, TRUE },
    { -INFINITY, s->sure, 0, MAX (s->overlap, 0.4f), FALSE },
    /* Lost tracks near their predictions. */
    { s->sure, INFINITY, 0.5f, s->overlap / 2, TRUE },
  };

  infer_tracker_skip (self, frames);
  give_up (self);
  open_all (self, found, n);
  for (guint i = 0; i < G_N_ELEMENTS (rounds); i++)
    run_round (self, &rounds[i], found, n, time, frames);
  begin_tracks (self, found, n, time);
  for (guint j = 0; j < n; j++) {
    int i = g_array_index (self->track_of, int, j);
    const InferTrack *t =
        i >= 0 ? &g_array_index (self->tracks, Track, i).track : NULL;

    tracks[j] = t != NULL && t->hits >= s->min_hits ? t : NULL;
  }
}

const GArray *
infer_tracker_list (InferTracker *self)
{
  g_array_set_size (self->listed, 0);
  for (guint i = 0; i < self->tracks->len; i++) {
    const InferTrack *t = &g_array_index (self->tracks, Track, i).track;

    if (t->hits >= self->settings.min_hits)
      g_array_append_vals (self->listed, t, 1);
  }
  return self->listed;
}
