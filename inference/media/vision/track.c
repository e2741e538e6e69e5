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
} Track;

struct _InferTracker
{
  InferTrackSettings settings;
  GArray *tracks; /* (element-type Track) */
  GArray *listed; /* (element-type InferTrack), scratch */
  int last_id;
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
track_update (Track *t, const InferDetection *d)
{
  float values[4];

  measure (d, values);
  for (guint i = 0; i < 4; i++)
    filter_update (&t->filters[i], values[i], MAX (values[3], 1));
  t->track.missed = 0;
  t->track.hits++;
  t->track.box.score = d->score;
  t->track.box.label = d->label;
  track_place (t);
}

static void
track_begin (Track *t, int id, const InferDetection *d)
{
  float values[4];

  *t = (Track){ .track = { .id = id, .box = *d, .hits = 1 } };
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

/* Tracks in @taken and detections with an id in @ids are assigned already. */
static void
run_round (InferTracker *self, const Round *round, const InferDetection *found,
    guint n, int *ids, guint8 *taken, float frames)
{
  guint n_tracks = self->tracks->len;
  g_autofree float *gains = g_new0 (float, MAX ((gsize) n_tracks * n, 1));
  g_autofree int *column_of = g_new (int, MAX (n_tracks, 1));

  for (guint i = 0; i < n_tracks; i++) {
    const Track *t = &g_array_index (self->tracks, Track, i);

    if (taken[i] || (!round->lost && t->track.missed > frames + 0.5f))
      continue;
    for (guint j = 0; j < n; j++)
      if (ids[j] == 0 && found[j].score >= round->least_score
          && found[j].score < round->most_score)
        gains[(gsize) i * n + j] = gain (self, t, &found[j], round);
  }
  infer_assign (gains, n_tracks, n, column_of);
  for (guint i = 0; i < n_tracks; i++) {
    Track *t = &g_array_index (self->tracks, Track, i);

    if (column_of[i] < 0)
      continue;
    taken[i] = TRUE;
    track_update (t, &found[column_of[i]]);
    ids[column_of[i]] = t->track.id;
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
  return self;
}

void
infer_tracker_free (InferTracker *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->tracks);
  g_array_unref (self->listed);
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
  for (guint i = self->tracks->len; i-- > 0;) {
    Track *t = &g_array_index (self->tracks, Track, i);

    track_predict (t, frames);
    /* Too few hits may have been false detections. */
    if (t->track.missed > self->settings.keep
        || (t->track.hits < self->settings.min_hits
            && t->track.missed > frames + 0.5f))
      g_array_remove_index (self->tracks, i);
  }
}

static void
begin_tracks (
    InferTracker *self, const InferDetection *found, guint n, int *ids)
{
  for (guint j = 0; j < n; j++) {
    Track t;

    if (ids[j] != 0 || found[j].score < self->settings.fresh)
      continue;
    if (self->last_id == G_MAXINT)
      self->last_id = 0;
    track_begin (&t, ++self->last_id, &found[j]);
    g_array_append_val (self->tracks, t);
    ids[j] = t.track.id;
  }
}

/* Sets the ids of tracks with too few hits to 0. */
static void
hide_young (InferTracker *self, guint n, int *ids)
{
  for (guint i = 0; i < self->tracks->len; i++) {
    const InferTrack *t = &g_array_index (self->tracks, Track, i).track;

    for (guint j = 0; j < n && t->hits < self->settings.min_hits; j++)
      if (ids[j] == t->id)
        ids[j] = 0;
  }
}

void
infer_tracker_update (InferTracker *self, float frames,
    const InferDetection *found, guint n, int *ids)
{
  const InferTrackSettings *s = &self->settings;
  const Round rounds[] = {
    { s->sure, INFINITY, 0, s->overlap, TRUE },
    { -INFINITY, s->sure, 0, MAX (s->overlap, 0.4f), FALSE },
    /* Lost tracks near their predictions. */
    { s->sure, INFINITY, 0.5f, s->overlap / 2, TRUE },
  };

  for (guint j = 0; j < n; j++)
    ids[j] = 0;
  infer_tracker_skip (self, frames);
  g_autofree guint8 *taken = g_new0 (guint8, MAX (self->tracks->len, 1));
  for (guint i = 0; i < G_N_ELEMENTS (rounds); i++)
    run_round (self, &rounds[i], found, n, ids, taken, frames);
  begin_tracks (self, found, n, ids);
  hide_young (self, n, ids);
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
