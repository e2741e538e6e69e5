/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Masks: objects in a zone by the share of their mask, zones that are covered.
 */

#include <math.h>
#include <string.h>

#include "tests/check/gst/scene/begin.h"

#define TENTH (GST_SECOND / 10)

/* The events since the last call, as text. */
static char *
said (GstInferSceneState *state)
{
  GArray *events = gst_infer_scene_state_events (state);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < events->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
        gst_infer_scene_event_name (
            g_array_index (events, GstInferSceneEvent, i).type));
  g_array_set_size (events, 0);
  return g_string_free (text, FALSE);
}

static void
expect (GstInferSceneState *state, const char *want)
{
  g_autofree char *got = said (state);

  g_assert_cmpstr (got, ==, want);
}

/* Enters with half of it, and leaves with less than 0.4 (0.8 · 0.5); that its
 * box is in the zone or not means nothing. */
static void
test_share (void)
{
  g_autoptr (GstInferSceneState) state =
      begin_scene ("{\"zones\":[{\"id\":\"a\",\"anchor\":\"mask\",\"points\":"
                   "[[0.5,0],[1,0],[1,1],[0.5,1]]}]}");
  static const struct
  {
    double x0; /* of a box that is 0.2 wide */
    gboolean left_half;
    const char *said;
  } steps[] = {
    { 0.1, FALSE, "" },      /* outside */
    { 0.39, FALSE, "" },     /* 0.45 of the box */
    { 0.39, TRUE, "" },      /* none of the left half */
    { 0.45, TRUE, "" },      /* half of the left half, but a bit */
    { 0.46, TRUE, "enter" }, /* more */
    { 0.45, TRUE, "" },      /* 0.5 */
    { 0.442, TRUE, "" },     /* 0.42 */
    { 0.43, TRUE, "exit" },  /* 0.3 */
    { 0.43, FALSE, "enter" } /* 0.65 of the box */
  };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    GstInferSceneObject object = { .id = 1,
      .confidence = 1,
      .x0 = steps[i].x0,
      .y0 = 0.4,
      .x1 = steps[i].x0 + 0.2,
      .y1 = 0.6,
      .has_mask = steps[i].left_half };

    if (steps[i].x0 == 0.45 && i == 3)
      object.x0 -= 0.004, object.x1 -= 0.004;
    for (guint y = 0; y < GST_INFER_SCENE_MASK_SIZE; y++)
      object.mask[y] = 0xffff;
    gst_infer_scene_state_update (state, i * TENTH, &object, 1);
    g_test_message ("step %u", i);
    expect (state, steps[i].said);
  }
}

/* The share of random boxes in a triangle is that of many points in it. */
static void
test_random (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (18);
  guint entered = 0;

  for (guint i = 0; i < 500; i++) {
    g_autoptr (GstInferSceneState) state =
        begin_scene ("{\"zones\":[{\"id\":\"a\",\"anchor\":\"mask\",\"points\":"
                     "[[0.2,0.2],[0.8,0.2],[0.2,0.8]]}]}");
    const double w = g_rand_double_range (random, 0.05, 0.4);
    const double h = g_rand_double_range (random, 0.05, 0.4);
    const double x = g_rand_double_range (random, 0, 1 - w);
    const double y = g_rand_double_range (random, 0, 1 - h);
    const GstInferSceneObject object = {
      .id = 1, .confidence = 1, .x0 = x, .y0 = y, .x1 = x + w, .y1 = y + h
    };
    guint inside = 0;

    for (guint k = 0; k < 300 * 300; k++) {
      const double px = x + w * (k % 300 + 0.5) / 300;
      const double py = y + h * (k / 300 + 0.5) / 300;

      inside += px >= 0.2 && py >= 0.2 && px + py <= 1;
    }
    const double share = inside / (300.0 * 300.0);
    if (fabs (share - 0.5) < 0.03) /* 32 × 32 points: either is right */
      continue;
    gst_infer_scene_state_update (state, 0, &object, 1);
    expect (state, share > 0.5 ? "enter" : "");
    entered += share > 0.5;
  }
  g_assert_cmpuint (entered, >, 50);
}

static void
cover (GstInferSceneState *state, guint tenth, double area, const char *want)
{
  if (area >= 0)
    gst_infer_scene_state_set_area (state, 0, area);
  gst_infer_scene_state_update (state, tenth * TENTH, NULL, 0);
  expect (state, want);
}

static void
test_covered (void)
{
  g_autoptr (GstInferSceneState) state = begin_scene (
      "{\"zones\":[{\"id\":\"a\",\"points\":[[0,0],[1,0],[1,1]],"
      "\"masks\":[\"water\"],\"covered\":0.3,\"covered_time\":0.2}]}");
  const GstInferSceneShape *shapes;
  guint n;

  cover (state, 0, -1, "");
  shapes = gst_infer_scene_state_shapes (state, 64, 48, &n);
  g_assert_cmpfloat (shapes[0].area, <, 0);
  cover (state, 1, 0.29, "");
  cover (state, 2, 0.31, "");
  cover (state, 3, 0.28, ""); /* trembles */
  cover (state, 4, 0.31, "covered");
  shapes = gst_infer_scene_state_shapes (state, 64, 48, &n);
  g_assert_cmpfloat (shapes[0].area, ==, 0.31);
  cover (state, 5, 0.28, "");
  cover (state, 6, 0.26, "covered-end");
  cover (state, 7, 0.5, "");
  cover (state, 9, 0.5, "covered");
  cover (state, 18, -1, ""); /* no masks: as it was, for a second */
  cover (state, 20, -1, "covered-end");
  cover (state, 21, 0.5, "");
  cover (state, 23, 0.5, "covered");
  gst_infer_scene_state_end (state, GST_INFER_SCENE_FLUSH);
  expect (state, "covered-end");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/gst/scene/area/share", test_share);
  g_test_add_func ("/gst/scene/area/random", test_random);
  g_test_add_func ("/gst/scene/area/covered", test_covered);
  return g_test_run ();
}
