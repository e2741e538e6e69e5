/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/speech/segmenter.h"

#include <math.h>

/* A window of the open utterance where it could be cut. */
typedef struct
{
  guint64 begin, end;
  float loudness;
} Place;

struct _InferSegmenter
{
  InferSegmenterConfig config;
  InferVad vad;
  GArray *told;   /* (element-type InferVadEvent), scratch */
  GArray *places; /* (element-type Place) the last `search` of the stream */
  gboolean open;
  guint64 start;   /* of the open utterance */
  guint64 silence; /* since when nothing was said */
  gboolean begun;
};

void
infer_segmenter_reset (InferSegmenter *self)
{
  infer_vad_reset (&self->vad);
  g_array_set_size (self->places, 0);
  self->open = self->begun = FALSE;
}

InferSegmenter *
infer_segmenter_new (const InferSegmenterConfig *config)
{
  InferSegmenter *self = g_new0 (InferSegmenter, 1);

  self->config = *config;
  if (config->max_speech > 0) {
    guint64 most = config->max_speech / 2;

    self->config.search = MIN (config->search, most);
    self->config.overlap = MIN (config->overlap, most);
  }
  self->vad.config = config->vad;
  self->told = g_array_new (FALSE, FALSE, sizeof (InferVadEvent));
  self->places = g_array_new (FALSE, FALSE, sizeof (Place));
  infer_segmenter_reset (self);
  return self;
}

void
infer_segmenter_free (InferSegmenter *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->told);
  g_array_unref (self->places);
  g_free (self);
}

void
infer_segmenter_set_thresholds (
    InferSegmenter *self, double threshold, double neg_threshold)
{
  self->vad.config.threshold = threshold;
  self->vad.config.neg_threshold = neg_threshold;
}

/* --- the quietest place --- */

/* Probability is 1 almost everywhere within speech; 10 dB count as 0.2 of it.
 */
static float
loudness_of (float probability, float energy)
{
  return probability + 0.2f * log10f (MAX (energy, 1e-10f));
}

static void
note_place (InferSegmenter *self, float probability, float energy,
    guint64 begin, guint64 end)
{
  const Place place = { begin, end, loudness_of (probability, energy) };
  guint old = 0;

  while (old < self->places->len
         && g_array_index (self->places, Place, old).end + self->config.search
                < end)
    old++;
  if (old > 0)
    g_array_remove_range (self->places, 0, old);
  g_array_append_val (self->places, place);
}

/* The middle of the quietest window, with its neighbours, after @from; of
 * equal ones the latest. */
static guint64
find_quietest (const InferSegmenter *self, guint64 from)
{
  const Place *places = (const Place *) (gpointer) self->places->data;
  guint n = self->places->len, best = n - 1;
  float least = G_MAXFLOAT;

  for (guint i = 0; i < n; i++) {
    const Place *before = &places[i > 0 ? i - 1 : i];
    const Place *after = &places[i + 1 < n ? i + 1 : i];
    float loudness =
        before->loudness + 2 * places[i].loudness + after->loudness;

    if (places[i].begin >= from && loudness <= least) {
      least = loudness;
      best = i;
    }
  }
  return places[best].begin + (places[best].end - places[best].begin) / 2;
}

/* --- events --- */

static void
give (InferSegmenter *self, InferSegmentEventType type, guint64 begin,
    guint64 time, guint64 end, float probability, GArray *events)
{
  const InferSegmentEvent event = { type, time, begin, end, probability };

  g_array_append_val (events, event);
}

static void
cut (InferSegmenter *self, float probability, guint64 now, GArray *events)
{
  guint64 before = self->config.overlap / 2;
  guint64 from =
      MAX (self->start + before + 1, now - MIN (now, self->config.search));
  guint64 time = find_quietest (self, from);
  guint64 begin = time - MIN (before, time);

  /* The next utterance begins after this one. */
  begin = MAX (begin, self->start + 1);
  time = MAX (time, begin);
  give (self, INFER_SEGMENT_CUT, begin, time, MAX (now, time), probability,
      events);
  self->start = begin;
}

static void
take_told (InferSegmenter *self, GArray *events)
{
  for (guint i = 0; i < self->told->len; i++) {
    const InferVadEvent *e = &g_array_index (self->told, InferVadEvent, i);

    /* A cut may lie behind the silence that then turns out to be the end. */
    guint64 time = e->speech ? e->time : MAX (e->time, self->start);

    give (self, e->speech ? INFER_SEGMENT_START : INFER_SEGMENT_END, time, time,
        time, e->probability, events);
    self->open = e->speech;
    self->start = self->silence = time;
  }
  g_array_set_size (self->told, 0);
}

/* Tells that nothing was said for `max_silence`, as far as that is decided. */
static void
tell_silence (InferSegmenter *self, float probability, GArray *events)
{
  guint64 most = self->config.max_silence;
  guint64 decided = infer_vad_decided (&self->vad);

  while (most > 0 && !self->open && decided >= self->silence + most) {
    give (self, INFER_SEGMENT_SILENCE, self->silence, self->silence + most,
        self->silence + most, probability, events);
    self->silence += most;
  }
}

/* The utterance is too long, and not about to end by itself. */
static gboolean
is_to_cut (const InferSegmenter *self, guint64 begin, guint64 end)
{
  const InferVad *vad = &self->vad;
  guint64 most = self->config.max_speech;

  if (most == 0 || !self->open || vad->ending || end - self->start < most)
    return FALSE;
  return !vad->silent || begin - vad->silence >= vad->config.min_silence;
}

void
infer_segmenter_push (InferSegmenter *self, float probability, float energy,
    guint64 begin, guint64 end, GArray *events)
{
  if (!self->begun)
    self->silence = begin;
  self->begun = TRUE;
  infer_vad_push (&self->vad, probability, begin, end, self->told);
  take_told (self, events);
  if (self->config.max_speech > 0)
    note_place (self, probability, energy, begin, end);
  if (is_to_cut (self, begin, end))
    cut (self, probability, end, events);
  tell_silence (self, probability, events);
}

void
infer_segmenter_finish (InferSegmenter *self, GArray *events)
{
  infer_vad_finish (&self->vad, self->told);
  take_told (self, events);
  infer_segmenter_reset (self);
}

/* --- what is decided --- */

gboolean
infer_segmenter_is_open (const InferSegmenter *self, guint64 *start)
{
  if (self->open && start != NULL)
    *start = self->start;
  return self->open;
}

guint64
infer_segmenter_expected_end (const InferSegmenter *self)
{
  const InferVad *vad = &self->vad;

  if (!self->open || !vad->speaking || !vad->told || !vad->silent)
    return 0;
  return MAX (vad->silence + vad->config.pad, self->start);
}

guint64
infer_segmenter_decided (const InferSegmenter *self)
{
  return self->open ? self->start : infer_vad_decided (&self->vad);
}

guint64
infer_segmenter_delay (const InferSegmenterConfig *config, guint64 step)
{
  const InferVadConfig *vad = &config->vad;

  return 2 * step + vad->min_speech + vad->min_silence + 2 * vad->pad;
}
