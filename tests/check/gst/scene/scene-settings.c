/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Settings of scenes: what is read, and that errors name the place, the zone
 * and what is wrong. */

#include <string.h>

#include "gst/scene/settings.h"

static GstInferSceneSettings *
parse (const char *json, GError **error)
{
  return gst_infer_scene_settings_parse ("f.json", json, strlen (json), error);
}

static void
test_all (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstInferSceneSettings) s = parse (
      "{\"zones\":[{\"id\":\"door\",\"type\":\"polygon\",\"points\":[[0,0],"
      "{\"x\":1,\"y\":0},[1,1]],\"labels\":[\"person\",\"dog\"],"
      "\"min_confidence\":0.4,\"anchor\":\"center\",\"margin\":0.02,"
      "\"loitering\":40,\"left\":30,\"removed\":1.5,\"still\":0.1,"
      "\"object_threshold\":5,\"time_threshold\":2,"
      "\"direction\":[[0,0],[0,1]],\"distance\":0.2,"
      "\"poses\":[\"lying\",\"fallen\"],\"pose_time\":1}],"
      "\"tripwires\":[{\"id\":\"door\",\"points\":[[0,0.5],[1,0.5]],"
      "\"allowed\":\"out\"}],"
      "\"speed_lines\":[{\"id\":\"road\",\"points\":[[0,0],[0,1]],"
      "\"metres\":25,\"width\":0.3,\"limit\":13.9},{\"id\":\"bend\","
      "\"points\":[[0,0],[0,1],[1,1]],\"metres\":[0,25,60]}]}",
      &error);

  g_assert_no_error (error);
  g_assert_cmpuint (s->n, ==, 4);
  const GstInferSceneItem *zone = &s->items[0];
  g_assert_cmpstr (zone->id, ==, "door");
  g_assert_cmpuint (zone->n, ==, 3);
  g_assert_cmpfloat (zone->points[1].x, ==, 1);
  g_assert_cmpstr (zone->labels[1], ==, "dog");
  g_assert_cmpfloat (zone->min_confidence, ==, 0.4);
  g_assert_cmpint (zone->anchor, ==, GST_INFER_SCENE_CENTER);
  g_assert_cmpfloat (zone->margin, ==, 0.02);
  g_assert_cmpuint (zone->loitering, ==, 40 * GST_SECOND);
  g_assert_cmpuint (zone->left, ==, 30 * GST_SECOND);
  g_assert_cmpuint (zone->removed, ==, 1500 * GST_MSECOND);
  g_assert_cmpuint (zone->object_threshold, ==, 5);
  g_assert_cmpuint (zone->time_threshold, ==, 2 * GST_SECOND);
  g_assert_true (zone->directed);
  g_assert_cmpuint (zone->poses, ==, 6);
  g_assert_cmpuint (zone->pose_time, ==, GST_SECOND);
  g_assert_cmpint (s->items[1].kind, ==, GST_INFER_SCENE_TRIPWIRE);
  g_assert_cmpint (s->items[1].allowed, ==, -1);
  g_assert_cmpfloat (s->items[2].metres[1], ==, 25);
  g_assert_cmpfloat (s->items[3].metres[2], ==, 60);
  for (guint i = 0; i < s->n; i++) {
    g_assert_true (gst_infer_scene_item_equal (&s->items[i], &s->items[i]));
    g_assert_false (
        gst_infer_scene_item_equal (&s->items[i], &s->items[(i + 1) % 4]));
  }
}

#define ZONE(more)                                                             \
  "{\"zones\":[{\"id\":\"door\",\"points\":[[0,0],[1,0],[1,1]]" more "}]}"
#define POINTS(points)                                                          \
  "{\"zones\":[{\"id\":\"a\",\"points\":[[0,0],[1,0],[1,1]]},{\"id\":\"door\"," \
  "\"points\":" points "}]}"
#define LINE(more)                                                             \
  "{\"speed_lines\":[{\"id\":\"road\",\"points\":[[0,0],[1,0]]" more "}]}"

static void
test_errors (void)
{
  static const struct
  {
    const char *json, *parts[3];
  } cases[] = {
    { "{\"zones\":", { "f.json:1:10", "not valid JSON" } },
    { "[]", { "f.json", "an object in {}" } },
    { "{\"zone\":[]}", { "no key 'zone'", "zones, tripwires, speed_lines" } },
    { "{\"zones\":{}}", { "zones", "a list in []" } },
    { "{\"zones\":[3]}", { "zones[0]", "an object in {}" } },
    { "{\"zones\":[{}]}", { "zones[0]", "the zone needs a name in 'id'" } },
    { "{\"zones\":[{\"id\":7}]}", { "zones[0].id", "a name" } },
    { "{\"zones\":[{\"id\":\"\"}]}", { "zones[0].id", "a name" } },
    { "{\"tripwires\":[{\"id\":\"B\"}]}",
        { "tripwires[0]", "tripwire 'B'", "'points'" } },
    { "{\"tripwires\":[{\"id\":\"B\",\"points\":[[0,0],[1,1],[1,0]]}]}",
        { "tripwire 'B'", "2 points were expected, not 3" } },
    { "{\"tripwires\":[{\"id\":\"B\",\"points\":[[0,0],[0,0]]}]}",
        { "tripwire 'B'", "point 0 is the same" } },
    { POINTS ("[[0,0],[1,0]]"), { "zones[1].points", "zone 'door'", "3 to" } },
    { POINTS ("[[0,0],[1,0],[640,480]]"),
        { "zones[1].points[2]", "zone 'door'", "not pixels" } },
    { POINTS ("[[0,0],[1,0],[1]]"), { "points[2]", "a point is [x, y]" } },
    { POINTS ("[[0,0],[1,1],[1,0],[0,1]]"), { "zone 'door'", "cross" } },
    { POINTS ("[[0,0],[1,1],[1,1]]"),
        { "zone 'door'", "point 1 is the same" } },
    { POINTS ("[[0,0],[1,1],[0.5,0.5]]"), { "zone 'door'", "cross or touch" } },
    { "{\"zones\":[{\"id\":\"a\",\"points\":[[0,0],[1,0],[1,1]]},"
      "{\"id\":\"a\",\"points\":[[0,0],[1,0],[1,1]]}]}",
        { "zones[1].id", "another zone is called 'a'" } },
    { ZONE (",\"lables\":[]"), { "zone 'door'", "no key 'lables'", "labels" } },
    { ZONE (",\"labels\":\"x\""), { "zones[0].labels", "zone 'door'" } },
    { ZONE (",\"labels\":[3]"), { "zones[0].labels[0]", "in quotes" } },
    { ZONE (",\"margin\":-1"), { "margin", "-1 is not between 0 and 1" } },
    { ZONE (",\"loitering\":\"40\""), { "loitering", "a number" } },
    { ZONE (",\"min_confidence\":2"), { "min_confidence", "zone 'door'" } },
    { ZONE (",\"anchor\":\"middle\""), { "anchor", "\"bottom\", \"center\"" } },
    { ZONE (",\"type\":\"circle\""), { "type", "\"polygon\"" } },
    { ZONE (",\"object_threshold\":1.5"), { "object_threshold", "whole" } },
    { ZONE (",\"direction\":[[0,0],[0,0]]"), { "direction", "the same" } },
    { ZONE (",\"poses\":[\"sitting\"]"), { "poses[0]", "\"raised-hand\"" } },
    { ZONE (",\"poses\":[]"), { "zones[0].poses", "a list of poses" } },
    { ZONE (",\"poses\":\"lying\""), { "zones[0].poses", "a list of poses" } },
    { ZONE (",\"masks\":[]"), { "zones[0].masks", "a list of labels" } },
    { ZONE (",\"covered\":0"), { "covered", "is not between" } },
    { ZONE (",\"overlap\":2"), { "overlap", "is not between" } },
    { ZONE (",\"reading\":\"words\""),
        { "reading", "\"off\", \"text\", \"characters\"" } },
    { ZONE (",\"reading_votes\":1.5"), { "reading_votes", "whole" } },
    { ZONE (",\"direction\":3"), { "direction", "two points" } },
    { "{\"tripwires\":[{\"id\":\"B\",\"points\":[[0,0],[1,1]],"
      "\"allowed\":\"up\"}]}",
        { "allowed", "tripwire 'B'", "\"both\", \"in\", \"out\"" } },
    { LINE (""), { "speed_line 'road'", "'metres'" } },
    { LINE (",\"metres\":0"), { "speed_line 'road'", "metres" } },
    { LINE (",\"metres\":[0,1,2]"), { "speed_line 'road'", "metres" } },
    { LINE (",\"metres\":[0,0]"), { "metres[1]", "grow" } },
    { LINE (",\"metres\":[1,2]"), { "metres[0]", "begin with 0" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (parse (cases[i].json, &error));
    g_assert_nonnull (error);
    for (guint k = 0; k < 3 && cases[i].parts[k] != NULL; k++)
      if (strstr (error->message, cases[i].parts[k]) == NULL)
        g_error ("%s: '%s' lacks '%s'", cases[i].json, error->message,
            cases[i].parts[k]);
  }
}

static void
test_many (void)
{
  g_autoptr (GString) json = g_string_new ("{\"zones\":[");
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 257; i++)
    g_string_append_printf (json,
        "%s{\"id\":\"%u\",\"points\":[[0,0],[1,0],[1,1]]}", i > 0 ? "," : "",
        i);
  g_string_append (json, "]}");
  g_assert_null (parse (json->str, &error));
  g_assert_nonnull (strstr (error->message, "more than 256"));
}

/* The properties: lists, each in place of the file's. */
static void
test_lists (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstInferSceneSettings) s = gst_infer_scene_settings_new (NULL,
      "[{\"id\":\"a\",\"points\":[[0,0],[1,0],[1,1]]}]", "",
      "[{\"id\":\"b\",\"points\":[[0,0],[1,0]],\"metres\":3}]", &error);

  g_assert_no_error (error);
  g_assert_cmpuint (s->n, ==, 2);
  g_assert_null (
      gst_infer_scene_settings_new (NULL, NULL, "[3]", NULL, &error));
  g_assert_nonnull (strstr (error->message, "tripwires"));
  g_clear_error (&error);
  g_assert_null (
      gst_infer_scene_settings_new ("/none.json", NULL, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "/none.json"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/gst/scene/settings/all", test_all);
  g_test_add_func ("/gst/scene/settings/errors", test_errors);
  g_test_add_func ("/gst/scene/settings/many", test_many);
  g_test_add_func ("/gst/scene/settings/lists", test_lists);
  return g_test_run ();
}
