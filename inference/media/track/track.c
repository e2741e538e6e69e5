/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/track/track.h"

#include <math.h>
#include <string.h>

#include "inference/media/track/assign.h"
#include "inference/media/track/kalman.h"

/* Least IoU of a detection that is not sure. */
#define LOW_OVERLAP 0.3f

/* Where a lost object may be found again by its look: as far from where it was
 * or should be, in its heights, at once and for each frame. */
#define NEAR 2.0f
#define NEAR_PER_FRAME 0.2f
/* An object is put into the gallery from so many looks on. */
#define LEAST_LOOKS 3
/* Similarity below which looks make no more difference. */
#define LEAST_LIKENESS 0.1f

typedef struct
{
  InferTrack track;
  InferKalman filters[4]; /* centre x, y, width, height */
  gboolean taken;         /* has a detection on this frame */
  gboolean lost;          /* had none when others may have had */
  float seen[4];          /* centre x, y, width, height of its last detection */
  float *look;            /* [look_size]; NULL: none so far */
  guint looks;
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

  InferGallery *gallery; /* NULL: looks do not matter */
  float distance;
  guint64 keep;
  const float *const *looks; /* of this frame's detections; NULL: none */
  guint look_size;

  /* Scratch memory. */
  GArray *listed;   /* (element-type InferTrack) */
  GArray *open;     /* (element-type Open), by centre */
  GArray *round;    /* (element-type Open): those of a round, by centre */
  GArray *track_of; /* (element-type int): of each detection; -1: none */
  GArray *missed;   /* (element-type float) */
  InferAssignment *assignment;
};

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
    infer_kalman_predict (&t->filters[i], frames, height);
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
    infer_kalman_update (&t->filters[i], values[i], MAX (values[3], 1));
  memcpy (t->seen, values, sizeof t->seen);
  t->track.missed = 0;
  t->track.hits++;
  t->track.last = time;
  t->track.box.score = d->score;
  t->track.box.label = d->label;
  t->taken = TRUE;
  t->lost = FALSE;
  track_place (t);
}

static void
track_begin (Track *t, int id, const InferDetection *d, guint64 time)
{
  float values[4];

  *t = (Track){
    .track = { .id = id, .first = time, .last = time, .box = *d, .hits = 1 },
    .taken = TRUE
  };
  measure (d, values);
  for (guint i = 0; i < 4; i++)
    infer_kalman_begin (&t->filters[i], values[i], MAX (values[3], 1));
  memcpy (t->seen, values, sizeof t->seen);
}

/* --- looks --- */

static const float *
look_at (const InferTracker *self, guint index)
{
  return self->looks != NULL ? self->looks[index] : NULL;
}

static void
track_look (InferTracker *self, Track *t, guint index, guint64 time)
{
  const float *look = look_at (self, index);

  if (look == NULL)
    return;
  if (t->look == NULL)
    t->look = g_memdup2 (look, self->look_size * sizeof *look);
  else
    infer_look_blend (t->look, look, self->look_size);
  if (++t->looks >= LEAST_LOOKS)
    infer_gallery_add (
        self->gallery, t->track.id, t->look, self->look_size, time);
}

static void
clear_track (gpointer data)
{
  g_free (((Track *) data)->look);
}

/* How likely the two are the same by their looks: 0 (not at all) … 1; 1 where
 * one has none.  Where a lost object was proves less than its look. */
static float
likeness (const InferTracker *self, const Track *t, guint index)
{
  const float *look = look_at (self, index);

  if (look == NULL || t->look == NULL)
    return 1;
  const float distance = infer_look_distance (t->look, look, self->look_size);
  if (distance > self->distance && t->lost)
    return 0;
  return MAX (1 - distance, LEAST_LIKENESS);
}

/* --- assignment --- */

/* A round of assignment: which detections and tracks, and how. */
typedef struct
{
  float least_score, most_score; /* of detections: [least, most) */
  float overlap;                 /* least IoU */
  gboolean seen;                 /* where it was seen, not where it may be */
} Round;

static InferDetection
place_of (const Track *t, const Round *round)
{
  InferDetection d = t->track.box;

  if (round->seen) {
    d.x0 = t->seen[0] - t->seen[2] / 2, d.x1 = t->seen[0] + t->seen[2] / 2;
    d.y0 = t->seen[1] - t->seen[3] / 2, d.y1 = t->seen[1] + t->seen[3] / 2;
  }
  return d;
}

static float
gain (const InferTracker *self, const Track *t, const InferDetection *d,
    guint index, const Round *round)
{
  const InferDetection place = place_of (t, round);

  if (!self->settings.any_label && t->track.box.label != d->label)
    return 0;
  const float overlap = infer_iou (&place, d);
  return overlap >= round->overlap ? overlap * likeness (self, t, index) : 0;
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
    widest = MAX (widest, (d->x1 - d->x0) / 2);
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
  const InferDetection box = place_of (t, round);
  float centre = (box.x0 + box.x1) / 2;
  float reach = (box.x1 - box.x0) / 2 + widest;

  for (guint k = first_from (self->round, centre - reach); k < self->round->len;
       k++) {
    const Open *o = &g_array_index (self->round, Open, k);
    float overlap;

    if (o->centre > centre + reach)
      return;
    overlap = gain (self, t, &found[o->index], o->index, round);
    if (overlap > 0)
      infer_assignment_add (self->assignment, i, o->index, overlap);
  }
}

/* Finds the best pairs of those that were added. */
static void
take_pairs (InferTracker *self, const InferDetection *found, guint64 time)
{
  const int *column_of = infer_assignment_solve (self->assignment);

  for (guint i = 0; i < self->tracks->len; i++) {
    Track *t = &g_array_index (self->tracks, Track, i);

    if (column_of[i] < 0)
      continue;
    track_update (t, &found[column_of[i]], time);
    track_look (self, t, (guint) column_of[i], time);
    g_array_index (self->track_of, int, column_of[i]) = (int) i;
  }
}

static void
run_round (InferTracker *self, const Round *round, const InferDetection *found,
    guint n, guint64 time)
{
  float widest = open_round (self, round, found);

  infer_assignment_begin (self->assignment, self->tracks->len, n);
  for (guint i = 0; i < self->tracks->len; i++) {
    const Track *t = &g_array_index (self->tracks, Track, i);

    if (!t->taken)
      add_pairs (self, round, i, found, widest);
  }
  take_pairs (self, found, time);
}

/* Whether the object may have come there meanwhile. */
static gboolean
is_in_reach (const Track *t, const InferDetection *d)
{
  float at[4];
  const float reach =
      MAX (t->seen[3], 1) * (NEAR + NEAR_PER_FRAME * t->track.missed);

  measure (d, at);
  return hypotf (at[0] - t->seen[0], at[1] - t->seen[1]) <= reach
         || hypotf (at[0] - t->filters[0].value, at[1] - t->filters[1].value)
                <= reach;
}

/* Lost objects by their looks. */
static void
run_looks (
    InferTracker *self, const InferDetection *found, guint n, guint64 time)
{
  const Round sure = { self->settings.sure, INFINITY, 0, FALSE };

  open_round (self, &sure, found);
  infer_assignment_begin (self->assignment, self->tracks->len, n);
  for (guint i = 0; i < self->tracks->len; i++) {
    const Track *t = &g_array_index (self->tracks, Track, i);

    for (guint k = 0; k < self->round->len && !t->taken && t->look != NULL;
         k++) {
      const guint at = g_array_index (self->round, Open, k).index;
      const float *look = look_at (self, at);

      if (look == NULL || !is_in_reach (t, &found[at])
          || (!self->settings.any_label
              && t->track.box.label != found[at].label))
        continue;
      const float distance =
          infer_look_distance (t->look, look, self->look_size);
      if (distance <= self->distance)
        infer_assignment_add (self->assignment, i, at, 3 - distance);
    }
  }
  take_pairs (self, found, time);
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
  infer_tracker_reset (self);
  g_array_unref (self->tracks);
  g_clear_pointer (&self->gallery, infer_gallery_unref);
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
  for (guint i = 0; i < self->tracks->len; i++)
    clear_track (&g_array_index (self->tracks, Track, i));
  g_array_set_size (self->tracks, 0);
}

void
infer_tracker_set_gallery (
    InferTracker *self, InferGallery *gallery, float distance, guint64 keep)
{
  g_clear_pointer (&self->gallery, infer_gallery_unref);
  self->gallery = gallery;
  self->distance = distance;
  self->keep = keep;
}

void
infer_tracker_set_looks (
    InferTracker *self, const float *const *looks, guint size)
{
  for (guint i = 0; i < self->tracks->len && size != self->look_size; i++)
    g_clear_pointer (&g_array_index (self->tracks, Track, i).look, g_free);
  self->look_size = size;
  self->looks = self->gallery != NULL ? looks : NULL;
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
            && t->track.missed > frames + 0.5f)) {
      clear_track (t);
      continue;
    }
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

static gboolean
is_followed (int id, gpointer tracker)
{
  const InferTracker *self = tracker;

  for (guint i = 0; i < self->tracks->len; i++)
    if (g_array_index (self->tracks, Track, i).track.id == id)
      return TRUE;
  return FALSE;
}

/* Of somebody who was seen before, or a new one. */
static int
id_for (InferTracker *self, guint index, guint64 time)
{
  const float *look = look_at (self, index);
  int id = 0;

  if (self->gallery == NULL) {
    self->last_id = self->last_id < G_MAXINT ? self->last_id + 1 : 1;
    return self->last_id;
  }
  if (look != NULL)
    id = infer_gallery_find (self->gallery, look, self->look_size,
        self->distance, time, self->keep, is_followed, self);
  return id != 0 ? id : infer_gallery_next_id (self->gallery);
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
    track_begin (&t, id_for (self, j, time), &found[j], time);
    track_look (self, &t, j, time);
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
    Track *t = &g_array_index (self->tracks, Track, i);

    if (excess > 0 && t->track.missed >= limit) {
      excess--;
      clear_track (t);
    } else {
      g_array_index (self->tracks, Track, kept++) = *t;
    }
  }
  g_array_set_size (self->tracks, kept);
}

void
infer_tracker_update (InferTracker *self, float frames, guint64 time,
    const InferDetection *found, guint n, const InferTrack **tracks)
{
  const InferTrackSettings *s = &self->settings;
  const Round rounds[] = {
    { s->sure, INFINITY, s->overlap, FALSE },
    { -INFINITY, s->sure, MAX (s->overlap, LOW_OVERLAP), FALSE },
    { s->sure, INFINITY, s->overlap, TRUE },
  };

  infer_tracker_skip (self, frames);
  give_up (self);
  open_all (self, found, n);
  for (guint i = 0; i < G_N_ELEMENTS (rounds); i++)
    run_round (self, &rounds[i], found, n, time);
  if (self->looks != NULL)
    run_looks (self, found, n, time);
  begin_tracks (self, found, n, time);
  self->looks = NULL;
  for (guint i = 0; i < self->tracks->len; i++) {
    Track *t = &g_array_index (self->tracks, Track, i);

    t->lost |= !t->taken;
  }
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
