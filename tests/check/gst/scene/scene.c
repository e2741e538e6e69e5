/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random tracks through random zones and lines: the events are those of
 * reference.c, which works them out afterwards in another way.
 *
 *   INFER_TEST_TRACKS=N   number of tracks, default 100000 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check/gst/scene/begin.h"
#include "tests/check/gst/scene/reference.h"

#define TRACKS 100 /* of a scene */
#define FRAMES 60

static const char *const names[] = { "person", "car", "bag" };

/* --- settings --- */

/* Half of all coordinates are on a coarse grid, so that objects stand on edges
 * and corners. */
static double
coordinate (GRand *random, gboolean coarse)
{
  return coarse ? g_rand_int_range (random, 0, 17) / 16.0
                : g_rand_double (random);
}

static void
add_point (GString *json, double x, double y)
{
  char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (json, "%s[%s,%s]",
      json->str[json->len - 1] == '[' ? "" : ",",
      g_ascii_dtostr (a, sizeof a, x), g_ascii_dtostr (b, sizeof b, y));
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Around a centre: seldom crosses itself. */
static void
add_polygon (GRand *random, GString *json)
{
  const gboolean coarse = g_rand_boolean (random);
  const double cx = coordinate (random, FALSE), cy = coordinate (random, FALSE);
  const guint n = (guint) g_rand_int_range (random, 3, 9);
  double angles[8];

  for (guint i = 0; i < n; i++)
    angles[i] = g_rand_double_range (random, 0, 2 * G_PI);
  qsort (angles, n, sizeof *angles, compare_doubles);
  for (guint i = 0; i < n; i++) {
    const double r = g_rand_double_range (random, 0.1, 0.5);
    double x = CLAMP (cx + r * cos (angles[i]), 0, 1);
    double y = CLAMP (cy + r * sin (angles[i]), 0, 1);

    if (coarse)
      x = round (x * 16) / 16, y = round (y * 16) / 16;
    add_point (json, x, y);
  }
}

static void
add_common (GRand *random, GString *json)
{
  g_string_append_printf (
      json, "],\"margin\":0.0%d", g_rand_int_range (random, 0, 10));
  if (g_rand_int_range (random, 0, 3) == 0)
    g_string_append_printf (json, ",\"labels\":[\"%s\",\"dog\"]",
        names[g_rand_int_range (random, 0, 3)]);
  if (g_rand_int_range (random, 0, 3) == 0)
    g_string_append_printf (
        json, ",\"min_confidence\":0.%d", g_rand_int_range (random, 3, 10));
}

static void
add_seconds (GRand *random, GString *json, const char *key)
{
  if (g_rand_boolean (random))
    g_string_append_printf (
        json, ",\"%s\":0.%d", key, g_rand_int_range (random, 0, 10));
}

static void
add_zone (GRand *random, GString *json)
{
  add_polygon (random, json);
  add_common (random, json);
  add_seconds (random, json, "loitering");
  add_seconds (random, json, "left");
  add_seconds (random, json, "removed");
  g_string_append_printf (json, ",\"still\":0.%02d,\"distance\":0.%02d",
      g_rand_int_range (random, 1, 30), g_rand_int_range (random, 1, 30));
  if (g_rand_boolean (random)) {
    g_string_append_printf (
        json, ",\"object_threshold\":%d", g_rand_int_range (random, 1, 12));
    add_seconds (random, json, "time_threshold");
  }
  if (!g_rand_boolean (random))
    return;
  g_string_append (json, ",\"direction\":[");
  add_point (json, coordinate (random, FALSE), coordinate (random, FALSE));
  add_point (json, coordinate (random, FALSE), coordinate (random, FALSE));
  g_string_append_c (json, ']');
}

static void
add_tripwire (GRand *random, GString *json)
{
  static const char *const ways[] = { "both", "in", "out" };
  const gboolean coarse = g_rand_boolean (random);

  for (guint i = 0; i < 2; i++)
    add_point (json, coordinate (random, coarse), coordinate (random, coarse));
  add_common (random, json);
  g_string_append_printf (
      json, ",\"allowed\":\"%s\"", ways[g_rand_int_range (random, 0, 3)]);
}

static void
add_speed_line (GRand *random, GString *json)
{
  const guint n = (guint) g_rand_int_range (random, 2, 5);

  for (guint i = 0; i < n; i++)
    add_point (json, coordinate (random, FALSE), coordinate (random, FALSE));
  add_common (random, json);
  g_string_append (json, ",\"metres\":[0");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (json, ",%u", i * 7 + i * i);
  g_string_append_printf (json, "],\"width\":0.%02d,\"limit\":%d",
      g_rand_int_range (random, 5, 60), g_rand_int_range (random, 0, 60));
}

static GstInferSceneSettings *
random_settings (GRand *random)
{
  static const struct
  {
    const char *list;
    void (*add) (GRand *random, GString *json);
  } kinds[] = { { "zones", add_zone }, { "tripwires", add_tripwire },
    { "speed_lines", add_speed_line } };

  for (;;) {
    g_autoptr (GString) json = g_string_new ("{");

    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
      g_string_append_printf (
          json, "%s\"%s\":[", k > 0 ? "," : "", kinds[k].list);
      for (int i = 0; i < 3; i++) {
        g_string_append_printf (
            json, "%s{\"id\":\"%d\",\"points\":[", i > 0 ? "," : "", i);
        kinds[k].add (random, json);
        g_string_append_c (json, '}');
      }
      g_string_append_c (json, ']');
    }
    g_string_append_c (json, '}');
    GstInferSceneSettings *settings =
        gst_infer_scene_settings_parse ("random", json->str, json->len, NULL);
    if (settings != NULL) /* no polygon crosses itself */
      return settings;
  }
}

/* --- tracks --- */

/* Steps, jumps, rests and trembling; away for a while. */
static void
move (GRand *random, ReferenceSight *sights, guint n)
{
  const gboolean coarse = g_rand_boolean (random);
  double x = coordinate (random, coarse), y = coordinate (random, coarse);
  const double step = g_rand_double_range (random, 0, 0.15);
  const double vx = g_rand_double_range (random, -step, step);
  const double vy = g_rand_double_range (random, -step, step);
  guint away = 0;

  for (guint f = 0; f < n; f++) {
    const int what = g_rand_int_range (random, 0, 40);

    if (what == 0)
      away = (guint) g_rand_int_range (random, 1, 20);
    if (what == 1)
      x = coordinate (random, coarse), y = coordinate (random, coarse);
    if (what > 1 && what < 25)
      x += vx, y += vy;
    if (what >= 25 && what < 30)
      x += g_rand_double_range (random, -0.02, 0.02);
    x = CLAMP (x, 0, 1), y = CLAMP (y, 0, 1);
    away -= away > 0;
    sights[f] = (ReferenceSight){ away == 0, g_rand_double (random), x, y };
    if (coarse) {
      sights[f].x = round (x * 16) / 16;
      sights[f].y = round (y * 16) / 16;
    }
  }
}

static void
make_scene (GRand *random, ReferenceScene *scene)
{
  GstClockTime now = 0;

  for (guint f = 0; f < scene->frames; f++) {
    now += (guint) g_rand_int_range (random, 0, 80) * (guint64) GST_MSECOND;
    scene->times[f] = now;
    scene->ends[f] =
        f > 0 && g_rand_int_range (random, 0, 40) == 0 ? g_rand_int_range (
            random, GST_INFER_SCENE_DISCONTINUITY, GST_INFER_SCENE_FLUSH + 1)
                                                       : -1;
  }
  for (guint t = 0; t < scene->tracks; t++)
    move (random, scene->sights + (gsize) t * scene->frames, scene->frames);
}

/* --- comparison --- */

static int
compare_events (gconstpointer first, gconstpointer second)
{
  const GstInferSceneEvent *a = first, *b = second;

  if (a->time != b->time)
    return a->time < b->time ? -1 : 1;
  if (a->object_id != b->object_id)
    return a->object_id < b->object_id ? -1 : 1;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  if (strcmp (a->id, b->id) != 0)
    return strcmp (a->id, b->id);
  if (a->type != b->type)
    return a->type < b->type ? -1 : 1;
  return a->duration != b->duration ? (a->duration < b->duration ? -1 : 1)
                                    : (int) a->reason - (int) b->reason;
}

static void
check_event (const GstInferSceneEvent *got, const GstInferSceneEvent *want)
{
  g_assert_cmpint (compare_events (got, want), ==, 0);
  g_assert_cmpstr (got->label, ==, want->label);
  g_assert_cmpint (got->direction, ==, want->direction);
  g_assert_cmpfloat_with_epsilon (
      got->speed, want->speed, 1e-9 * (1 + fabs (want->speed)));
  if (got->type == GST_INFER_SCENE_EXIT)
    g_assert_cmpint (got->reason, ==, want->reason);
}

static void
print_events (const char *name, const GArray *events, guint around)
{
  for (guint i = around > 3 ? around - 3 : 0; i < MIN (around + 4, events->len);
       i++) {
    const GstInferSceneEvent *e =
        &g_array_index (events, GstInferSceneEvent, i);

    g_test_message ("%s %u: %" GST_TIME_FORMAT
                    " object %d %s %s '%s' duration %" G_GINT64_FORMAT
                    " direction %d reason %d",
        name, i, GST_TIME_ARGS (e->time), e->object_id,
        gst_infer_scene_event_name (e->type),
        gst_infer_scene_kind_name (e->kind), e->id, (gint64) e->duration,
        e->direction, e->reason);
  }
}

static void
compare (GArray *got, GArray *want)
{
  g_array_sort (got, compare_events);
  g_array_sort (want, compare_events);
  for (guint i = 0; i < MIN (got->len, want->len); i++)
    if (compare_events (&g_array_index (got, GstInferSceneEvent, i),
            &g_array_index (want, GstInferSceneEvent, i))
        != 0) {
      print_events ("got", got, i);
      print_events ("want", want, i);
      break;
    }
  g_assert_cmpuint (got->len, ==, want->len);
  for (guint i = 0; i < got->len; i++)
    check_event (&g_array_index (got, GstInferSceneEvent, i),
        &g_array_index (want, GstInferSceneEvent, i));
}

/* --- a scene --- */

static void
update (GstInferSceneState *state, const ReferenceScene *scene, guint f)
{
  GstInferSceneObject objects[TRACKS];
  guint n = 0;

  for (guint t = 0; t < scene->tracks; t++) {
    const ReferenceSight *s = scene->sights + (gsize) t * scene->frames + f;

    if (s->seen)
      objects[n++] = (GstInferSceneObject){ .id = (int) t + 1,
        .label = g_quark_from_string (scene->labels[t]),
        .confidence = s->confidence,
        .x0 = s->x,
        .y0 = s->y,
        .x1 = s->x,
        .y1 = s->y };
  }
  gst_infer_scene_state_update (state, scene->times[f], objects, n);
}

/* Entries less exits are who is inside; the times of events do not decrease. */
static void
check_counts (GstInferSceneState *state, gboolean ended)
{
  const GArray *events = gst_infer_scene_state_events (state);
  GstClockTime last = 0;
  guint n;
  const GstInferSceneShape *shapes =
      gst_infer_scene_state_shapes (state, 640, 480, &n);

  for (guint i = 0; i < n; i++) {
    if (shapes[i].kind != GST_INFER_SCENE_TRIPWIRE)
      g_assert_cmpuint (shapes[i].in - shapes[i].out, ==, shapes[i].count);
    if (ended)
      g_assert_cmpuint (shapes[i].count, ==, 0);
  }
  for (guint i = 0; i < events->len; i++) {
    const GstInferSceneEvent *e =
        &g_array_index (events, GstInferSceneEvent, i);

    g_assert_cmpuint (e->time, >=, last);
    last = e->time;
  }
}

static guint
run_scene (GRand *random, guint seen[11])
{
  g_autoptr (GstInferSceneSettings) settings = random_settings (random);
  g_autoptr (GstInferSceneState) state = gst_infer_scene_state_new ();
  g_autofree GstClockTime *times = g_new (GstClockTime, FRAMES);
  g_autofree int *ends = g_new (int, FRAMES);
  g_autofree ReferenceSight *sights = g_new (ReferenceSight, TRACKS * FRAMES);
  const char *labels[TRACKS];
  ReferenceScene scene = { FRAMES, times, ends, TRACKS, sights, labels,
    (guint) g_rand_int_range (random, 0, 1000) * (guint64) GST_MSECOND,
    settings };

  for (guint t = 0; t < TRACKS; t++)
    labels[t] = names[g_rand_int_range (random, 0, 3)];
  make_scene (random, &scene);
  gst_infer_scene_state_set_settings (state, settings);
  gst_infer_scene_state_set_lost_after (state, scene.lost_after);
  for (guint f = 0; f < FRAMES; f++) {
    if (ends[f] >= 0)
      gst_infer_scene_state_end (state, (GstInferSceneReason) ends[f]);
    update (state, &scene, f);
    check_counts (state, FALSE);
  }
  gst_infer_scene_state_end (state, GST_INFER_SCENE_EOS);
  check_counts (state, TRUE);
  g_autoptr (GArray) want = reference_events (&scene);
  GArray *got = gst_infer_scene_state_events (state);
  compare (got, want);
  for (guint i = 0; i < got->len; i++)
    seen[g_array_index (got, GstInferSceneEvent, i).type]++;
  return got->len;
}

static void
test_random (void)
{
  const char *tracks = g_getenv ("INFER_TEST_TRACKS");
  const guint64 n =
      (tracks != NULL ? g_ascii_strtoull (tracks, NULL, 10) : 100000) / TRACKS;
  g_autoptr (GRand) random = g_rand_new_with_seed (18);
  guint seen[11] = { 0 };
  guint64 events = 0;

  for (guint64 i = 0; i < n; i++)
    events += run_scene (random, seen);
  g_test_message ("%" G_GUINT64_FORMAT " events", events);
  for (guint i = 0; i < G_N_ELEMENTS (seen) && n >= 100; i++) {
    g_test_message ("%s: %u",
        gst_infer_scene_event_name ((GstInferSceneEventType) i), seen[i]);
    g_assert_cmpuint (seen[i], >, n / 10);
  }
}

/* --- single properties --- */

static void
see (GstInferSceneState *state, guint frame, int id, double x, double y)
{
  const GstInferSceneObject object = {
    .id = id, .confidence = 1, .x0 = x, .y0 = y, .x1 = x, .y1 = y
  };

  gst_infer_scene_state_update (
      state, frame * (guint64) (40 * GST_MSECOND), &object, 1);
}

#define SQUARE                                                                 \
  "{\"zones\":[{\"id\":\"a\",\"points\":[[0.25,0.25],[0.75,0.25],[0.75,0.75]," \
  "[0.25,0.75]],\"margin\":0.02}],\"tripwires\":[{\"id\":\"b\",\"points\":"    \
  "[[0,0.5],[1,0.5]],\"margin\":0.02}]}"

/* Trembling on a border by less than the margin: one entry at most, no exit, no
 * crossing. */
static void
test_jitter (void)
{
  g_autoptr (GstInferSceneState) state = begin_scene (SQUARE);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);

  for (guint f = 0; f < 10000; f++)
    see (state, f, 1, 0.25 + g_rand_double_range (random, -0.019, 0.019),
        0.5 + g_rand_double_range (random, -0.019, 0.019));
  GArray *events = gst_infer_scene_state_events (state);
  g_assert_cmpuint (events->len, ==, 1);
  g_assert_cmpint (g_array_index (events, GstInferSceneEvent, 0).type, ==,
      GST_INFER_SCENE_ENTER);
}

/* Trembling around the end of a tripwire is no crossing, either. */
static void
test_around (void)
{
  g_autoptr (GstInferSceneState) state = begin_scene (
      "{\"tripwires\":[{\"id\":\"b\",\"points\":[[0.4,0.5],[0.6,0.5]],"
      "\"margin\":0.1}]}");

  for (guint f = 0; f < 1000; f++)
    see (state, f, 1, 0.6 + 0.06 * sin (f * 0.3), 0.5 + 0.06 * cos (f * 0.3));
  g_assert_cmpuint (gst_infer_scene_state_events (state)->len, ==, 0);
}

/* Ids that never come again are forgotten. */
static void
test_memory (void)
{
  g_autoptr (GstInferSceneState) state = begin_scene (SQUARE);

  for (guint f = 0; f < 200000; f++) {
    see (state, f, (int) f + 1, 0.5, 0.5);
    g_array_set_size (gst_infer_scene_state_events (state), 0);
    g_assert_cmpuint (gst_infer_scene_state_n_tracks (state), <=, 26);
  }
}

static guint
count_events (GstInferSceneState *state, GstInferSceneEventType type)
{
  const GArray *events = gst_infer_scene_state_events (state);
  guint n = 0;

  for (guint i = 0; i < events->len; i++)
    n += g_array_index (events, GstInferSceneEvent, i).type == type;
  return n;
}

static void
set (GstInferSceneState *state, const char *json)
{
  g_autoptr (GstInferSceneSettings) settings =
      gst_infer_scene_settings_parse ("test", json, strlen (json), NULL);

  g_assert_nonnull (settings);
  gst_infer_scene_state_set_settings (state, settings);
}

/* A zone that stays as it is goes on; a changed one ends its stays. */
static void
test_settings (void)
{
  g_autoptr (GstInferSceneState) state = begin_scene (SQUARE);

  see (state, 0, 1, 0.5, 0.4);
  see (state, 1, 1, 0.5, 0.4);
  set (state, "{\"zones\":[{\"id\":\"new\",\"points\":[[0,0],[1,0],[1,1]]},"
              "{\"id\":\"a\",\"points\":[[0.25,0.25],[0.75,0.25],[0.75,0.75],"
              "[0.25,0.75]],\"margin\":0.02}]}");
  g_assert_cmpuint (count_events (state, GST_INFER_SCENE_EXIT), ==, 0);
  see (state, 2, 1, 0.5, 0.4);
  see (state, 3, 1, 0.9, 0.95);
  const GArray *events = gst_infer_scene_state_events (state);
  const GstInferSceneEvent *exit = NULL;
  for (guint i = 0; i < events->len; i++)
    if (g_array_index (events, GstInferSceneEvent, i).type
        == GST_INFER_SCENE_EXIT)
      exit = &g_array_index (events, GstInferSceneEvent, i);
  g_assert_nonnull (exit);
  g_assert_cmpstr (exit->id, ==, "a");
  g_assert_cmpuint (exit->duration, ==, 3 * (guint64) (40 * GST_MSECOND));
  see (state, 4, 1, 0.5, 0.4);
  set (state, "{}");
  exit = &g_array_index (events, GstInferSceneEvent, events->len - 1);
  g_assert_cmpint (exit->type, ==, GST_INFER_SCENE_EXIT);
  g_assert_cmpint (exit->reason, ==, GST_INFER_SCENE_SETTINGS);
  g_assert_cmpuint (count_events (state, GST_INFER_SCENE_ENTER), ==,
      count_events (state, GST_INFER_SCENE_EXIT));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/gst/scene/random", test_random);
  g_test_add_func ("/gst/scene/jitter", test_jitter);
  g_test_add_func ("/gst/scene/around", test_around);
  g_test_add_func ("/gst/scene/memory", test_memory);
  g_test_add_func ("/gst/scene/settings-change", test_settings);
  return g_test_run ();
}
