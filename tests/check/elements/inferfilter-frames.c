/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streams of video: states, segments, caps that change, errors. */

#include <stdio.h>
#include <string.h>

#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

#define W 6
#define H 4

static GstBuffer *
even_frame (GstVideoFormat format, int width, int height, guint8 value,
    GstClockTime pts)
{
  g_autofree guint8 *rgb = g_malloc ((gsize) (3 * width * height));

  memset (rgb, value, (gsize) (3 * width * height));
  GstBuffer *frame = picture_frame (format, width, height, rgb);
  GST_BUFFER_PTS (frame) = pts;
  GST_BUFFER_DURATION (frame) = GST_SECOND / 25;
  return frame;
}

static void
push_even (GstHarness *h, guint8 value, guint n)
{
  for (guint i = 0; i < n; i++)
    fail_unless_equals_int (
        gst_harness_push (h, even_frame (GST_VIDEO_FORMAT_RGB, W, H, value,
                                 i * GST_SECOND / 25)),
        GST_FLOW_OK);
}

static void
assert_sum (GstHarness *h, float sum, GstClockTime pts)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  g_autoptr (GArray) floats = picture_floats (buffer);

  fail_unless_equals_float (g_array_index (floats, float, 0), sum);
  fail_unless_equals_int64 (GST_BUFFER_PTS (buffer), pts);
}

/* States pass from frame to frame until the sequence ends, for any nireq. */
GST_START_TEST (test_states)
{
  g_autofree char *model = picture_model_sum ("sum", "f32", "1,3,4,6");

  for (guint nireq = 1; nireq < 4; nireq++) {
    g_autofree char *more = g_strdup_printf ("nireq=%u", nireq);
    g_autoptr (TestHarness) h = picture_harness (model, more);

    picture_set_caps (h, GST_VIDEO_FORMAT_RGB, W, H);
    push_even (h, 5, 3);
    for (guint i = 0; i < 3; i++)
      assert_sum (h, 5 * (float) (i + 1), i * GST_SECOND / 25);
    GstBuffer *frame = even_frame (GST_VIDEO_FORMAT_RGB, W, H, 9, 0);
    GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_DISCONT);
    gst_harness_push (h, frame);
    assert_sum (h, 9, 0);
    push_even (h, 3, 5);
    test_flush (h);
    push_even (h, 4, 2);
    assert_sum (h, 4, 0);
    assert_sum (h, 8, GST_SECOND / 25);
    gst_harness_push_event (h, gst_event_new_eos ());
    test_wait_eos (h);
    fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
  }
}
GST_END_TEST

/* A segment that continues where the last frame ends resets nothing; any
 * other does. */
GST_START_TEST (test_segments)
{
  static const struct
  {
    GstClockTime start, base;
    float sum;
  } ways[] = {
    { 2 * GST_SECOND / 25, 2 * GST_SECOND / 25, 15 },
    { 0, 0, 15 },
    { 2 * GST_SECOND / 25, 0, 5 },
    { GST_SECOND, 2 * GST_SECOND / 25, 5 },
  };
  g_autofree char *model = picture_model_sum ("sum", "f32", "1,3,4,6");

  for (guint way = 0; way < G_N_ELEMENTS (ways); way++)
    for (guint with_duration = 0; with_duration < 2; with_duration++) {
      g_autoptr (TestHarness) h = picture_harness (model, "");
      GstSegment segment;

      picture_set_caps (h, GST_VIDEO_FORMAT_RGB, W, H);
      for (guint i = 0; i < 3; i++) {
        GstBuffer *frame =
            even_frame (GST_VIDEO_FORMAT_RGB, W, H, 5, i * GST_SECOND / 25);

        if (!with_duration)
          GST_BUFFER_DURATION (frame) = GST_CLOCK_TIME_NONE;
        if (i == 2) {
          gst_segment_init (&segment, GST_FORMAT_TIME);
          segment.start = segment.time = ways[way].start;
          segment.base = ways[way].base;
          gst_harness_push_event (h, gst_event_new_segment (&segment));
        }
        gst_harness_push (h, frame);
      }
      GST_INFO ("way %u, durations %u", way, with_duration);
      assert_sum (h, 5, 0);
      assert_sum (h, 10, GST_SECOND / 25);
      assert_sum (h, ways[way].sum, 2 * GST_SECOND / 25);
    }
}
GST_END_TEST

/* Another size and format begin a sequence, after all earlier frames have
 * left. */
GST_START_TEST (test_new_caps)
{
  g_autofree char *model = picture_model_sum ("sum", "f32", "1,3,4,6");
  g_autoptr (TestHarness) h = picture_harness (model, "");

  picture_set_caps (h, GST_VIDEO_FORMAT_RGB, W, H);
  push_even (h, 5, 2);
  picture_set_caps (h, GST_VIDEO_FORMAT_BGRx, 13, 31);
  gst_harness_push (h, even_frame (GST_VIDEO_FORMAT_BGRx, 13, 31, 7, 0));
  assert_sum (h, 5, 0);
  assert_sum (h, 10, GST_SECOND / 25);
  assert_sum (h, 7, 0);
}
GST_END_TEST

/* A model of open size gets the frame's size. */
GST_START_TEST (test_open_size)
{
  g_autofree char *model = picture_model_copy ("open", "f32", "?,3,?,?");
  g_autoptr (TestHarness) h = picture_harness (model, "");
  g_autoptr (GArray) one = NULL, two = NULL;

  picture_set_caps (h, GST_VIDEO_FORMAT_RGB, W, H);
  one = picture_push (h, even_frame (GST_VIDEO_FORMAT_RGB, W, H, 5, 0));
  fail_unless_equals_int (one->len, 3 * W * H);
  picture_set_caps (h, GST_VIDEO_FORMAT_RGB, 10, 7);
  two = picture_push (h, even_frame (GST_VIDEO_FORMAT_RGB, 10, 7, 5, 0));
  fail_unless_equals_int (two->len, 3 * 10 * 7);
}
GST_END_TEST

GST_START_TEST (test_offer)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,4,6");
  g_autoptr (TestHarness) h = picture_harness (model, "");
  g_autoptr (GstCaps) caps = gst_pad_peer_query_caps (h->srcpad, NULL);
  g_autoptr (GstCaps) first = gst_caps_from_string (
      "video/x-raw, format=RGB, width=6, height=4, framerate=30/1");
  g_autoptr (GstCaps) any = gst_caps_from_string (
      "video/x-raw, format=NV12, width=1920, height=1080, framerate=30/1");
  g_autoptr (GstCaps) deep = gst_caps_from_string (
      "video/x-raw, format=NV12_64Z32, width=6, height=4, framerate=30/1");
  g_autoptr (GstCaps) best = gst_caps_copy_nth (caps, 0);

  fail_unless (gst_caps_can_intersect (best, first));
  fail_if (gst_caps_can_intersect (best, any));
  fail_unless (gst_caps_can_intersect (caps, any));
  fail_if (gst_caps_can_intersect (caps, deep));
}
GST_END_TEST

GST_START_TEST (test_allocation)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,4,6");
  g_autoptr (TestHarness) h = picture_harness (model, "");
  g_autofree char *text = picture_caps (GST_VIDEO_FORMAT_RGB, W, H);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);

  picture_set_caps (h, GST_VIDEO_FORMAT_RGB, W, H);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (
      gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
}
GST_END_TEST

static void
assert_error (GstHarness *h, const char *part)
{
  g_autofree char *message = test_pop_error (h);

  fail_unless (message != NULL && strstr (message, part) != NULL,
      "'%s' lacks '%s'", message, part);
  test_teardown (h);
}

GST_START_TEST (test_errors)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,4,6");
  g_autofree char *flat = picture_model_copy ("flat", "f32", "1,12");
  GstHarness *h = picture_harness (model, "");

  picture_set_caps (h, GST_VIDEO_FORMAT_RGB, W, H);
  gst_harness_push (h, gst_buffer_new_allocate (NULL, 10, NULL));
  assert_error (h, "a buffer of 10 bytes is no frame of video/x-raw");

  h = picture_harness (model, "");
  picture_set_caps (h, GST_VIDEO_FORMAT_NV12_64Z32, W, H);
  assert_error (h, "NV12_64Z32");

  h = picture_harness (flat, "");
  picture_set_caps (h, GST_VIDEO_FORMAT_RGB, W, H);
  assert_error (h, "no image");
}
GST_END_TEST

static void
assert_start_fails (const char *model, const char *more, const char *part)
{
  g_autofree char *description =
      g_strdup_printf ("inferfilter model=%s %s", model, more);

  test_start_fails (description, part);
}

GST_START_TEST (test_start_errors)
{
  g_autofree char *model = picture_model_copy ("wrong", "f32", "1,3,4,6");
  g_autofree char *flat = picture_model_copy ("flat", "f32", "1,12");
  g_autofree char *file = g_strconcat (model, ".modelinfo", NULL);

  assert_start_fails (model, "model-info=means=3", "'means' is not a key");
  assert_start_fails (model, "model-info=layout", "not KEY=value");
  assert_start_fails (flat, "output=media-with-meta", "flat.xml");
  g_file_set_contents (file, "[model_info]\nscales=1\n", -1, NULL);
  assert_start_fails (model, "", file);
  g_file_set_contents (file, "scales=1\n", -1, NULL);
  assert_start_fails (model, "", file);
  g_file_set_contents (file, "[other]\nscales=1\n", -1, NULL);
  assert_start_fails (model, "", "[model_info]");
  fail_unless_equals_int (remove (file), 0);
}
GST_END_TEST

static Suite *
inferfilter_frames_suite (void)
{
  return test_suite ("inferfilter-frames", NULL, picture_folder_clear,
      test_states, test_segments, test_new_caps, test_open_size, test_offer,
      test_allocation, test_errors, test_start_errors, NULL);
}

GST_CHECK_MAIN (inferfilter_frames)
