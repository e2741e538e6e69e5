/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferscene with results that other models add to objects and frames: texts
 * and masks. */

#include <string.h>

#include "gst/infer/scene-meta.h"
#include "tests/check/support/frame.h"
#include "tests/check/support/stream.h"

#define CAPS "video/x-raw, format=GRAY8, width=320, height=240, framerate=10/1"
#define ALL "\\\"points\\\":[[0,0],[1,0],[1,1],[0,1]]"
#define RIGHT "\\\"points\\\":[[0.5,0],[1,0],[1,1],[0.5,1]]"

static GstVideoInfo video;

static GstHarness *
start (const char *zone)
{
  g_autofree char *text = g_strdup_printf (
      "inferscene zones=\"[{\\\"id\\\":\\\"door\\\",%s}]\"", zone);
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);
  GstHarness *h = test_harness (text);

  fail_unless (gst_video_info_from_caps (&video, caps));
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  return h;
}

static GstBuffer *
frame (guint t)
{
  GstBuffer *buffer = test_frame (&video);

  GST_BUFFER_PTS (buffer) = t * (GST_SECOND / 10);
  return buffer;
}

/* @id 0: an object that is not tracked.  (transfer none) */
static GstVideoRegionOfInterestMeta *
add_object (GstBuffer *buffer, const char *name, int id, float x, int parent)
{
  const GstInferBox box = { x, 100, x + 64, 164 };
  const GstInferLabel label = { name, 0, 0.9, NULL, NULL };
  GstVideoRegionOfInterestMeta *roi =
      gst_infer_add_object (buffer, 320, 240, &box, &label, parent);

  if (id > 0)
    gst_infer_set_object_id (buffer, roi, id, 0, 0, FALSE);
  return roi;
}

static void
add_text (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi,
    const char *text, double confidence)
{
  const GstInferLabel label = { text, -1, confidence, NULL, NULL };

  gst_infer_add_label (buffer, roi, "text", &label);
}

/* Compares the events of the frame, except "enter", with their texts and areas.
 * Takes @buffer. */
static void
expect (GstHarness *h, GstBuffer *buffer, const char *wanted)
{
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, buffer);
  const GstInferSceneMeta *meta = gst_buffer_get_infer_scene_meta (out);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < meta->n_events; i++) {
    const GstInferSceneEvent *e = &meta->events[i];

    if (e->type == GST_INFER_SCENE_ENTER)
      continue;
    g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "",
        gst_infer_scene_event_name (e->type));
    if (e->text != NULL)
      g_string_append_printf (
          text, "(%d: %s, %.2f)", e->object_id, e->text, e->confidence);
    if (e->type == GST_INFER_SCENE_COVERED)
      g_string_append_printf (text, "(%.2f)", e->area);
  }
  fail_unless_equals_string (text->str, wanted);
}

/* A plate, a car whose plate is a region of its own, and a text that belongs to
 * nobody: one reading each, when it is settled. */
GST_START_TEST (test_reading)
{
  static const char *const texts[] = { "B 17", "B 11", "8 17", "B 17", "B 17" };
  g_autoptr (TestHarness) h =
      start (ALL ",\\\"reading\\\":\\\"text\\\",\\\"reading_share\\\":0.5");

  for (guint t = 0; t < 9; t++) {
    GstBuffer *buffer = frame (t);
    const GstVideoRegionOfInterestMeta *car;

    add_text (buffer, add_object (buffer, "plate", 1, 10, -1), texts[t % 5],
        t % 5 == 1 || t % 5 == 2 ? 0.4 : 0.8);
    car = add_object (buffer, "car", 2, 100, -1);
    if (t > 4)
      add_text (
          buffer, add_object (buffer, "plate", 0, 110, car->id), "X 1", 1);
    add_text (buffer, add_object (buffer, "sign", 0, 200, -1), "STOP", 1);
    expect (h, buffer,
        t == 4   ? "reading(1: B 17, 0.75)"
        : t == 7 ? "reading(2: X 1, 1.00)"
                 : "");
  }
}
GST_END_TEST

GST_START_TEST (test_characters)
{
  static const char *const texts[] = { "X17", "BX7", "B1X" };
  g_autoptr (TestHarness) h = start (ALL ",\\\"reading\\\":\\\"characters\\\"");

  for (guint t = 0; t < 3; t++) {
    GstBuffer *buffer = frame (t);

    add_text (buffer, add_object (buffer, "plate", 1, 10, -1), texts[t], 0.5);
    expect (h, buffer, t == 2 ? "reading(1: B17, 0.67)" : "");
  }
  g_autoptr (GstMessage) enter =
      gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_ELEMENT);
  g_autoptr (GstMessage) reading =
      gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_ELEMENT);
  fail_unless (enter != NULL && reading != NULL);
  fail_unless_equals_string (
      gst_structure_get_string (gst_message_get_structure (reading), "text"),
      "B17");
}
GST_END_TEST

static GPtrArray *
classes (void)
{
  GPtrArray *labels = g_ptr_array_new ();

  g_ptr_array_add (labels, (gpointer) (guintptr) "ground");
  g_ptr_array_add (labels, (gpointer) (guintptr) "water");
  return labels;
}

/* Water from the left, as far as @columns of 16; a mask of its own size. */
static GstBuffer *
flood (guint t, guint columns)
{
  GstBuffer *buffer = frame (t);
  g_autoptr (GPtrArray) labels = classes ();
  guint8 *data = g_malloc0 (16 * 12);
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, 16 * 12);

  for (guint i = 0; i < 16 * 12; i++)
    data[i] = i % 16 < columns;
  gst_infer_add_mask (buffer, -1, GST_INFER_MASK_CLASSES, 16, 12, bytes,
      (GstInferMap){ 0, 0, 20, 20 }, labels);
  return buffer;
}

GST_START_TEST (test_flood)
{
  g_autoptr (TestHarness) h =
      start (RIGHT ",\\\"masks\\\":[\\\"water\\\"],\\\"covered\\\":0.45");

  expect (h, flood (0, 8), "");
  expect (h, flood (1, 11), "");
  expect (h, flood (2, 12), "covered(0.50)");
  expect (h, frame (3), "");
  expect (h, flood (4, 16), "");
  expect (h, flood (5, 10), "covered-end");
}
GST_END_TEST

/* A mask in the region of @roi: its right half. */
static void
add_half (GstBuffer *buffer, const GstVideoRegionOfInterestMeta *roi)
{
  guint8 *data = g_malloc0 (8 * 8);
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, 8 * 8);

  for (guint i = 0; i < 8 * 8; i++)
    data[i] = i % 8 < 4 ? 20 : 250;
  gst_infer_add_mask (buffer, roi->id, GST_INFER_MASK_SOFT, 8, 8, bytes,
      (GstInferMap){ roi->x, roi->y, 8, 8 }, NULL);
}

/* A person is in the zone as soon as the mask is, and covers some of it. */
GST_START_TEST (test_masks)
{
  g_autoptr (TestHarness) h =
      start (RIGHT ",\\\"anchor\\\":\\\"mask\\\",\\\"overlap\\\":0.9,"
                   "\\\"masks\\\":[\\\"person\\\"],\\\"covered\\\":0.05,"
                   "\\\"loitering\\\":0.1");
  GstBuffer *buffer;

  for (guint t = 0; t < 3; t++) {
    buffer = frame (t);
    add_half (buffer, add_object (buffer, "person", 1, t == 0 ? 100 : 130, -1));
    expect (h, buffer, t == 0 ? "" : t == 1 ? "covered(0.05)" : "loitering");
  }
}
GST_END_TEST

static Suite *
inferscene_results_suite (void)
{
  return test_suite ("inferscene-results", NULL, NULL, test_reading,
      test_characters, test_flood, test_masks, NULL);
}

GST_CHECK_MAIN (inferscene_results)
