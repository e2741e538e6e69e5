/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tracking of simulated objects that cross, hide and return. */

#include <math.h>

#include "inference/media/vision/assign.h"
#include "inference/media/vision/track.h"

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

  for (guint round = 0; round < 300; round++) {
    guint rows = (guint) g_rand_int_range (rand, 0, 6);
    guint columns = (guint) g_rand_int_range (rand, 0, 6);
    float gains[36], sum = 0;
    int column_of[6];
    guint used = 0;

    for (guint i = 0; i < rows * columns; i++)
      gains[i] =
          g_rand_int_range (rand, 0, 3) == 0 ? 0 : (float) g_rand_double (rand);
    infer_assign (gains, rows, columns, column_of);
    for (guint i = 0; i < rows; i++)
      if (column_of[i] >= 0) {
        g_assert_cmpfloat (gains[i * columns + (guint) column_of[i]], >, 0);
        g_assert_false (used & 1u << column_of[i]);
        used |= 1u << column_of[i];
        sum += gains[i * columns + (guint) column_of[i]];
      }
    g_assert_cmpfloat_with_epsilon (
        sum, best_by_trying (gains, rows, columns, 0, 0), 1e-5);
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
    int ids[N];

    if (t % clip->looked_at_each != 0) {
      infer_tracker_skip (tracker, 1);
      continue;
    }
    n = look (rand, clip, t, found, who);
    infer_tracker_update (tracker, 1, found, n, ids);
    for (guint i = 0; i < n; i++) {
      if (ids[i] == 0)
        continue;
      check_id (seed, t, ids[i], who[i], id_of);
      most = MAX (most, ids[i]);
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

/* A fraction of a frame, several frames: predictions follow the time. */
static void
test_time (void)
{
  const InferTrackSettings settings = INFER_TRACK_DEFAULTS;
  g_autoptr (InferTracker) tracker = infer_tracker_new (&settings);
  int id;

  for (guint t = 0; t < 30; t++) {
    InferDetection d = truth (0, (float) t);

    infer_tracker_update (tracker, 1, &d, 1, &id);
    g_assert_cmpint (id, ==, 1);
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
  int id;

  settings.min_hits = 3;
  g_autoptr (InferTracker) tracker = infer_tracker_new (&settings);
  for (int i = 1; i <= 4; i++) {
    infer_tracker_update (tracker, 1, &d, 1, &id);
    g_assert_cmpint (id, ==, i < 3 ? 0 : 1);
  }
  /* Another label is another object; a low score starts no track. */
  other.label = 2;
  infer_tracker_update (tracker, 1, &other, 1, &id);
  g_assert_cmpint (id, ==, 0);
  infer_tracker_update (tracker, 1, &d, 1, &id);
  g_assert_cmpint (id, ==, 1);
  d.score = 0.2f;
  infer_tracker_update (tracker, 1, &d, 1, &id);
  g_assert_cmpint (id, ==, 1);
  infer_tracker_reset (tracker);
  infer_tracker_update (tracker, 1, &d, 1, &id);
  g_assert_cmpint (id, ==, 0);
  infer_tracker_update (tracker, 1, NULL, 0, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/track/assign", test_assign);
  g_test_add_func ("/track/clips", test_clips);
  g_test_add_func ("/track/time", test_time);
  g_test_add_func ("/track/settings", test_settings);
  return g_test_run ();
}
