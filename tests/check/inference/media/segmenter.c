/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/speech/segmenter.h"

#define STEP 512
#define RATE 16000

typedef InferSegmenter TestSegmenter;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestSegmenter, infer_segmenter_free)

static const InferSegmenterConfig usual = {
  .vad = { 0.5, 0.35, 4000, 8000, 1600 },
  .max_speech = 20 * RATE,
  .search = 5 * RATE,
  .overlap = RATE,
  .max_silence = 4 * RATE,
};

static GArray *
make_events (void)
{
  return g_array_new (FALSE, FALSE, sizeof (InferSegmentEvent));
}

/* Window @i of a stream whose values are those of @p [@n]. */
static void
push_all (InferSegmenter *s, const float *p, const float *energy, guint n,
    guint64 first, GArray *events)
{
  for (guint i = 0; i < n; i++) {
    guint before = events->len;
    guint64 decided = infer_segmenter_decided (s);
    guint64 begin = first + (guint64) i * STEP;

    infer_segmenter_push (s, p[i], energy != NULL ? energy[i] : 0.01f, begin,
        begin + STEP, events);
    for (guint k = before; k < events->len && i > 0; k++) {
      const InferSegmentEvent *e =
          &g_array_index (events, InferSegmentEvent, k);

      g_assert_cmpuint (
          e->type == INFER_SEGMENT_SILENCE ? e->time : e->begin, >=, decided);
    }
    if (i > 0)
      g_assert_cmpuint (infer_segmenter_decided (s), >=, decided);
  }
}

static void
assert_event (
    const GArray *events, guint i, InferSegmentEventType type, guint64 time)
{
  g_assert_cmpuint (i, <, events->len);
  const InferSegmentEvent *e = &g_array_index (events, InferSegmentEvent, i);
  g_assert_cmpint (e->type, ==, type);
  g_assert_cmpuint (e->time, ==, time);
}

static void
fill (float *p, guint from, guint to, float value)
{
  for (guint i = from; i < to; i++)
    p[i] = value;
}

/* Speech, a silence, and silence for long. */
static void
test_plain (void)
{
  g_autoptr (TestSegmenter) s = infer_segmenter_new (&usual);
  g_autoptr (GArray) events = make_events ();
  float p[400] = { 0 };

  fill (p, 20, 80, 0.9f);
  push_all (s, p, NULL, 400, 0, events);
  assert_event (events, 0, INFER_SEGMENT_START, 20 * STEP - 1600);
  assert_event (events, 1, INFER_SEGMENT_END, 80 * STEP + 1600);
  assert_event (events, 2, INFER_SEGMENT_SILENCE, 80 * STEP + 1600 + 4 * RATE);
  assert_event (events, 3, INFER_SEGMENT_SILENCE, 80 * STEP + 1600 + 8 * RATE);
  g_assert_cmpuint (events->len, ==, 4);
  g_assert_cmpuint (infer_segmenter_decided (s), ==, 400 * STEP - 1600);
  infer_segmenter_finish (s, events);
  g_assert_cmpuint (events->len, ==, 4);
}

/* In a silence the end that it will be if it lasts; nothing else. */
static void
test_expected_end (void)
{
  g_autoptr (TestSegmenter) s = infer_segmenter_new (&usual);
  g_autoptr (GArray) events = make_events ();
  float p[400] = { 0 };
  guint n = 0;

  fill (p, 20, 80, 0.9f);
  fill (p, 40, 43, 0); /* too short to end it */
  for (guint i = 0; i < 400; i++) {
    infer_segmenter_push (s, p[i], 0, i * STEP, (i + 1) * STEP, events);
    guint64 end = infer_segmenter_expected_end (s);
    guint64 silence = i >= 40 && i < 43 ? 40 : (i >= 80 ? 80 : 0);

    if (end == 0)
      continue;
    n++;
    g_assert_cmpuint (events->len, ==, 1); /* it has begun, and not ended */
    g_assert_cmpuint (end, ==, silence * STEP + 1600);
  }
  assert_event (events, 1, INFER_SEGMENT_END, 80 * STEP + 1600);
  g_assert_cmpuint (n, >, 3 + usual.vad.min_silence / STEP / 2);
}

/* The cut lies in the dip, both utterances have what surrounds it, and none is
 * too long. */
static void
test_cut (void)
{
  g_autoptr (TestSegmenter) s = infer_segmenter_new (&usual);
  g_autoptr (GArray) events = make_events ();
  float p[1000] = { 0 }, energy[1000];

  fill (p, 10, 970, 1);
  fill (energy, 0, 1000, 0.01f);
  fill (energy, 560, 570, 0.001f); /* quiet, but probably speech */
  fill (energy, 100, 110, 0);      /* too early to be of use */
  push_all (s, p, energy, 1000, 0, events);
  infer_segmenter_finish (s, events);
  assert_event (events, 0, INFER_SEGMENT_START, 10 * STEP - 1600);
  const InferSegmentEvent *cut = &g_array_index (events, InferSegmentEvent, 1);
  g_assert_cmpint (cut->type, ==, INFER_SEGMENT_CUT);
  g_assert_cmpuint (cut->time, >=, 560 * STEP);
  g_assert_cmpuint (cut->time, <, 570 * STEP);
  g_assert_cmpuint (cut->begin, ==, cut->time - RATE / 2);
  /* When it was decided. */
  g_assert_cmpuint (
      cut->end, ==, (10 * STEP - 1600 + 20 * RATE + STEP - 1) / STEP * STEP);
  assert_event (events, 2, INFER_SEGMENT_END, 970 * STEP + 1600);
  g_assert_cmpuint (events->len, ==, 3);
}

/* A silence that may end the utterance delays the cut, and takes it. */
static void
test_cut_in_silence (void)
{
  g_autoptr (TestSegmenter) s = infer_segmenter_new (&usual);
  g_autoptr (GArray) events = make_events ();
  float p[1200] = { 0 };

  fill (p, 10, 1100, 1);
  fill (p, 628, 642, 0); /* shorter than min_silence */
  push_all (s, p, NULL, 1200, 0, events);
  const InferSegmentEvent *cut = &g_array_index (events, InferSegmentEvent, 1);
  g_assert_cmpint (cut->type, ==, INFER_SEGMENT_CUT);
  g_assert_cmpuint (cut->time, >=, 628 * STEP);
  g_assert_cmpuint (cut->time, <, 642 * STEP);
  assert_event (events, 2, INFER_SEGMENT_END, 1100 * STEP + 1600);

  /* One that does end it: no cut. */
  g_array_set_size (events, 0);
  infer_segmenter_reset (s);
  fill (p, 628, 1200, 0);
  push_all (s, p, NULL, 1200, 0, events);
  assert_event (events, 0, INFER_SEGMENT_START, 10 * STEP - 1600);
  assert_event (events, 1, INFER_SEGMENT_END, 628 * STEP + 1600);
  for (guint i = 2; i < events->len; i++)
    g_assert_cmpint (g_array_index (events, InferSegmentEvent, i).type, ==,
        INFER_SEGMENT_SILENCE);
}

/* Neither speech nor silence for so long that it is cut, and then silence: what
 * is behind the cut is empty. */
static void
test_cut_after_end (void)
{
  g_autoptr (TestSegmenter) s = infer_segmenter_new (&usual);
  g_autoptr (GArray) events = make_events ();
  float p[1000] = { 0 };

  fill (p, 10, 100, 1);
  fill (p, 101, 900, 0.4f);
  push_all (s, p, NULL, 1000, 0, events);
  assert_event (events, 0, INFER_SEGMENT_START, 10 * STEP - 1600);
  const InferSegmentEvent *cut = &g_array_index (events, InferSegmentEvent, 1);
  g_assert_cmpint (cut->type, ==, INFER_SEGMENT_CUT);
  assert_event (events, 2, INFER_SEGMENT_END, cut->begin);
}

/* --- random streams --- */

static void
make_stream (GRand *random, float *p, float *energy, guint n)
{
  gboolean speech = FALSE;
  int left = 0;

  for (guint i = 0; i < n; i++) {
    if (left-- <= 0) {
      speech = !speech;
      left = g_rand_int_range (random, 0, speech ? 300 : 60);
    }
    p[i] = (float) g_rand_double (random) * 0.6f + (speech ? 0.4f : 0.f);
    energy[i] = (float) g_rand_double (random) * (speech ? 0.1f : 1e-4f);
  }
}

/* The rules of a list of events: utterances do not overlap but at cuts, start
 * and end alternate, none is too long. */
static void
check_rules (const GArray *events, const InferSegmenterConfig *c, guint64 last)
{
  gboolean open = FALSE;
  guint64 start = 0, free_from = 0;
  guint64 most = c->max_speech + c->vad.min_silence + 2 * c->vad.pad + 3 * STEP;

  for (guint i = 0; i < events->len; i++) {
    const InferSegmentEvent *e = &g_array_index (events, InferSegmentEvent, i);

    g_assert_cmpuint (e->begin, <=, e->time);
    g_assert_cmpuint (e->time, <=, e->end);
    g_assert_cmpuint (e->end, <=, last);
    switch (e->type) {
      case INFER_SEGMENT_START:
        g_assert_false (open);
        g_assert_cmpuint (e->time, >=, free_from);
        open = TRUE;
        start = e->time;
        break;
      case INFER_SEGMENT_CUT:
        g_assert_true (open);
        g_assert_cmpuint (e->begin, >, start);
        g_assert_cmpuint (e->end - start, <=, most);
        start = e->begin;
        break;
      case INFER_SEGMENT_END:
        g_assert_true (open);
        g_assert_cmpuint (e->time, >=, start);
        g_assert_cmpuint (e->time - start, <=, most);
        open = FALSE;
        free_from = e->time;
        break;
      case INFER_SEGMENT_SILENCE:
        g_assert_false (open);
        g_assert_cmpuint (e->begin, >=, free_from);
        g_assert_cmpuint (e->time - e->begin, ==, c->max_silence);
        free_from = e->time;
        break;
    }
  }
  g_assert_false (open);
}

#define WINDOWS 3000

static void
test_random (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (GArray) events = make_events ();
  g_autoptr (GArray) again = make_events ();
  guint cuts = 0;

  for (guint run = 0; run < 300; run++) {
    InferSegmenterConfig c = {
      .vad = { 0.5, g_rand_double_range (random, 0, 0.5),
          (guint64) g_rand_int_range (random, 0, 6000),
          (guint64) g_rand_int_range (random, 0, 9000),
          (guint64) g_rand_int_range (random, 0, 5000) },
      .max_speech = (guint64) g_rand_int_range (random, 2 * RATE, 20 * RATE),
      .search = (guint64) g_rand_int_range (random, 0, 10 * RATE),
      .overlap = (guint64) g_rand_int_range (random, 0, 3 * RATE),
      .max_silence = (guint64) g_rand_int_range (random, 1, 5 * RATE),
    };
    g_autoptr (TestSegmenter) s = infer_segmenter_new (&c);
    float p[WINDOWS], energy[WINDOWS];

    make_stream (random, p, energy, WINDOWS);
    g_array_set_size (events, 0);
    push_all (s, p, energy, WINDOWS, 0, events);
    infer_segmenter_finish (s, events);
    check_rules (events, &c, (guint64) WINDOWS * STEP);
    for (guint i = 0; i < events->len; i++)
      cuts += g_array_index (events, InferSegmentEvent, i).type
              == INFER_SEGMENT_CUT;

    /* The same after a reset in the middle of another stream. */
    g_array_set_size (again, 0);
    push_all (s, energy, p, 1000, 5, again);
    infer_segmenter_reset (s);
    g_array_set_size (again, 0);
    push_all (s, p, energy, WINDOWS, 0, again);
    infer_segmenter_finish (s, again);
    g_assert_cmpuint (again->len, ==, events->len);
    for (guint i = 0; i < events->len; i++)
      assert_event (again, i, g_array_index (events, InferSegmentEvent, i).type,
          g_array_index (events, InferSegmentEvent, i).time);
  }
  g_assert_cmpuint (cuts, >, 300);
}

/* How long it stays open whether a sample is speech is bounded. */
static void
test_delay (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (2);
  g_autoptr (GArray) events = make_events ();
  guint64 worst = 0, bound = 0;

  for (guint run = 0; run < 300; run++) {
    InferSegmenterConfig c = { .vad = { 0.5, 0.5, 4000, 1600, 480 } };
    InferVad vad = { .config = c.vad };
    g_autoptr (GArray) told =
        g_array_new (FALSE, FALSE, sizeof (InferVadEvent));
    float p[WINDOWS], energy[WINDOWS];

    bound = infer_segmenter_delay (&c, STEP);
    make_stream (random, p, energy, WINDOWS);
    for (guint i = 0; i < WINDOWS; i++) {
      if (g_rand_int_range (random, 0, 3) == 0)
        p[i] = (float) g_rand_double (random);
      infer_vad_push (
          &vad, p[i], (guint64) i * STEP, (guint64) (i + 1) * STEP, told);
      worst = MAX (worst, (guint64) (i + 1) * STEP - infer_vad_decided (&vad));
    }
  }
  g_test_message (
      "at most %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, worst, bound);
  g_assert_cmpuint (worst, <=, bound);
  g_assert_cmpuint (2 * worst, >, bound);
}

/* A day of 16 kHz with gaps: times are exact, and memory stays. */
static void
test_day (void)
{
  g_autoptr (TestSegmenter) s = infer_segmenter_new (&usual);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autoptr (GArray) events = make_events ();
  const guint64 day = (guint64) 24 * 3600 * RATE;
  guint64 at = 0;
  guint found = 0;

  while (at < day) {
    guint n = (guint) g_rand_int_range (random, 100, 2000);
    guint from = (guint) g_rand_int_range (random, 10, 40);
    guint to = from + (guint) g_rand_int_range (random, 20, 50);
    float p[2000] = { 0 };

    fill (p, from, MIN (to, n), 1);
    g_array_set_size (events, 0);
    push_all (s, p, NULL, n, at, events);
    if (g_rand_boolean (random)) {
      assert_event (events, 0, INFER_SEGMENT_START,
          at + (guint64) from * STEP - usual.vad.pad);
      found++;
      infer_segmenter_finish (s, events);
    } else {
      infer_segmenter_reset (s);
    }
    at += (guint64) n * STEP + (guint64) g_rand_int_range (random, 0, RATE);
  }
  g_assert_cmpuint (found, >, 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/segmenter/plain", test_plain);
  g_test_add_func ("/segmenter/expected-end", test_expected_end);
  g_test_add_func ("/segmenter/cut", test_cut);
  g_test_add_func ("/segmenter/cut-in-silence", test_cut_in_silence);
  g_test_add_func ("/segmenter/cut-after-end", test_cut_after_end);
  g_test_add_func ("/segmenter/random", test_random);
  g_test_add_func ("/segmenter/delay", test_delay);
  g_test_add_func ("/segmenter/day", test_day);
  return g_test_run ();
}
