/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tracking of simulated objects that cross, hide and return. */

#include <math.h>
#include <time.h>

#include "inference/media/track/assign.h"
#include "inference/media/track/track.h"

#define N 6
#define FRAMES 200

/* The best of all permutations, by enumeration. */
static float
best_by_trying (
    const float *gains, guint rows, guint columns, guint row, guint used)
{
  if (row == rows)
    return 0;
  float best = best_by_trying (gains, rows, columns, row + 1, used);
  for (guint j = 0; j < columns; j++)
    if (!(used & 1u << j) && gains[row * columns + j] > 0)
      best = fmaxf (best,
          gains[row * columns + j]
              + best_by_trying (gains, rows, columns, row + 1, used | 1u << j));
  return best;
}

static void
test_assign (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  g_autoptr (InferAssignment) a = infer_assignment_new ();

  for (guint round = 0; round < 3000; round++) {
    guint rows = (guint) g_rand_int_range (rand, 0, 6);
    guint columns = (guint) g_rand_int_range (rand, 0, 6);
    float gains[36], sum = 0;
    guint used = 0;

    for (guint i = 0; i < rows * columns; i++)
      gains[i] =
          g_rand_int_range (rand, 0, 3) == 0
              ? 0
              : (float) g_rand_int_range (rand, 1, round % 2 ? 4 : 1 << 20);
    infer_assignment_begin (a, rows, columns);
    for (guint i = 0; i < rows * columns; i++)
      if (gains[i] > 0)
        infer_assignment_add (a, i / columns, i % columns, gains[i]);
    const int *column_of = infer_assignment_solve (a);
    for (guint i = 0; i < rows; i++)
      if (column_of[i] >= 0) {
        g_assert_cmpfloat (gains[i * columns + (guint) column_of[i]], >, 0);
        g_assert_false (used & 1u << column_of[i]);
        used |= 1u << column_of[i];
        sum += gains[i * columns + (guint) column_of[i]];
      }
    g_assert_cmpfloat (sum, ==, best_by_trying (gains, rows, columns, 0, 0));
  }
}

/* The true box of object @k on frame @t. */
static InferDetection
truth (guint k, float t)
{
  static const float start[N][4] = {
    /* x, y, and how they change in a frame */
    { 20, 200, 3, 0 },       /* to the right … */
    { 620, 205, -2.5f, 0 },  /* … meets one to the left */
    { 100, 20, 1.5f, 1.8f }, /* downwards, through both paths */
    { 500, 400, 0, 0 },      /* parked */
    { 50, 420, 2, -0.5f },   /* behind a wall for a while */
    { 600, 60, -1, 0.4f },   /* appears late */
  };
  float x = start[k][0] + start[k][2] * t, y = start[k][1] + start[k][3] * t;
  float w = 40 + 4 * (float) k, h = 60;

  return (
      InferDetection){ x - w / 2, y - h / 2, x + w / 2, y + h / 2, 0.9f, 0, 0 };
}

static gboolean
is_hidden (guint k, guint t)
{
  return (k == 4 && t >= 60 && t < 80) || (k == 5 && t < 40)
         || (k == 2 && t >= 180); /* leaves */
}

typedef struct
{
  guint looked_at_each; /* frames: 1: all of them */
  float jitter, missing;
} Clip;

static InferDetection
shaken (GRand *rand, InferDetection d, float by)
{
  d.x0 += (float) g_rand_double_range (rand, -by, by + 1e-6);
  d.x1 += (float) g_rand_double_range (rand, -by, by + 1e-6);
  d.y0 += (float) g_rand_double_range (rand, -by, by + 1e-6);
  d.y1 += (float) g_rand_double_range (rand, -by, by + 1e-6);
  return d;
}

/* Object @k and those that overlap it: indistinguishable there. */
static guint
look_alikes (guint k, guint t)
{
  const InferDetection d = truth (k, (float) t);
  guint who = 1u << k;

  for (guint i = 0; i < N; i++) {
    const InferDetection other = truth (i, (float) t);

    if (!is_hidden (i, t) && infer_iou (&d, &other) > 0.5f)
      who |= 1u << i;
  }
  return who;
}

/* Simulates a detector: shaken boxes, some of low score, some missing, one box
 * for overlapping objects.  Returns how many; @who: a bit for each object. */
static guint
look (GRand *rand, const Clip *clip, guint t, InferDetection *found, guint *who)
{
  guint n = 0;

  for (guint k = 0; k < N; k++) {
    InferDetection d = shaken (rand, truth (k, (float) t), clip->jitter);
    gboolean covered = FALSE;

    if (is_hidden (k, t))
      continue;
    for (guint i = 0; i < n; i++)
      covered |= infer_iou (&found[i], &d) > 0.6f;
    if (covered || g_rand_double (rand) < clip->missing)
      continue;
    if (g_rand_double (rand) < 0.1)
      d.score = 0.3f;
    who[n] = look_alikes (k, t);
    found[n++] = d;
  }
  return n;
}

/* A box of two objects may have the id of either. */
static void
check_id (guint seed, guint t, int id, guint who, int *id_of)
{
  gboolean ok = FALSE;

  for (guint k = 0; k < N; k++) {
    if (who == 1u << k && id_of[k] == 0)
      id_of[k] = id;
    ok |= (who & 1u << k) && id_of[k] == id;
  }
  if (!ok)
    g_error ("seed %u: objects %x are %d on frame %u", seed, who, id, t);
}

static void
run_clip (const Clip *clip, guint seed)
{
  const InferTrackSettings settings = INFER_TRACK_DEFAULTS;
  g_autoptr (InferTracker) tracker = infer_tracker_new (&settings);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  int id_of[N] = { 0 }, most = 0;
  guint named = 0;

  for (guint t = 0; t < FRAMES; t++) {
    InferDetection found[N];
    guint who[N], n;
    const InferTrack *tracks[N];

    if (t % clip->looked_at_each != 0) {
      infer_tracker_skip (tracker, 1);
      continue;
    }
    n = look (rand, clip, t, found, who);
    infer_tracker_update (tracker, 1, t, found, n, tracks);
    for (guint i = 0; i < n; i++) {
      if (tracks[i] == NULL)
        continue;
      check_id (seed, t, tracks[i]->id, who[i], id_of);
      g_assert_cmpuint (tracks[i]->last, ==, t);
      most = MAX (most, tracks[i]->id);
      named++;
    }
  }
  for (guint k = 0; k < N; k++)
    for (guint j = 0; j < k; j++)
      g_assert_cmpint (id_of[k], !=, id_of[j]);
  g_assert_cmpint (most, ==, N);
  g_assert_cmpuint (named, >, FRAMES / clip->looked_at_each * 4);
}

static void
test_clips (void)
{
  static const Clip clips[] = { { 1, 0, 0 }, { 1, 2, 0 }, { 1, 2, 0.08f },
    { 2, 1.5f, 0.04f }, { 3, 1, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (clips); i++)
    for (guint seed = 0; seed < 20; seed++)
      run_clip (&clips[i], seed);
}

/* Tracks one detection.  Returns its id; 0: none. */
static int
track_one (InferTracker *tracker, const InferDetection *d)
{
  const InferTrack *track;

  infer_tracker_update (tracker, 1, 0, d, 1, &track);
  return track != NULL ? track->id : 0;
}

/* A fraction of a frame, several frames: predictions follow the time. */
static void
test_time (void)
{
  const InferTrackSettings settings = INFER_TRACK_DEFAULTS;
  g_autoptr (InferTracker) tracker = infer_tracker_new (&settings);

  for (guint t = 0; t < 30; t++) {
    InferDetection d = truth (0, (float) t);

    g_assert_cmpint (track_one (tracker, &d), ==, 1);
  }
  infer_tracker_skip (tracker, 4);
  infer_tracker_skip (tracker, 0.5f);
  const GArray *tracks = infer_tracker_list (tracker);
  g_assert_cmpuint (tracks->len, ==, 1);
  g_assert_cmpfloat_with_epsilon (
      g_array_index (tracks, InferTrack, 0).box.x0, truth (0, 33.5f).x0, 1.5);
  g_assert_cmpfloat_with_epsilon (
      g_array_index (tracks, InferTrack, 0).missed, 4.5, 1e-5);
  infer_tracker_skip (tracker, 40);
  g_assert_cmpuint (infer_tracker_list (tracker)->len, ==, 0);
}

static void
test_settings (void)
{
  InferTrackSettings settings = INFER_TRACK_DEFAULTS;
  InferDetection d = { 0, 0, 50, 50, 0.9f, 1, 0 }, other = d;

  settings.min_hits = 3;
  g_autoptr (InferTracker) tracker = infer_tracker_new (&settings);
  for (int i = 1; i <= 4; i++) {
    g_assert_cmpint (track_one (tracker, &d), ==, i < 3 ? 0 : 1);
  }
  /* Another label is another object; a low score starts no track. */
  other.label = 2;
  g_assert_cmpint (track_one (tracker, &other), ==, 0);
  g_assert_cmpint (track_one (tracker, &d), ==, 1);
  d.score = 0.2f;
  g_assert_cmpint (track_one (tracker, &d), ==, 1);
  infer_tracker_reset (tracker);
  g_assert_cmpint (track_one (tracker, &d), ==, 0);
  infer_tracker_update (tracker, 1, 0, NULL, 0, NULL);
  /* Boxes that are no boxes are not tracked and do no harm. */
  d = (InferDetection){ NAN, 0, INFINITY, 50, 0.9f, 1, 0 };
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (track_one (tracker, &d), ==, 0);
}

/* Random boxes of @size on a frame of 1920 × 1080. */
static void
scatter (GRand *rand, InferDetection *found, guint n, float size)
{
  for (guint i = 0; i < n; i++) {
    float x = (float) g_rand_double_range (rand, 0, 1920);
    float y = (float) g_rand_double_range (rand, 0, 1080);

    found[i] = (InferDetection){ x, y, x + size, y + size, 0.9f, 0, 0 };
  }
}

/* Returns the processor time of an update with @n random boxes, in µs. */
static double
time_update (guint n, float size, guint max_tracks)
{
  InferTrackSettings settings = INFER_TRACK_DEFAULTS;
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autofree InferDetection *found = g_new (InferDetection, n);
  g_autofree const InferTrack **tracks = g_new (const InferTrack *, n);
  double least = INFINITY;

  settings.max_tracks = max_tracks;
  g_autoptr (InferTracker) tracker = infer_tracker_new (&settings);
  for (guint t = 0; t < 60; t++) {
    struct timespec before, after;

    scatter (rand, found, n, size);
    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &before);
    infer_tracker_update (tracker, 1, t, found, n, tracks);
    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &after);
    g_assert_cmpuint (infer_tracker_list (tracker)->len, <=, max_tracks + n);
    if (t >= 40)
      least =
          fmin (least, (double) (after.tv_sec - before.tv_sec) * 1e6
                           + (double) (after.tv_nsec - before.tv_nsec) / 1e3);
  }
  return least;
}

/* Boxes that have nothing in common cost each other next to nothing, and tracks
 * are bounded. */
static void
test_many (void)
{
  double small = time_update (100, 60, 200),
         large = time_update (800, 20, 1600);

  g_test_message ("100 boxes, 200 tracks: %.0f µs; 800, 1600: %.0f µs; 300, "
                  "1000: %.0f µs; 300 large ones: %.0f µs",
      small, large, time_update (300, 60, 1000), time_update (300, 600, 1000));
  /* Cubic: 512. */
  g_assert_cmpfloat (large, <, small * 64);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/track/assign", test_assign);
  g_test_add_func ("/track/clips", test_clips);
  g_test_add_func ("/track/time", test_time);
  g_test_add_func ("/track/settings", test_settings);
  g_test_add_func ("/track/many", test_many);
  return g_test_run ();
}
