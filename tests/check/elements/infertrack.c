/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/still.h"
#include "gst/infer/tensor-meta.h"
#include "tests/check/support/frame.h"
#include "tests/check/support/stream.h"

#define CAPS "video/x-raw, format=GRAY8, width=640, height=480, framerate=25/1"
#define FRAME (GST_SECOND / 25)

static GstVideoInfo video;

static GstHarness *
start (const char *description)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, CAPS);
  gst_video_info_set_format (&video, GST_VIDEO_FORMAT_GRAY8, 640, 480);
  return h;
}

/* Frame @t with a car that moves 4 pixels per frame; @age of its detection. */
static GstBuffer *
frame (guint t, int age, gboolean seen)
{
  GstBuffer *buffer = test_frame (&video);
  float x = 20 + 4 * (float) t;
  const GstInferBox box = { x, 100, x + 60, 140 };
  const GstInferLabel label = { "car", 2, 0.9, NULL, NULL };

  GST_BUFFER_PTS (buffer) = t * FRAME;
  if (!seen)
    return buffer;
  GstVideoRegionOfInterestMeta *roi =
      gst_infer_add_object (buffer, 640, 480, &box, &label, -1);
  if (age > 0)
    gst_structure_set (
        gst_video_region_of_interest_meta_get_param (roi, "detection"), "age",
        G_TYPE_INT, age, NULL);
  return buffer;
}

static int
id_of (GstBuffer *buffer)
{
  GstVideoRegionOfInterestMeta *roi = test_region (buffer, 0);

  return roi != NULL ? gst_infer_object_id (roi) : -1;
}

/* The id is kept while the car is hidden for a second and frames are dropped.
 */
GST_START_TEST (test_ids)
{
  g_autoptr (TestHarness) h = start ("infertrack");

  for (guint t = 0; t < 100; t++) {
    gboolean hidden = t >= 50 && t < 75;

    if (t > 80 && t % 2 == 0)
      continue; /* dropped before */
    GstBuffer *out = gst_harness_push_and_pull (h, frame (t, 0, !hidden));
    fail_unless_equals_int (id_of (out), hidden ? -1 : 1);
    gst_buffer_unref (out);
  }
  /* A flush begins a new scene. */
  test_flush (h);
  fail_unless_equals_int (
      gst_harness_push (h, frame (0, 0, TRUE)), GST_FLOW_OK);
  {
    GstBuffer *out = gst_harness_pull (h);

    fail_unless_equals_int (id_of (out), 2);
    gst_buffer_unref (out);
  }
}
GST_END_TEST

/* Frames without inference carry the box of the last one with it: it is
 * replaced by the prediction. */
GST_START_TEST (test_skipped_frames)
{
  g_autoptr (TestHarness) h = start ("infertrack");

  for (guint t = 0; t < 60; t++) {
    guint age = t % 3;
    GstBuffer *buffer = frame (t - age, (int) age, TRUE), *out;

    GST_BUFFER_PTS (buffer) = t * FRAME;
    out = gst_harness_push_and_pull (h, buffer);
    fail_unless_equals_int (test_count_regions (out), 1);
    fail_unless_equals_int (id_of (out), 1);
    GstVideoRegionOfInterestMeta *roi = test_region (out, 0);
    if (t > 15)
      fail_unless (ABS ((int) roi->x - (int) (20 + 4 * t)) <= 2, "frame %u: %u",
          t, roi->x);
    fail_unless_equals_string (g_quark_to_string (roi->roi_type), "car");
    gst_buffer_unref (out);
  }
}
GST_END_TEST

/* On frames that infermotion has marked, nothing moves, and nothing is lost. */
GST_START_TEST (test_still)
{
  g_autoptr (TestHarness) h = start ("infertrack");
  guint x = 0;

  for (guint t = 0; t < 200; t++) {
    GstBuffer *buffer = frame (MIN (t, 30), t > 30 ? (int) t - 30 : 0, TRUE);

    GST_BUFFER_PTS (buffer) = t * FRAME;
    if (t > 30)
      gst_infer_mark_still (buffer);
    g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, buffer);
    fail_unless_equals_int (test_count_regions (out), 1);
    fail_unless_equals_int (id_of (out), 1);
    GstVideoRegionOfInterestMeta *roi = test_region (out, 0);
    if (t == 30)
      x = roi->x;
    if (t > 30)
      fail_unless (
          ABS ((int) roi->x - (int) x) <= 8, "frame %u: %u", t, roi->x);
  }
}
GST_END_TEST

GST_START_TEST (test_predict)
{
  g_autoptr (TestHarness) h = start ("infertrack predict=3");

  for (guint t = 0; t < 30; t++) {
    g_autoptr (GstBuffer) out =
        gst_harness_push_and_pull (h, frame (t, 0, t < 20));

    fail_unless_equals_int (test_count_regions (out), t < 23);
  }
}
GST_END_TEST

GST_START_TEST (test_object_class)
{
  g_autoptr (TestHarness) h = start ("infertrack object-class=person,dog");
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, frame (0, 0, TRUE));

  fail_unless_equals_int (id_of (out), 0);
}
GST_END_TEST

/* Frame @t with one object at @x, and its look from a further model. */
static GstBuffer *
person (guint t, float x, float east, float north)
{
  GstBuffer *buffer = test_frame (&video);
  const GstInferBox box = { x, 100, x + 40, 200 };
  const GstInferLabel label = { "person", 0, 0.9, NULL, NULL };
  const float look[] = { east, north };
  g_autoptr (InferTensor) tensor =
      test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 2, 1, 1), look);

  GST_BUFFER_PTS (buffer) = t * FRAME;
  GstVideoRegionOfInterestMeta *roi =
      gst_infer_add_object (buffer, 640, 480, &box, &label, -1);
  gst_buffer_add_infer_tensor_meta (buffer, 1, &tensor, NULL)->roi_id = roi->id;
  return buffer;
}

/* The object's id on @n frames from @t on. */
static int
follow (GstHarness *h, guint t, guint n, float x, float east, float north)
{
  int id = 0;

  for (guint i = 0; i < n; i++) {
    g_autoptr (GstBuffer) out =
        gst_harness_push_and_pull (h, person (t + i, x, east, north));

    fail_unless (i == 0 || id_of (out) == id);
    fail_unless (gst_buffer_get_infer_tensor_meta (out)->decoded);
    id = id_of (out);
  }
  return id;
}

/* An object that was gone for longer than tracks are kept is recognised by its
 * look, wherever it comes back, until the look is forgotten. */
GST_START_TEST (test_look)
{
  g_autoptr (TestHarness) h =
      start ("infertrack reid-distance=0.3 reid-keep=10000");

  fail_unless_equals_int (follow (h, 0, 5, 20, 1, 0), 1);
  fail_unless_equals_int (follow (h, 100, 5, 300, 0, 1), 2);
  fail_unless_equals_int (follow (h, 200, 5, 500, 1, 0.1f), 1);
  fail_unless_equals_int (follow (h, 300, 5, 20, 0.1f, 1), 2);
  fail_unless_equals_int (follow (h, 600, 5, 20, 1, 0), 3);
}
GST_END_TEST

/* Somebody else comes out from behind the wall: not the one who is lost. */
GST_START_TEST (test_other_look)
{
  g_autoptr (TestHarness) h = start ("infertrack reid-distance=0.3");

  fail_unless_equals_int (follow (h, 0, 5, 20, 1, 0), 1);
  for (guint t = 5; t < 10; t++)
    gst_buffer_unref (gst_harness_push_and_pull (h, frame (t, 0, FALSE)));
  fail_unless_equals_int (follow (h, 10, 5, 22, 0, 1), 2);
  fail_unless_equals_int (follow (h, 20, 5, 60, 1, 0), 1);
}
GST_END_TEST

/* One id on two cameras. */
GST_START_TEST (test_cameras)
{
  g_autoptr (TestHarness) a =
      start ("infertrack reid-distance=0.3 reid-gallery=street");
  g_autoptr (TestHarness) b =
      start ("infertrack reid-distance=0.3 reid-gallery=street");
  g_autoptr (TestHarness) other = start ("infertrack reid-distance=0.3");

  fail_unless_equals_int (follow (a, 0, 5, 20, 1, 0), 1);
  fail_unless_equals_int (follow (b, 7000, 5, 400, 0, 1), 2);
  fail_unless_equals_int (follow (b, 7100, 5, 100, 1, 0), 1);
  fail_unless_equals_int (follow (a, 100, 5, 20, 0, 1), 2);
  fail_unless_equals_int (follow (other, 0, 5, 20, 0, 1), 1);
}
GST_END_TEST

static Suite *
infertrack_suite (void)
{
  return test_suite ("infertrack", NULL, NULL, test_ids, test_skipped_frames,
      test_still, test_predict, test_object_class, test_look, test_other_look,
      test_cameras, NULL);
}

GST_CHECK_MAIN (infertrack)
