/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Against the rules applied to a whole recording, on random probabilities. */

#include "inference/media/vad.h"

#define WINDOW 512
#define WINDOWS 200

typedef struct
{
  gint64 start, end;
} Segment;

static GArray *
raw_segments (const float *p, guint n, gint64 length, const InferVadConfig *c)
{
  GArray *segments = g_array_new (FALSE, FALSE, sizeof (Segment));
  gint64 silence = -1;
  Segment now = { -1, -1 };

  for (guint i = 0; i < n; i++) {
    gint64 at = (gint64) i * WINDOW;

    if (p[i] >= c->threshold)
      silence = -1;
    if (p[i] >= c->threshold && now.start < 0)
      now.start = at;
    else if (p[i] < c->neg_threshold && now.start >= 0) {
      if (silence < 0)
        silence = at;
      if (at - silence < (gint64) c->min_silence)
        continue;
      now.end = silence;
      if (now.end - now.start > (gint64) c->min_speech)
        g_array_append_val (segments, now);
      now.start = silence = -1;
    }
  }
  now.end = length;
  if (now.start >= 0 && length - now.start > (gint64) c->min_speech)
    g_array_append_val (segments, now);
  return segments;
}

static void
pad_segments (GArray *segments, gint64 length, gint64 pad)
{
  for (guint i = 0; i < segments->len; i++) {
    Segment *s = &g_array_index (segments, Segment, i);

    if (i == 0)
      s->start = MAX (s->start - pad, 0);
    if (i + 1 == segments->len) {
      s->end = MIN (s->end + pad, length);
      continue;
    }
    Segment *next = s + 1;
    gint64 gap = next->start - s->end;
    gint64 part = gap < 2 * pad ? gap / 2 : pad;

    s->end += part;
    next->start -= part;
  }
}

static void
check_events (const GArray *events, const GArray *segments)
{
  g_assert_cmpuint (events->len, ==, 2 * segments->len);
  for (guint i = 0; i < segments->len; i++) {
    const Segment *s = &g_array_index (segments, Segment, i);
    const InferVadEvent *e = &g_array_index (events, InferVadEvent, 2 * i);

    g_assert_true (e[0].speech && !e[1].speech);
    g_assert_cmpint ((gint64) e[0].time, ==, s->start);
    g_assert_cmpint ((gint64) e[1].time, ==, s->end);
  }
}

/* Speech and silences of random lengths. */
static void
fill (GRand *random, float *p)
{
  gboolean speech = FALSE;
  int left = 0;

  for (guint i = 0; i < WINDOWS; i++) {
    if (left-- == 0) {
      speech = !speech;
      left = g_rand_int_range (random, 0, 12);
    }
    p[i] = (float) g_rand_double (random) * 0.6f + (speech ? 0.4f : 0.f);
  }
}

static void
test_random (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (GArray) events =
      g_array_new (FALSE, FALSE, sizeof (InferVadEvent));
  guint found = 0;

  for (guint run = 0; run < 3000; run++) {
    InferVad vad = { .config = { .threshold = 0.5,
                         .neg_threshold = g_rand_double_range (random, 0, 0.5),
                         .min_speech = g_rand_int_range (random, 0, 6000),
                         .min_silence = g_rand_int_range (random, 0, 3000),
                         .pad = g_rand_int_range (random, 0, 3000) } };
    gint64 length = WINDOWS * WINDOW - g_rand_int_range (random, 0, WINDOW);
    guint64 decided = 0;
    float p[WINDOWS];

    fill (random, p);
    g_array_set_size (events, 0);
    infer_vad_reset (&vad);
    for (guint i = 0; i < WINDOWS; i++) {
      guint before = events->len;

      infer_vad_push (&vad, p[i], i * WINDOW,
          MIN ((i + 1) * (guint64) WINDOW, (guint64) length), events);
      for (guint k = before; k < events->len; k++)
        g_assert_cmpuint (
            g_array_index (events, InferVadEvent, k).time, >=, decided);
      decided = MAX (decided, infer_vad_decided (&vad));
    }
    infer_vad_finish (&vad, events);
    g_autoptr (GArray) want = raw_segments (p, WINDOWS, length, &vad.config);
    pad_segments (want, length, (gint64) vad.config.pad);
    check_events (events, want);
    found += want->len;
  }
  g_assert_cmpuint (found, >, 3000);
}

/* A start is given out as soon as the speech is long enough, an end as soon as
 * the silence is. */
static void
test_delay (void)
{
  InferVad vad = { .config = { 0.5, 0.35, 4000, 1600, 480 } };
  g_autoptr (GArray) events =
      g_array_new (FALSE, FALSE, sizeof (InferVadEvent));
  guint64 late = 0;
  guint seen = 0;

  infer_vad_reset (&vad);
  for (guint i = 0; i < 60; i++) {
    infer_vad_push (&vad, i >= 10 && i < 40 ? 0.9f : 0.1f, i * WINDOW,
        (i + 1) * WINDOW, events);
    for (; seen < events->len; seen++)
      late = MAX (
          late, i * WINDOW - g_array_index (events, InferVadEvent, seen).time);
  }
  g_assert_cmpuint (seen, ==, 2);
  g_assert_cmpuint (late, ==, infer_vad_delay (&vad.config, WINDOW));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vad/random", test_random);
  g_test_add_func ("/vad/delay", test_delay);
  return g_test_run ();
}
