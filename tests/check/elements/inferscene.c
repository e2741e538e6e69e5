/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferscene in a stream: what ends stays, settings that change, and who reads
 * its results.  The rules themselves: tests/check/gst/scene. */

#include <string.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/scene-meta.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/frame.h"
#include "tests/check/support/stream.h"

#define CAPS(size)                                                             \
  "video/x-raw, format=GRAY8, " size ", framerate=25/1, "                      \
  "pixel-aspect-ratio=1/1"
#define SMALL CAPS ("width=320, height=240")
#define LARGE CAPS ("width=640, height=480")
#define FRAME (GST_SECOND / 25)
#define ZONE                                                                   \
  "[{\\\"id\\\":\\\"door\\\",\\\"points\\\":[[0.25,0.25],[0.75,0.25],"         \
  "[0.75,0.75],[0.25,0.75]],\\\"loitering\\\":0.4}]"
#define ZONES "inferscene zones=\"" ZONE "\""
#define WIRE                                                                   \
  "inferscene "                                                                \
  "tripwires=\"[{\\\"id\\\":\\\"B\\\",\\\"points\\\":[[0,0.5],[1,0.5]]}]\""

static GstVideoInfo video;

static void
set_caps (GstHarness *h, const char *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  fail_unless (gst_video_info_from_caps (&video, caps));
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
}

static GstHarness *
start (const char *description)
{
  GstHarness *h = test_harness (description);

  set_caps (h, SMALL);
  return h;
}

/* Frame @t with person 7, whose feet are at (@x, @y) of the frame; @x < 0:
 * nobody. */
static GstBuffer *
frame (guint t, double x, double y)
{
  const guint w = (guint) GST_VIDEO_INFO_WIDTH (&video);
  const guint h = (guint) GST_VIDEO_INFO_HEIGHT (&video);
  GstBuffer *buffer = test_frame (&video);
  const GstInferBox box = { (float) (x * w) - 8, (float) (y * h) - 30,
    (float) (x * w) + 8, (float) (y * h) };
  const GstInferLabel label = { "person", 0, 0.9, NULL, NULL };

  GST_BUFFER_PTS (buffer) = t * (GstClockTime) FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  if (x >= 0) {
    GstVideoRegionOfInterestMeta *roi =
        gst_infer_add_object (buffer, w, h, &box, &label, -1);

    gst_infer_set_object_id (buffer, roi, 7, 0, 0, FALSE);
  }
  return buffer;
}

/* What the frame says, "enter exit(gap)".  Takes @buffer. */
static char *
say (GstHarness *h, GstBuffer *buffer)
{
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, buffer);
  const GstInferSceneMeta *meta = gst_buffer_get_infer_scene_meta (out);
  GString *text = g_string_new (NULL);

  for (guint i = 0; meta != NULL && i < meta->n_events; i++) {
    const GstInferSceneEvent *e = &meta->events[i];

    g_string_append_printf (
        text, "%s%s", i > 0 ? " " : "", gst_infer_scene_event_name (e->type));
    if (e->type == GST_INFER_SCENE_EXIT)
      g_string_append_printf (
          text, "(%s)", gst_infer_scene_reason_name (e->reason));
    if (e->type == GST_INFER_SCENE_CROSS)
      g_string_append (text, e->direction > 0 ? "(in)" : "(out)");
  }
  return g_string_free (text, FALSE);
}

static void
expect (GstHarness *h, GstBuffer *buffer, const char *wanted)
{
  g_autofree char *got = say (h, buffer);

  fail_unless_equals_string (got, wanted);
}

/* The next element message, as text; NULL: there is none. */
static char *
next_message (GstHarness *h)
{
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_ELEMENT);

  return message != NULL
             ? gst_structure_to_string (gst_message_get_structure (message))
             : NULL;
}

GST_START_TEST (test_stay)
{
  g_autoptr (TestHarness) h = start (ZONES);
  guint t = 0;

  expect (h, frame (t++, 0.1, 0.5), "");
  expect (h, frame (t++, 0.5, 0.5), "enter");
  for (; t < 11; t++)
    expect (h, frame (t, 0.5, 0.5), "");
  expect (h, frame (t++, 0.5, 0.5), "loitering");
  expect (h, frame (t++, 0.9, 0.5), "exit(left)");
  g_autofree char *enter = next_message (h);
  fail_unless_equals_string (enter,
      "inferscene, type=(string)enter, kind=(string)zone, id=(string)door, "
      "time=(guint64)40000000, count=(uint)1, object_id=(int)7, "
      "label=(string)person;");
  g_free (next_message (h));
  g_autofree char *exit = next_message (h);
  fail_unless_equals_string (exit,
      "inferscene, type=(string)exit, kind=(string)zone, id=(string)door, "
      "time=(guint64)480000000, count=(uint)0, object_id=(int)7, "
      "label=(string)person, duration=(guint64)440000000, "
      "reason=(string)left;");
}
GST_END_TEST

/* The same with the keypoints of somebody who stands, or lies. */
static GstBuffer *
body (guint t, gboolean lying, gboolean hand)
{
  GstBuffer *buffer = frame (t, 0.5, 0.5);
  GstInferKeypoint points[17] = { { 0 } };

  for (guint i = 11; i <= 12; i++)
    points[i] = (GstInferKeypoint){ 160, 120, 1 };
  for (guint i = 5; i <= 6; i++)
    points[i] = (GstInferKeypoint){ lying ? 200 : 160, lying ? 120 : 80, 1 };
  points[0] = (GstInferKeypoint){ 160, 70, 1 };
  points[9] = (GstInferKeypoint){ 160, hand ? 50 : 110, 1 };
  gst_buffer_add_infer_keypoints_meta (
      buffer, GST_INFER_KEYPOINTS_BODY, 17, points)
      ->roi_id = test_region (buffer, 0)->id;
  return buffer;
}

/* A hand, then a fall: each is said once, when it has lasted 0.4 s. */
GST_START_TEST (test_poses)
{
  static const char zones[] =
      "inferscene zones=\"[{\\\"id\\\":\\\"all\\\",\\\"points\\\":[[0,0],[1,0],"
      "[1,1],[0,1]],\\\"poses\\\":[\\\"raised-hand\\\",\\\"fallen\\\"],"
      "\\\"pose_time\\\":0.4}]\"";
  g_autoptr (TestHarness) h = start (zones);
  guint t = 0;

  expect (h, body (t++, FALSE, FALSE), "enter");
  for (guint i = 0; i < 10; i++)
    expect (h, body (t++, FALSE, TRUE), "");
  expect (h, body (t++, FALSE, TRUE), "raised-hand");
  for (guint i = 0; i < 20; i++)
    expect (h, body (t++, FALSE, i % 5 != 0), "");
  for (guint i = 0; i < 10; i++)
    expect (h, body (t++, TRUE, FALSE), "");
  expect (h, body (t++, TRUE, FALSE), "fallen");
  for (guint i = 0; i < 40; i++)
    expect (h, body (t++, TRUE, FALSE), "");
  g_free (next_message (h));
  g_free (next_message (h));
  g_autofree char *fallen = next_message (h);
  fail_unless (strstr (fallen, "type=(string)fallen") != NULL
                   && strstr (fallen, "duration=(guint64)400000000") != NULL,
      "%s", fallen);
}
GST_END_TEST

/* Across, trembling on the line, and back. */
GST_START_TEST (test_tripwire)
{
  g_autoptr (TestHarness) h = start (WIRE " post-messages=false");

  expect (h, frame (0, 0.5, 0.3), "");
  expect (h, frame (1, 0.5, 0.505), "");
  expect (h, frame (2, 0.5, 0.495), "");
  expect (h, frame (3, 0.5, 0.505), "");
  expect (h, frame (4, 0.5, 0.6), "cross(in)");
  expect (h, frame (5, 0.5, 0.4), "cross(out)");
  fail_unless (next_message (h) == NULL);
}
GST_END_TEST

/* An object that is gone, and comes back as somebody new to the zone. */
GST_START_TEST (test_lost)
{
  g_autoptr (TestHarness) h = start (ZONES " lost-after=200");

  expect (h, frame (0, 0.5, 0.5), "enter");
  for (guint t = 1; t < 6; t++)
    expect (h, frame (t, -1, 0), "");
  expect (h, frame (6, -1, 0), "exit(lost)");
  expect (h, frame (7, 0.5, 0.5), "enter");
}
GST_END_TEST

GST_START_TEST (test_flush_ends)
{
  g_autoptr (TestHarness) h = start (ZONES);

  expect (h, frame (0, 0.5, 0.5), "enter");
  test_flush (h);
  expect (h, frame (0, 0.5, 0.5), "exit(flush) enter");
}
GST_END_TEST

/* Jumps of the timestamps, and a GAP event, end stays; frames that were lost
 * within max-gap do not, DISCONT or not. */
GST_START_TEST (test_gaps)
{
  g_autoptr (TestHarness) h = start (ZONES " max-gap=500 lost-after=10000");
  GstBuffer *buffer;

  expect (h, frame (0, 0.5, 0.5), "enter");
  buffer = frame (10, 0.5, 0.5);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  expect (h, buffer, "loitering");
  expect (h, frame (23, 0.5, 0.5), "exit(gap) enter");
  buffer = frame (40, 0.5, 0.5);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  expect (h, buffer, "exit(discontinuity) enter");
  expect (h, frame (39, 0.5, 0.5), "exit(discontinuity) enter");
  fail_unless (gst_harness_push_event (
      h, gst_event_new_gap (40 * (GstClockTime) FRAME, GST_SECOND / 4)));
  expect (h, frame (46, 0.5, 0.5), "");
  fail_unless (gst_harness_push_event (
      h, gst_event_new_gap (47 * (GstClockTime) FRAME, GST_SECOND)));
  expect (h, frame (48, 0.5, 0.5), "exit(gap) enter");
}
GST_END_TEST

static void
push_segment (GstHarness *h, double rate, GstClockTime start)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.start = segment.time = segment.position = start;
  segment.stop = start + 100 * GST_SECOND;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

/* Events have the time of the stream; nothing is counted in reverse. */
GST_START_TEST (test_segments)
{
  g_autoptr (TestHarness) h = start (ZONES);

  push_segment (h, 1, 0);
  expect (h, frame (0, 0.5, 0.5), "enter");
  push_segment (h, 1, 10 * GST_SECOND);
  expect (h, frame (250, 0.5, 0.5), "exit(discontinuity) enter");
  push_segment (h, -1, 0);
  expect (h, frame (10, 0.5, 0.5), "");
  expect (h, frame (9, 0.9, 0.5), "");
  push_segment (h, 1, 0);
  expect (h, frame (0, 0.9, 0.5), "exit(discontinuity)");
}
GST_END_TEST

/* What ends with the stream leaves as an event, before EOS. */
GST_START_TEST (test_eos)
{
  g_autoptr (TestHarness) h = start (ZONES);
  gboolean found = FALSE;

  expect (h, frame (0, 0.5, 0.5), "enter");
  expect (h, frame (1, 0.5, 0.5), "");
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  for (;;) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (h);

    fail_unless (event != NULL);
    if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
      break;
    if (!gst_event_has_name (event, GST_INFER_SCENE_EVENTS))
      continue;
    g_autofree char *text =
        gst_structure_to_string (gst_event_get_structure (event));
    fail_unless (strstr (text, "eos") != NULL, "%s", text);
    found = TRUE;
  }
  fail_unless (found);
  g_free (next_message (h));
  g_autofree char *message = next_message (h);
  fail_unless (strstr (message, "duration=(guint64)40000000") != NULL
                   && strstr (message, "reason=(string)eos") != NULL,
      "%s", message);
}
GST_END_TEST

/* Also where the element is stopped. */
GST_START_TEST (test_stop)
{
  g_autoptr (TestHarness) h = start (ZONES);

  expect (h, frame (0, 0.5, 0.5), "enter");
  g_free (next_message (h));
  gst_element_set_state (h->element, GST_STATE_READY);
  g_autofree char *message = next_message (h);
  fail_unless (message != NULL && strstr (message, "reason=(string)eos"));
  gst_element_set_state (h->element, GST_STATE_PLAYING);
}
GST_END_TEST

/* Another size of the same shape changes nothing; coordinates follow. */
GST_START_TEST (test_size)
{
  g_autoptr (TestHarness) h = start (ZONES);

  expect (h, frame (0, 0.5, 0.5), "enter");
  set_caps (h, LARGE);
  expect (h, frame (1, 0.5, 0.5), "");
  expect (h, frame (2, 0.74, 0.74), "");
  GstBuffer *out = gst_harness_push_and_pull (h, frame (3, 0.9, 0.5));
  const GstInferSceneMeta *meta = gst_buffer_get_infer_scene_meta (out);
  fail_unless_equals_int (meta->n_events, 1);
  fail_unless_equals_uint64 (
      meta->events[0].duration, 3 * (GstClockTime) FRAME);
  fail_unless_equals_float (meta->shapes[0].points[2].x, 480);
  fail_unless_equals_float (meta->shapes[0].points[2].y, 360);
  gst_buffer_unref (out);
}
GST_END_TEST

/* While PLAYING: new settings end what they change; wrong ones are refused with
 * a warning. */
GST_START_TEST (test_change)
{
  g_autoptr (TestHarness) h = start (ZONES);
  g_autoptr (GstElement) element = gst_harness_find_element (h, "inferscene");
  g_autofree char *zones = NULL, *kept = NULL;

  expect (h, frame (0, 0.5, 0.5), "enter");
  g_object_get (element, "zones", &zones, NULL);
  g_object_set (
      element, "zones", "[{\"id\":\"door\",\"points\":[[0,0],[1,0]]}]", NULL);
  g_object_get (element, "zones", &kept, NULL);
  fail_unless_equals_string (kept, zones);
  g_autoptr (GstMessage) warning =
      gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_WARNING);
  g_autoptr (GError) error = NULL;
  gst_message_parse_warning (warning, &error, NULL);
  fail_unless (
      strstr (error->message, "zone 'door'") != NULL, "%s", error->message);
  expect (h, frame (1, 0.5, 0.5), "");
  g_object_set (element, "tripwires",
      "[{\"id\":\"B\",\"points\":[[0,0.6],[1,0.6]]}]", NULL);
  expect (h, frame (2, 0.5, 0.7), "cross(in)");
  g_object_set (element, "zones",
      "[{\"id\":\"all\",\"points\":[[0,0],[1,0],[1,1],[0,1]]}]", NULL);
  expect (h, frame (3, 0.5, 0.7), "exit(settings) enter");
}
GST_END_TEST

/* A file is read again when it has changed. */
GST_START_TEST (test_file)
{
  g_autofree char *folder = g_dir_make_tmp ("scene-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "scene.json", NULL);
  g_autofree char *description = g_strdup_printf ("inferscene config=%s", path);
  static const char *const texts[] = {
    "{\"zones\":[{\"id\":\"a\",\"points\":[[0,0],[1,0],[1,1],[0,1]]}]}",
    "{\"zones\":[{\"id\":\"other\",\"points\":[[0,0],[1,0],[1,1],[0,1]]}]}",
  };

  fail_unless (g_file_set_contents (path, texts[0], -1, NULL));
  {
    g_autoptr (TestHarness) h = start (description);
    guint t = 0;

    expect (h, frame (t++, 0.5, 0.5), "enter");
    fail_unless (g_file_set_contents (path, texts[1], -1, NULL));
    for (guint tries = 0;; tries++) {
      g_autofree char *got = say (h, frame (t++, 0.5, 0.5));

      if (strcmp (got, "exit(settings) enter") == 0)
        break;
      fail_unless (tries < 500);
      g_usleep (20000);
    }
  }
  test_remove_folder (folder);
}
GST_END_TEST

GST_START_TEST (test_errors)
{
  test_start_fails ("inferscene zones=[", "zones:1:2");
  test_start_fails (
      "inferscene config=/nowhere/scene.json", "/nowhere/scene.json");
  test_start_fails (
      "inferscene zones=\"[{\\\"id\\\":\\\"door\\\",\\\"points\\\":[[0,0]]}]\"",
      "zone 'door'");
}
GST_END_TEST

/* Objects that infertrack has not seen. */
GST_START_TEST (test_untracked)
{
  g_autoptr (TestHarness) h = start (ZONES);

  for (guint t = 0; t < 40; t++) {
    GstBuffer *buffer = frame (t, 0.5, 0.5);

    GstVideoRegionOfInterestMeta *roi = test_region (buffer, 0);
    for (GList *l = roi->params; l != NULL; l = l->next)
      if (gst_structure_has_name (l->data, "object_id")) {
        gst_structure_free (l->data);
        roi->params = g_list_delete_link (roi->params, l);
        break;
      }
    expect (h, buffer, "");
  }
  fail_unless_equals_int (test_count_messages (h, GST_MESSAGE_WARNING), 1);
}
GST_END_TEST

/* As inferpublish writes it, the last line of what ends with the stream. */
GST_START_TEST (test_published)
{
  g_autofree char *folder = g_dir_make_tmp ("scene-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "events.jsonl", NULL);
  g_autofree char *description =
      g_strdup_printf (ZONES " ! inferpublish source=cam1 file-path=%s", path);
  g_autofree char *text = NULL;

  {
    g_autoptr (TestHarness) h = start (description);

    for (guint t = 0; t < 2; t++)
      gst_buffer_unref (gst_harness_push_and_pull (h, frame (t, 0.5, 0.5)));
    gst_harness_push_event (h, gst_event_new_eos ());
  }
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  fail_unless (
      strstr (text, ",\"zones\":[{\"id\":\"door\",\"count\":1,\"in\":1,"
                    "\"out\":0}],\"events\":[{\"type\":\"enter\",\"zone\":"
                    "\"door\",\"label\":\"person\",\"object_id\":7,\"time\":0,"
                    "\"count\":1}]}\n")
          != NULL,
      "%s", text);
  fail_unless (
      g_str_has_suffix (text,
          "{\"timestamp\":null,\"source\":\"cam1\",\"events\":[{\"type\":"
          "\"exit\",\"zone\":\"door\",\"label\":\"person\",\"object_id\":7,"
          "\"time\":40000000,\"duration\":40000000,\"count\":0,\"reason\":"
          "\"eos\"}]}\n"),
      "%s", text);
  test_remove_folder (folder);
}
GST_END_TEST

/* The outline, and nothing inside of it. */
GST_START_TEST (test_drawn)
{
  g_autoptr (TestHarness) h =
      start (ZONES " ! inferoverlay draw-labels=false draw-boxes=false");
  g_autoptr (GstBuffer) out =
      gst_harness_push_and_pull (h, frame (0, 0.5, 0.5));
  GstMapInfo map;

  fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
  fail_unless (map.data[60 * 320 + 160] != map.data[120 * 320 + 160]);
  fail_unless (map.data[120 * 320 + 80] != map.data[120 * 320 + 160]);
  fail_unless (map.data[120 * 320 + 40] == map.data[120 * 320 + 160]);
  gst_buffer_unmap (out, &map);
}
GST_END_TEST

static Suite *
inferscene_suite (void)
{
  return test_suite ("inferscene", NULL, NULL, test_stay, test_poses,
      test_tripwire, test_lost, test_flush_ends, test_gaps, test_segments,
      test_eos, test_stop, test_size, test_change, test_file, test_errors,
      test_untracked, test_published, test_drawn, NULL);
}

GST_CHECK_MAIN (inferscene)
